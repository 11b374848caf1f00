"""The rows of test_chaos_rig.py about headers that an entry has: are they sent, and what is said of wrong ones."""

import json
import os
import unittest

from support.config import with_mark
from support.http_child import Reply
from support.server import MARK
from test_chaos_rig import in_both_eras, RigCase, SAY

KEY = "right-" + "key-0123456789"
WRONG = "wrong-" + "key-9876543210"


class Sent(RigCase):
    @in_both_eras
    def test_are_sent_with_every_request(self, era):
        child, wanted = self.child(era), {"authorization": f"Bearer {KEY}", "x-rig": "fixed"}
        child.wanted_headers = wanted
        entry = child.entry(headers={"Authorization": "Bearer ${RIG_KEY}", "X-Rig": "fixed"})
        server = self.start(world=self.world(user={"far": entry}), env={"RIG_KEY": KEY})
        self.assertEqual(self.succeed(server.typescript(SAY)).result, "hi")
        self.assertEqual(self.succeed(server.python("call_mcp_tool('far', 'say', {'text': 'hi'})")).result, "hi")
        self.wait_until(child.is_listened_to, "the stream of what it says by itself")
        server.end("eof")
        for seen in child.seen:
            self.assertEqual({name: seen.headers.get(name) for name in wanted}, wanted, (seen.method, seen.message))
        self.assertNotIn(KEY, server.stderr())


class Wrong(RigCase):
    def refused(self, era, variables, **headers):
        """Gives the server of ours, its child, and what its program was told."""
        child = self.child(era)
        child.wanted_headers = {name.lower().replace("_", "-"): f"Bearer {KEY}" for name in headers}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        server = self.start(world=self.world(user={"far": child.entry(headers=named)}), env=variables)
        return server, child, self.refuse(server.typescript(SAY), "far")

    @in_both_eras
    def test_a_wrong_token_says_what_to_do_and_tells_no_secret(self, era):
        server, _, told = self.refused(era, {"RIG_KEY": WRONG}, Authorization="Bearer ${RIG_KEY}")
        for word in ("wants to know who asks", "HTTP 401", "wrong or missing headers", "headers", "Authorization"):
            self.assertIn(word, told)
        told += self.told_everywhere(server)
        self.assertIn("HTTP 401", server.tool("health").text)
        self.assertIn("HTTP 401", self.source(server)["lastError"])
        self.assertIn("***", told)
        self.assertNotIn(WRONG, told, "which the server has quoted")
        self.assertNotIn("code-executor login", told, "the entry has a token of its own")

    @in_both_eras
    def test_a_variable_that_is_not_set_is_named(self, era):
        server, _, told = self.refused(era, {}, Authorization="Bearer ${RIG_KEY}")
        self.assertIn("HTTP 401", told)
        server.wait_for_log("variable that is not set, as it is written: RIG_KEY")

    @in_both_eras
    def test_a_wrong_key_tells_no_secret(self, era):
        server, _, told = self.refused(era, {"RIG_KEY": WRONG}, X_Api_Key="Bearer ${RIG_KEY}")
        done = server.world.command("login", "far", "--no-browser", env={"RIG_KEY": WRONG})
        self.assertNotIn(WRONG, told + self.told_everywhere(server) + done.stdout + done.stderr)

    @in_both_eras
    def test_a_wrong_key_says_what_to_do(self, era):
        _, _, told = self.refused(era, {"RIG_KEY": WRONG}, X_Api_Key="Bearer ${RIG_KEY}")
        self.assertIn("HTTP 401", told)
        self.assertIn("headers", told)

    @in_both_eras
    def test_a_login_where_nobody_can_log_in_says_so(self, era):
        server, _, _ = self.refused(era, {"RIG_KEY": WRONG}, X_Api_Key="Bearer ${RIG_KEY}")
        done = server.world.command("login", "far", "--no-browser", env={"RIG_KEY": WRONG})
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("clientId", done.stderr, "nobody there gives out any")

    @in_both_eras
    def test_another_scheme_says_what_to_do(self, era):
        child = self.child(era)
        answered = child._answer

        def answer(handler, seen):
            if "authorization" in seen.headers:
                return answered(handler, seen)
            return child.send(handler, Reply(401, {"WWW-Authenticate": 'Basic realm="rig"'}, b"a password is needed"))

        child._answer = answer
        server = self.start(world=self.world_of(child))
        told = self.refuse(server.typescript(SAY), "HTTP 401", "a password is needed", "headers")
        self.assertIn("code-executor login far", told, "if there is one")
        self.assertNotIn("clientId", server.world.command("login", "far", "--no-browser").stderr)

    @in_both_eras
    def test_a_corrected_entry_counts_without_a_restart(self, era):
        server, child, _ = self.refused(era, {"RIG_KEY": WRONG}, Authorization="Bearer ${RIG_KEY}")
        world = server.world
        entry = child.entry(headers={"Authorization": f"Bearer {KEY}"})
        with open(world.user_file + ".new", "w", encoding="utf-8") as file:
            json.dump({"mcpServers": with_mark({"far": entry}, {MARK: world.mark[MARK]})}, file)
        os.rename(world.user_file + ".new", world.user_file)
        self.wait_until(lambda: server.typescript(SAY).result == "hi", "the new entry")


if __name__ == "__main__":
    unittest.main()
