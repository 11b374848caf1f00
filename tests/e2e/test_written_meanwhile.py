"""Entries in files that programs may write, which have come or changed while the server runs: nobody knows who has written them."""

import json
import os

from support.config import child, journal_in, with_mark
from test_trust import TrustCase


class ChangedMeanwhile(TrustCase):
    def setUp(self):
        super().setUp()
        self.place = self.world(user={"kid": child("--name", "one")})
        with open(os.path.join(self.place.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [self.place.home]}}, file)
        self.journal = journal_in(self.place.root)

    def wait_for_approval(self, server, name):
        self.wait_until(lambda: self.state(server, name) == "needs approval", "the changed entry")

    def test_an_approval_is_for_the_entry_as_it_was(self):
        self.place.approve("kid")
        server = self.start(world=self.place)
        self.assertEqual(self.attempt(server), {"value": "x"})
        self.place.configure(user={"kid": child("--name", "two", journal=self.journal, eager=True)})
        self.wait_for_approval(server, "kid")
        self.assertEqual(self.journal.events("started"), [])
        self.place.approve("kid")
        self.wait_until(lambda: self.journal.events("started"), "what the user has approved again")

    def test_a_link_leads_around_nothing(self):
        server = self.start(world=self.place)
        elsewhere = os.path.join(self.place.root, "elsewhere.json")
        with open(elsewhere, "w", encoding="utf-8") as file:
            entries = {"kid": child("--name", "one"), "evil": child(journal=self.journal, eager=True)}
            json.dump({"mcpServers": with_mark(entries, self.place.mark)}, file)
        link = self.place.user_file + ".new"
        os.symlink(elsewhere, link)
        os.rename(link, self.place.user_file)
        self.wait_until(lambda: "evil" in server.tool("list_servers").structured["sources"], "the new entry")
        self.assertEqual(self.state(server, "evil"), "needs approval")
        self.assertEqual(self.journal.events("started"), [])


class Names(TrustCase):
    """What a repository calls its servers changes nothing for those of the user."""

    def world_with(self, repository):
        place = self.repository({name: child() for name in repository})
        place.configure(user={"gh": child(), "file-system": child()})
        return self.start(world=place)

    def outcome(self, server, call):
        return self.succeed(server.typescript(f"try {{ return await {call} }} catch (e) {{ return e.code }}")).result

    def test_a_name_or_alias_leads_to_the_users_server(self):
        server = self.world_with(["gh__del", "file_system"])
        for call in ("mcp.file_system.echo({text: 'x'})", "callMCPTool('mcp__file_system__echo', {text: 'x'})",
                     "callMCPTool('file_system', 'echo', {text: 'x'})"):
            with self.subTest(call):
                self.assertEqual(self.outcome(server, call), "x")
        self.assertEqual(self.outcome(server, "callMCPTool('mcp__gh__del__repo', {})"), "unknown_tool", "it is the user's server that is meant")
