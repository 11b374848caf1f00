#!/usr/bin/env python3
"""Breaks the server on purpose, one mistake after the other, and counts the seeds in which the simulation finds each.

    breakages.py [SEEDS] [WORD...]    default 1000; only those with one of the words in their name

Each mistake is a patch in breakages/, put on a copy of the sources in build-breakages/ that is built as a release is."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build-breakages"
PATCHES = pathlib.Path(__file__).parent / "breakages"
SIMULATE = COPY / "build/tests/simulation/simulate"


def run(*command, **more):
    return subprocess.run(command, cwd=COPY, check=True, **more)


def copy_sources():
    """What is the same keeps its time, so that it is not built again."""
    listed = subprocess.run(("git", "ls-files", "-co", "--exclude-standard"), cwd=ROOT, check=True, text=True, capture_output=True)
    for name in listed.stdout.split("\n"):
        source, target = ROOT / name, COPY / name
        if not source.is_file() or (target.is_file() and target.read_bytes() == source.read_bytes()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    modules = COPY / "packaging/npm/node_modules"
    if not modules.exists():
        modules.symlink_to(ROOT / "packaging/npm/node_modules")


def build():
    if not (COPY / "build/build.ninja").exists():
        run("meson", "setup", "build", "-Dtests=false", stdout=subprocess.DEVNULL, env={**os.environ, "CXX": "ccache g++"})
    run("ninja", "-C", "build", "--quiet", "tests/simulation/simulate", stdout=subprocess.DEVNULL)


def count(seeds):
    said = subprocess.run((SIMULATE, "--count", str(seeds)), text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return int(re.search(r"^(\d+) of ", said.stdout, re.M).group(1))


def main():
    words = sys.argv[1:]
    seeds = int(words.pop(0)) if words and words[0].isdigit() else 1000
    copy_sources()
    build()
    failing = count(seeds)
    if failing:
        sys.exit(f"{failing} seeds fail without any breakage: ./dev simulate {seeds}")
    missed = []
    for patch in sorted(PATCHES.glob("*.patch")):
        if words and not any(word in patch.name for word in words):
            continue
        run("patch", "-p1", "--quiet", "-i", patch)
        try:
            build()
            found = count(seeds)
        finally:
            run("patch", "-p1", "--quiet", "-R", "-i", patch)
        print(f"{found:6} of {seeds}  {patch.stem}: {patch.read_text().splitlines()[0]}", flush=True)
        if found == 0:
            missed.append(patch.stem)
    if missed:
        sys.exit(f"not found: {', '.join(missed)}")


main()
