"""What serving over HTTP costs: a run beside the same over stdio, clients that are connected, and connections that are too many."""

import socket
import threading
import time

from support.http_client import HttpClient, port_of
from support.processes import open_descriptors, resident_bytes
from support.programs import PYTHON, TYPESCRIPT, report_of, run
from support.row import Row, expect, median, summary
from support.world import World
from rows.warm_guest import wait_for_warm_guest

CODE = "return 1+1"
OVER_STDIO_MS = 0.5
IDLE_CLIENTS, IDLE_BYTES = 256, 40 << 20
STEADY_CLIENTS, STEADY_SECONDS, STEADY_FACTOR = 64, 10, 5
REFUSED_CONNECTIONS = 10_000
FAREWELL_SECONDS = 10  # what was refused is waited for 2 s
# Beside those of the row: the one that looks.
SETTINGS = {"server": {"maxConnections": IDLE_CLIENTS + 8, "maxSessions": IDLE_CLIENTS + 8}}


def serve(world):
    return world.start("serve", "--http", "127.0.0.1:0")


def run_over_http(client):
    begin = time.perf_counter()
    report_of(client.call_tool(TYPESCRIPT.tool, {"code": CODE}))
    return (time.perf_counter() - begin) * 1000


def measure_call(rounds):
    with World({}) as world, serve(world) as server, HttpClient(port_of(server)) as client:
        server.initialize()
        client.initialize()
        over_stdio, over_http = [], []
        for _ in range(rounds.samples * 4):
            wait_for_warm_guest(server, TYPESCRIPT)
            over_stdio.append(run(server, TYPESCRIPT, CODE)[1])
            wait_for_warm_guest(server, TYPESCRIPT)
            over_http.append(run_over_http(client))
        more = median(over_http) - median(over_stdio)
        yield Row("run over HTTP, kept connection, beside the same over stdio", f"{median(over_http):.2f} and {median(over_stdio):.2f} ms",
                  f"<= + {OVER_STDIO_MS} ms p50", more <= OVER_STDIO_MS, {"stdio_ms": summary(over_stdio), "http_ms": summary(over_http)})


def measure_clients(_):
    with World({}, SETTINGS) as world, serve(world) as server:
        server.initialize()
        port = port_of(server)
        before = resident_bytes(server.process.pid)
        clients = [HttpClient(port) for _ in range(IDLE_CLIENTS)]
        for client in clients:
            client.initialize()
        more = resident_bytes(server.process.pid) - before
        yield Row(f"{IDLE_CLIENTS} clients over HTTP, idle: resident", f"{more / 2**20:.1f} MiB more", f"<= {IDLE_BYTES >> 20} MiB", more <= IDLE_BYTES,
                  {"bytes": more})
        yield steady_row(clients[:STEADY_CLIENTS])
        for client in clients:
            client.__exit__()


def steady_row(clients):
    """Each has a run a second, at times of its own."""
    times, failed = [], []

    def work(client, number):
        begin = time.monotonic() + number / len(clients)
        for second in range(STEADY_SECONDS):
            time.sleep(max(0, begin + second - time.monotonic()))
            try:
                times.append(run_over_http(client))
            except Exception as e:  # pylint: disable=broad-except  # whatever it is, it was no answer
                failed.append(repr(e))
    threads = [threading.Thread(target=work, args=(client, number)) for number, client in enumerate(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not failed, f"{len(failed)} runs were not answered: {failed[:1]}")
    times.sort()
    p50, p99 = median(times), times[int(len(times) * 0.99)]
    return Row(f"{len(clients)} clients over HTTP, a run a second each", f"all answered, p50 {p50:.1f} ms, p99 {p99:.1f} ms", f"p99 <= {STEADY_FACTOR} x p50",
               p99 <= STEADY_FACTOR * p50, {"ms": summary(times)})


def measure_refused(_):
    """At the bound, with one client that goes on."""
    with World({}, {"server": {"maxConnections": 16}}) as world, serve(world) as server, HttpClient(port_of(server)) as client:
        server.initialize()
        client.initialize()
        port = port_of(server)
        for language in (TYPESCRIPT, PYTHON):  # the descriptors of guests come and go until then
            wait_for_warm_guest(server, language)
        before = open_descriptors(server.process.pid)
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(15)]
        worst = 0
        for number in range(REFUSED_CONNECTIONS):
            with socket.create_connection(("127.0.0.1", port)) as one:
                expect(b" 503 " in one.recv(4096), "a connection at the bound was not refused")
            if number % 100 == 0:
                begin = time.perf_counter()
                client.request("ping", {})
                worst = max(worst, (time.perf_counter() - begin) * 1000)
        for one in held:
            one.close()
        deadline = time.monotonic() + FAREWELL_SECONDS
        while (leaked := open_descriptors(server.process.pid) - before) > 0 and time.monotonic() < deadline:
            time.sleep(0.05)
        yield Row(f"{REFUSED_CONNECTIONS:,} connections refused at the bound", f"ping of another client {worst:.1f} ms at most, {max(0, leaked)} descriptors leaked",
                  "<= 100 ms, 0", worst <= 100 and leaked <= 0, {"worst_ms": worst, "leaked": leaked})
