"""Which processes there are on this machine, from /proc."""

import os
import signal
from typing import NamedTuple


class Process(NamedTuple):
    """A pid alone is not enough: numbers are used again."""

    pid: int
    started: int  # clock ticks since boot
    parent: int
    state: str
    name: str

    def identity(self):
        return self.pid, self.started

    def describe(self):
        return f"{self.pid} {_read(self.pid, 'cmdline').replace(chr(0), ' ').strip() or self.name}"


def _read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def find(pid):
    """None if there is no such process, or only a zombie waiting for its parent."""
    stat = _read(pid, "stat")
    if not stat:
        return None
    # The name is in parentheses and may contain anything.
    name, rest = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
    process = Process(pid, int(rest[19]), int(rest[1]), rest[0], name)
    return None if process.state in "ZX" else process


def everything():
    found = (find(int(entry)) for entry in os.listdir("/proc") if entry.isdigit())
    return [process for process in found if process]


def descendants(pid):
    """All processes below `pid`, without itself."""
    children = {}
    for process in everything():
        children.setdefault(process.parent, []).append(process)
    below, waiting = [], [pid]
    while waiting:
        generation = children.get(waiting.pop(), [])
        below += generation
        waiting += [process.pid for process in generation]
    return below


def marked(mark):
    """Processes with `mark` in the environment they were started with."""
    return [process for process in everything() if mark in _read(process.pid, "environ")]


def resident_bytes(pid):
    pages = int(_read(pid, "statm").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def alive(processes):
    """Those of `processes` that still run."""
    def same(process):
        now = find(process.pid)
        return now is not None and now.identity() == process.identity()
    return [process for process in processes if same(process)]


def kill(processes):
    for process in alive(processes):
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
