"""Servers that are reached over HTTP: Streamable HTTP, HTTP with SSE, and what goes wrong there."""

import json
import os
import socket
import subprocess
import threading
import time
import unittest

from support.http_case import HttpCase, SECRET, text
from support.http_child import event, Reply, rpc, TOOL
from support.paths import real_server
from support.server import World


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def listens(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


class Answers(HttpCase):
    def test_of_every_form(self):
        def late_stream(handler):
            child.begin_stream(handler)
            child.write(handler, b": nothing yet\n\n", event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}))
            child.write(handler, event(text(request[0], "from a stream")))

        child, request = self.child(), [None]
        server = self.serve(child)
        self.assertEqual(self.succeed(self.call(server)).result, "hi")
        child.answers = lambda each: request.__setitem__(0, each) or late_stream
        self.assertEqual(self.succeed(self.call(server)).result, "from a stream")
        child.answers = lambda each: [event(text(each, "a")).replace(b"event: message\n", b"")]
        self.assertEqual(self.succeed(self.call(server)).result, "a")
        child.answers = lambda each: rpc(each, error={"code": -32000, "message": "it is broken"})
        self.refuse(self.call(server), "it is broken")

    def test_requests_say_what_the_protocol_wants(self):
        child = self.child()
        server = self.serve(child, headers={"Authorization": "Bearer ${TOKEN_OF_TEST}", "X-Team": "a", "Accept": "no", "Mcp-Session-Id": "no"})
        self.succeed(self.call(server))
        first, call = child.messages("initialize")[0], child.messages("tools/call")[0]
        self.assertEqual(call.headers["authorization"], f"Bearer {SECRET}")
        self.assertEqual(call.headers["x-team"], "a")
        self.assertEqual(call.headers["content-type"], "application/json")
        self.assertEqual({each.strip() for each in call.headers["accept"].split(",")}, {"application/json", "text/event-stream"})
        self.assertIn(call.headers["mcp-session-id"], child.sessions)
        self.assertEqual(call.headers["mcp-protocol-version"], "2025-11-25")
        self.assertNotIn("mcp-session-id", first.headers)
        order = [each.message["method"] for each in child.seen if each.message]
        self.assertEqual(order[:4], ["server/discover", "initialize", "notifications/initialized", "tools/list"])
        server.end("eof")
        self.assertEqual(child.sessions, set(), "the session is given back")

    def test_many_at_once(self):
        child = self.child()
        child.answers = lambda each: time.sleep(0.2)
        server = self.serve(child)
        code = "return (await Promise.all(Array.from({length: 30}, (_, i) => callMCPTool('web', 'echo', {message: `${i}`})))).join()"
        self.assertEqual(self.succeed(server.typescript(code)).result, ",".join(str(i) for i in range(30)))

    def test_large_ones(self):
        child, large = self.child(), "x" * 3_000_000
        server = self.serve(child)
        for answers in (lambda each: None, lambda each: [event(text(each, large))]):
            child.answers = answers
            answer = server.typescript(f"return (await callMCPTool('web', 'echo', {{message: 'x'.repeat({len(large)})}})).length")
            self.assertEqual(self.succeed(answer).result, len(large))


class Sessions(HttpCase):
    def test_one_that_is_lost_is_begun_anew_and_the_call_made_once(self):
        child = self.child()
        server = self.serve(child)
        self.succeed(self.call(server))
        child.forget_sessions()
        child.tools = [TOOL, {**TOOL, "name": "other"}]
        before = len(child.messages("tools/call"))
        self.assertEqual(self.succeed(self.call(server, "again")).result, "again")
        self.assertEqual(len(child.messages("tools/call")) - before, 2, "one was refused for its session")
        self.assertEqual(len(child.messages("initialize")), 2)
        self.assertEqual(len(child.messages("notifications/initialized")), 2)
        self.wait_until(lambda: len(child.messages("tools/list")) > 1, "another look at the tools")

    def test_many_calls_begin_one_session(self):
        child = self.child()
        server = self.serve(child)
        self.succeed(self.call(server))
        child.forget_sessions()
        code = "return (await Promise.all(Array.from({length: 20}, (_, i) => callMCPTool('web', 'echo', {message: `${i}`})))).length"
        self.assertEqual(self.succeed(server.typescript(code)).result, 20)
        self.assertEqual(len(child.messages("initialize")), 2)

    def test_one_that_can_not_be_begun_anew_is_told(self):
        child = self.child()
        server = self.serve(child)
        self.succeed(self.call(server))
        child.forget_sessions()
        child.on_initialize = lambda seen: Reply(500, {}, b"no room")
        self.refuse(self.call(server), "has lost the session", "HTTP 500", "no room")
        child.on_initialize = lambda seen: None
        self.wait_until(lambda: not self.call(server).is_error, "a new start")

    def test_servers_without_sessions(self):
        child = self.child(with_sessions=False)
        server = self.serve(child)
        self.assertEqual(self.succeed(self.call(server)).result, "hi")
        self.assertNotIn("mcp-session-id", child.messages("tools/call")[0].headers)


