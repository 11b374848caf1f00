"""Servers that others have written, behind us, over each of the transports that they offer: what their authors take for the protocol
and what we take for it have to be the same. Those of packages that are libraries are in tests/children/npm."""

import json
import os
import shutil
import tempfile
import unittest

from support.case import WITHOUT_POOL, Case
from support.journal import Journal
from support.npm import IS_INSTALLED, NODE, WHY_SKIPPED, HttpChild, Relay, entry
from support.paths import real_server
from support.server import Server, World

MODERN = "2026-07-28"
# Every form of a result, an error, and a call that takes a while and tells its progress.
ALL_OF_IT = """
const kid = '%s', call = (tool, args = {}) => callMCPTool(kid, tool, args);
const listed = (await discoverMCPTools({server: kid})).map(each => each.name.split('__').pop()).sort();
const failed = await call('fail').then(() => 'nothing', e => [e.code, e.message]);
const [picture, resource] = [await call('picture'), await call('resource')];
return {listed, failed, picture: [picture.type, picture.mimeType, picture.data.length], resource: resource.resource,
        echo: await call('echo', {message: 'Grüße 🎉'}), sum: await call('sum', {a: 40, b: 2}), note: await readMCPResource(kid, 'test://note'),
        slow: await call('slow', {steps: 3, ms: 100}),
        many: (await Promise.all([1, 2, 3, 4, 5].map(i => call('echo', {message: `${i}`})))).join('')}
"""
TOOLS = ["change", "echo", "fail", "picture", "resource", "slow", "sum"]
NOTE = {"uri": "test://note", "mimeType": "text/plain", "text": "a note"}
CALL = "return await callMCPTool('%s', '%s', %s)"


def call_of(server, tool, arguments=None):
    return CALL % (server, tool, json.dumps(arguments or {}))


