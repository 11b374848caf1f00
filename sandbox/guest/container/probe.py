"""Runs once in a container of its own and prints which limits the kernel holds for it: what the engine was asked for and
silently ignored does not show up here."""

import importlib.util
import json
import sys

OLDEST = (3, 9)
ROOT = "/sys/fs/cgroup"


def read(path):
    try:
        with open(f"{ROOT}/{path}", encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def number(*paths):
    """The first that holds one; 0: no limit."""
    for path in paths:
        words = read(path)
        if words and words[0].isdigit():
            return int(words[0])
    return 0


def cpus():
    quota, period = (read("cpu.max") or read("cpu/cpu.cfs_quota_us") + read("cpu/cpu.cfs_period_us") or ["max", "1"])[:2]
    return int(quota) / int(period) if quota.isdigit() else 0


if sys.version_info < OLDEST:
    sys.exit(f"Python {sys.version.split()[0]} is too old: guests need 3.9")
# Of the standard library, but some distributions package it apart. connect.py needs it.
if not importlib.util.find_spec("_ctypes"):
    sys.exit("its Python has no module ctypes, and without it process 1 of a container is open to the guest")
print(json.dumps({
    "memory": number("memory.max", "memory/memory.limit_in_bytes"),
    "pids": number("pids.max", "pids/pids.max"),
    "cpus": cpus(),
}))
