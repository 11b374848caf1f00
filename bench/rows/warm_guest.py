"""A program that computes 1+1 in a guest that waits: request to answer over stdio. The next run is asked for when the
pool has a warm guest again, as it has when a model thinks between two runs."""

import time

from support.programs import PYTHON, TYPESCRIPT, run
from support.reports import report_in
from support.row import BrokenMeasurement, Row, median, summary
from support.world import World

PROGRAMS = {TYPESCRIPT: ("return 1+1", 2, 10), PYTHON: ("1+1", 3, 15)}  # program, p50 and p99 in ms
REFILL_SECONDS = 20
SAMPLES_FACTOR = 8  # a p99 of 25 samples would be their largest


def wait_for_warm_guest(server, language):
    deadline = time.monotonic() + REFILL_SECONDS
    while time.monotonic() < deadline:
        pools = report_in(server.call_tool("health", {}))["pools"]
        if any(pool["runtime"] == language.name and pool["warm"] > 0 for pool in pools):
            return
        time.sleep(0.005)
    raise BrokenMeasurement(f"no warm {language.name} guest within {REFILL_SECONDS} s")


def run_warm(server, language, code):
    wait_for_warm_guest(server, language)
    return run(server, language, code)[1]


def measure(rounds):
    with World({}) as world, world.start() as server:
        server.initialize()
        for language, (code, p50_bar, p99_bar) in PROGRAMS.items():
            times = sorted(run_warm(server, language, code) for _ in range(rounds.samples * SAMPLES_FACTOR))
            p50, p99 = median(times), times[min(len(times) - 1, int(len(times) * 0.99))]
            yield Row(f"{language.name} {code}, warm, request to answer", f"p50 {p50:.2f} ms, p99 {p99:.2f} ms",
                      f"<= {p50_bar} and {p99_bar} ms", p50 <= p50_bar and p99 <= p99_bar, {"ms": summary(times)})