class Streams(HttpCase):
    def test_one_that_is_cut_is_come_back_to(self):
        child, open_call = self.child(), []

        def cut(handler):
            child.begin_stream(handler)
            child.write(handler, b"id: 7\nretry: 50\ndata:\n\n")

        child.answers = lambda request: open_call.append(request) or cut
        child.on_get = lambda seen: [event(text(open_call[0], "the rest"), 8)] if seen.headers.get("last-event-id") == "7" else None
        server = self.serve(child)
        self.assertEqual(self.succeed(self.call(server)).result, "the rest")
        self.assertEqual(len(child.messages("tools/call")), 1)

    def test_one_that_is_cut_for_good_is_told(self):
        child = self.child()
        child.answers = lambda request: [b": nothing\n\n"]
        server = self.serve(child)
        self.refuse(self.call(server), "ended its stream of events before it answered", "may have carried out")
        self.assertEqual(len(child.messages("tools/call")), 1, "nobody knows whether it was carried out")

    def test_what_a_server_says_by_itself_is_heard(self):
        child, changed = self.child(), threading.Event()

        def say(handler):
            child.begin_stream(handler)
            changed.wait(30)
            child.write(handler, event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))

        child.on_get = lambda seen: say
        server = self.serve(child)
        self.succeed(self.call(server))
        child.tools = [{**TOOL, "name": "renamed"}]
        changed.set()
        self.wait_until(lambda: len(child.messages("tools/list")) > 1, "another look at the tools")
        self.assertEqual(self.succeed(server.typescript("return await callMCPTool('web', 'renamed', {message: 'new'})")).result, "new")


