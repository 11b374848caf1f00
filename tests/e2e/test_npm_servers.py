"""Servers that others have written, behind us, over each of the transports that they offer: what their authors take for
the protocol and what we take for it have to be the same. Those that are made of libraries are in tests/children/npm."""

import json
import unittest

from support.case import Case
from support.npm import IS_INSTALLED, NODE, WHY_SKIPPED, HttpChild
from support.npm_case import LONG, ManyCase, NpmCase, call_of
from support.paths import real_server

MODERN = "2026-07-28"
# The request by which a server is listened to.
LISTENS = {"sdk1": {"verb": "GET"}, "legacy": {"verb": "GET"}, "modern": {"method": "subscriptions/listen"}}


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Everything(Case):
    """The reference server, which offers all three transports."""

    PROGRAM = """
        const call = (tool, args = {}) => callMCPTool('everything', tool, args);
        const image = await call('get-tiny-image');
        const [first] = await listMCPResources('everything');
        const wrong = {resourceType: 'Text', resourceId: -1};
        return {listed: (await discoverMCPTools({server: 'everything'})).length, image: image.map(each => each.type),
                echo: await call('echo', {message: 'hi'}),
                structured: await call('get-structured-content', {location: 'Chicago'}),
                read: JSON.stringify(await readMCPResource('everything', first.uri)).length,
                failed: await call('get-resource-reference', wrong).then(() => '', e => e.code),
                long: await call('%s', {duration: 1, steps: 4})}
    """ % LONG

    def use(self, configured):
        server = self.start(world=self.world(user={"everything": configured}))
        got = self.succeed(server.typescript(self.PROGRAM)).result
        self.assertGreater(got["listed"], 8)
        self.assertEqual(got["echo"], "Echo: hi")
        self.assertIn("temperature", got["structured"])
        self.assertEqual(got["image"], ["text", "image", "text"])
        self.assertGreater(got["read"], 10)
        self.assertIn(got["failed"], ("tool_failed", "invalid_argument"))
        self.assertIn("Steps: 4", got["long"])

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


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class V2(NpmCase):
    """On the packages that speak 2026-07-28: in it, and in the revisions before."""

    # What the server offers, and what it is spoken to in.
    ERAS = {"modern": "modern", "both": "modern", "legacy": "legacy"}

    def assert_era(self, journal, era):
        """Instances of the other era are made for nobody."""
        self.assertEqual({each["era"] for each in journal.events("instance")}, {era})
        self.assertEqual(journal.events("complaint"), [])

    def test_over_stdio(self):
        kids = {era: self.stdio_child("server_v2", "--era", era) for era in self.ERAS}
        server = self.serve(**{era: configured for era, (_, configured) in kids.items()})
        for era, (journal, _) in kids.items():
            with self.subTest(era):
                self.use_all(server, era)
                self.assert_era(journal, self.ERAS[era])

    def test_over_http(self):
        kids = {era: self.http_child("server_v2", "--era", era) for era in self.ERAS}
        server = self.serve(**{era: {"url": child.url} for era, child in kids.items()})
        for era, child in kids.items():
            with self.subTest(era):
                self.use_all(server, era)
                is_modern = self.ERAS[era] == "modern"
                self.assertEqual({each["revision"] == MODERN for each in child.requests("tools/call")}, {is_modern})
                self.assertEqual(len(child.requests("initialize")), 0 if is_modern else 1)
                self.assert_era(child.journal, self.ERAS[era])

    def test_arguments_that_belong_into_headers(self):
        child = self.http_child("server_v2", "--era", "modern", "--more", "yes")
        server = self.serve(kid={"url": child.url})
        told = [{"region": region} for region in ("eu", "", " x ", "Grüße 🎉", "=?base64?eA==?=", "a\nb")]
        told += [{}, {"region": "eu", "count": 2**53 - 1, "urgent": False}, {"count": -1, "urgent": True}]
        calls = f"{json.dumps(told)}.map(each => callMCPTool('kid', 'headers', each))"
        got = self.succeed(server.typescript(f"return await Promise.all({calls})")).result
        self.assertEqual(got, [{"args": each, "told": sorted(f"mcp-param-{name}" for name in each)} for each in told])
        self.assert_era(child.journal, "modern")

    def test_a_question_in_the_midst_of_a_call_is_refused(self):
        """Nobody can be asked yet, and the server is told so."""
        _, near = self.stdio_child("server_v2", "--era", "modern", "--more", "yes")
        child = self.http_child("server_v2", "--era", "modern", "--more", "yes")
        server = self.serve(near=near, far={"url": child.url})
        for name in ("near", "far"):
            with self.subTest(name):
                self.refuse(server.typescript(call_of(name, "ask")), "elicitation")


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class FastMcp(NpmCase):
    """On the framework that has a proxy of its own before the SDK's transport."""

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
class WhileTheyRun(ManyCase):
    """What a client and a server tell each other of their own accord."""

    def test_changes_of_tools_are_heard_over_stdio(self):
        journals, server = self.start_near("sdk1", "modern", "legacy")
        for name in journals:
            with self.subTest(name):
                self.change(server, name, "late", "later")

    def test_changes_of_tools_are_heard_over_http(self):
        children, server = self.start_far("sdk1", "modern", "legacy")
        for name, child in children.items():
            with self.subTest(name):
                self.succeed(self.echo(server, name))
                child.journal.wait("request", **LISTENS[name])
                self.change(server, name, "late", "later")

    def give_up(self, server, name, journal):
        self.refuse(server.typescript(call_of(name, "slow", {"steps": 1, "ms": 60_000}), timeoutMs=1_500), "timed out")
        journal.wait("cancelled")
        self.succeed(self.echo(server, name))

    def test_a_call_that_is_given_up_is_cancelled_over_stdio(self):
        journals, server = self.start_near("sdk1", "modern")
        for name, journal in journals.items():
            with self.subTest(name):
                self.give_up(server, name, journal)

    def test_a_call_that_is_given_up_is_cancelled_over_http(self):
        children, server = self.start_far("sdk1", "modern")
        for name, child in children.items():
            with self.subTest(name):
                self.give_up(server, name, child.journal)


if __name__ == "__main__":
    unittest.main()
