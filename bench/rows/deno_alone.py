"""A guest of TypeScript that its template makes when a program comes, none waiting, against `deno run` of the same program in the same round, alone:
the least that such a guest could cost. And eight at once against eight that are started as code-executor-mcp starts them (support/peer_server.mjs),
and against eight `deno run`s at once, which nothing can be faster than that starts one for each run."""

import contextlib
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
PEER = Path(__file__).resolve().parent.parent / "support" / "peer_server.mjs"
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


class Peer:
    """A process that starts programs as code-executor-mcp does."""

    def __init__(self, folder):
        environment = {**os.environ, "HOME": folder, "DENO_DIR": f"{folder}/deno", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1", "DENO_PATH": deno()}
        self._process = subprocess.Popen(["node", str(PEER)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, count):
        """Milliseconds until all of them have ended."""
        begin = time.perf_counter()
        self._process.stdin.write(ALONE * count)
        self._process.stdin.flush()
        said = [self._process.stdout.readline() for _ in range(count)]
        took = (time.perf_counter() - begin) * 1000
        if said != ['"2\\n"\n'] * count:
            raise BrokenMeasurement(f"the peer says {said!r}")
        return took

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def run_at_once(server):
    """Milliseconds from the first request to the last answer."""
    begin = time.perf_counter()
    asked = [ask_run(server, TYPESCRIPT, CODE) for _ in range(AT_ONCE)]
    for request in asked:
        report_of(server.answer(request))
    return (max(server.answered_at[request] for request in asked) - begin) * 1000


def measure_at_once(rounds, program, folder):
    """In turn, as the machine drifts; with default settings, of which the first run finds a guest."""
    ours, alone, peers = [], [], []
    with contextlib.closing(Peer(folder)) as peer, World({}) as world, world.start() as server:
        server.initialize()
        peer.run(1)
        for _ in range(rounds.samples):
            time.sleep(REST_SECONDS)
            alone.append(run_alone(program, folder, AT_ONCE))
            peers.append(peer.run(AT_ONCE))
            ours.append(run_at_once(server))
    ratio = median(ours) / median(peers)
    yield Row(f"{AT_ONCE} TypeScript runs at once, default settings, against {AT_ONCE} as code-executor-mcp starts them",
              f"{median(ours):.0f} ms = {ratio:.2f} x, {median(ours) / median(alone):.2f} x `deno run`", f"<= {AT_ONCE_BAR} x", ratio <= AT_ONCE_BAR,
              {"ms": summary(ours), "peer ms": summary(peers), "deno ms": summary(alone)})


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