class NpmCase(Case):
    """Children of the test alone, with their journals, and one server of ours that knows them."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="npm-servers-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def http_child(self, name, *options):
        child = HttpChild.of_ours(self.folder, name, *options).start()
        self.addCleanup(child.kill)
        return child

    def stdio_child(self, name, *options):
        journal = Journal(os.path.join(self.folder, "journal.jsonl"))
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
        self.assertEqual((got["slow"], got["many"]), ("3 steps", "12345"))

    def called(self, journal, tool):
        return len(journal.events("call", tool=tool))


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Everything(Case):
    """The reference server, which offers all three transports."""

    PROGRAM = """
        const call = (tool, args = {}) => callMCPTool('everything', tool, args);
        const image = await call('get-tiny-image');
        const [first] = await listMCPResources('everything');
        return {listed: (await discoverMCPTools({server: 'everything'})).length,
                echo: await call('echo', {message: 'hi'}), structured: await call('get-structured-content', {location: 'Chicago'}),
                image: image.map(each => each.type), read: JSON.stringify(await readMCPResource('everything', first.uri)).length,
                failed: await call('get-resource-reference', {resourceType: 'Text', resourceId: -1}).then(() => '', e => e.code),
                long: await call('trigger-long-running-operation', {duration: 1, steps: 4})}
    """

    def use(self, configured):
        server = self.start(world=self.world(user={"everything": configured}))
        got = self.succeed(server.typescript(self.PROGRAM)).result
        self.assertGreater(got["listed"], 8)
        self.assertEqual(got["echo"], "Echo: hi")
        self.assertIn("temperature", got["structured"])
        self.assertEqual(got["image"], ["text", "image", "text"])
        self.assertGreater(got["read"], 10)
        self.assertIn(got["failed"], ("tool_failed", "invalid_argument"))
        self.assertIn("4 steps" if "4 steps" in got["long"] else "Steps: 4", got["long"])

    def far(self, kind, path):
        world = self.world()
        child = HttpChild(world.root, [NODE, real_server("server-everything"), kind], path).start()
        self.addCleanup(child.kill)
        return child

    def test_over_stdio(self):
        self.use({"command": NODE, "args": [real_server("server-everything"), "stdio"]})

    def test_over_http_with_sse(self):
        self.use({"type": "sse", "url": self.far("sse", "/sse").url})

    def test_over_streamable_http(self):
        child = self.far("streamableHttp", "/mcp")
        self.use({"url": child.url})


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Sdk1(NpmCase):
    """On the SDK that most servers of the field are made of."""

    def test_over_stdio(self):
        journal, configured = self.stdio_child("server_sdk1")
        self.use_all(self.serve(kid=configured))
        self.assertEqual(len(journal.events("started")), 1)
        self.assertEqual(self.called(journal, "slow"), 1)

    def test_over_http_with_sessions(self):
        child = self.http_child("server_sdk1")
        server = self.serve(kid={"url": child.url})
        self.use_all(server)
        [session] = child.journal.events("session")
        self.assertEqual({each["session"] for each in child.requests("tools/call")}, {session["id"]})
        server.end("eof")
        child.journal.wait("session_closed")

    def test_over_http_without_sessions(self):
        child = self.http_child("server_sdk1", "--sessions", "no")
        self.use_all(self.serve(kid={"url": child.url}))
        self.assertEqual({each["session"] for each in child.requests("tools/call")}, {None})

    def test_over_http_with_answers_that_are_json(self):
        for sessions in ("yes", "no"):
            with self.subTest(sessions=sessions):
                child = self.http_child("server_sdk1", "--json", "yes", "--sessions", sessions)
                self.use_all(self.serve(kid={"url": child.url}))

    def test_a_call_that_is_given_up_is_cancelled_there(self):
        journal, configured = self.stdio_child("server_sdk1")
        child = self.http_child("server_sdk1")
        server = self.serve(near=configured, far={"url": child.url})
        for name, told in (("near", journal), ("far", child.journal)):
            with self.subTest(name):
                self.refuse(server.typescript(call_of(name, "slow", {"steps": 1, "ms": 60_000}), timeoutMs=2_000), "timed out")
                told.wait("cancelled")


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class V2(NpmCase):
    """On the packages that speak 2026-07-28: in it, and in the revisions before."""

    def assert_era(self, journal, era):
        """Instances of the other era are made for nobody; over stdio one more is, for the question which era it is."""
        self.assertEqual({each["era"] for each in journal.events("instance")}, {era})
        self.assertEqual(journal.events("complaint"), [])

    def test_over_stdio(self):
        for era, used in (("modern", "modern"), ("both", "modern"), ("legacy", "legacy")):
            with self.subTest(era):
                self.setUp()
                journal, configured = self.stdio_child("server_v2", "--era", era)
                self.use_all(self.serve(kid=configured))
                self.assert_era(journal, used)

    def test_over_http(self):
        for era, used in (("modern", "modern"), ("both", "modern"), ("legacy", "legacy")):
            with self.subTest(era):
                child = self.http_child("server_v2", "--era", era)
                self.use_all(self.serve(kid={"url": child.url}))
                self.assertEqual({each["revision"] == MODERN for each in child.requests("tools/call")}, {used == "modern"})
                self.assertEqual(len(child.requests("initialize")), int(used == "legacy"))
                self.assert_era(child.journal, used)

    def test_a_call_that_is_given_up_is_cancelled_there(self):
        journal, configured = self.stdio_child("server_v2", "--era", "modern")
        child = self.http_child("server_v2", "--era", "modern")
        server = self.serve(near=configured, far={"url": child.url})
        for name, told in (("near", journal), ("far", child.journal)):
            with self.subTest(name):
                self.refuse(server.typescript(call_of(name, "slow", {"steps": 1, "ms": 60_000}), timeoutMs=2_000), "timed out")
                told.wait("cancelled")


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class FastMcp(NpmCase):
    def test_over_stdio(self):
        journal, configured = self.stdio_child("server_fastmcp")
        self.use_all(self.serve(kid=configured))
        self.assertEqual(self.called(journal, "slow"), 1)

    def test_over_http(self):
        for sessions in ("yes", "no"):
            with self.subTest(sessions=sessions):
                child = self.http_child("server_fastmcp", "--sessions", sessions)
                self.use_all(self.serve(kid={"url": child.url}))
                self.assertEqual(self.called(child.journal, "slow"), 1)


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Changes(NpmCase):
    """A tool that comes at runtime can be found and called, without a restart."""

    def change(self, server):
        for name in ("late", "later"):
            self.assertEqual(self.succeed(server.typescript(call_of("kid", "change", {"name": name}))).result, "changed")
            self.wait_until(lambda name=name: not server.typescript(call_of("kid", name)).is_error, f"the tool {name}")
            found = server.typescript("return (await discoverMCPTools({server: 'kid'})).map(each => each.name)")
            self.assertIn(f"mcp__kid__{name}", self.succeed(found).result)

    def test_over_stdio(self):
        for name, options in (("server_sdk1", ()), ("server_v2", ("--era", "modern")), ("server_v2", ("--era", "legacy"))):
            with self.subTest(name, options=options):
                _, configured = self.stdio_child(name, *options)
                self.change(self.serve(kid=configured))

    def test_over_http(self):
        for name, options in (("server_sdk1", ()), ("server_v2", ("--era", "modern")), ("server_v2", ("--era", "legacy"))):
            with self.subTest(name, options=options):
                child = self.http_child(name, *options)
                server = self.serve(kid={"url": child.url})
                self.succeed(server.typescript(call_of("kid", "echo", {"message": "hi"})))
                if "modern" in options:
                    self.wait_until(lambda child=child: child.requests("subscriptions/listen"), "it is listened to")
                self.change(server)


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Breaks(NpmCase):
    """What a network and a machine do: nothing is called twice, and a call that may have been lost says so."""

    KINDS = (("server_sdk1", ()), ("server_sdk1", ("--sessions", "no")), ("server_v2", ("--era", "modern")),
             ("server_v2", ("--era", "legacy")), ("server_fastmcp", ()))

    def test_a_server_that_is_started_again_is_used_again(self):
        for name, options in self.KINDS:
            with self.subTest(name, options=options):
                child = self.http_child(name, *options)
                server = self.serve(kid={"url": child.url})
                self.succeed(server.typescript(call_of("kid", "echo", {"message": "before"})))
                child.kill()
                child.start()
                answer = server.typescript(call_of("kid", "echo", {"message": "after"}))
                self.assertEqual(self.succeed(answer).result, "after")
                self.assertEqual([each["arguments"]["message"] for each in child.journal.events("call")], ["before", "after"])

    def test_one_that_dies_in_a_call_fails_it_and_is_used_again(self):
        for name, options in self.KINDS:
            with self.subTest(name, options=options):
                child = self.http_child(name, *options)
                server = self.serve(kid={"url": child.url})
                asked = server.ask_tool("run-typescript-code", {"code": call_of("kid", "slow", {"steps": 1, "ms": 60_000}), "timeoutMs": 50_000})
                child.journal.wait("call", tool="slow")
                child.kill()
                self.refuse(server.tool_answer("run-typescript-code", asked, 0), "may have carried out")
                child.start()
                self.wait_until(lambda server=server: not server.typescript(call_of("kid", "echo", {"message": "hi"})).is_error, "a new start")
                self.assertEqual(self.called(child.journal, "slow"), 1)

    def relayed(self, name, *options):
        child = self.http_child(name, *options)
        relay = Relay(child.port)
        self.addCleanup(relay.close)
        return child, relay, self.serve(kid={"url": f"http://127.0.0.1:{relay.port}/mcp"})

    def cut_in_a_call(self, child, relay, server):
        asked = server.ask_tool("run-typescript-code", {"code": call_of("kid", "slow", {"steps": 20, "ms": 100}), "timeoutMs": 50_000})
        child.journal.wait("call", tool="slow")
        relay.cut()
        return server.tool_answer("run-typescript-code", asked, 0)

    def test_a_stream_with_events_that_are_kept_is_come_back_to(self):
        child, relay, server = self.relayed("server_sdk1")
        self.assertEqual(self.succeed(self.cut_in_a_call(child, relay, server)).result, "20 steps")
        self.assertEqual(self.called(child.journal, "slow"), 1)
        self.assertTrue([each for each in child.journal.events("request", verb="GET") if each["lastEvent"]])

    def test_a_stream_that_nobody_keeps_is_told(self):
        for name, options in (("server_sdk1", ("--sessions", "no")), ("server_v2", ("--era", "modern"))):
            with self.subTest(name):
                child, relay, server = self.relayed(name, *options)
                self.refuse(self.cut_in_a_call(child, relay, server), "may have carried out")
                self.assertEqual(self.called(child.journal, "slow"), 1)
                self.assertEqual(self.succeed(server.typescript(call_of("kid", "echo", {"message": "hi"}))).result, "hi")


if __name__ == "__main__":
    unittest.main()
