"""Servers over HTTP that do not do what the protocol wants of them, by mistake or on purpose: others, their calls and secrets are safe."""

import json
import threading
import unittest

from support.http_case import HttpCase, SECRET, text
from support.http_child import event, Reply

CALLS = "await Promise.allSettled(Array.from({length: %d}, () => callMCPTool('web', 'echo', {message: %s})))"


def message_of(request):
    return request["params"]["arguments"].get("message")


class OddCase(HttpCase):
    def until_the_end(self):
        """What a server waits for that never does something."""
        ended = threading.Event()
        self.addCleanup(ended.set)
        return lambda *_: ended.wait(120) and None

    def called(self, child, message):
        return [each for each in child.messages("tools/call") if message_of(each.message) == message]


class Connections(OddCase):
    def test_streams_that_are_left_open_hold_up_nobody(self):
        child, never = self.child(), self.until_the_end()

        def answer(request):
            def leave_open(handler):
                child.begin_stream(handler)
                child.write(handler, event(text(request, "done")))
                never()
            return leave_open

        child.answers = answer
        server = self.serve(child)
        code = "for (let i = 0; i < 80; i++) await callMCPTool('web', 'echo', {message: 'x'}); return 'all'"
        self.assertEqual(self.succeed(server.typescript(code, timeoutMs=55_000)).result, "all")

    def test_nor_do_messages_that_are_taken_without_a_word(self):
        child, never = self.old(), self.until_the_end()
        ordinary = child._answer

        def leave_unanswered(handler, seen):
            if seen.message and seen.message.get("method") == "tools/call":
                child.write(child.streams[-1][0], event(text(seen.message, "done")))
                return never()
            return ordinary(handler, seen)

        child._answer = leave_unanswered
        server = self.start(world=self.world(user={"web": child.entry(type="sse")}))
        code = "for (let i = 0; i < 80; i++) await callMCPTool('web', 'echo', {message: 'x'}); return 'all'"
        self.assertEqual(self.succeed(server.typescript(code, timeoutMs=55_000)).result, "all")

    def test_calls_that_were_given_up_hold_up_nobody_whatever_the_server_says(self):
        child, never = self.child(), self.until_the_end()
        child.answers = lambda request: never() if message_of(request) == "hang" else None
        child.on_note = lambda seen: Reply(400) if seen.message.get("method") == "notifications/cancelled" else None
        server = self.serve(child)
        self.succeed(self.call(server))
        for _ in range(3):
            self.refuse(server.typescript(CALLS % (32, "'hang'"), timeoutMs=2_000), "timed out")
        self.assertEqual(self.succeed(self.call(server, "after", timeoutMs=30_000)).result, "after")

    def test_what_is_no_request_holds_up_no_call(self):
        child, never, asked = self.child(), self.until_the_end(), threading.Event()

        def ask(handler):
            child.begin_stream(handler)
            child.write(handler, event({"jsonrpc": "2.0", "id": 5, "method": "ping"}))
            never()

        def take_no_note(seen):
            if "method" not in seen.message:
                asked.set()
            return never()

        child.on_get, child.on_note = lambda seen: ask, lambda seen: None
        server = self.serve(child)
        child.on_note = take_no_note
        self.assertEqual(self.succeed(self.call(server, timeoutMs=25_000)).result, "hi")
        child.on_note = lambda seen: take_no_note(seen) if "method" not in seen.message else None
        other = self.serve(child)
        self.succeed(self.call(other))
        self.assertTrue(asked.wait(60), "our answer to the ping")
        self.assertEqual(self.succeed(self.call(other, timeoutMs=8_000)).result, "hi")

    def test_a_server_that_asks_and_asks_is_answered_in_time(self):
        child, asked = self.child(), 1_000
        ping = event({"jsonrpc": "2.0", "id": 5, "method": "ping"})
        child.answers = lambda request: [ping * asked, event(text(request, "at last"))]
        server = self.serve(child)
        self.assertEqual(self.succeed(self.call(server, timeoutMs=60_000)).result, "at last")
        self.wait_until(lambda: len([each for each in child.seen if each.message and "method" not in each.message]) == asked, "each answer")


