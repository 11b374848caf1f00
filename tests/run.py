#!/usr/bin/env python3
"""Runs every suite of the project against the sanitized builds and ends with one line: N passed, N failed."""

import concurrent.futures
import os
import re
import subprocess
import sys
import time
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

DISCOVER = (sys.executable, "-m", "unittest", "discover", "-s")
# Name, command, and how to count its tests. What takes longest comes first, and is in several parts: see LANES.
SUITES = (
    ("attacks on Pyodide", [*DISCOVER, "tests/attacks", "-p", "test_p*.py"], "unittest"),
    ("attacks where there are no namespaces", [*DISCOVER, "tests/attacks", "-p", "test_w*.py"], "unittest"),
    ("end to end, a to c (ASan, UBSan)", [*DISCOVER, "tests/e2e", "-p", "test_[a-c]*.py"], "unittest"),
    ("end to end, d to l (ASan, UBSan)", [*DISCOVER, "tests/e2e", "-p", "test_[d-l]*.py"], "unittest"),
    ("end to end, m to r (ASan, UBSan)", [*DISCOVER, "tests/e2e", "-p", "test_[m-r]*.py"], "unittest"),
    ("end to end, s to z (ASan, UBSan)", [*DISCOVER, "tests/e2e", "-p", "test_[s-z]*.py"], "unittest"),
    ("unit tests (ASan, UBSan)", [ASAN / "tests/unit_tests", "--gtest_brief=1"], "gtest"),
    ("attacks on sandboxes and containers", [*DISCOVER, "tests/attacks", "-p", "test_[bcg]*.py"], "unittest"),
    ("endurance (ASan, UBSan)", [*DISCOVER, "tests/e2e", "-p", "endure_*.py"], "unittest"),
    ("guests", [*DISCOVER, "tests/guest"], "unittest"),
    ("TOON library (ASan, UBSan)", [ASAN / "subprojects/toon/tests/toon_tests", "--gtest_brief=1"], "gtest"),
    ("signatures through the compilers", [*DISCOVER, "tests/signatures"], "unittest"),
    ("JSON Schema library (ASan, UBSan)", [ASAN / "subprojects/json-schema/tests/schema_tests", "--gtest_brief=1"], "gtest"),
    ("actor tests (ASan, UBSan)", [ASAN / "tests/actor_tests", "--gtest_brief=1"], "gtest"),
    ("actor tests (TSan)", [TSAN / "tests/actor_tests", "--gtest_brief=1"], "gtest"),
)
# Suites at once. A suite is one thing after the other, and half of it is waiting.
LANES = 2


def run(suite):
    """Gives the exit code and all that was printed, which stays together."""
    name, command, _ = suite
    sys.stdout.write(f"== {name}: begins\n")
    begin = time.monotonic()
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, env={**os.environ, **SANITIZER_OPTIONS}, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )
    sys.stdout.write(f"\n== {name}: {time.monotonic() - begin:.0f} s\n{done.stdout}\n")
    sys.stdout.flush()
    return done.returncode, done.stdout


def count_gtest(output):
    total = re.search(r"(\d+) tests? from \d+ test suites? ran", output)
    failed = re.search(r"(\d+) FAILED TESTS?", output)
    return int(total[1]) if total else 0, int(failed[1]) if failed else 0


def count_unittest(output):
    total = re.search(r"^Ran (\d+) tests?", output, re.MULTILINE)
    failed = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", "\n".join(output.splitlines()[-1:])))
    return int(total[1]) if total else 0, min(failed, int(total[1]) if total else 0)


def result(suite, code, output):
    """Numbers of tests that passed, and that failed."""
    total, failed = (count_gtest if suite[2] == "gtest" else count_unittest)(output)
    if code != 0 and failed == 0:
        failed, total = 1, max(total, 1)  # it crashed: that counts
    return total - failed, failed


def main():
    wanted = sys.argv[1:]
    suites = [suite for suite in SUITES if not wanted or any(word in suite[0] for word in wanted)]
    with concurrent.futures.ThreadPoolExecutor(LANES) as lanes:
        results = [result(suite, *ended) for suite, ended in zip(suites, lanes.map(run, suites))]
    passed, failed = (sum(numbers) for numbers in zip((0, 0), *results))
    print(f"\n{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


sys.exit(main())
