"""One line of the table, and how samples become one number."""

import statistics
from typing import NamedTuple

OK, MISSED = "ok", "MISSED"


class Rounds(NamedTuple):
    """How often things are measured."""
    samples: int   # of everything that is a median
    runs: int      # before descriptors and processes are counted
    patience: int  # how many looks at a busy machine before measuring all the same


FULL = Rounds(samples=25, runs=200, patience=30)
QUICK = Rounds(samples=5, runs=24, patience=1)


class Row(NamedTuple):
    what: str
    measured: str
    bar: str
    met: bool | None   # None: for information, there is no bar
    data: dict         # for the JSON file

    @property
    def verdict(self):
        return "" if self.met is None else OK if self.met else MISSED


class BrokenMeasurement(Exception):
    """What was measured is not what was meant; the numbers would say nothing."""


def expect(condition, otherwise):
    if not condition:
        raise BrokenMeasurement(otherwise)


def median(samples):
    return statistics.median(samples)


def summary(samples, digits=4):
    """For the JSON file."""
    return {"median": round(median(samples), digits), "least": round(min(samples), digits),
            "most": round(max(samples), digits), "samples": [round(s, digits) for s in samples]}
