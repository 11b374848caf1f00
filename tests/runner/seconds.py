"""How long each job took the last time, so that the longest begin first. Known on this machine, else as committed beside this file."""

import json
import os

from runner.places import REMEMBERED, TESTS

COMMITTED = TESTS / "seconds.json"
ON_THIS_MACHINE = REMEMBERED / "seconds.json"
# Of a job that neither file knows: early, so that it can not be the last one.
UNKNOWN = 60.0


def read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def longest_first(jobs):
    known = {**read(COMMITTED), **read(ON_THIS_MACHINE)}
    return sorted(jobs, key=lambda job: -known.get(job.name, UNKNOWN))


def remember(outcomes):
    known = {**read(ON_THIS_MACHINE), **{each.job.name: round(each.seconds, 1) for each in outcomes}}
    ON_THIS_MACHINE.parent.mkdir(parents=True, exist_ok=True)
    written = ON_THIS_MACHINE.with_suffix(f".{os.getpid()}")
    written.write_text(json.dumps(known, indent=1, sort_keys=True), encoding="utf-8")
    written.replace(ON_THIS_MACHINE)
