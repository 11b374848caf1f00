"""One piece of work for a lane: a process that runs some tests, and what came of it."""

import atexit
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

from runner.places import ENVIRONMENT

# The longest takes two minutes on two quiet cores; one that hangs must not cost the whole run of CI (90 minutes).
JOB_SECONDS_MAX = 900


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
    cpu_seconds: float  # of the process and all that it waited for: other lanes have no part in it
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


def outcome(job, seconds, cpu_seconds, code, output):
    total, failed, skipped = (count_gtest if job.kind == "gtest" else count_unittest)(output)
    if failed == 0 and (code != 0 or total == 0):
        failed, total = 1, max(total, 1)  # it crashed, or ran nothing: that counts
    skipped = min(skipped, total - failed)
    return Outcome(job, seconds, cpu_seconds, output, total - failed - skipped, failed, skipped)


def end(process):
    """And all that it started, which may hold its output open."""
    os.killpg(process.pid, signal.SIGKILL)


running = set()


@atexit.register
def end_all():
    """When we are interrupted: they have groups of their own, which a terminal does not reach."""
    for process in list(running):
        end(process)


def watch(process):
    """Gives exit code, output and CPU seconds of a process that has its own group."""
    running.add(process)
    timer = threading.Timer(JOB_SECONDS_MAX, end, (process,))
    timer.start()
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    running.discard(process)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, output, used.ru_utime + used.ru_stime


# It has crashed, when all tests had passed, in what it took for memory of threads. It has looked at nothing then.
LEAK_CHECK_CRASHED = "LeakSanitizer has encountered a fatal error"


def run(job):
    result = run_once(job)
    if LEAK_CHECK_CRASHED not in result.output:
        return result
    print(f"== {job.name}: LeakSanitizer itself has crashed; all of it is run again", file=sys.stderr, flush=True)
    return run_once(job)


def run_once(job):
    begin = time.monotonic()
    try:
        process = subprocess.Popen(job.command, cwd=job.folder, env={**os.environ, **ENVIRONMENT, **dict(job.environment)}, text=True, errors="replace",
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    except OSError as error:
        return outcome(job, 0, 0, 1, f"cannot run {job.command[0]}: {error}")
    code, output, cpu_seconds = watch(process)
    return outcome(job, time.monotonic() - begin, cpu_seconds, code, output)
