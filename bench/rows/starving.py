"""What hostile programs and servers make the server hold, and how long others wait for it meanwhile: names that are made up, answers that nobody
reads, large outputs that are read in turn, schemas that grow when they are compiled."""

import json
import socket
import sys
import threading
import time

from rows.flood import Watch
from support import processes
from support.http_client import port_of
from support.programs import PYTHON, TYPESCRIPT, run
from support.row import Row, expect
from support.world import ECHO_CHILD, ROOT, SOAK_CHILD, World

PING_BAR_MS = 100
HELD_BAR_MB = 512
PAUSE_SECONDS = 0.01
TIMEOUT_MS = 60_000

MADE_UP_NAMES = 9_000
NAMES = f"""
for i in range({MADE_UP_NAMES}):
    try:
        call_mcp_tool('nobody', f"made_up_{{i}}_{{'x' * 100}}", {{}})
    except Exception:
        pass
"""
# Straight into the control channel: the program reads no answers.
UNREAD = """
import json, os, time
for id in range(1_000_000, 1_000_700):
    body = json.dumps({"id": id, **REQUEST}).encode()
    os.write(3, len(body).to_bytes(4, "big") + body)
end = time.monotonic() + 10
while time.monotonic() < end:
    pass
"""
# 62 of 63 MB of a frame, and then nothing.
UNFINISHED = """
import os, time
os.write(3, (63 << 20).to_bytes(4, "big"))
part = bytes(1 << 20)
for _ in range(62):
    left = memoryview(part)
    while left:
        left = left[os.write(3, left):]
time.sleep(5)
"""
UNFINISHED_AT_ONCE = 20
SMALL_DATA_MB = 1_024
ALL_HELD_BAR_MB = 640  # half of that for all programs together, and those that are dying
LARGE_CLIENTS, LARGE_ROUNDS, LARGE_HELD_BAR_MB = 4, 3, 1_100  # each of them may take 256 MiB while it is looked at
LARGE_BODY = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[%s1]}}' % (b'{"a":1},' * 1_800_000)
LARGE_HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n"
TOOLS = 2_000
HOSTILE_CHILD = [sys.executable, "-S", "-E", "-u", str(ROOT / "tests" / "children" / "mcp_child.py")]
READ_IN_TURN = """
const handles = HANDLES
const reads = []
for (let i = 0; i < 200; i++) reads.push(readOutput(handles[i % 2], {limit: 1}))
await Promise.all(reads)
"""


CALL_HOSTILE = "try { await callMCPTool('hostile', 'echo', {text: 'x'}) } catch {} return 1"


def hostile_schemas():
    """Identifiers within identifiers, and long ones: 0.3 MB each, which took 1.2 and 1.7 GB."""
    nested = {"$id": "leaf/", "$defs": {f"d{i}": {"$id": str(i)} for i in range(1_500)}}
    for _ in range(60):
        nested = {"$id": "a" * 2_000 + "/", "not": nested}
    long = {"$id": "https://example.com/" + "a" * 200_000 + "/", "$defs": {f"d{i}": {"$id": str(i)} for i in range(1_800)}}
    return {"identifiers within identifiers": nested, "a long identifier of many": long}


def kept_output(server, elements):
    """The handle of a value that the program gave and that is too large to show."""
    report, _ = run(server, TYPESCRIPT, f"return Array.from({{length: {elements}}}, (_, i) => ({{id: i, name: `n${{i}}`}}))")
    return report["result"]["handle"]


def ping(server, waits):
    begin = time.perf_counter()
    server.request("ping")
    waits.append((time.perf_counter() - begin) * 1000)


def attack(server, language, code, at_once=1):
    """(MB above what was held before, the longest ping in ms, the last result) of that program, which runs so many times at once."""
    before = processes.resident_bytes(server.process.pid)
    watch = Watch(server.process.pid)
    watch.start()
    arguments = {"name": language.tool, "arguments": {"code": code, "timeoutMs": TIMEOUT_MS}}
    hostile = [server.ask("tools/call", arguments) for _ in range(at_once)]
    waits, answers = [], {}
    while len(answers) < at_once:
        ping(server, waits)
        time.sleep(PAUSE_SECONDS)
        answers.update({id: answer for id, answer in server.take_answers(0).items() if id in hostile})
    watch.stopped = True
    watch.join()
    return (watch.largest - before) / 1e6, max(waits), answers[hostile[-1]]["result"]


