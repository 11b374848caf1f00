"""Waiting for what can only be looked at: files and other people's processes."""

import os
import time

# Generous, because a loaded machine is no failure. A test that passes never waits for it.
PATIENCE_SECONDS = float(os.environ.get("E2E_PATIENCE_SECONDS") or 60)


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
