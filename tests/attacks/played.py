"""How the attacks of the tables are played: one after the other against one server, which must be unharmed after each."""

import functools
import os

from stage import Stage
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
ONE_GUEST = "attacks"
ATTACKS_MIN = 120
TIMEOUT_MS = 60_000  # a guest of Pyodide that is started beside three busy jobs has taken more than 20 s
FIRST_TIMEOUT_MS = 120_000
GUESTS_WITHOUT_SNAPSHOT = 3  # those that wait, and the one that follows
ENDLESS_TIMEOUT_MS = 1_000  # of those that would never end
AS_ROOT = os.geteuid() == 0


class Attacks:
    """One test for each language; a subtest for each attack.

    `in_session`: all of them in one guest, which whoever comes later finds as the others have left it. Where an attack is not seen to fail there as
    it should, because another has changed the guest or ended it, a fresh guest must show it. The same way of isolation has each attack in a guest
    of its own as root."""

    as_user = False
    in_session = False
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

    def run_program(self, language, **arguments):
        return self.stage.server.tool(f"run-{language}-code", arguments, seconds=2 * TIMEOUT_MS / 1000)

    def play_one(self, language, runtime, attack):
        code = attack.program(self.stage.words())
        if "raw(" in code and language == "python":
            code = RAW_SYSTEM_CALLS + code
        expected, parameters = attack.expectations((*self.where, runtime)), {}
        if runtime == "pyodide" and "import ctypes" in code and not any(seen.where == runtime for seen in expected):
            expected, parameters = [NO_CTYPES], {"session": GUEST_WITHOUT_CTYPES}
        endless = any("timed out" in seen.what for seen in expected)
        run = functools.partial(self.run_program, language, code=code, timeoutMs=ENDLESS_TIMEOUT_MS if endless else TIMEOUT_MS)
        if self.in_session and not endless and not parameters:
            answer = run(session=ONE_GUEST)
            self.assertEqual(self.stage.damage(answer), [])
            if any(seen.fits(answer) for seen in expected):
                return
        answer = run(**parameters)
        wanted = " or ".join(f"{seen.kind} {seen.what}" for seen in expected)
        self.assertTrue(any(seen.fits(answer) for seen in expected), f"wanted {wanted}; got {answer.text[:1500]}")
        self.assertEqual(self.stage.damage(answer), [])

    def test_typescript(self):
        self.play("typescript", "deno")

    def test_python(self):
        self.play("python", self.python)
