"""Several jobs at once, in the order they are given."""

import os
import queue
import threading

from runner.job import run

# On two cores: half of what a job does is waiting.
LANES = int(os.environ.get("CODE_EXECUTOR_TEST_LANES") or 3)


class Lanes:
    """Jobs that use a core without a break (`is_heavy`) run one at a time: two of them and their guests would be late for their deadlines."""

    def __init__(self, jobs):
        self._waiting = list(jobs)
        self._heavy_runs = False
        self._changed = threading.Condition()
        self.ended = queue.Queue()

    def _next(self):
        """None: nothing is left."""
        with self._changed:
            while self._waiting:
                job = next((each for each in self._waiting if not (each.is_heavy and self._heavy_runs)), None)
                if job:
                    self._waiting.remove(job)
                    self._heavy_runs |= job.is_heavy
                    return job
                self._changed.wait()
        return None

    def work(self):
        while job := self._next():
            outcome = run(job)
            with self._changed:
                self._heavy_runs &= not job.is_heavy
                self._changed.notify_all()
            self.ended.put(outcome)


def run_all(jobs):
    """Gives each outcome as it comes."""
    lanes = Lanes(jobs)
    for _ in range(min(LANES, len(jobs))):
        threading.Thread(target=lanes.work, daemon=True).start()
    for _ in jobs:
        yield lanes.ended.get()
