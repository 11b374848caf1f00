"""8 runs at once against 1 run. Each prints, calls a tool and returns with a word of its own, which may turn up in no
other's output. Without guests that wait: one run would find one, and eight would not."""

import time

from support.programs import PYTHON, TYPESCRIPT, ask_run, report_of
from support.row import Row, expect, median, summary
from support.world import ECHO_CHILD, NO_POOL, World

RUNS = 8
LINES = 100
BAR = 5

PROGRAMS = {
    TYPESCRIPT: f"""
for (let i = 0; i < {LINES}; i++) console.log("WORD");
return await callMCPTool("mcp__child__echo", {{ message: "WORD" }});
""",
    PYTHON: f"""
for i in range({LINES}):
    print("WORD")
call_mcp_tool("mcp__child__echo", {{"message": "WORD"}})
""",
}


def run_at_once(server, language, count):
    """Milliseconds from the first request to the last answer."""
    words = [f"run-{i}-of-{count}" for i in range(count)]
    begin = time.perf_counter()
    asked = [ask_run(server, language, PROGRAMS[language].replace("WORD", word)) for word in words]
    reports = [report_of(server.answer(request)) for request in asked]
    took = max(server.answered_at[request] for request in asked) - begin
    for word, report in zip(words, reports):
        expect(report["output"] == f"{word}\n" * LINES and report["result"] == word,
               f"the output of {word} is mixed: {report}")
    return took * 1000


def measure(rounds):
    with World({"child": ECHO_CHILD}, NO_POOL) as world, world.start() as server:
        server.initialize()
        times = {language: [] for language in PROGRAMS}
        for language in PROGRAMS:
            run_at_once(server, language, 1)  # starts the child
        for _ in range(rounds.samples):
            for language in PROGRAMS:
                times[language].append((run_at_once(server, language, 1), run_at_once(server, language, RUNS)))
    ratios = {language.name: median(many / one for one, many in t) for language, t in times.items()}
    measured = ", ".join(f"{name} {ratio:.1f} x" for name, ratio in ratios.items())
    yield Row(f"{RUNS} runs at once, no output mixed, against 1 run", measured, f"<= {BAR} x", max(ratios.values()) <= BAR,
              {language.name: data_of(t) for language, t in times.items()})


def data_of(times):
    one, many = zip(*times)
    return {"one ms": summary(one), f"{RUNS} at once ms": summary(many),
            "ratio": summary([m / o for o, m in times])}
