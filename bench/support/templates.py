"""Guests that a template makes, although none waits."""

import time

from support.programs import PYTHON, TYPESCRIPT, run
from support.reports import report_in
from support.row import BrokenMeasurement

READY_SECONDS = 60
PROGRAMS = {TYPESCRIPT: "return 1+1", PYTHON: "1+1"}


def settings(preload=("json",), venv=None):
    """What is to be preloaded is a reason for templates also where no guest waits."""
    python = {"preload": [*preload], **({"venv": venv} if venv else {})}
    return {"executors": {"python": python}, "sandbox": {"pool": {"size": 0}}}


def wait_for_templates(server):
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        for language, code in PROGRAMS.items():
            run(server, language, code)
        pools = report_in(server.call_tool("health", {}))["pools"]
        if all(pool.get("template") == "ready" for pool in pools):
            return
    raise BrokenMeasurement(f"no templates of guests within {READY_SECONDS} s")
