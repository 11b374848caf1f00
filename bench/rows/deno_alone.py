"""A guest of TypeScript that its template makes when a program comes, none waiting, against `deno run` of the same program in the same round, alone:
the least that such a guest could cost."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from rows.cold_guest import run_once
from rows.throughput import cpu_seconds
from support.programs import TYPESCRIPT
from support.row import BrokenMeasurement, Row, median, summary
from support.templates import settings, wait_for_templates
from support.world import World, deno

WALL_BAR, CPU_BAR = 1.3, 1.4
CODE = "return 1+1"
ALONE = "console.log(1+1)\n"


def cpu_of_children():
    """Of those that were waited for, seconds."""
    times = os.times()
    return times.children_user + times.children_system


def run_alone(program, folder):
    """Milliseconds."""
    environment = {"HOME": folder, "DENO_DIR": f"{folder}/deno", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
    begin = time.perf_counter()
    done = subprocess.run([deno(), "run", "--no-config", "--no-lock", program], env=environment, cwd=folder, capture_output=True, check=True, text=True)
    took = (time.perf_counter() - begin) * 1000
    if done.stdout != "2\n":
        raise BrokenMeasurement(f"deno says {done.stdout!r}")
    return took


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
    wall, cpu = median(ours) / median(alone), cpu_ours / cpu_alone
    yield Row("TypeScript `1+1`, guest of the template, none waits, against `deno run` alone", f"{median(ours):.1f} ms = {wall:.2f} x", f"<= {WALL_BAR} x", wall <= WALL_BAR,
              {"ms": summary(ours), "deno ms": summary(alone)})
    yield Row("CPU of the machine for it, against `deno run` alone", f"{cpu_ours / rounds.samples * 1000:.0f} ms = {cpu:.2f} x", f"<= {CPU_BAR} x",
              cpu <= CPU_BAR, {"ms": round(cpu_ours / rounds.samples * 1000, 1), "deno ms": round(cpu_alone / rounds.samples * 1000, 1)})
