"""The main job on servers that others have written: one program per language that uses two of them."""

import os
import unittest

from support.case import Case
from support.config import node
from support.paths import real_server

INSTALLED = all(os.path.exists(real_server(name)) for name in ("server-everything", "server-filesystem"))


@unittest.skipUnless(INSTALLED, "npm servers are not installed")
class RealServers(Case):
    def setUp(self):
        self.folder = os.path.join(self.world().root, "files")
        os.mkdir(self.folder)
        for name, text in (("one.txt", "1\n2\n3\n"), ("two.txt", "40\n")):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.server = self.start({"filesystem": node("server-filesystem", self.folder),
                                  "everything": node("server-everything")})

    def assert_done(self, answer):
        self.assertEqual(self.succeed(answer).result, {"sum": "46", "echoed": True})
        self.assertEqual(answer.summary["mcp__filesystem__read_text_file"]["successCount"], 2)
        self.assertEqual(answer.summary["mcp__everything__echo"]["callCount"], 1)

    def test_typescript(self):
        self.assert_done(self.server.typescript("""
            const [read] = await discoverMCPTools({search: ['read_text_file'], server: 'filesystem'});
            const [echo] = await discoverMCPTools({search: ['echo'], server: 'everything'});
            const texts = await Promise.all(['one.txt', 'two.txt'].map(name =>
              callMCPTool(read.name, {path: '%s/' + name})));
            const sum = texts.map(t => t.content ?? t).join('').trim().split('\\n').map(Number).reduce((a, b) => a + b, 0);
            const said = await callMCPTool(echo.name, {message: String(sum)});
            return {sum: String(sum), echoed: said.includes(String(sum))};
        """ % self.folder))

    def test_python(self):
        self.assert_done(self.server.python("""
read = discover_mcp_tools(search=['read_text_file'], server='filesystem')[0]
echo = (await discover_mcp_tools(search=['echo'], server='everything'))[0]
texts = [call_mcp_tool(read['name'], {'path': f'%s/{name}'}) for name in ('one.txt', 'two.txt')]
total = sum(int(n) for t in texts for n in (t['content'] if isinstance(t, dict) else t).split())
said = await call_mcp_tool(echo['name'], {'message': str(total)})
{'sum': str(total), 'echoed': str(total) in said}
""" % self.folder))

    def test_error_of_a_real_tool(self):
        answer = self.server.typescript("""
            try { await mcp.filesystem.read_text_file({path: '/etc/passwd'}) } catch (e) { return [e.code, e.server, e.tool] }""")
        self.assertEqual(self.succeed(answer).result, ["tool_failed", "filesystem", "read_text_file"])
