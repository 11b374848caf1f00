"""10 calls at once of a tool that takes 100 ms: server-everything's long-running operation, one step of 0.1 s. Timed by
the guest, from the first call to the last answer."""

from support.programs import PYTHON, TYPESCRIPT, run
from support.row import Row, expect, median, summary
from support.world import World, npm_server

CALLS = 10
TOOL_MS = 100
BAR_MS = 150

PROGRAMS = {
    TYPESCRIPT: f"""
const begin = performance.now();
await Promise.all(Array.from({{ length: {CALLS} }}, () =>
  callMCPTool("mcp__child__trigger-long-running-operation", {{ duration: {TOOL_MS / 1000}, steps: 1 }})));
return performance.now() - begin;
""",
    PYTHON: f"""
import asyncio, time
begin = time.perf_counter()
step = {{"duration": {TOOL_MS / 1000}, "steps": 1}}
await asyncio.gather(*(call_mcp_tool("mcp__child__trigger-long-running-operation", step) for _ in range({CALLS})))
(time.perf_counter() - begin) * 1000
""",
}


def run_once(server, language):
    report, _ = run(server, language, PROGRAMS[language])
    calls = report["toolCallSummary"][0]
    expect(calls["successCount"] == CALLS, f"only {calls['successCount']} of {CALLS} calls succeeded")
    expect(calls["averageDurationMs"] >= TOOL_MS - 2, f"the tool took only {calls['averageDurationMs']} ms")
    return report["result"]


def measure(rounds):
    with World({"child": npm_server("server-everything")}) as world, world.start() as server:
        server.initialize()
        times = {language: [] for language in PROGRAMS}
        for language in PROGRAMS:
            run_once(server, language)  # starts the child
        for _ in range(rounds.samples):
            for language in PROGRAMS:
                times[language].append(run_once(server, language))
    medians = {language.name: median(t) for language, t in times.items()}
    measured = ", ".join(f"{name} {ms:.0f} ms" for name, ms in medians.items())
    yield Row(f"{CALLS} parallel calls of a tool that takes {TOOL_MS} ms", measured, f"<= {BAR_MS} ms",
              max(medians.values()) <= BAR_MS, {language.name: summary(t) for language, t in times.items()})
