"""Base classes of the test cases."""

import json
import re
import unittest

from support.config import child, journal_in
from support.server import Server, World
from support.waiting import wait_until

# Calls a tool and gives what came of it; what a program of a user would write.
TRY_TYPESCRIPT = """
async function attempt(call) {
  try { return {value: await call()} }
  catch (e) {
    return {error: {isMCPError: e?.name === 'MCPError', code: e.code, server: e.server, tool: e.tool,
                    message: e.message, suggestions: e.suggestions, retryAfterMs: e.retryAfterMs}}
  }
}
async function patiently(call) {
  for (;;) {
    try { return await call() }
    catch (e) {
      if (e.code !== 'server_unavailable') throw e;
      await new Promise(done => setTimeout(done, e.retryAfterMs));
    }
  }
}
"""
# Of a server for a few programs, most guests that are kept warm would be for no program: half of what the processor does for such a test.
WITHOUT_POOL = {"CODE_EXECUTOR_POOL_SIZE": "0"}
TRY_PYTHON = """
def attempt(call):
    try:
        return {"value": call()}
    except Exception as e:
        return {"error": {"isMCPError": type(e).__name__ == "MCPError", "code": e.code, "server": e.server,
                          "tool": e.tool, "message": e.message, "suggestions": list(e.suggestions)}}
"""


class Case(unittest.TestCase):
    maxDiff = 4000

    def world(self, **files):
        world = World()
        self.addCleanup(world.remove)
        return world.configure(**files)

    def start(self, servers=None, *, env=None, pool=False, **options):
        """A server of this test alone. Its end is part of the test. `pool`: with guests that are kept warm, as usual."""
        server = Server(servers, env={**({} if pool else WITHOUT_POOL), **(env or {})}, **options)
        self.addCleanup(server.stop)
        return server

    def journal(self, name="journal"):
        if not hasattr(self, "_journals"):
            self._journals = self.world()
        return journal_in(self._journals.root, name)

    @staticmethod
    def wait_until(condition, what):
        return wait_until(condition, what)

    # ---- what is expected of a run

    def succeed(self, answer):
        """Gives the answer back, if the run has succeeded."""
        if answer.is_error:
            self.fail(f"the run failed: {answer.text[:3000]}")
        return answer

    def refuse(self, answer, *words):
        """Gives the error text back, if the run has failed and its text contains every word."""
        if not answer.is_error:
            self.fail(f"the run was expected to fail: {json.dumps(answer.raw)[:3000]}")
        text = answer.error if isinstance(answer.error, str) else answer.text
        for word in words:
            self.assertIn(str(word), text)
        return text

    def mcp_error(self, outcome, code, *words):
        """Gives the error back, if `attempt` caught an MCPError of that code (or one of those codes)."""
        self.assertIn("error", outcome, "the call was expected to throw")
        error = outcome["error"]
        self.assertTrue(error["isMCPError"], f"not an MCPError: {error}")
        self.assertIn(error["code"], (code,) if isinstance(code, str) else code, error["message"])
        for word in words:
            self.assertIn(str(word), error["message"])
        return error

    def assert_position(self, text, line, column):
        """`text` names that place of the user's code, in whatever notation."""
        notations = rf"(\bline {line}\b.{{0,20}}\bcol(umn)? {column}\b)|((?<!\d){line}:{column}(?!\d))"
        self.assertRegex(text, re.compile(notations, re.IGNORECASE))


class SharedServerCase(Case):
    """All tests of the class use one server; none of them may leave it in another state."""

    server = None

    @classmethod
    def servers(cls):
        return {"kid": child()}

    @classmethod
    def options(cls):
        return {}

    @classmethod
    def setUpClass(cls):
        cls.server = Server(cls.servers(), **cls.options())
        cls.addClassCleanup(cls.server.stop)

    def typescript(self, code, **parameters):
        return self.server.typescript(code, **parameters)

    def python(self, code, **parameters):
        return self.server.python(code, **parameters)