class Repeated(OddCase):
    def test_a_call_that_was_given_up_is_not_sent_once_more(self):
        child, refused = self.child(), set()

        def later(request):
            is_first = message_of(request) not in refused
            refused.add(message_of(request))
            return Reply(503, {"Retry-After": "4"}) if is_first and message_of(request) != "hi" else None

        child.answers = later
        server = self.serve(child)
        self.succeed(self.call(server))
        self.refuse(self.call(server, "given up", timeoutMs=2_000), "timed out")
        self.assertEqual(len(self.called(child, "given up")), 1)
        self.assertEqual(self.succeed(self.call(server, "later", timeoutMs=30_000)).result, "later")
        self.assertEqual(len(self.called(child, "later")), 2)
        self.assertEqual(len(self.called(child, "given up")), 1, "its turn would have come before")

    def test_nor_when_the_session_was_lost(self):
        child, begins = self.child(), threading.Event()
        self.addCleanup(begins.set)
        server = self.serve(child)
        self.succeed(self.call(server))
        child.forget_sessions()
        child.on_initialize = lambda seen: begins.wait(60) and None
        self.refuse(self.call(server, "given up", timeoutMs=2_000), "timed out")
        begins.set()
        self.assertEqual(self.succeed(self.call(server, "after", timeoutMs=30_000)).result, "after")
        self.assertEqual(len(self.called(child, "given up")), 1)

    def test_one_redirect_is_of_one_message(self):
        child = self.child()
        server = self.serve(child)
        self.succeed(self.call(server))
        for status, last in ((307, child.path), (308, "/elsewhere")):
            replies = [Reply(status, {"Location": "/elsewhere"})]
            child.answers = lambda request, replies=replies: replies.pop() if replies else None
            self.succeed(self.call(server))
            self.succeed(self.call(server))
            self.assertEqual([each.path for each in child.messages("tools/call")][-3:], [child.path, "/elsewhere", last])
        child.answers = lambda request: Reply(307, {"Location": "/a b"})
        self.refuse(self.call(server), "is not followed", "/a b")
        child.answers = lambda request: Reply(307, {"Location": "/again"})
        self.refuse(self.call(server), "again and again", "/again")
        child.answers = lambda request: None
        self.succeed(self.call(server))


