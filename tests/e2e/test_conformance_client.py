"""The client scenarios of the public conformance suite of the protocol, against us as the client of a server: what the suite starts is
support/conformance_client.py. All that a revision requires has to pass."""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from support import paths
from support.case import Case

NODE, SUITE = paths.CONFORMANCE_NODE, paths.CONFORMANCE_SUITE
DRIVER = pathlib.Path(__file__).resolve().parent / "support" / "conformance_client.py"
AT_ONCE = 2
# Of one scenario. It takes two, and one more for each login.
SCENARIO_SECONDS_MAX = 60 * paths.SLOWNESS
REVISION_SECONDS_MAX = 150 * paths.SLOWNESS


# Where it is right that what the program wants is not reached: how it ends, and what the user is told. Everywhere else it is reached.
REFUSALS = {
    "auth/scope-retry-limit": ("failed", "rights that the last login asked for"),
    "auth/resource-mismatch": ("login refused", "its 'resource' is another server"),
    "auth/metadata-issuer-mismatch": ("login refused", "of another issuer"),
    "auth/iss-supported-missing": ("login refused", "has not said who it is ('iss')"),
    "auth/iss-wrong-issuer": ("login refused", "another one than the one that was asked ('iss')"),
    "auth/iss-unexpected": ("login refused", "another one than the one that was asked ('iss')"),
    "auth/iss-normalized": ("login refused", "another one than the one that was asked ('iss')"),
}
REACHED = ("done", "")
# Where one login is not enough: more rights are wanted, or it has to be elsewhere.
SECOND_LOGINS = {"auth/scope-step-up", "auth/authorization-server-migration"}


def logins_of(name):
    """How many succeed: one more would be a bother for the user, one less would be luck."""
    if not name.startswith("auth/") or REFUSALS.get(name, REACHED)[0] == "login refused":
        return 0
    return 2 if name in SECOND_LOGINS else 1


def found_text(folder, name):
    found = next(folder.glob(f"**/{name}"), None)
    return found.read_text(encoding="utf-8") if found else ""


class Ended(NamedTuple):
    code: int      # 0: to the suite all is well, warnings and the exit code of the client included
    checks: list
    told: dict     # by the client
    output: str    # of the suite

    def checks_that(self, status):
        return {check["id"] for check in self.checks if check["status"] == status}


class ClientSuite(Case):
    command = [sys.executable, str(DRIVER)]

    def setUp(self):
        self.assertTrue(NODE.exists() and SUITE.exists(), "./dev installs the suite and its Node")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="conformance-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def suite(self, *words):
        return subprocess.run([NODE, SUITE, *words], cwd=self.folder, capture_output=True, text=True, timeout=2 * SCENARIO_SECONDS_MAX, check=False,
                              env={**os.environ, "E2E_PATIENCE_SECONDS": str(SCENARIO_SECONDS_MAX / 2)})

    def required(self, revision):
        """As the suite itself lists them."""
        listed = self.suite("list", "--client", "--requirements", revision).stdout
        part = re.search(r"^Client scenarios.*?:\n((?:  - .*\n)+)", listed, re.MULTILINE)
        self.assertTrue(part, listed)
        return re.findall(r"^  - (\S+)$", part.group(1), re.MULTILINE)

    def run_scenario(self, revision, name):
        folder = self.folder / name.replace("/", "-")
        done = self.suite("client", "--command", shlex.join(self.command), "--scenario", name, "--spec-version", revision,
                          "--timeout", str(int(SCENARIO_SECONDS_MAX * 1000)), "-o", str(folder))
        checks, told = (json.loads(found_text(folder, file) or "null") for file in ("checks.json", "stdout.txt"))
        return Ended(done.returncode, checks or [], told or {}, done.stdout + done.stderr)

    def run_all(self, revision, names):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            return dict(zip(names, pool.map(lambda name: self.run_scenario(revision, name), names)))

    def expect_all(self, revision, count):
        begin, names = time.monotonic(), self.required(revision)
        self.assertEqual(len(names), count, "the requirements of a revision do not change")
        for name, ended in self.run_all(revision, names).items():
            with self.subTest(name):
                self.expect_pass(name, ended)
        self.assertLess(time.monotonic() - begin, REVISION_SECONDS_MAX)

    def expect_pass(self, name, ended):
        self.assertEqual(ended.code, 0, ended.output[-6000:])
        self.assertEqual(ended.checks_that("FAILURE") | ended.checks_that("WARNING"), set())
        self.assertTrue(ended.checks_that("SUCCESS"), "to the suite, nothing to look at is no failure")
        outcome, words = REFUSALS.get(name, REACHED)
        self.assertEqual(ended.told.get("outcome"), outcome, ended.told)
        self.assertIn(words, ended.told.get("why", ""))
        self.assertEqual(len(ended.told["logins"]), logins_of(name), ended.told)

    def test_revision_2025_11_25(self):
        self.expect_all("2025-11-25", 18)

    def test_revision_2026_07_28(self):
        self.expect_all("2026-07-28", 32)
