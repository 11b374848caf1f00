"""The audit log of a server under test, and the commands that read it."""

import glob
import json
import os
import subprocess

from support.paths import binary
from support.waiting import wait_until


def folder_of(world):
    return os.path.join(world.home, ".code-executor", "audit-logs")


def files_of(world):
    return sorted(glob.glob(os.path.join(folder_of(world), "audit-*.jsonl")))


def text_of(world):
    parts = []
    for path in files_of(world):
        with open(path, encoding="utf-8") as file:
            parts.append(file.read())
    return "".join(parts)


def lines_of(world):
    """What is whole of it, as dicts."""
    return [json.loads(line) for line in text_of(world).split("\n") if line.endswith("}")]


def wait_for_line(world, fits, what):
    """The first line that fits, as soon as it is written."""
    return wait_until(lambda: next((line for line in lines_of(world) if fits(line)), None), what)


def audit(world, *arguments, env=None):
    """`code-executor audit ...`, ended."""
    return subprocess.run([binary(), "audit", *arguments], env=world.environment(env or {}), cwd=world.cwd, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)


def verify(world, *arguments):
    """Exit code and document of `audit verify --json`."""
    ended = audit(world, "verify", "--json", *arguments)
    return ended.returncode, json.loads(ended.stdout)
