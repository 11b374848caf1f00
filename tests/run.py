#!/usr/bin/env python3
"""Runs every suite of the project against the sanitized builds and ends with one line: N passed, N failed."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASAN = ROOT / "build-asan"
TSAN = ROOT / "build-tsan"

SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": f"suppressions={ROOT}/tests/tsan.supp:halt_on_error=1",
    "CODE_EXECUTOR": str(ASAN / "code-executor"),
}

# Name, command, and how to count its tests.
SUITES = (
    ("unit tests (ASan, UBSan)", [ASAN / "tests/unit_tests", "--gtest_brief=1"], "gtest"),
    ("actor tests (ASan, UBSan)", [ASAN / "tests/actor_tests", "--gtest_brief=1"], "gtest"),
    ("actor tests (TSan)", [TSAN / "tests/actor_tests", "--gtest_brief=1"], "gtest"),
    ("guests", [sys.executable, "-m", "unittest", "discover", "-s", "tests/guest"], "unittest"),
    ("attacks", [sys.executable, "-m", "unittest", "discover", "-s", "tests/attacks"], "unittest"),
    ("end to end (ASan, UBSan)", [sys.executable, "-m", "unittest", "discover", "-s", "tests/e2e"], "unittest"),
)


def run(command):
    """Passes the output on and keeps it."""
    lines = []
    process = subprocess.Popen(
        [str(part) for part in command], cwd=ROOT, env={**os.environ, **SANITIZER_OPTIONS}, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    for line in process.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        lines.append(line)
    return process.wait(), "".join(lines)


def count_gtest(output):
    total = re.search(r"(\d+) tests? from \d+ test suites? ran", output)
    failed = re.search(r"(\d+) FAILED TESTS?", output)
    return int(total[1]) if total else 0, int(failed[1]) if failed else 0


def count_unittest(output):
    total = re.search(r"^Ran (\d+) tests?", output, re.MULTILINE)
    failed = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", output.splitlines()[-1]))
    return int(total[1]) if total else 0, min(failed, int(total[1]) if total else 0)


def main():
    wanted = sys.argv[1:]
    passed = failed = 0
    for name, command, kind in SUITES:
        if wanted and not any(word in name for word in wanted):
            continue
        print(f"\n== {name}", flush=True)
        code, output = run(command)
        total, bad = (count_gtest if kind == "gtest" else count_unittest)(output)
        if code != 0 and bad == 0:
            bad, total = 1, max(total, 1)  # it crashed: that counts
        passed += total - bad
        failed += bad
    print(f"\n{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


sys.exit(main())
