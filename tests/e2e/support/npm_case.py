"""Tests of servers of npm behind us."""

import itertools
import json
import os
import shutil
import tempfile

from support.case import Case
from support.journal import Journal
from support.npm import HttpChild, entry

# Every form of a result, an error, and a call that takes a while and tells its progress.
ALL_OF_IT = """
const kid = '%s', call = (tool, args = {}) => callMCPTool(kid, tool, args);
const listed = (await discoverMCPTools({server: kid})).map(each => each.name.split('__').pop()).sort();
const failed = await call('fail').then(() => 'nothing', e => [e.code, e.message]);
const [picture, resource] = [await call('picture'), await call('resource')];
return {listed, failed, picture: [picture.type, picture.mimeType, picture.data.length], resource: resource.resource,
        echo: await call('echo', {message: 'Grüße 🎉'}), sum: await call('sum', {a: 40, b: 2}),
        note: await readMCPResource(kid, 'test://note'), slow: await call('slow', {steps: 3, ms: 100}),
        many: (await Promise.all(Array.from({length: 30}, (_, i) => call('echo', {message: `${i}`})))).join()}
"""
TOOLS = ["change", "echo", "fail", "picture", "resource", "slow", "sum"]
NOTE = {"uri": "test://note", "mimeType": "text/plain", "text": "a note"}
# Of server-everything.
LONG = "trigger-long-running-operation"
CALL = "return await callMCPTool('%s', '%s', %s)"
# By name of the entry.
SERVERS = {"sdk1": ("server_sdk1",), "modern": ("server_v2", "--era", "modern"),
           "legacy": ("server_v2", "--era", "legacy"), "fastmcp": ("server_fastmcp",)}


def call_of(server, tool, arguments=None):
    return CALL % (server, tool, json.dumps(arguments or {}))


class NpmCase(Case):
    """Children of the test alone, with their journals, and one server of ours that knows them."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="npm-servers-")
        self.numbers = itertools.count()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def http_child(self, name, *options):
        child = HttpChild.of_ours(self.folder, name, *options).start()
        self.addCleanup(child.kill)
        return child

    def stdio_child(self, name, *options):
        journal = Journal(os.path.join(self.folder, f"journal-{next(self.numbers)}.jsonl"))
        return journal, entry(name, "--transport", "stdio", "--journal", journal.path, *options)

    def serve(self, **servers):
        return self.start(world=self.world(user=servers))

    def use_all(self, server, name="kid"):
        """One program uses all there is, and gets it."""
        got = self.succeed(server.typescript(ALL_OF_IT % name)).result
        self.assertEqual(got["listed"], TOOLS)
        self.assertEqual(got["failed"][0], "tool_failed")
        self.assertIn("it went wrong", got["failed"][1])
        self.assertEqual(got["picture"][:2], ["image", "image/png"])
        self.assertGreater(got["picture"][2], 50)
        self.assertEqual({name: got["resource"].get(name) for name in NOTE}, NOTE)
        self.assertEqual((got["echo"], got["sum"], got["note"]), ("Grüße 🎉", {"sum": 42}, "a note"))
        self.assertEqual((got["slow"], got["many"]), ("3 steps", ",".join(str(i) for i in range(30))))

    def called(self, journal, tool):
        return len(journal.events("call", tool=tool))


class ManyCase(NpmCase):
    """One server of ours with several of others."""

    def start_far(self, *names):
        children = {name: self.http_child(*SERVERS[name]) for name in names}
        return children, self.serve(**{name: {"url": child.url} for name, child in children.items()})

    def start_near(self, *names):
        children = {name: self.stdio_child(*SERVERS[name]) for name in names}
        server = self.serve(**{name: configured for name, (_, configured) in children.items()})
        return {name: journal for name, (journal, _) in children.items()}, server

    def echo(self, server, name, message="hi"):
        return server.typescript(call_of(name, "echo", {"message": message}))

    def change(self, server, kid, *names):
        """A tool that comes at runtime can be found and called, each time."""
        for name in names:
            self.assertEqual(self.succeed(server.typescript(call_of(kid, "change", {"name": name}))).result, "changed")
            self.wait_until(lambda name=name: not server.typescript(call_of(kid, name)).is_error, f"the tool {name}")
            found = server.typescript(f"return (await discoverMCPTools({{server: '{kid}'}})).map(each => each.name)")
            self.assertIn(f"mcp__{kid}__{name}", self.succeed(found).result)
