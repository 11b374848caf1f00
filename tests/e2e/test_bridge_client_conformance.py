"""The client scenarios of the public conformance suite of the protocol, against `bridge` as the client of a server, with a client of either era
in front of it: what the suite starts is support/bridge_client.py. Of the era's own revision all that is required has to pass, and of the other
one what needs no login: logins are the same in both."""

import pathlib
import sys

import test_conformance_client

DRIVER = pathlib.Path(__file__).resolve().parent / "support" / "bridge_client.py"
# What cannot pass: by the era of the client and the scenario, the checks that say so.
IS_TRIED_FIRST = "a client that begins with `initialize` has the server asked for that first"
CANNOT = {
    ("legacy", "request-metadata"): {"sep-2575-http-client-sends-version-header", "sep-2575-client-populates-meta", "sep-2575-client-sends-client-info"},
    ("legacy", "http-standard-headers"): {"sep-2243-client-includes-standard-headers"},
}


def without_logins(names):
    return [name for name in names if not name.startswith("auth/")]


class Bridged(test_conformance_client.ClientSuite):
    era, own_revision = "modern", "2026-07-28"

    @property
    def command(self):
        return [sys.executable, str(DRIVER), "--era", self.era]

    def required(self, revision):
        names = super().required(revision)
        return names if revision == self.own_revision else without_logins(names)

    def expect_pass(self, name, ended):
        """Whatever cannot pass and passes after all has to leave the table."""
        if (self.era, name) not in CANNOT:
            return super().expect_pass(name, ended)
        return self.assertEqual(ended.checks_that("FAILURE") | ended.checks_that("WARNING"), CANNOT[self.era, name],
                                f"{IS_TRIED_FIRST}\n{ended.output[-6000:]}")

    def test_revision_2025_11_25(self):
        self.expect_all("2025-11-25", 4)


class BridgedLegacy(Bridged):
    era, own_revision = "legacy", "2025-11-25"

    def test_revision_2025_11_25(self):
        self.expect_all("2025-11-25", 18)

    def test_revision_2026_07_28(self):
        self.expect_all("2026-07-28", 7)
