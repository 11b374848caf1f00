"""The shortest program, again and again: after pauses, as agents run programs, and at random times. The settings are the default ones, so
whether a guest waits is the pool's doing."""

import random
import time

from support.programs import PYTHON, TYPESCRIPT, ask_run, report_of, run
from support.row import Row, median, summary
from support.world import World

PROGRAMS = {TYPESCRIPT: "return 1+1", PYTHON: "1+1"}
PAUSES_MS = (0, 30, 100, 300, 1_000)
# From pauses of that length on there is a bar.
RELAXED_MS = 100
P50_BAR_MS, P99_BAR_MS = 2, 40
POISSON_MEAN_MS = 100
FIRST_RUNS = 6
SEED = 15


def samples_of(pause_ms, rounds):
    """Of the same time, about, for each pause."""
    return rounds.samples * (4 if pause_ms <= RELAXED_MS else 1)


def p99(times):
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.99))]


def after_pauses(server, language, pause_ms, count):
    times = []
    for _ in range(count):
        times.append(run(server, language, PROGRAMS[language])[1])
        time.sleep(pause_ms / 1000)
    return times


def at_random(server, language, count):
    """Nobody waits for the run before."""
    draw = random.Random(SEED)
    due, asked = time.perf_counter(), {}
    for _ in range(count):
        due += draw.expovariate(1000 / POISSON_MEAN_MS)
        server.read_for(due - time.perf_counter())
        begin = time.perf_counter()
        asked[ask_run(server, language, PROGRAMS[language])] = begin
    for request in asked:
        report_of(server.answer(request))
    return [(server.answered_at[request] - begin) * 1000 for request, begin in asked.items()]


def row(what, times, is_relaxed):
    met = median(times) <= P50_BAR_MS and p99(times) <= P99_BAR_MS if is_relaxed else None
    return Row(what, f"p50 {median(times):.2f} ms, p99 {p99(times):.1f} ms",
               f"<= {P50_BAR_MS} and {P99_BAR_MS} ms" if is_relaxed else "", met, {"ms": summary(times)})


def measure(rounds):
    for language in PROGRAMS:
        with World({}) as world, world.start() as server:
            server.initialize()
            after_pauses(server, language, 1_000, FIRST_RUNS)
            for pause_ms in PAUSES_MS:
                times = after_pauses(server, language, pause_ms, samples_of(pause_ms, rounds))
                yield row(f"{language.name} runs, {pause_ms} ms apart", times, pause_ms >= RELAXED_MS)
            times = at_random(server, language, samples_of(POISSON_MEAN_MS, rounds))
            yield row(f"{language.name} runs, at random times, {POISSON_MEAN_MS} ms apart on average", times, True)
