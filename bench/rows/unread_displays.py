"""How long others wait while many clients have programs show large values, and read nothing."""

import json
import socket
import statistics
import time

from support.http_client import HttpClient, port_of
from support.mcp_client import ANSWER_SECONDS
from support.programs import PYTHON, run
from support.row import Row
from support.world import World

CLIENTS, RUNS_OF_EACH, DISPLAY_BYTES = 12, 15, 4_000_000
PING_BAR_MS = 100
WATCHED_SECONDS, PAUSE_SECONDS = 20, 0.01
PROGRAM = f"display('x' * {DISPLAY_BYTES})"


def post(port, session, id):
    """A run in a connection of its own, of which nothing is read."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS)
    arguments = {"name": PYTHON.tool, "arguments": {"code": PROGRAM}}
    body = json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": arguments}).encode()
    connection.sendall(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: {session}\r\n"
                       f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    return connection


def pings(server):
    waits, end = [], time.monotonic() + WATCHED_SECONDS
    while time.monotonic() < end:
        begin = time.perf_counter()
        server.request("ping")
        waits.append((time.perf_counter() - begin) * 1000)
        time.sleep(PAUSE_SECONDS)
    return waits


def measure(rounds):
    with World({}) as world, world.start("serve", "--http", "127.0.0.1:0") as server:
        server.initialize()
        run(server, PYTHON, "1")
        clients = [HttpClient(port_of(server)) for _ in range(CLIENTS)]
        for client in clients:
            client.initialize()
        unread = [post(port_of(server), client.session, id) for client in clients for id in range(10, 10 + RUNS_OF_EACH)]
        waits = pings(server)
        for connection in unread:
            connection.close()
    longest, p99 = max(waits), statistics.quantiles(waits, n=100)[-1]
    yield Row(f"ping while {CLIENTS} clients x {RUNS_OF_EACH} runs show {DISPLAY_BYTES // 1_000_000} MB each and read nothing, longest and p99",
              f"{longest:.0f} and {p99:.0f} ms", f"< {PING_BAR_MS} ms", longest < PING_BAR_MS, {"longest_ms": round(longest, 1), "p99_ms": round(p99, 1)})
