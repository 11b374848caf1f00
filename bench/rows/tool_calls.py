"""100 tool calls in turn from one run, against this client calling another process of the same server directly.

Where the time of a call goes is worked out from three clocks of the same round:
  total    the guest's own clock around its 100 calls
  tracked  toolCallSummary: from the guest's frame until the answer is unwrapped, on code-executor's side
  direct   this client's clock around 100 calls of its own
guest = total - tracked: the guest's API and both ways through its channel. child = direct: the server itself and this
client's way to it. ours = tracked - direct: what a call costs more in code-executor than in this client; it can be
negative, because this client is written in Python.

Both processes of the server are called until their JIT compilers have nothing left to do before anything is measured.
"""

import time

from support.mcp_client import McpClient
from support.programs import PYTHON, TYPESCRIPT, run
from support.row import Row, expect, median, summary
from support.world import ECHO_CHILD, World, npm_server

CALLS = 100
WARM_UP_CALLS = 3_000
BAR = 2.5

PROGRAMS = {
    TYPESCRIPT: """
const begin = performance.now();
for (let i = 0; i < %d; i++) await callMCPTool("mcp__child__echo", { message: `call ${i}` });
return performance.now() - begin;
""",
    PYTHON: """
import time
begin = time.perf_counter()
for i in range(%d):
    call_mcp_tool("mcp__child__echo", {"message": f"call {i}"})
(time.perf_counter() - begin) * 1000
""",
}


def call_directly(child, calls):
    """Milliseconds per call."""
    begin = time.perf_counter()
    for i in range(calls):
        result = child.call_tool("echo", {"message": f"call {i}"})
    took = time.perf_counter() - begin
    expect(result["content"][0]["text"].endswith(f"call {calls - 1}"), f"the child answered with {result}")
    return took * 1000 / calls


def call_from_run(server, language, calls):
    """(total, tracked) milliseconds per call."""
    report, _ = run(server, language, PROGRAMS[language] % calls)
    tracked = report["toolCallSummary"][0]
    expect(tracked["successCount"] == calls, f"only {tracked['successCount']} of {calls} calls succeeded")
    return report["result"] / calls, tracked["totalDurationMs"] / calls


def one_round(server, child, calls):
    """(direct, total, tracked) by language. Direct is measured before and after each run: the machine drifts."""
    measured = {}
    before = call_directly(child, calls)
    for language in PROGRAMS:
        total, tracked = call_from_run(server, language, calls)
        after = call_directly(child, calls)
        measured[language] = (before + after) / 2, total, tracked
        before = after
    return measured


def measure_child(argv, samples):
    """For each language: lists of direct, total, tracked, and ratio."""
    with World({"child": argv}) as world, world.start() as server, McpClient(argv) as child:
        server.initialize()
        child.initialize()
        one_round(server, child, WARM_UP_CALLS)
        rounds = [one_round(server, child, CALLS) for _ in range(samples)]
    columns = {}
    for language in PROGRAMS:
        direct, total, tracked = zip(*(measured[language] for measured in rounds))
        columns[language] = {"direct": direct, "total": total, "tracked": tracked,
                             "ratio": [t / d for t, d in zip(total, direct)]}
    return columns


def describe(c):
    total, tracked, direct = median(c["total"]), median(c["tracked"]), median(c["direct"])
    return (f"{total:.2f} ms = {median(c['ratio']):.2f} x direct "
            f"(guest {total - tracked:.2f}, ours {tracked - direct:.2f}, child {direct:.2f})")


def measure(rounds):
    for language, c in measure_child(npm_server("server-everything"), rounds.samples).items():
        yield Row(f"{CALLS} tool calls in turn, {language.name}, per call", describe(c), f"<= {BAR} x direct",
                  median(c["ratio"]) <= BAR, {"child": "server-everything", **{k: summary(v) for k, v in c.items()}})


def measure_fast_child(rounds):
    """For information: a child that costs next to nothing."""
    for language, c in measure_child(ECHO_CHILD, rounds.samples).items():
        yield Row(f"the same with the bench's own child, {language.name}", describe(c), "", None,
                  {"child": "bench/echo_child.py", **{k: summary(v) for k, v in c.items()}})
