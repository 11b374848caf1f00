"""1,000 runs asked for at once: each is answered, or refused by the documented rule (100 run, 200 wait, the others are told that it is busy)."""

import time

from support.programs import PYTHON, TYPESCRIPT, ask_run
from support.reports import report_in
from support.row import Row
from support.world import World

RUNS = 1_000
ANSWERED_MIN = 300
ANSWER_SECONDS = 120
PROGRAMS = ((TYPESCRIPT, "return 1+1"), (PYTHON, "1+1"))


def kind_of(report):
    if report["success"] and report["result"] == 2:
        return "answered"
    busy = "try again later" in report.get("error", "")
    return "refused" if busy else "wrong"


def measure(_rounds):
    with World({}) as world, world.start() as server:
        server.initialize()
        begin = time.perf_counter()
        asked = [ask_run(server, *PROGRAMS[i % 2]) for i in range(RUNS)]
        counts = {"answered": 0, "refused": 0, "wrong": 0}
        for request in asked:
            counts[kind_of(report_in(server.answer(request, ANSWER_SECONDS)))] += 1
        took = time.perf_counter() - begin
    is_met = counts["wrong"] == 0 and counts["answered"] >= ANSWERED_MIN
    measured = f"{counts['answered']} answered, {counts['refused']} refused as busy, {counts['wrong']} otherwise, in {took:.1f} s"
    yield Row(f"{RUNS:,} runs at once", measured, f"all answered or refused, >= {ANSWERED_MIN} answered", is_met,
              {**counts, "seconds": round(took, 2)})
