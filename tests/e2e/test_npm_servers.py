"""Servers that others have written, behind us, over each of the transports that they offer: what their authors take for the protocol
and what we take for it have to be the same. Those of packages that are libraries are in tests/children/npm."""

import itertools
import json
import os
import shutil
import tempfile
import unittest

from support.case import Case
from support.journal import Journal
from support.npm import IS_INSTALLED, NODE, WHY_SKIPPED, HttpChild, Relay, entry
from support.paths import real_server

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
        many: (await Promise.all(Array.from({length: 30}, (_, i) => call('echo', {message: `${i}`})))).join()}
"""
TOOLS = ["change", "echo", "fail", "picture", "resource", "slow", "sum"]
NOTE = {"uri": "test://note", "mimeType": "text/plain", "text": "a note"}
LONG = "trigger-long-running-operation"
CALL = "return await callMCPTool('%s', '%s', %s)"


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


# By name of the entry.
SERVERS = {"sdk1": ("server_sdk1",), "modern": ("server_v2", "--era", "modern"), "legacy": ("server_v2", "--era", "legacy"),
           "fastmcp": ("server_fastmcp",)}


class ManyCase(NpmCase):
    """One server of ours with several of others."""

    def start_far(self, *names):
        children = {name: self.http_child(*SERVERS[name]) for name in names}
        return children, self.serve(**{name: {"url": child.url} for name, child in children.items()})

    def start_near(self, *names):
        children = {name: self.stdio_child(*SERVERS[name]) for name in names}
        return {name: journal for name, (journal, _) in children.items()}, self.serve(**{name: entry for name, (_, entry) in children.items()})

    def echo(self, server, name, message="hi"):
        return server.typescript(call_of(name, "echo", {"message": message}))

    def change(self, server, kid, *names):
        """A tool that comes at runtime can be found and called, each time."""
        for name in names:
            self.assertEqual(self.succeed(server.typescript(call_of(kid, "change", {"name": name}))).result, "changed")
            self.wait_until(lambda name=name: not server.typescript(call_of(kid, name)).is_error, f"the tool {name}")
            found = server.typescript(f"return (await discoverMCPTools({{server: '{kid}'}})).map(each => each.name)")
            self.assertIn(f"mcp__{kid}__{name}", self.succeed(found).result)


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
                if name == "modern":
                    self.wait_until(lambda child=child: child.requests("subscriptions/listen"), "it is listened to")
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


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Breaks(ManyCase):
    """What a network and a machine do: nothing is called twice, and a call that may have been lost says so."""

    def test_a_server_that_is_started_again_is_used_again(self):
        children, server = self.start_far(*SERVERS)
        for name, child in children.items():
            with self.subTest(name):
                self.succeed(self.echo(server, name, "before"))
                child.kill()
                child.start()
                self.assertEqual(self.succeed(self.echo(server, name, "after")).result, "after")
                self.assertEqual(self.called(child.journal, "echo"), 2)
                if name == "modern":
                    child.journal.wait("request", 2, method="subscriptions/listen")
                if name != "fastmcp":  # it announces nothing
                    self.change(server, name, "late")

    def test_one_of_http_with_sse_is_used_again(self):
        child = HttpChild(self.folder, [NODE, real_server("server-everything"), "sse"], "/sse").start()
        self.addCleanup(child.kill)
        server = self.serve(everything={"type": "sse", "url": child.url})
        asked = server.ask_tool("run-typescript-code", {"code": CALL % ("everything", LONG, '{"duration": 60, "steps": 60}')})
        self.succeed(self.echo(server, "everything"))
        self.wait_until(lambda: child.said().count("Client Message") > 4, "the call")
        child.kill()
        self.refuse(server.tool_answer("run-typescript-code", asked, 0), "may have carried out")
        child.start()
        self.wait_until(lambda: not self.echo(server, "everything").is_error, "a new start")

    # FOUND: for a session that it does not know, the reference server, and every example of SDK 1.x that others copy, answers HTTP 400
    # ("Bad Request: No valid session ID provided"), not 404. We take that for the answer to the call and keep the session, so such a
    # server is lost until we are started again. verdict_of() of mcp/http_verdict.cpp knows 404 only.
    @unittest.expectedFailure
    def test_one_that_refuses_a_session_of_before_its_start_is_used_again(self):
        child = HttpChild(self.folder, [NODE, real_server("server-everything"), "streamableHttp"]).start()
        self.addCleanup(child.kill)
        server = self.serve(everything={"url": child.url})
        self.succeed(self.echo(server, "everything"))
        child.kill()
        child.start()
        self.echo(server, "everything")  # which may fail
        self.assertEqual(self.succeed(self.echo(server, "everything")).result, "Echo: hi")

    def break_in_a_call(self, server, name, journal, broken, steps=20):
        """The answer to a call that was under way when `broken()` happened."""
        self.succeed(self.echo(server, name))
        asked = server.ask_tool("run-typescript-code", {"code": call_of(name, "slow", {"steps": steps, "ms": 100}), "timeoutMs": 50_000})
        journal.wait("step")
        broken()
        return server.tool_answer("run-typescript-code", asked, 0)

    def test_one_that_dies_in_a_call_fails_it_and_is_used_again(self):
        children, server = self.start_far("sdk1", "legacy", "fastmcp")
        for name, child in children.items():
            with self.subTest(name):
                self.refuse(self.break_in_a_call(server, name, child.journal, child.kill, 600), "may have carried out")
                child.start()
                self.wait_until(lambda name=name: not self.echo(server, name).is_error, "a new start")
                self.assertEqual(self.called(child.journal, "slow"), 1)

    # FOUND: of a call that was sent and not begun to be answered, on a connection that was used before, libcurl tries another
    # connection. If none can be made, we say "can not be reached" and take it for never sent. Worse: after 200 ms it is sent once
    # more, so a server that is away for a moment carries it out twice. client_transfer::done() (subprojects/http/src/client_transfer.cpp)
    # sets was_sent for CURLE_SEND_FAIL_REWIND only, not for CURLE_COULDNT_CONNECT with nothing left in unsent_.
    @unittest.expectedFailure
    def test_one_that_dies_before_it_answers_may_have_carried_out_the_call(self):
        child = self.http_child("server_sdk1", "--json", "yes")
        server = self.serve(kid={"url": child.url})
        answer = self.break_in_a_call(server, "kid", child.journal, child.kill, 600)
        self.refuse(answer, "may have carried out")

    def relayed(self, *how):
        child = self.http_child(*how)
        relay = Relay(child.port)
        self.addCleanup(relay.close)
        return child, relay, self.serve(kid={"url": f"http://127.0.0.1:{relay.port}/mcp"})

    def test_a_stream_with_events_that_are_kept_is_come_back_to(self):
        for name in ("sdk1", "fastmcp"):
            with self.subTest(name):
                child, relay, server = self.relayed(*SERVERS[name])
                self.assertEqual(self.succeed(self.break_in_a_call(server, "kid", child.journal, relay.cut)).result, "20 steps")
                self.assertEqual(self.called(child.journal, "slow"), 1)

    def test_a_stream_that_the_server_leaves_is_come_back_to(self):
        """As it does to keep no connection open while it works."""
        child = self.http_child(*SERVERS["sdk1"])
        server = self.serve(kid={"url": child.url})
        answer = server.typescript(call_of("kid", "slow", {"steps": 5, "ms": 100, "leave": True}))
        self.assertEqual(self.succeed(answer).result, "5 steps")
        self.assertEqual(self.called(child.journal, "slow"), 1)
        self.assertTrue([each for each in child.journal.events("request", verb="GET") if each["lastEvent"]])

    def test_an_answer_that_nobody_keeps_is_told(self):
        for how in (("server_sdk1", "--sessions", "no"), ("server_sdk1", "--json", "yes"), SERVERS["modern"]):
            with self.subTest(how):
                child, relay, server = self.relayed(*how)
                self.refuse(self.break_in_a_call(server, "kid", child.journal, relay.cut), "may have carried out")
                self.assertEqual(self.called(child.journal, "slow"), 1)
                self.assertEqual(self.succeed(self.echo(server, "kid")).result, "hi")


if __name__ == "__main__":
    unittest.main()
