"""The rows of test_chaos_rig.py about what ends in mid-session: tokens, and streams, also both at once."""

import unittest

from support.http_case import text
from support.http_child import event
from support.waiting import wait_until
from test_chaos_logins import LoginRig
from test_chaos_rig import in_both_eras, SAY


class Expiry(LoginRig):
    def expect_all(self, server, child, count, pause_ms):
        """So many calls, one after the other: each is carried out, once."""
        answer = self.succeed(server.typescript(f"""
            const ids = [];
            for (let i = 0; i < {count}; i++) {{
              ids.push((await callMCPTool('far', 'create_contact', {{name: 'x', email: `${{i}}`}})).id);
              await new Promise(done => setTimeout(done, {pause_ms}));
            }}
            return ids""", timeoutMs=60_000))
        self.assertEqual(answer.result, list(range(1, count + 1)))
        self.assertEqual(len(child.contacts.all()), count)

    @in_both_eras
    def test_a_short_life_costs_no_call(self, era):
        authority, child, world = self.away(era)
        authority.lifetime = 2
        self.consent(world)
        server = self.start(world=world)
        self.expect_all(server, child, 18, 100)
        self.assertGreater(len(self.refreshes(authority)), 0)
        self.assertLess(len(self.refreshes(authority)), 10, "not for each call")
        self.assertEqual(authority.deviations, [])

    @in_both_eras
    def test_a_life_that_ends_sooner_than_it_was_said_costs_no_call(self, era):
        authority, child, server = self.home(era, dies_after=6)
        self.expect_all(server, child, 25, 0)
        self.assertEqual(authority.deviations, [])

    @in_both_eras
    def test_many_lives_that_end_sooner_cost_no_call(self, era):
        _, child, server = self.home(era, dies_after=3)
        self.expect_all(server, child, 25, 0)


class Ear(LoginRig):
    """A server ends its stream, and refuses the next one for a while: after that it is heard again."""

    SECONDS_MAX = 5

    def expect_ear(self, child, server):
        wait_until(child.is_listened_to, "its ear", self.SECONDS_MAX)
        self.switch(child, gone=["say"], tells_change=True)
        schema = "return (await discoverMCPTools()).map(tool => tool.name)"
        self.wait_until(lambda: "mcp__far__say" not in server.typescript(schema).result, "the change")

    def deaf(self, era):
        authority, child, server = self.home(era)
        self.wait_until(child.is_listened_to, "its ear")
        return authority, child, server

    def after_a_token(self, era):
        authority, child, server = self.deaf(era)
        refused = len(child.refusals)
        authority.expire_access_tokens()
        child.end_listening()
        self.wait_until(lambda: len(child.refusals) > refused, "a refusal of the old token")
        self.succeed(server.typescript(SAY))
        self.expect_ear(child, server)

    def test_after_a_token_has_ended_modern(self):
        self.after_a_token("modern")

    def test_after_a_token_has_ended_legacy(self):
        self.after_a_token("legacy")

    def after_an_outage(self, era):
        _, child, server = self.deaf(era)
        asked = len(child.seen)
        child.status = 500
        child.end_listening()
        self.wait_until(lambda: len(child.seen) >= asked + (5 if era == "legacy" else 1), "refusals")
        child.status = None
        self.succeed(server.typescript(SAY))
        self.expect_ear(child, server)

    def test_after_an_outage_modern(self):
        self.after_an_outage("modern")

    def test_after_an_outage_legacy(self):
        self.after_an_outage("legacy")

    def test_the_rest_of_an_answer_is_got_with_a_new_token(self):
        authority, child, server = self.home("legacy")
        open_call = []

        def cut(handler):
            child.begin_stream(handler)
            child.write(handler, b"id: 7\nretry: 50\ndata:\n\n")
            authority.expire_access_tokens()

        def rest(seen):
            is_it = seen.headers.get("last-event-id") == "7"
            return [event(text(open_call[0], "the rest"), 8)] if is_it else None

        child.answers, child.on_get = lambda request: open_call.append(request) or cut, rest
        self.assertEqual(self.succeed(server.typescript(SAY)).result, "the rest")


if __name__ == "__main__":
    unittest.main()
