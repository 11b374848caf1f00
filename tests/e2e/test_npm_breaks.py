"""What breaks between us and servers that others have written: nothing is called twice, and a call that may have been
lost says so."""

import unittest

from support.npm import HOST, IS_INSTALLED, NODE, WHY_SKIPPED, HttpChild, Relay
from support.npm_case import LONG, SERVERS, ManyCase, call_of
from support.paths import real_server


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Breaks(ManyCase):
    """By a network, a machine, or on purpose."""

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
        code = call_of("everything", LONG, {"duration": 60, "steps": 60})
        asked = server.ask_tool("run-typescript-code", {"code": code, "timeoutMs": 50_000})
        self.succeed(self.echo(server, "everything"))
        self.wait_until(lambda: child.said().count("Client Message") > 4, "the call")
        child.kill()
        self.refuse(server.tool_answer("run-typescript-code", asked, 0), "may have carried out")
        child.start()
        self.wait_until(lambda: not self.echo(server, "everything").is_error, "a new start")

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
        # Right after another call, so on a connection that was used before.
        before = call_of(name, "echo", {"message": "hi"}).replace("return ", "")
        code = f"{before}; {call_of(name, 'slow', {'steps': steps, 'ms': 100})}"
        asked = server.ask_tool("run-typescript-code", {"code": code, "timeoutMs": 50_000})
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

    def relayed(self, *how):
        child = self.http_child(*how)
        relay = Relay(child.port)
        self.addCleanup(relay.close)
        return child, relay, self.serve(kid={"url": f"http://{HOST}:{relay.port}/mcp"})

    def test_a_call_that_was_sent_before_the_server_was_gone_may_have_been_carried_out(self):
        child, relay, server = self.relayed("server_sdk1", "--json", "yes")
        self.refuse(self.break_in_a_call(server, "kid", child.journal, relay.close), "may have carried out")

    def test_a_stream_with_events_that_are_kept_is_come_back_to(self):
        for name in ("sdk1", "fastmcp"):
            with self.subTest(name):
                child, relay, server = self.relayed(*SERVERS[name])
                answer = self.break_in_a_call(server, "kid", child.journal, relay.cut)
                self.assertEqual(self.succeed(answer).result, "20 steps")
                self.assertEqual(self.called(child.journal, "slow"), 1)

    def test_a_stream_that_the_server_leaves_is_come_back_to(self):
        """As it does to keep no connection open while it works."""
        child = self.http_child(*SERVERS["sdk1"])
        server = self.serve(kid={"url": child.url})
        answer = server.typescript(call_of("kid", "slow", {"steps": 5, "ms": 100, "leave": True}))
        self.assertEqual(self.succeed(answer).result, "5 steps")
        self.assertEqual(self.called(child.journal, "slow"), 1)
        self.assertTrue([each for each in child.journal.events("request", verb="GET") if each["lastEvent"]])

    def change_while_away(self, name, leave, come_back, **listens):
        """A tool comes while nothing can be told of it. Then the server is asked for its tools once more."""
        child, relay, server = self.relayed(*SERVERS[name])
        self.succeed(self.echo(server, "kid"))
        child.journal.wait("request", **listens)
        self.succeed(server.typescript(call_of("kid", "change", {"name": "late", "after": 1_500})))
        leave(relay)
        child.journal.wait("changed")
        come_back(relay)
        child.journal.wait("request", 2, **listens)
        child.journal.wait("request", 2, seconds=8, method="tools/list")
        self.wait_until(lambda: not server.typescript(call_of("kid", "late")).is_error, "the tool")

    def test_a_change_that_could_not_be_told_is_found(self):
        self.change_while_away("modern", Relay.cut, lambda relay: None, method="subscriptions/listen")

    def test_a_change_that_could_not_be_told_is_found_in_the_revisions_before(self):
        self.change_while_away("legacy", Relay.close, Relay.open, verb="GET")

    def test_an_answer_that_nobody_keeps_is_told(self):
        for how in (("server_sdk1", "--sessions", "no"), ("server_sdk1", "--json", "yes"), SERVERS["modern"]):
            with self.subTest(how):
                child, relay, server = self.relayed(*how)
                self.refuse(self.break_in_a_call(server, "kid", child.journal, relay.cut), "may have carried out")
                self.assertEqual(self.called(child.journal, "slow"), 1)
                self.assertEqual(self.succeed(self.echo(server, "kid")).result, "hi")


if __name__ == "__main__":
    unittest.main()
