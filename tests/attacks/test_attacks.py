"""Every attack of the tables, against every way of isolation that this machine has: as root and as an ordinary user."""

import os
import sys
import unittest

from stage import Stage
from support import containers
from support.paths import ROOT
from table import Seen, attacks

RAW_SYSTEM_CALLS = """import ctypes
def raw(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    got = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if got < 0:
        raise OSError(ctypes.get_errno(), __import__('os').strerror(ctypes.get_errno()))
    return got
"""
# In Pyodide all that needs ctypes ends at the same wall, and so in one guest: a new one costs half a second.
NO_CTYPES = Seen("pyodide", "error", "no foreign function interface")
GUEST_WITHOUT_CTYPES = "without-ctypes"
ATTACKS_MIN = 120
TIMEOUT_MS = 20_000
FIRST_TIMEOUT_MS = 120_000
GUESTS_WITHOUT_SNAPSHOT = 3  # those that wait, and the one that follows
ENDLESS_TIMEOUT_MS = 1_000  # of those that would never end
AS_ROOT = os.geteuid() == 0
NO_NAMESPACES = (sys.executable, str(ROOT / "tests" / "e2e" / "support" / "no_namespaces.py"))


class Attacks:
    """One test for each language; a subtest for each attack."""

    as_user = False
    where = ("boxed",)
    environment = {}
    settings = {}
    wrapper = ()
    languages = ("typescript", "python")
    python = "cpython"

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage(cls.as_user, cls.environment, cls.wrapper, cls.settings)
        cls.addClassCleanup(cls.stage.close)
        if cls.python == "pyodide":
            cls.await_snapshot()

    @classmethod
    def await_snapshot(cls):
        """Guests that were started before there is one take seconds, on a busy machine many."""
        for _ in range(GUESTS_WITHOUT_SNAPSHOT):
            arguments = {"code": "1", "timeoutMs": FIRST_TIMEOUT_MS}
            cls.stage.server.tool("run-python-code", arguments, seconds=FIRST_TIMEOUT_MS / 1000)

    def play(self, language, runtime):
        if language not in self.languages:
            self.skipTest(f"{language} has other tests for this way of isolation")
        for attack in attacks(language):
            with self.subTest(f"{attack.area}: {attack.title}"):
                self.play_one(language, runtime, attack)

    def play_one(self, language, runtime, attack):
        code = attack.program(self.stage.words())
        if "raw(" in code and language == "python":
            code = RAW_SYSTEM_CALLS + code
        expected, parameters = attack.expectations((*self.where, runtime)), {}
        if runtime == "pyodide" and "import ctypes" in code and not any(seen.where == runtime for seen in expected):
            expected, parameters = [NO_CTYPES], {"session": GUEST_WITHOUT_CTYPES}
        endless = any("timed out" in seen.what for seen in expected)
        run = getattr(self.stage.server, language)
        answer = run(code, timeoutMs=ENDLESS_TIMEOUT_MS if endless else TIMEOUT_MS, **parameters)
        wanted = " or ".join(f"{seen.kind} {seen.what}" for seen in expected)
        self.assertTrue(any(seen.fits(answer) for seen in expected), f"wanted {wanted}; got {answer.text[:1500]}")
        self.assertEqual(self.stage.damage(answer), [])

    def test_typescript(self):
        self.play("typescript", "deno")

    def test_python(self):
        self.play("python", self.python)


class AsTheUserOfTheTests(Attacks, unittest.TestCase):
    pass


@unittest.skipUnless(AS_ROOT, "only root can become another user")
class AsAnOrdinaryUser(Attacks, unittest.TestCase):
    as_user = True


class WithoutNamespaces(Attacks, unittest.TestCase):
    where = ("bare",)
    wrapper = NO_NAMESPACES
    settings = {"sandbox": {"pool": {"size": 2}}}
    python = "pyodide"


@unittest.skipUnless(AS_ROOT, "only root can become another user")
class WithoutNamespacesAsAnOrdinaryUser(WithoutNamespaces):
    as_user = True


class InPyodide(Attacks, unittest.TestCase):
    settings = {"executors": {"python": {"runtime": "pyodide"}}, "sandbox": {"pool": {"size": 2}}}
    languages = ("python",)
    python = "pyodide"


@unittest.skipUnless(AS_ROOT, "only root can become another user")
class InPyodideAsAnOrdinaryUser(InPyodide):
    as_user = True


@unittest.skipIf(containers.problem(), containers.problem())
class InContainers(Attacks, unittest.TestCase):
    where = ("container",)
    settings = {"executors": {"python": {"runtime": "container"}}, "sandbox": {"pool": {"size": 2}}}
    languages = ("python",)

    @classmethod
    def setUpClass(cls):
        cls.environment = {**containers.environment(), "MCP_BRIDGE_RUNTIME": containers.TOOL, "MCP_BRIDGE_IMAGE": containers.image()}
        super().setUpClass()


class Tables(unittest.TestCase):
    def test_are_large_and_complete(self):
        for language in ("typescript", "python"):
            table = attacks(language)
            self.assertGreaterEqual(len(table), ATTACKS_MIN)
            self.assertEqual(len({(a.area, a.title) for a in table}), len(table), "two attacks of one name")
            for attack in table:
                self.assertTrue(attack.code and attack.seen, attack.title)


if __name__ == "__main__":
    unittest.main()
