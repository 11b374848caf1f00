"""A guest of TypeScript that its template makes when a program comes, none waiting, against `deno run` of the same program in the same round, alone:
the least that such a guest could cost. And eight at once against eight `deno run`s at once, the least that a server takes which starts one for
each run."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from rows.cold_guest import run_once
from rows.throughput import cpu_seconds
from support.programs import TYPESCRIPT, ask_run, report_of
from support.row import BrokenMeasurement, Row, median, summary
from support.templates import settings, wait_for_templates
from support.world import World, deno

WALL_BAR, CPU_BAR, AT_ONCE_BAR = 1.3, 1.4, 1.0
AT_ONCE = 8
# The pool of default settings is as at rest again, and what it has started ahead of need is warm.
REST_SECONDS = 1
CODE = "return 1+1"
ALONE = "console.log(1+1)\n"


def cpu_of_children():
    """Of those that were waited for, seconds."""
    times = os.times()
    return times.children_user + times.children_system


def run_alone(program, folder, count=1):
    """Milliseconds until all of them have ended."""
    environment = {"HOME": folder, "DENO_DIR": f"{folder}/deno", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
    begin = time.perf_counter()
    started = [subprocess.Popen([deno(), "run", "--no-config", "--no-lock", program], env=environment, cwd=folder, stdout=subprocess.PIPE, text=True)
               for _ in range(count)]
    said = [process.communicate()[0] for process in started]
    took = (time.perf_counter() - begin) * 1000
    if said != ["2\n"] * count:
        raise BrokenMeasurement(f"deno says {said!r}")
    return took


def run_at_once(server):
    """Milliseconds from the first request to the last answer."""
    begin = time.perf_counter()
    asked = [ask_run(server, TYPESCRIPT, CODE) for _ in range(AT_ONCE)]
    for request in asked:
        report_of(server.answer(request))
    return (max(server.answered_at[request] for request in asked) - begin) * 1000


def measure_at_once(rounds, program, folder):
    """In turn, as the machine drifts; with default settings, of which the first run finds a guest."""
    with World({}) as world, world.start() as server:
        server.initialize()
        ours, alone = [], []
        for _ in range(rounds.samples):
            time.sleep(REST_SECONDS)
            alone.append(run_alone(program, folder, AT_ONCE))
            ours.append(run_at_once(server))
    ratio = median(ours) / median(alone)
    yield Row(f"{AT_ONCE} TypeScript runs at once, default settings, against {AT_ONCE} `deno run` at once", f"{median(ours):.0f} ms = {ratio:.2f} x",
              f"<= {AT_ONCE_BAR} x", ratio <= AT_ONCE_BAR, {"ms": summary(ours), "deno ms": summary(alone)})


def measure(rounds):
    with tempfile.TemporaryDirectory(prefix="code-executor-deno-") as folder, World({}, settings()) as world, world.start() as server:
        program = Path(folder) / "program.ts"
        program.write_text(ALONE, encoding="utf-8")
        server.initialize()
        run_alone(program, folder)
        wait_for_templates(server)
        begin = cpu_of_children()
        alone = [run_alone(program, folder) for _ in range(rounds.samples)]
        cpu_alone = cpu_of_children() - begin
        begin = cpu_seconds()
        ours = [run_once(server, TYPESCRIPT, CODE) for _ in range(rounds.samples)]
        cpu_ours = cpu_seconds() - begin
        at_once = list(measure_at_once(rounds, program, folder))
    wall, cpu = median(ours) / median(alone), cpu_ours / cpu_alone
    yield Row("TypeScript `1+1`, guest of the template, none waits, against `deno run` alone", f"{median(ours):.1f} ms = {wall:.2f} x", f"<= {WALL_BAR} x", wall <= WALL_BAR,
              {"ms": summary(ours), "deno ms": summary(alone)})
    yield Row("CPU of the machine for it, against `deno run` alone", f"{cpu_ours / rounds.samples * 1000:.0f} ms = {cpu:.2f} x", f"<= {CPU_BAR} x",
              cpu <= CPU_BAR, {"ms": round(cpu_ours / rounds.samples * 1000, 1), "deno ms": round(cpu_alone / rounds.samples * 1000, 1)})
    yield from at_once
