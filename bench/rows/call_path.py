"""What one tool call costs the server itself, how long 1 MB takes to a guest, and what 5,000 calls leave behind.

Own time is what the scheduler gave to the server's threads while a run made its calls: frame in, allowlist, validation,
dispatch, the child's answer, unwrapping, frame out. The child (bench/echo_child.py) answers at once and is not in it.
"""

import os

from support import processes
from support.programs import PYTHON, TYPESCRIPT, run
from support.row import Row, expect, median, summary
from support.world import ECHO_CHILD, World

CALLS = 2_000
WARM_UP_CALLS = 500
BAR_OWN_US = 100
BAR_MEGABYTE_MS = 15
MANY_CALLS = 5_000
ANSWER_BYTES = 20_000
BAR_HELD_MB = 8

CALL = {
    TYPESCRIPT: "for (let i = 0; i < %d; i++) await callMCPTool('mcp__child__echo', {message: `call ${i}`}); return 1",
    PYTHON: "for i in range(%d):\n    call_mcp_tool('mcp__child__echo', {'message': f'call {i}'})",
}
LARGE = """
const times = [];
for (let i = 0; i < 12; i++) {
  const begin = performance.now();
  const text = await callMCPTool('mcp__child__large', {bytes: 1_000_000});
  times.push(performance.now() - begin);
  if (text.length !== 1_000_000) throw new Error(`${text.length} bytes`);
}
return times.slice(2)"""
MANY = f"""
for (let i = 0; i < {MANY_CALLS}; i++) await callMCPTool('mcp__child__large', {{bytes: {ANSWER_BYTES}}});
return 1"""


def own_ns(pid):
    """CPU time of all threads."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total


def own_time(server, language):
    """Microseconds per call: the difference of two runs, so that what a run costs itself is not in it."""
    pid = server.process.pid

    def cost(calls):
        before = own_ns(pid)
        run(server, language, CALL[language] % calls)
        return own_ns(pid) - before
    few = cost(10)
    return (cost(CALLS) - few) / (CALLS - 10) / 1000


def measure(rounds):
    with World({"child": ECHO_CHILD}) as world, world.start() as server:
        server.initialize()
        for language, code in CALL.items():
            run(server, language, code % WARM_UP_CALLS)
            own = [own_time(server, language) for _ in range(max(3, rounds.samples // 5))]
            yield Row(f"own CPU time of one tool call, {language.name}", f"{median(own):.0f} us", f"<= {BAR_OWN_US} us",
                      median(own) <= BAR_OWN_US, {"us": summary(own, 1)})
        report, _ = run(server, TYPESCRIPT, LARGE)
        times = report["result"]
        yield Row("1 MB from a child to a guest, whole call", f"{median(times):.1f} ms", f"<= {BAR_MEGABYTE_MS} ms",
                  median(times) <= BAR_MEGABYTE_MS, {"ms": summary(times)})
        run(server, TYPESCRIPT, MANY)  # what is allocated once, for good
        before = processes.resident_bytes(server.process.pid)
        report, _ = run(server, TYPESCRIPT, MANY)
        held = (processes.resident_bytes(server.process.pid) - before) / 1e6
        expect(report["toolCallSummary"][0]["successCount"] == MANY_CALLS, "calls failed")
        yield Row(f"memory held after {MANY_CALLS:,} calls with {ANSWER_BYTES // 1000} kB each in one run", f"{held:.1f} MB",
                  f"<= {BAR_HELD_MB} MB", held <= BAR_HELD_MB, {"megabytes": round(held, 2)})
