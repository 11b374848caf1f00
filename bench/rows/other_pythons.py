"""`1+1` in the other runtimes of Python: Pyodide, cold and warm, and a container, whose cost is the engine's and has no bar."""

import importlib.util

from rows.warm_guest import wait_for_warm_guest
from support.programs import PYTHON, run
from support.row import Row, expect, median, summary
from support.world import ROOT, World

PYODIDE_COLD_MS, PYODIDE_WARM_MS = 700, 20
# While there is no snapshot yet, guests start without one. More than that do not fit into the time that making it takes.
RUNS_WITHOUT_SNAPSHOT = 4
CONTAINER_SAMPLES_MAX = 10  # seconds each, where storage is slow


def settings(runtime, pool):
    return {"executors": {"python": {"runtime": runtime}}, "sandbox": {"pool": {"size": pool}}}


def containers():
    """What the end-to-end tests know of containers: an image of this machine's Python."""
    path = ROOT / "tests" / "e2e" / "support" / "containers.py"
    spec = importlib.util.spec_from_file_location("containers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_once(server):
    report, took = run(server, PYTHON, "1+1")
    expect(report["result"] == 2, f"Python says that 1+1 is {report['result']}")
    return took


def measure_cold(rounds):
    with World({}, settings("pyodide", 0)) as world, world.start() as server:
        server.initialize()
        for _ in range(RUNS_WITHOUT_SNAPSHOT):
            run_once(server)
        times = [run_once(server) for _ in range(rounds.samples)]
    yield Row("Pyodide `1+1`, cold guest from its snapshot", f"{median(times):.0f} ms", f"<= {PYODIDE_COLD_MS} ms",
              median(times) <= PYODIDE_COLD_MS, {"ms": summary(times)})


def measure_warm(rounds):
    with World({}, settings("pyodide", 1)) as world, world.start() as server:
        server.initialize()
        times = []
        for _ in range(rounds.samples):
            wait_for_warm_guest(server, PYTHON)
            times.append(run_once(server))
    yield Row("Pyodide `1+1`, warm", f"p50 {median(times):.1f} ms", f"<= {PYODIDE_WARM_MS} ms",
              median(times) <= PYODIDE_WARM_MS, {"ms": summary(times)})


def measure_container(rounds):
    engine = containers()
    if problem := engine.problem():
        yield Row("container `1+1`", "not measured", problem, None, {})
        return
    variables = {**engine.environment(), "MCP_BRIDGE_RUNTIME": engine.TOOL, "MCP_BRIDGE_IMAGE": engine.image()}
    with World({}, settings("container", 0), variables) as world, world.start() as server:
        server.initialize()
        run_once(server)  # looks for the engine
        times = [run_once(server) for _ in range(min(rounds.samples, CONTAINER_SAMPLES_MAX))]
    yield Row(f"container `1+1` ({engine.TOOL}), image cached", f"{median(times):.0f} ms", "", None, {"ms": summary(times)})


def measure(rounds):
    yield from measure_cold(rounds)
    yield from measure_warm(rounds)
    yield from measure_container(rounds)
