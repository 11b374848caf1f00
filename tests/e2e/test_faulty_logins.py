"""Logins that servers over HTTP do not take, on purpose: expired, revoked, of the wrong scope."""

import json
import os

from support.config import child as process
from support.protected_child import ProtectedChild, ProtectedModernChild
from test_login import ECHO, LoginCase


def rule(kind, **details):
    return {"match": "mcp__far__*", "on": "login", "kind": kind, **details}


class FaultyLogins(LoginCase):
    def started(self, *rules, kind=ProtectedModernChild):
        """Logged in, and with a plan."""
        authority = self.authority(scopes=("mcp:read",))
        child, world = self.logged_in(authority, kind=kind)
        plan = os.path.join(world.root, "plan.json")
        with open(plan, "w", encoding="utf-8") as file:
            json.dump({"rules": rules}, file)
        return authority, child, self.start(world=world, env={"CODE_EXECUTOR_FAULTS": plan})

    def injected(self, server):
        return server.tool("health").structured["faults"]["injected"]

    def test_a_token_that_has_expired_is_renewed(self):
        for kind in (ProtectedModernChild, ProtectedChild):
            with self.subTest(kind.__name__):
                authority, child, server = self.started({**rule("unauthorized", nth=1), "match": "mcp__far__echo"}, kind=kind)
                renewals = len(authority.asked("token"))
                answer = self.succeed(server.typescript(ECHO))
                self.assertEqual([answer.result, answer.structured["faults"]], ["hi", [{"tool": "mcp__far__echo", "call": 1, "kind": "unauthorized"}]])
                self.assertEqual(len(authority.asked("token")), renewals + 1)
                self.assertEqual(len({value for value in child.authorizations if value}), 2)  # the old one was good for what came before
                self.assertEqual(self.injected(server), {"unauthorized": 1})

    def test_one_that_was_revoked_is_not_helped_by_renewals(self):
        _, _, server = self.started({**rule("unauthorized", message="this login was revoked"), "match": "mcp__far__echo"})
        self.refuse(server.typescript(ECHO), "far", "code-executor login far")
        self.assertGreater(self.injected(server)["unauthorized"], 1)

    def test_a_scope_that_is_missing(self):
        authority, _, server = self.started({**rule("wrong_scope", scope="mcp:write"), "match": "mcp__far__echo"})
        self.refuse(server.typescript(ECHO), "far", "mcp:write")
        self.assertEqual(authority.deviations, [])
        self.assertGreaterEqual(self.injected(server)["wrong_scope"], 1)

    def test_a_start_that_is_refused_once(self):
        authority, _, server = self.started(rule("unauthorized", nth=1))
        renewals = len(authority.asked("token"))
        self.assertEqual(self.succeed(server.typescript(ECHO)).result, "hi")
        self.assertGreater(len(authority.asked("token")), renewals)

    def test_not_those_of_processes(self):
        world = self.world(user={"far": process()})
        plan = os.path.join(world.root, "plan.json")
        with open(plan, "w", encoding="utf-8") as file:
            json.dump({"rules": [rule("unauthorized")]}, file)
        server = self.start(world=world, env={"CODE_EXECUTOR_FAULTS": plan})
        self.assertEqual(self.succeed(server.typescript("return await callMCPTool('far', 'echo', {text: 'hi'})")).result, "hi")
        self.assertEqual(self.injected(server), {})