class Told(OddCase):
    def test_that_a_call_may_have_been_carried_out(self):
        child = self.child()
        notice = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}

        def cut_at(event_id):
            return lambda request: [b"retry: 100\n" + event(notice, event_id)]

        server = self.serve(child)
        self.succeed(self.call(server))
        for event_id, reply in (("a\x01b", None), ("7", Reply(404)), ("7", Reply(405)), ("7", Reply(503)), ("7", [b": nothing\n\n"])):
            with self.subTest(event_id=event_id, reply=reply):
                child.answers, before = cut_at(event_id), len(child.seen)
                child.on_get = lambda seen, reply=reply: reply if seen.headers.get("last-event-id") else None
                said = self.refuse(self.call(server, timeoutMs=30_000), "before it answered", "may have carried out")
                self.assertNotIn("was not asked", said)
                asked = [each for each in child.seen[before:] if each.headers.get("last-event-id")]
                for_good = isinstance(reply, Reply) and reply.status < 500
                self.assertEqual(len(asked), 0 if reply is None else 1 if for_good else 5)

    def test_that_it_may_when_the_stream_of_all_answers_is_cut(self):
        child, ordinary = self.old(), None
        server = self.start(world=self.world(user={"web": child.entry(type="sse")}))
        self.succeed(self.call(server))
        ordinary = child._answer

        def cut(handler, seen):
            if seen.message and seen.message.get("method") == "tools/call":
                child.send(handler, Reply(202))
                return child.end_streams()
            return ordinary(handler, seen)

        child._answer = cut
        self.refuse(self.call(server), "ended its stream of events", "may have carried out")

    def test_a_session_that_can_not_be_gone_on_with(self):
        for session in ("s" * 5_000, "a b"):
            child = self.child()
            child.on_initialize = lambda seen, session=session: Reply(200, {"Content-Type": "application/json", "Mcp-Session-Id": session}, json.dumps(
                {"jsonrpc": "2.0", "id": seen.message["id"], "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}}).encode())
            self.refuse(self.call(self.serve(child)), "gave a session id (Mcp-Session-Id)")

    def test_an_address_is_told_short(self):
        child = self.old("http://127.0.0.2:1/" + "A" * 20_000_000)
        server = self.start(world=self.world(user={"web": child.entry(type="sse")}))
        self.assertLess(len(self.refuse(self.call(server), "another server")), 2_000)

    def test_garbage_is_no_word_of_a_stdout(self):
        child = self.child()
        child.answers = lambda request: [b"data: {garbage\n\n", event(text(request, "hi"))]
        server = self.serve(child)
        self.succeed(self.call(server))
        self.assertIn("no JSON-RPC in what it sent: {garbage", server.stderr())

    def test_variables_that_are_not_set(self):
        child = self.child()
        server = self.serve(child, headers={"X-Team": "${NO_SUCH_TEAM}"})
        self.succeed(self.call(server))
        self.assertEqual(child.messages("tools/call")[0].headers["x-team"], "${NO_SUCH_TEAM}")
        self.assertEqual(server.stderr().count("NO_SUCH_TEAM"), 1)


class Secrets(OddCase):
    def test_are_masked_before_a_quote_is_cut(self):
        child = self.child()
        server = self.serve(child, headers={"Authorization": "Bearer ${TOKEN_OF_TEST}"})
        self.succeed(self.call(server))
        secret, tail = SECRET.encode(), b" tail" * 50
        for pad in range(476, 500, 4):
            for reply in (Reply(500, {}, b"x" * pad + b" " + secret + tail),
                          Reply(200, {"Content-Type": "application/json"}, b"{" + b"x" * pad + b" " + secret + tail),
                          Reply(200, {"Content-Type": "text/" + "x" * pad + "-" + SECRET + "-tail" * 50}, b"x"),
                          Reply(302, {"Location": "http://h/" + "x" * pad + "/" + SECRET + "/tail" * 50})):
                child.answers = lambda request, reply=reply: reply
                self.assertNotIn(SECRET[:8], str(self.call(server).raw), (pad, reply.status))
        child.answers = lambda request: Reply(302, {"Location": "http://user:their-password@h/x"})
        self.assertNotIn("their-password", self.refuse(self.call(server), "http://h/x"))
        self.assertNotIn(SECRET[:8], server.stderr())

    def test_of_proxies_too(self):
        def through(proxy):
            world = self.world(user={"web": {"type": "http", "url": "http://example.invalid/mcp"}})
            return self.start(world=world, env={"http_proxy": proxy})

        for address in ("htpp://u:proxypassw0rd@127.0.0.1:1", "http://u:proxypassw0rd@127.0.0.1:port"):
            server = through(address)
            said = self.refuse(self.call(server), "the proxy for it", "http://HOST:PORT")
            self.assertNotIn("passw0rd", said + server.stderr())
        proxy = self.child()
        proxy.on_initialize = lambda seen: Reply(502, {}, seen.headers["proxy-authorization"].encode())
        server = through(f"http://u:proxypassw0rd@127.0.0.1:{proxy.port}")
        self.assertNotIn("dTpwcm94", self.refuse(self.call(server), "HTTP 502", "Basic") + server.stderr())


if __name__ == "__main__":
    unittest.main()
