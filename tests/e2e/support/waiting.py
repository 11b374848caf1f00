"""Waiting for what can only be looked at: files and other people's processes."""

import os
import time

# Generous, because a loaded machine is no failure. A test that passes never waits for it.
PATIENCE_SECONDS = float(os.environ.get("E2E_PATIENCE_SECONDS") or 60)
# Its timers' work in a second, of 100.
RESTING_TICKS = 3


def wait_until(condition, what, seconds=PATIENCE_SECONDS):
    """Returns the first true value of `condition()`. `what` (text, or a function that gives it) tells what was missing."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.01)


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def wait_until_at_rest(pid, seconds=PATIENCE_SECONDS):
    """Until a process has done what it was asked: for a second it has used next to nothing of a core."""
    def rests():
        before = cpu_ticks(pid)
        time.sleep(1)
        return cpu_ticks(pid) - before < RESTING_TICKS
    wait_until(rests, f"rest of process {pid}", seconds)
