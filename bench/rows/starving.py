"""What hostile programs make the server hold, and how long others wait for it meanwhile: names that are made up, answers that nobody reads,
large outputs that are read in turn."""

import time

from rows.flood import Watch
from support import processes
from support.programs import PYTHON, TYPESCRIPT, run
from support.row import Row, expect
from support.world import ECHO_CHILD, World

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
# Straight into the control channel: nobody reads the answers. Each has 4 MB.
UNREAD = """
import json, os, time
for id in range(1_000_000, 1_000_700):
    body = json.dumps({"type": "request", "id": id, "method": "output", "params": {"handle": "HANDLE"}}).encode()
    os.write(3, len(body).to_bytes(4, "big") + body)
end = time.monotonic() + 10
while time.monotonic() < end:
    pass
"""
READ_IN_TURN = """
const handles = HANDLES
const reads = []
for (let i = 0; i < 200; i++) reads.push(readOutput(handles[i % 2], {limit: 1}))
await Promise.all(reads)
"""


def kept_output(server, elements):
    """The handle of a value that the program gave and that is too large to show."""
    report, _ = run(server, TYPESCRIPT, f"return Array.from({{length: {elements}}}, (_, i) => ({{id: i, name: `n${{i}}`}}))")
    return report["result"]["handle"]


def ping(server, waits):
    begin = time.perf_counter()
    server.request("ping")
    waits.append((time.perf_counter() - begin) * 1000)


def attack(server, language, code):
    """(MB above what was held before, the longest ping in ms, the report) of that program."""
    before = processes.resident_bytes(server.process.pid)
    watch = Watch(server.process.pid)
    watch.start()
    hostile = server.ask("tools/call", {"name": language.tool, "arguments": {"code": code, "timeoutMs": TIMEOUT_MS}})
    waits, report = [], None
    while report is None:
        ping(server, waits)
        time.sleep(PAUSE_SECONDS)
        report = server.take_answers(0).get(hostile)
    watch.stopped = True
    watch.join()
    return (watch.largest - before) / 1e6, max(waits), report["result"]


def row(what, held, wait, more=""):
    return Row(what, f"{held:.0f} MB, {wait:.0f} ms{more}", f"<= {HELD_BAR_MB} MB, < {PING_BAR_MS} ms",
               held <= HELD_BAR_MB and wait < PING_BAR_MS, {"megabytes": round(held, 1), "ping_ms": round(wait, 1)})


def measure(rounds):
    with World({"echo": ECHO_CHILD}) as world, world.start() as server:
        server.initialize()
        run(server, PYTHON, "1")
        held, wait, result = attack(server, PYTHON, NAMES)
        expect(not result.get("isError"), "the program with made-up names did not come to its end")
        yield row(f"held for {MADE_UP_NAMES:,} made-up names, and the longest ping meanwhile", held, wait, f", answer of {len(str(result)) // 1000} kB")

        handles = [kept_output(server, 100_000) for _ in range(2)]
        held, wait, result = attack(server, PYTHON, UNREAD.replace("HANDLE", handles[0]))
        expect("runs.maxHeldMb" in str(result), "a guest that does not read was not ended")
        yield row("held for a guest that does not read, and the longest ping meanwhile", held, wait)

        held, wait, result = attack(server, TYPESCRIPT, READ_IN_TURN.replace("HANDLES", str(handles)))
        expect(not result.get("isError"), "the outputs could not be read")
        yield row("held for two large outputs that are read in turn, and the longest ping meanwhile", held, wait)
