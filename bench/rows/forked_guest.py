"""A Python program in a guest that is forked for it, none waiting: the shortest one, and one that uses pandas, which the template has loaded.
Beside them what others take in the same round: the interpreter itself, bare and in bubblewrap."""

import subprocess
import tempfile
import time

from rows.throughput import cpu_seconds
from support.programs import PYTHON, run
from support.row import Row, expect, median, summary
from support.templates import settings, wait_for_templates
from support.world import World

COLD_BAR_MS, HEAVY_BAR_MS, CPU_BAR_MS = 6, 15, 5
INTERPRETER = "/usr/bin/python3"
BUBBLEWRAP = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]


def run_once(server, code, result):
    report, took = run(server, PYTHON, code)
    expect(report["result"] == result, f"{code} is {report['result']}")
    return took


def milliseconds(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1000


def measure_short(rounds):
    program = [INTERPRETER, "-I", "-S", "-c", "1+1"]
    with World({}, settings()) as world, world.start() as server:
        server.initialize()
        wait_for_templates(server)
        before = cpu_seconds()
        ours = [run_once(server, "1+1", 2) for _ in range(rounds.runs)]
        cpu = (cpu_seconds() - before) / rounds.runs * 1000
        bare, boxed = ([milliseconds([*around, *program]) for _ in range(rounds.samples)] for around in ([], BUBBLEWRAP))
    cold = median(ours)
    yield Row("Python `1+1`, forked guest, none waits", f"{cold:.1f} ms, {cold / median(bare):.2f} x `python3`, {cold / median(boxed):.2f} x in `bwrap`",
              f"<= {COLD_BAR_MS} ms", cold <= COLD_BAR_MS, {"ms": summary(ours), "python3 ms": summary(bare), "bwrap ms": summary(boxed)})
    yield Row("Python `1+1`, forked guest, CPU of the machine", f"{cpu:.1f} ms a run", f"<= {CPU_BAR_MS} ms", cpu <= CPU_BAR_MS, {"ms": round(cpu, 2)})


def measure_heavy(rounds):
    """With Debian's own packages, where there are some."""
    if subprocess.run([INTERPRETER, "-c", "import pandas"], check=False, capture_output=True).returncode != 0:
        return
    code = "import pandas\nint(pandas.DataFrame({'a': [1, 2]}).a.sum())"
    with tempfile.TemporaryDirectory(prefix="code-executor-venv-", dir="/var/tmp") as folder:
        subprocess.run([INTERPRETER, "-m", "venv", "--system-site-packages", "--without-pip", folder], check=True)
        subprocess.run(["chmod", "-R", "o+rX", folder], check=True)
        with World({}, settings(["numpy", "pandas"], folder)) as world, world.start() as server:
            server.initialize()
            wait_for_templates(server)
            times = [run_once(server, code, 3) for _ in range(rounds.samples)]
    yield Row("Python with pandas preloaded, forked guest, none waits", f"{median(times):.1f} ms", f"<= {HEAVY_BAR_MS} ms",
              median(times) <= HEAVY_BAR_MS, {"ms": summary(times)})


def measure(rounds):
    yield from measure_short(rounds)
    yield from measure_heavy(rounds)
