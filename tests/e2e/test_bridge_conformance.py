"""The public conformance suite of the protocol against `bridge`, with one server behind it that has everything the suite wants: of the earlier
revisions only, of 2026-07-28 only, or of both; over stdio and over HTTP. With each of them the suite is a client of either era, and all that a
revision requires of a server has to pass, without warnings, but for what is in the table."""

import concurrent.futures
import contextlib
import functools
import json
import pathlib
import re
import subprocess
import tempfile
import unittest
from typing import NamedTuple

from support import paths
from support.case import Case
from support.http_client import HttpServer
from support.npm import HttpChild, IS_INSTALLED, program, WHY_SKIPPED

NODE, SUITE = paths.CONFORMANCE_NODE, paths.CONFORMANCE_SUITE
SUITE_SECONDS_MAX = 300 * paths.SLOWNESS
LEGACY, MODERN = "2025-11-25", "2026-07-28"
# How many scenarios each requires. That does not change.
REQUIRED = {LEGACY: 30, MODERN: 37}
# By what they speak: the program of tests/children/npm, and its options.
SERVERS = {"legacy": ("everything_sdk1",), "both": ("everything_v2", "--era", "both"), "modern": ("everything_v2", "--era", "modern")}
COMBINATIONS = [(server, transport) for server in SERVERS for transport in ("stdio", "http")]
# Each waits more than it computes.
AT_ONCE = 2


class Cannot(NamedTuple):
    checks: set  # the ones that say so; all others of the scenario pass
    why: str


# By server, revision and scenario. For a modern client, a server of the earlier era that asks in mid-call has its call parked.
CANNOT = {
    ("legacy", MODERN, "input-required-result-basic-elicitation"):
        Cannot({"sep-2322-elicitation-incomplete"}, "such a question has no key, so the bridge names it, and the suite wants `user_name`"),
    ("legacy", MODERN, "input-required-result-ignore-extra-params"):
        Cannot({"sep-2322-ignore-unexpected-params"}, "the suite answers before it is asked, and without a state: there is no call yet that has asked"),
}
PASSES = Cannot(set(), "")
# Likewise. What a server of the earlier era asks one after the other is asked in one go if it comes within a moment, which the suite wants, and in
# another round if its process is kept waiting in between. So these are tried more than once.
TIMED = {("legacy", MODERN, "input-required-result-multiple-input-requests")}
TRIES = 5


class Seen(NamedTuple):
    checks: dict  # by revision and scenario
    log: str      # of the bridge


@functools.cache
def required(revision):
    """As the suite itself lists them."""
    listed = subprocess.run([NODE, SUITE, "list", "--server", "--requirements", revision], capture_output=True, text=True,
                            timeout=SUITE_SECONDS_MAX, check=True).stdout
    part = re.search(r"^Server scenarios.*?:\n((?:  - .*\n)+)", listed, re.MULTILINE)
    return re.findall(r"^  - (\S+)$", part.group(1), re.MULTILINE)


def run_suite(port, folder, *which):
    """By scenario: its checks. The address names localhost, as the suite wants it for pages of other names."""
    folder.mkdir()
    subprocess.run([NODE, SUITE, "server", "--url", f"http://localhost:{port}/mcp", *which, "-o", folder],
                   cwd=folder, capture_output=True, timeout=SUITE_SECONDS_MAX, check=False)
    names = {file: re.fullmatch(r"server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z", file.parent.name) for file in folder.glob("server-*/checks.json")}
    return {name.group(1): json.loads(file.read_text(encoding="utf-8")) for file, name in names.items()}


@contextlib.contextmanager
def target(folder, name, transport):
    """The words that name a server to the bridge."""
    if transport == "stdio":
        yield ["--", *program(*SERVERS[name], "--transport", "stdio")]
        return
    child = HttpChild.of_ours(folder, *SERVERS[name]).start()
    try:
        yield [child.url]
    finally:
        child.kill()


def revisions_at_once(name, transport):
    """Clients of one bridge do not disturb each other; but on stdio a server of the earlier era does not say which call it asks for, so that with
    calls of several clients nobody can be asked. The modern client, which leaves calls that have asked, comes last."""
    return 1 if (name, transport) == ("legacy", "stdio") else len(REQUIRED)


def failures(checks):
    return {check["id"]: check.get("errorMessage") for check in checks if check["status"] in ("FAILURE", "WARNING")}


def run_required(name, port, revision, folder):
    checks = run_suite(port, folder / revision, "--requirements", revision)
    for scenario in [scenario for server, of, scenario in TIMED if (server, of) == (name, revision)]:
        for number in range(TRIES):
            if failures(checks[scenario]):
                checks.update(run_suite(port, folder / f"{scenario}-{number}", "--scenario", scenario, "--spec-version", revision))
    return checks


def run_combination(name, transport):
    with tempfile.TemporaryDirectory(prefix="bridge-conformance-") as folder, target(folder, name, transport) as words:
        bridge = HttpServer(verb="bridge", target=words)
        try:
            with concurrent.futures.ThreadPoolExecutor(revisions_at_once(name, transport)) as pool:
                runs = {revision: pool.submit(run_required, name, bridge.port, revision, pathlib.Path(folder)) for revision in REQUIRED}
            return Seen({revision: run.result() for revision, run in runs.items()}, bridge.stderr())
        finally:
            bridge.stop()


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Bridge(Case):
    @classmethod
    def setUpClass(cls):
        pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
        cls.addClassCleanup(pool.shutdown, cancel_futures=True)
        cls.runs = {each: pool.submit(run_combination, *each) for each in COMBINATIONS}

    def expect_all(self, name, transport):
        seen = self.runs[name, transport].result()
        for revision, count in REQUIRED.items():
            scenarios = required(revision)
            self.assertEqual(len(scenarios), count, "the requirements of a revision do not change")
            for scenario in scenarios:
                with self.subTest(f"{revision}: {scenario}"):
                    self.expect(seen.checks[revision].get(scenario, []), CANNOT.get((name, revision, scenario), PASSES), seen.log)

    def expect(self, checks, cannot, log):
        """Whatever cannot pass and passes after all has to leave the table."""
        failed = failures(checks)
        self.assertEqual(set(failed), cannot.checks, f"{cannot.why}\n{json.dumps(failed, indent=1)}\n{log[-3000:]}")
        self.assertTrue(any(check["status"] == "SUCCESS" for check in checks), "to the suite, nothing to look at is no failure")

    def test_a_legacy_server_over_stdio(self):
        self.expect_all("legacy", "stdio")

    def test_a_legacy_server_over_http(self):
        self.expect_all("legacy", "http")

    def test_a_server_of_both_eras_over_stdio(self):
        self.expect_all("both", "stdio")

    def test_a_server_of_both_eras_over_http(self):
        self.expect_all("both", "http")

    def test_a_modern_server_over_stdio(self):
        self.expect_all("modern", "stdio")

    def test_a_modern_server_over_http(self):
        self.expect_all("modern", "http")
