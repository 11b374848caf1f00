"""A client that reads our answers and not our log: nothing waits for it."""

import unittest

from support.case import Case
from support.config import child
from support.server import Server

# More than a pipe holds, and more than the server keeps.
NOISE_BYTES = 3_000_000


class Deaf(Server):
    def _read_stderr(self):
        pass


class StderrIsNotRead(Case):
    def test_everybody_is_answered_and_it_ends_in_time(self):
        server = Deaf(world=self.world(project={"kid": child()}))
        self.addCleanup(server.stop) # looks at how long that takes
        for answer in (server.typescript(f"return await callMCPTool('kid', 'stderr_flood', {{bytes: {NOISE_BYTES}}})"),
                       server.python(f"call_mcp_tool('kid', 'stderr_flood', {{'bytes': {NOISE_BYTES}}})")):
            self.succeed(answer)
        self.assertEqual(server.request("ping"), {})


if __name__ == "__main__":
    unittest.main()
