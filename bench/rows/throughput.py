"""200 runs with 8 at once, every one in a guest of its own: runs per second, and what one guest costs."""

import os
import time

from support.programs import PYTHON, TYPESCRIPT, ask_run, report_of
from support.row import Row, expect
from support.world import World

AT_ONCE = 8
BAR = 40
PROGRAMS = {TYPESCRIPT: "return 1+1", PYTHON: "1+1"}


def cpu_seconds():
    """Of all processes of this machine but this one, which is the client."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system = (int(field) for field in file.readline().split()[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK") - time.process_time()


def run_many(server, language, count):
    """Seconds for all of them."""
    begin = time.perf_counter()
    waiting = [ask_run(server, language, PROGRAMS[language]) for _ in range(AT_ONCE)]
    for asked in range(AT_ONCE, count + AT_ONCE):
        expect(report_of(server.answer(waiting.pop(0)))["result"] == 2, "a run has a wrong result")
        if asked < count:
            waiting.append(ask_run(server, language, PROGRAMS[language]))
        if not waiting:
            break
    return time.perf_counter() - begin


def measure(rounds):
    for language in PROGRAMS:
        with World({}) as world, world.start() as server:
            server.initialize()
            run_many(server, language, AT_ONCE * 2)
            before = cpu_seconds()
            seconds = run_many(server, language, rounds.runs)
            cpu = cpu_seconds() - before
        rate = rounds.runs / seconds
        yield Row(f"{rounds.runs} {language.name} runs, {AT_ONCE} at once, each in its own guest",
                  f"{rate:.0f} runs/s, {cpu / rounds.runs * 1000:.0f} ms CPU each", f">= {BAR} runs/s", rate >= BAR,
                  {"runs per second": round(rate, 1), "cpu ms per run": round(cpu / rounds.runs * 1000, 1)})
