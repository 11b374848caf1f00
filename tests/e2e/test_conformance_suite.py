"""The public conformance suite of the protocol against `serve --http`: the scenarios that need no tool, prompt or resource of a
certain name, which only a bridge to one server has."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from support import paths
from support.case import Case
from support.http_client import HttpServer

NODE, SUITE = paths.CONFORMANCE_NODE, paths.CONFORMANCE_SUITE
SECONDS_MAX = 300

OF_BOTH = {"tools-list", "resources-list", "prompts-list", "completion-complete", "dns-rebinding-protection", "server-sse-multiple-streams"}
OF_2025_11_25 = OF_BOTH | {"server-initialize", "ping", "logging-set-level", "resources-subscribe", "resources-unsubscribe",
                           "server-session-lifecycle"}
OF_2026_07_28 = OF_BOTH | {"sep-2164-resource-not-found", "caching", "http-header-validation", "input-required-result-unsupported-methods",
                           "input-required-result-validate-input"}
# Begins what the suite says of a check for which it finds no tool of the name that it wants.
WANTS_A_TOOL = "Not testable"


class Suite(Case):
    def setUp(self):
        self.assertTrue(NODE.exists() and SUITE.exists(), "./dev installs the suite and its Node")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="conformance-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = HttpServer(env={"CODE_EXECUTOR_POOL_SIZE": "0"})
        self.addCleanup(self.server.stop)

    def run_suite(self, revision):
        """By scenario: its checks. The address names localhost, as the suite wants it for pages of other names."""
        subprocess.run([NODE, SUITE, "server", "--url", f"http://localhost:{self.server.port}/mcp", "--requirements", revision, "-o", self.folder],
                       cwd=self.folder, capture_output=True, timeout=SECONDS_MAX, check=False)
        found = {}
        for file in self.folder.glob("server-*/checks.json"):
            name = re.fullmatch(r"server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z", file.parent.name).group(1)
            found[name] = json.loads(file.read_text(encoding="utf-8"))
        return found

    def expect(self, found, scenarios):
        for name in sorted(scenarios):
            with self.subTest(name):
                self.assertTrue(found.get(name), "the suite has no checks of that scenario")
                self.assertEqual([], [check for check in found[name] if check["status"] == "FAILURE"])

    def test_revision_2025_11_25(self):
        self.expect(self.run_suite("2025-11-25"), OF_2025_11_25)

    def test_revision_2026_07_28(self):
        found = self.run_suite("2026-07-28")
        self.expect(found, OF_2026_07_28)
        failed = [check for check in found["server-stateless"] if check["status"] == "FAILURE"]
        self.assertEqual([], [check for check in failed if not check.get("errorMessage", "").startswith(WANTS_A_TOOL)])
        self.assertGreaterEqual(len([c for c in found["server-stateless"] if c["status"] == "SUCCESS"]), 23)
