"""The processes below another one, from /proc."""

import os


def _stat(pid):
    """State, parent and start time; None: there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()  # the name before it may hold anything
    except OSError:
        return None
    return fields[0], int(fields[1]), fields[19]


def descendants(root):
    """(pid, start time) of every process below `root`. The start time tells a process from a later one with its number."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (stat := _stat(entry)):
            parents[int(entry)] = (stat[1], stat[2])
    found, frontier = set(), {root}
    while frontier:
        frontier = {pid for pid, (parent, _) in parents.items() if parent in frontier}
        found |= {(pid, parents[pid][1]) for pid in frontier}
    return found


def alive(processes):
    """Those of the (pid, start time) that still run."""
    return {(pid, start) for pid, start in processes if (stat := _stat(pid)) and stat[2] == start and stat[0] != "Z"}


def resident_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return "gone by now"


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def open_descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
