"""What a parent may leave to the server: ignored and blocked signals, few descriptors. It works all the same."""

import os
import sys

from support.case import Case
from support.config import child
from support.paths import binary

# Makes the process what its parent was told to make it, then becomes the server.
AS_CHILD_OF = """
import os, resource, signal, sys
exec(sys.argv[1])
os.execv(sys.argv[2], sys.argv[2:])
"""


class Inherited(Case):
    def start_after(self, preparation):
        return self.start({"kid": child()}, argv=[sys.executable, "-c", AS_CHILD_OF, preparation, binary()])

    def assert_works(self, server):
        self.assertEqual(self.succeed(server.typescript("return (await callMCPTool('kid', 'echo', {text: 'a'})) && 42")).result, 42)
        self.assertEqual(self.succeed(server.python("call_mcp_tool('kid', 'echo', {'text': 'a'})\n42")).result, 42)
        code, _ = server.end("eof")
        self.assertEqual(code, 0, server.stderr()[-2000:])

    def test_ignored_end_of_children(self):
        self.assert_works(self.start_after("signal.signal(signal.SIGCHLD, signal.SIG_IGN)"))

    def test_all_signals_blocked(self):
        self.assert_works(self.start_after("signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())"))

    def test_few_descriptors(self):
        server = self.start_after("resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))")
        with open(f"/proc/{server.process.pid}/limits", encoding="utf-8") as file:
            ours = next(line.split()[3:5] for line in file if line.startswith("Max open files"))
        self.assertEqual(ours[0], ours[1], "the server has as many as there are to be had")
        sent = [server.ask_tool("run-python-code", {"code": f"import time\ntime.sleep(0.5)\n{i}"}) for i in range(8)]
        for i, request in enumerate(sent):
            self.assertEqual(self.succeed(server.tool_answer("run-python-code", request, 0)).result, i)
        kid = self.succeed(server.python("call_mcp_tool('kid', 'pid', {})['pid']")).result
        with open(f"/proc/{kid}/limits", encoding="utf-8") as file:
            self.assertIn("64", next(line.split()[3] for line in file if line.startswith("Max open files")), "and its children what it was given")
        self.assert_works(server)
