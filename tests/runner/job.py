"""One piece of work for a lane: a process that runs some tests, and what came of it."""

import os
import re
import subprocess
import time
from dataclasses import dataclass

from runner.places import ENVIRONMENT


@dataclass(frozen=True)
class Job:
    suite: str
    name: str           # unique; times are remembered by it
    command: tuple
    folder: str         # where the command runs
    kind: str           # "gtest" or "unittest": how its tests are counted
    builds: tuple = ()  # pairs of build folder and ninja target
    environment: tuple = ()
    is_heavy: bool = False


@dataclass(frozen=True)
class Outcome:
    job: Job
    seconds: float
    output: str
    passed: int
    failed: int
    skipped: int


def count_gtest(output):
    total = re.search(r"(\d+) tests? from \d+ test suites? ran", output)
    failed = re.search(r"(\d+) FAILED TESTS?", output)
    skipped = re.search(r"\[  SKIPPED \] (\d+) tests?", output)
    return tuple(int(found[1]) if found else 0 for found in (total, failed, skipped))


def count_unittest(output):
    total = re.search(r"^Ran (\d+) tests?", output, re.MULTILINE)
    last = output.splitlines()[-1] if output else ""
    # A test with subtests may fail many times, and what fails outside of a test is in no count.
    failed = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", last))
    skipped = re.search(r"skipped=(\d+)", last)
    ran = int(total[1]) if total else 0
    return ran, min(failed, ran), int(skipped[1]) if skipped else 0


def outcome(job, seconds, code, output):
    total, failed, skipped = (count_gtest if job.kind == "gtest" else count_unittest)(output)
    if failed == 0 and (code != 0 or total == 0):
        failed, total = 1, max(total, 1)  # it crashed, or ran nothing: that counts
    skipped = min(skipped, total - failed)
    return Outcome(job, seconds, output, total - failed - skipped, failed, skipped)


def run(job):
    begin = time.monotonic()
    try:
        done = subprocess.run(job.command, cwd=job.folder, env={**os.environ, **ENVIRONMENT, **dict(job.environment)}, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        code, output = done.returncode, done.stdout
    except OSError as error:
        code, output = 1, f"cannot run {job.command[0]}: {error}"
    return outcome(job, time.monotonic() - begin, code, output)