class Refusals(HttpCase):
    def test_are_told(self):
        child = self.child()
        server = self.serve(child, headers={"Authorization": "Bearer ${TOKEN_OF_TEST}"})
        self.succeed(self.call(server))
        for reply, *words in (
            (Reply(401, {"WWW-Authenticate": "Bearer"}, b"expired " + SECRET.encode()), "wants to know who asks", "HTTP 401", "headers"),
            (Reply(403), "does not allow it", "HTTP 403"),
            (Reply(500, {"Content-Type": "text/html"}, b"<html>oh\x1b[31m</html>"), "HTTP 500 (Internal Server Error)", "<html>oh"),
            (Reply(302, {"Location": "http://127.0.0.2:1/x?key=" + SECRET}), "redirects with HTTP 30", "http://127.0.0.2:1/x", "url"),
            (Reply(307, {"Location": "http://127.0.0.2:1/x"}), "redirects with HTTP 30"),
            (Reply(200, {"Content-Type": "text/html"}, b"<html>"), "no JSON", "text/html"),
            (Reply(200, {"Content-Type": "application/json"}, b"{"), "could not be read"),
            (Reply(200, {"Content-Type": "application/json"}, b"[]"), "not what it was asked"),
            (Reply(204), "no JSON"),
            (Reply(503, {"Retry-After": "3600"}), "HTTP 503"),
        ):
            with self.subTest(reply.status, words=words):
                child.answers = lambda request, reply=reply: reply
                before = len(child.messages("tools/call"))
                answer = self.call(server)
                self.refuse(answer, *words)
                self.assertNotIn(SECRET, str(answer.raw))
                self.assertNotIn("\x1b", answer.text)
                self.assertEqual(len(child.messages("tools/call")) - before, 1, "it is not made twice")
        child.answers = lambda request: None
        self.succeed(self.call(server))
        self.assertNotIn(SECRET, server.stderr())

    def test_what_was_not_carried_out_is_sent_once_more(self):
        child = self.child()
        server = self.serve(child)
        self.succeed(self.call(server))
        for reply in (Reply(429, {"Retry-After": "0"}), Reply(503, {"Retry-After": "1"}), Reply(307, {"Location": "/elsewhere"}), Reply(308, {"Location": child.url})):
            with self.subTest(reply.status):
                replies = [reply]
                child.answers = lambda request, replies=replies: replies.pop() if replies else None
                self.assertEqual(self.succeed(self.call(server)).result, "hi")

    def test_a_connection_that_is_cut_fails_its_call_only(self):
        child = self.child()

        def cut(handler):
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)

        server = self.serve(child)
        self.succeed(self.call(server))
        child.answers = lambda request: cut
        self.refuse(self.call(server), "may have carried out")
        self.assertEqual(len(child.messages("tools/call")), 2, "nobody knows whether it was carried out")
        child.answers = lambda request: None
        self.succeed(self.call(server))
        self.assertEqual(len(child.messages("initialize")), 1)

    def test_one_that_can_not_be_reached_is_told_and_begun_anew(self):
        child = self.child()
        url = child.url
        child.close()
        server = self.start(world=self.world(user={"web": {"url": url}}))
        self.refuse(self.call(server), "can not be reached", "127.0.0.1")

    def test_an_address_that_is_none_is_told(self):
        for url in ("ftp://127.0.0.1/", "http//x", "${NOTHING_OF_THAT_NAME}"):
            server = self.start(world=self.world(user={"web": {"url": url}}))
            self.refuse(self.call(server), "no address that begins with https:// or http://")

    def test_a_call_that_is_given_up_is_cancelled_there(self):
        child, forever = self.child(), threading.Event()
        self.addCleanup(forever.set)
        child.answers = lambda request: forever.wait(60) and None
        server = self.serve(child)
        self.refuse(self.call(server, timeoutMs=1_500), "timed out")
        self.wait_until(lambda: child.messages("notifications/cancelled"), "word of it")
        self.assertEqual(child.messages("notifications/cancelled")[0].message["params"]["requestId"], child.messages("tools/call")[0].message["id"])


class Sse(HttpCase):
    def test_is_found_out(self):
        for entry in ({"type": "sse"}, {"type": None}):
            with self.subTest(entry):
                child = self.old()
                configured = {key: value for key, value in child.entry(**entry).items() if value}
                server = self.start(world=self.world(user={"web": configured}))
                self.assertEqual(self.succeed(self.call(server)).result, "hi")
                self.assertEqual({each.path for each in child.seen if each.method == "POST"} - {child.path}, {"/messages"})

    def test_messages_go_to_no_other_server(self):
        child, other = self.old("http://127.0.0.2:1/steal"), self.child()
        server = self.serve(child)
        self.refuse(self.call(server), "HTTP 405")
        server = self.start(world=self.world(user={"web": child.entry(type="sse")}))
        self.refuse(self.call(server), "another server")
        self.assertEqual(other.seen, [])

    def test_a_stream_that_ends_is_begun_anew(self):
        child = self.old()
        server = self.start(world=self.world(user={"web": child.entry(type="sse")}))
        self.succeed(self.call(server))
        child.end_streams()
        self.wait_until(lambda: not self.call(server).is_error, "a new start")


class Trust(HttpCase):
    def test_nobody_is_asked_without_the_user_s_word(self):
        child = self.child()
        world = World(trusts_project=False).configure(project={"web": child.entry()})
        self.addCleanup(world.remove)
        server = self.start(world=world)
        self.refuse(self.call(server), "needs your approval")
        self.assertEqual(child.seen, [])


class RealServers(HttpCase):
    def test_everything_of_npm(self):
        for kind, path in (("streamableHttp", "mcp"), ("sse", "sse")):
            with self.subTest(kind):
                port = free_port()
                process = subprocess.Popen(["node", real_server("server-everything"), kind], env={**os.environ, "PORT": str(port)},
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.addCleanup(process.wait)
                self.addCleanup(process.kill)
                server = self.start(world=self.world(user={"web": {"url": f"http://127.0.0.1:{port}/{path}"}}))
                self.wait_until(lambda: listens(port), "its start")
                self.assertEqual(self.succeed(self.call(server)).result, "Echo: hi")
                self.assertGreater(self.succeed(server.typescript("return (await listMCPResources('web')).length")).result, 0)


if __name__ == "__main__":
    unittest.main()
