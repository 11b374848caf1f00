"""What servers hold, looked at every second, and whether it grows.

What grows is told by the floor (the tenth part of the samples lies below it) of the first and of the last third: a run or a
server that is just being started raises single samples, and so does a machine that is busy with other things; a leak raises
the floor. What grows for ever is above any bound after a time; what is allowed is what comes once and late. Of processes only those
count that the number of open runs does not explain (a straight line through all samples), because a busy machine has more of
them open, and of descriptors those that the number of processes does not explain: a server that crashes takes its own with it.
"""

import statistics
import threading
import time
from typing import NamedTuple

from support import processes

LOOK_SECONDS = 1


class Sample(NamedTuple):
    seconds: float
    resident_mb: float   # of the server alone
    descriptors: int
    threads: int
    processes: int       # below it
    open_runs: int


class Watch(threading.Thread):
    """One server. `family`: everything that was ever seen below it."""

    def __init__(self, pid, open_runs):
        """`open_runs()`: how many are asked for and not answered."""
        super().__init__(daemon=True)
        self._open_runs = open_runs
        self.pid, self.samples, self.family, self.is_stopped = pid, [], set(), False

    def run(self):
        begin = time.monotonic()
        while not self.is_stopped:
            try:
                below = processes.descendants(self.pid)
                self.family |= below
                self.samples.append(Sample(time.monotonic() - begin, processes.resident_bytes(self.pid) / 1e6,
                                           processes.open_descriptors(self.pid), processes.threads(self.pid), len(below), self._open_runs()))
            except (OSError, StopIteration):
                break  # it has ended
            time.sleep(LOOK_SECONDS)


def floor(values):
    return sorted(values)[len(values) // 10]


def unexplained(values, by):
    """`values` as they would be if `by` were always what it is on average."""
    slope = statistics.linear_regression(by, values).slope if len(set(by)) > 1 else 0
    usual = statistics.mean(by)
    return [value - slope * (cause - usual) for value, cause in zip(values, by)]


def growth(samples, warm_up):
    """field -> (floor of the first third, floor of the last) behind the warm-up. None: there are too few samples."""
    counted = [sample for sample in samples if sample.seconds >= warm_up]
    third = len(counted) // 3
    if third == 0:
        return None
    columns = {field: [getattr(sample, field) for sample in counted] for field in Sample._fields[1:]}
    columns["descriptors"] = unexplained(columns["descriptors"], columns["processes"])
    columns["processes"] = unexplained(columns["processes"], columns.pop("open_runs"))
    return {field: (floor(values[:third]), floor(values[-third:])) for field, values in columns.items()}