def row(what, held, wait, more="", held_bar=HELD_BAR_MB):
    return Row(what, f"{held:.0f} MB, {wait:.0f} ms{more}", f"<= {held_bar} MB, < {PING_BAR_MS} ms",
               held <= held_bar and wait < PING_BAR_MS, {"megabytes": round(held, 1), "ping_ms": round(wait, 1)})


def unread(method, **params):
    return UNREAD.replace("REQUEST", repr({"type": "request", "method": method, "params": params}))


def rows_of_programs(server):
    held, wait, result = attack(server, PYTHON, NAMES)
    expect(not result.get("isError"), "the program with made-up names did not come to its end")
    yield row(f"held for {MADE_UP_NAMES:,} made-up names, and the longest ping meanwhile", held, wait, f", answer of {len(str(result)) // 1000} kB")

    handles = [kept_output(server, 100_000) for _ in range(2)]
    for what, code in ((f"answers of {TOOLS:,} tools", unread("discover", detail="full")), ("answers of 4 MB", unread("output", handle=handles[0]))):
        held, wait, result = attack(server, PYTHON, code)
        expect("before asking for more" in str(result), "a guest that does not read was not ended")
        yield row(f"held for a guest that does not read ({what}), and the longest ping meanwhile", held, wait)

    held, wait, result = attack(server, TYPESCRIPT, READ_IN_TURN.replace("HANDLES", str(handles)))
    expect(not result.get("isError"), "the outputs could not be read")
    yield row("held for two large outputs that are read in turn, and the longest ping meanwhile", held, wait)


def row_of_schema(name, schema):
    with World({"echo": ECHO_CHILD}) as world:
        definitions = world.folder / "definitions.json"
        definitions.write_text(json.dumps({"echo": {"inputSchema": schema, "outputSchema": schema}}), encoding="utf-8")
        world.configure({"hostile": [*HOSTILE_CHILD, "--definitions", str(definitions)]})
        with world.start() as server:
            server.initialize()
            run(server, TYPESCRIPT, "return 1")
            held, wait, _ = attack(server, TYPESCRIPT, CALL_HOSTILE)
            return row(f"held for a schema with {name}, and the longest ping meanwhile", held, wait)


def row_of_unfinished_frames():
    with World({"echo": ECHO_CHILD}, settings={"process": {"dataMb": SMALL_DATA_MB}}) as world, world.start() as server:
        server.initialize()
        run(server, PYTHON, "1")
        held, wait, _ = attack(server, PYTHON, UNFINISHED, UNFINISHED_AT_ONCE)
        what = f"held for frames that {UNFINISHED_AT_ONCE} programs at once do not finish, and the longest ping meanwhile"
        return row(what, held, wait, held_bar=ALL_HELD_BAR_MB)


def post_large(port):
    for _ in range(LARGE_ROUNDS):
        with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_MS / 1000) as connection:
            connection.sendall(LARGE_HEAD % len(LARGE_BODY) + LARGE_BODY)
            expect(connection.recv(1000).startswith(b"HTTP/1.1 "), "a large message was not answered")


def row_of_large_messages():
    with World({}) as world, world.start("serve", "--http", "127.0.0.1:0") as server:
        server.initialize()
        before = processes.resident_bytes(server.process.pid)
        watch = Watch(server.process.pid)
        watch.start()
        clients = [threading.Thread(target=post_large, args=(port_of(server),)) for _ in range(LARGE_CLIENTS)]
        for client in clients:
            client.start()
        waits = []
        while any(client.is_alive() for client in clients):
            ping(server, waits)
            time.sleep(PAUSE_SECONDS)
        watch.stopped = True
        watch.join()
        held = (watch.largest - before) / 1e6
        return row(f"held for {LARGE_CLIENTS} clients over HTTP that send {len(LARGE_BODY) >> 20} MiB of small values, and the longest ping meanwhile", held, max(waits),
                   held_bar=LARGE_HELD_BAR_MB)


def measure(rounds):
    with World({"echo": ECHO_CHILD, "many": [*SOAK_CHILD, f"tools={TOOLS}"]}) as world, world.start() as server:
        server.initialize()
        run(server, PYTHON, "1")
        run(server, TYPESCRIPT, "return (await discoverMCPTools({server: 'many'})).length")
        yield from rows_of_programs(server)
    yield row_of_unfinished_frames()
    yield row_of_large_messages()
    for name, schema in hostile_schemas().items():
        yield row_of_schema(name, schema)
