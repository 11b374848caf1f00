#!/usr/bin/env python3
"""Breaks the server on purpose, one mistake after the other, and counts the seeds in which the simulation finds each.

    breakages.py [SEEDS] [WORD...]    default 1000; only those with one of the words in their name
    breakages.py --check              only: can each be put on the sources as they are?

Each mistake is a patch in breakages/ that makes it where `is_broken("its name")`. All are put on a copy of the sources
in build-breakages/, which is built once, as a release is; CODE_EXECUTOR_BREAKAGE says which of them is made."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build-breakages"
PATCHES = sorted((pathlib.Path(__file__).parent / "breakages").glob("*.patch"))
SIMULATE = COPY / "build/tests/simulation/simulate"
HEADERS = "packaging/pch/pch.hpp"  # which every source includes
SWITCH = """
#include <cstdlib>
#include <string_view>
inline bool is_broken(std::string_view mistake) {
  static const char* const made = std::getenv("CODE_EXECUTOR_BREAKAGE");
  return made && mistake == made;
}
"""




def name_of(patch):
    return patch.stem.partition("-")[2]


def broken_sources():
    """Those that are not as they were, by name: what the patches change, and the header with the switch."""
    with tempfile.TemporaryDirectory() as folder:
        changed = {re.search(r"^\+\+\+ b/(\S+)", patch.read_text(), re.M).group(1) for patch in PATCHES}
        for name in changed:
            (pathlib.Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, pathlib.Path(folder) / name)
        for patch in PATCHES:
            put_on = subprocess.run(("patch", "-p1", "--quiet", "-i", patch), cwd=folder, text=True, capture_output=True, check=False)
            if put_on.returncode != 0:
                sys.exit(f"{patch.relative_to(ROOT)} does not fit the sources any more: {put_on.stdout}{put_on.stderr}")
        made = {name: (pathlib.Path(folder) / name).read_bytes() for name in changed}
    made[HEADERS] = (ROOT / HEADERS).read_bytes() + SWITCH.encode()
    return made


def copy_sources(broken):
    """What is the same keeps its time, so that it is not built again."""
    listed = subprocess.run(("git", "ls-files", "-co", "--exclude-standard"), cwd=ROOT, check=True, text=True, capture_output=True)
    for name in listed.stdout.splitlines():
        if not (ROOT / name).is_file():
            continue
        content, target = broken.get(name) or (ROOT / name).read_bytes(), COPY / name
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    modules = COPY / "packaging/npm/node_modules"
    if not modules.exists():
        modules.symlink_to(ROOT / "packaging/npm/node_modules")


def build():
    if not (COPY / "build/build.ninja").exists():
        subprocess.run(("meson", "setup", "build", "-Dtests=false"), cwd=COPY, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "CXX": "ccache g++"})
    subprocess.run(("ninja", "-C", "build", "--quiet", "tests/simulation/simulate"), cwd=COPY, check=True, stdout=subprocess.DEVNULL)


def count(seeds, mistake):
    said = subprocess.run((SIMULATE, "--count", str(seeds)), text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                          env={**os.environ, "CODE_EXECUTOR_BREAKAGE": mistake})
    return int(re.search(r"^(\d+) of ", said.stdout, re.M).group(1))


def main():
    words = sys.argv[1:]
    broken = broken_sources()
    if words == ["--check"]:
        return print(f"{len(PATCHES)} mistakes can be made")
    seeds = int(words.pop(0)) if words and words[0].isdigit() else 1000
    copy_sources(broken)
    build()
    if failing := count(seeds, ""):
        sys.exit(f"{failing} seeds fail without any mistake: ./dev simulate {seeds}")
    missed = []
    for patch in PATCHES:
        if words and not any(word in patch.name for word in words):
            continue
        found = count(seeds, name_of(patch))
        print(f"{found:6} of {seeds}  {name_of(patch)}: {patch.read_text().splitlines()[0]}", flush=True)
        if found == 0:
            missed.append(name_of(patch))
    if missed:
        sys.exit(f"not found: {', '.join(missed)}")


main()
