"""The rows of test_chaos_rig.py about logins: consent, tokens that are rejected, refreshes, scopes."""

import glob
import json
import os
import unittest

from support.authorization_faults import oauth_error
from support.authorization_grants import challenge_of
from support.authorization_server import browse
from support.case import TRY_TYPESCRIPT
from support.plain_client import Login, RedirectListener
from test_chaos_rig import CALL_SAY, in_both_eras, RigCase, SAY

LOG_IN = "code-executor login far"


def of_refresh(fault):
    """That fault, for refresh tokens only."""
    return lambda server, asked: fault(server, asked) if asked.form.get("grant_type") == "refresh_token" else None


class LoginRig(RigCase):
    def away(self, era, **knobs):
        """A server that wants a login, and a person who has none yet."""
        authority = self.authority()
        child = self.guarded(era, authority, **knobs)
        return authority, child, self.world_of(child)

    def home(self, era, **knobs):
        """The same after the login, and a server of ours that has called a tool."""
        authority, child, world = self.away(era, **knobs)
        self.consent(world)
        server = self.start(world=world)
        self.succeed(server.typescript(SAY))
        return authority, child, server

    def consent(self, world):
        done = self.log_in(world)
        self.assertEqual(done.returncode, 0, done.stderr)

    def tokens_of(self, world):
        """What is kept of the only login; None: there is none."""
        found = glob.glob(os.path.join(world.home, ".code-executor", "tokens", "*.json"))
        if not found:
            return None
        with open(found[0], encoding="utf-8") as file:
            return json.load(file)

    def refreshes(self, authority):
        return [asked for asked in authority.asked("token") if asked.form.get("grant_type") == "refresh_token"]

    def clients_of(self, authority):
        """Ids that came to the token endpoint."""
        return {asked.form.get("client_id") for asked in authority.asked("token")}


class Consent(LoginRig):
    @in_both_eras
    def test_approved(self, era):
        authority, _, world = self.away(era)
        self.consent(world)
        asked, given = authority.asked("authorize")[-1].query, authority.asked("token")[-1].form
        self.assertEqual(challenge_of(given["code_verifier"]), asked["code_challenge"])
        self.assertEqual(authority.deviations, [])
        self.assertEqual(self.succeed(self.start(world=world).typescript(SAY)).result, "hi")

    def refused_then_approved(self, era, spoil, *words):
        """`spoil(authority, child)` gives what mends it, and a text that nobody may be told."""
        authority, child, world = self.away(era)
        server = self.start(world=world)
        self.refuse(server.typescript(SAY), LOG_IN)
        mend, secret = spoil(authority, child)
        done = self.log_in(world)
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertNotIn(secret, done.stdout + done.stderr)
        self.assertIsNone(self.tokens_of(world))
        self.refuse(server.typescript(SAY), LOG_IN)
        mend()
        self.consent(world)
        self.wait_until(lambda: server.typescript(SAY).result == "hi", "the login counts")
        return authority

    @in_both_eras
    def test_declined(self, era):
        def spoil(authority, _child):
            authority.authorize_error = "access_denied"
            return lambda: setattr(authority, "authorize_error", None), "code_verifier"

        self.refused_then_approved(era, spoil, "access_denied")

    @in_both_eras
    def test_a_code_that_nobody_gave(self, era):
        def spoil(authority, _child):
            authority.lies["authorize"] = {"code": "code-of-nobody-4711"}
            return authority.lies["authorize"].clear, "code-of-nobody-4711"

        authority = self.refused_then_approved(era, spoil, "invalid_grant")
        tries = [each for each in authority.asked("token") if each.form["code"] == "code-of-nobody-4711"]
        self.assertEqual(len(tries), 1)

    @in_both_eras
    def test_a_code_of_another_login(self, era):
        """Somebody slips us the code of his own login: the verifier is not his."""
        def spoil(authority, child):
            listener = RedirectListener()
            self.addCleanup(listener.close)
            other = Login(authority, listener, child.url)
            other.register()
            code = other.authorize()["code"]
            authority.lies["authorize"] = {"code": code}
            authority.faults["token"] = self._without_a_look_at(authority, code)
            return lambda: (authority.lies["authorize"].clear(), authority.faults.clear()), code

        self.refused_then_approved(era, spoil, "invalid_grant", "code_verifier does not fit")

    @staticmethod
    def _without_a_look_at(authority, code):
        """... whose code it is and where it was sent to: the verifier alone tells."""
        def let_pass(_server, asked):
            authority.grants.codes[code].family.client = asked.form["client_id"]
            authority.grants.codes[code].redirect_uri = asked.form["redirect_uri"]
        return let_pass

    @in_both_eras
    def test_another_state_is_no_answer_of_ours(self, era):
        """... so it ends no login: the true answer still counts."""
        authority, _, world = self.away(era)
        pages = []

        def go(url):
            authority.lies["authorize"] = {"state": "of-somebody-else"}
            pages.append(browse(url))
            self.asked_before = len(authority.asked("token"))
            authority.lies["authorize"] = {}
            pages.append(browse(url))

        self._browse = go
        self.consent(world)
        self.assertEqual(self.asked_before, 0, "its code is not used")
        self.assertNotEqual(pages[0][1], pages[1][1])
        self.assertGreaterEqual(pages[0][0], 400)
        self.assertEqual(pages[1][0], 200)
        self.assertEqual(self.succeed(self.start(world=world).typescript(SAY)).result, "hi")


class Rejection(LoginRig):
    @in_both_eras
    def test_with_401_it_says_what_to_do_and_mends_itself(self, era):
        _, child, server = self.home(era)
        child.status = 401
        outcomes, answer = self.attempts(server, *["callMCPTool('far', 'say', {text: 'no'})"] * 3)
        for outcome in outcomes:
            self.mcp_error(outcome, "needs_login", LOG_IN)
        self.assertEqual(answer.summary["mcp__far__say"]["errorCount"], 3)
        child.status = None
        self.assertEqual(self.succeed(server.typescript(SAY)).result, "hi", "accepted again, nobody has to log in")
        self.assertEqual([given["text"] for _, given in child.done], ["hi", "hi"])

    @in_both_eras
    def test_with_500_the_token_is_left_alone(self, era):
        authority, child, server = self.home(era)
        child.status = 500
        outcomes, _ = self.attempts(server, *["callMCPTool('far', 'say', {text: 'no'})"] * 3)
        for outcome in outcomes:
            self.mcp_error(outcome, "tool_failed", "HTTP 500")
            self.assertNotIn("login", outcome["error"]["message"])
        child.status = None
        self.assertEqual(self.succeed(server.typescript(SAY)).result, "hi")
        self.assertEqual(self.refreshes(authority), [])

    @in_both_eras
    def test_with_401_those_who_ask_are_told(self, era):
        _, child, server = self.home(era)
        child.status = 401
        self.refuse(server.typescript(SAY), LOG_IN)
        self.assertIn("needs login", server.world.command("servers").stdout)
        self.assertEqual(self.source(server)["state"], "needs login")
        child.status = None
        self.succeed(server.typescript(SAY))
        self.assertEqual(self.source(server)["state"], "connected", "it was let in")
        self.assertNotIn("needs login", server.world.command("servers").stdout)

    @in_both_eras
    def test_in_the_middle_of_programs(self, era):
        """The token is rejected and accepted again while calls are made: each of them is carried out once, or fails."""
        _, child, server = self.home(era)
        child.delay_ms = (1, 5)
        asked = server.ask_tool("run-typescript-code", {"timeoutMs": 120_000, "code": """
            const ends = [];
            for (let i = 0; ends.filter(end => end === 'after').length < 5; i++) {
              const hasFailed = ends.some(end => end === 'needs_login');
              ends.push(await callMCPTool('far', 'create_contact', {name: 'x', email: `${i}`})
                .then(() => hasFailed ? 'after' : 'before', error => error.code));
            }
            return ends"""})
        self.wait_until(lambda: len(child.contacts.all()) > 5, "calls")
        child.status, before = 401, len(child.authorizations)
        self.wait_until(lambda: len(child.authorizations) > before + 4, "calls that are refused")
        child.status = None
        ends = self.succeed(server.tool_answer("run-typescript-code", asked, 0)).result
        self.assertEqual(set(ends), {"before", "needs_login", "after"})
        carried_out = [str(i) for i, end in enumerate(ends) if end != "needs_login"]
        self.assertEqual([row["email"] for row in child.contacts.all()], carried_out)


class Refresh(LoginRig):
    @in_both_eras
    def test_one_that_is_rejected_leads_to_a_login(self, era):
        authority, child, server = self.home(era)
        authority.faults["token"] = of_refresh(oauth_error("invalid_grant"))
        authority.expire_access_tokens()
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + f"""
            return await Promise.all(Array.from({{length: 10}}, () => attempt(() => {CALL_SAY})))"""))
        for outcome in answer.result:
            self.mcp_error(outcome, "needs_login", "wants a new login", LOG_IN)
        self.refuse(server.typescript(SAY), LOG_IN)
        self.assertEqual(len(self.refreshes(authority)), 1, "what was rejected is not tried again")
        self.assertIn(LOG_IN, server.world.command("servers").stdout)
        self.consent(server.world)
        self.wait_until(lambda: server.typescript(SAY).result == "hi", "the new login counts")
        self.assertEqual(len(self.clients_of(authority)), 1)
        self.assertEqual(len(authority.asked("register")), 1, "the client is the same")

    @in_both_eras
    def test_a_client_that_is_not_known_any_more_is_registered_anew(self, era):
        authority, _, server = self.home(era)
        authority.clients.clear()
        authority.expire_access_tokens()
        self.refuse(server.typescript(SAY), "invalid_client", LOG_IN)
        self.consent(server.world)
        self.wait_until(lambda: server.typescript(SAY).result == "hi", "the new login counts")
        self.assertEqual(len(authority.asked("register")), 2)

    @in_both_eras
    def test_one_that_is_rejected_is_told_by_those_who_are_asked(self, era):
        authority, _, server = self.home(era)
        authority.faults["token"] = of_refresh(oauth_error("invalid_grant"))
        authority.expire_access_tokens()
        self.refuse(server.typescript(SAY), LOG_IN)
        self.assertEqual(self.source(server)["state"], "needs login")
        self.assertIn(LOG_IN, " ".join(server.tool("health").structured["problems"]))
        self.consent(server.world)
        self.assertEqual(self.source(server)["state"], "connected", "without any call")
        self.assertNotIn(LOG_IN, " ".join(server.tool("health").structured["problems"]))

    @in_both_eras
    def test_is_of_the_client_that_was_registered(self, era):
        """Also after a restart. Another client gets nothing for our refresh token, and does us no harm."""
        authority, child, server = self.home(era)
        world, listener = server.world, RedirectListener()
        self.addCleanup(listener.close)
        other = Login(authority, listener, child.url)
        other.register()
        stolen = other.refresh(self.tokens_of(world)["refresh_token"])
        self.assertEqual((stolen.status, stolen.json()["error"]), (400, "invalid_grant"))
        asked = len(authority.asked("token"))
        for _ in range(2):
            authority.expire_access_tokens()
            self.assertEqual(self.succeed(server.typescript(SAY)).result, "hi")
        server.end("eof")
        again = self.start(world=world)
        authority.expire_access_tokens()
        self.assertEqual(self.succeed(again.typescript(SAY)).result, "hi")
        clients = {each.form["client_id"] for each in authority.asked("token")[asked:]}
        self.assertEqual(clients, {self.tokens_of(world)["client_id"]})
        self.assertEqual(len(authority.asked("register")), 2, "ours and the other one")

    @in_both_eras
    def test_stays_with_its_client_when_the_entry_names_another(self, era):
        """... which counts from the next login."""
        authority, child, world = self.away(era)
        self.consent(world)
        first = self.tokens_of(world)["client_id"]
        authority.add_client("another")
        world.configure(user={"far": child.entry(oauth={"clientId": "another"})})
        authority.expire_access_tokens()
        server = self.start(world=world)
        self.succeed(server.typescript(SAY))
        self.assertEqual([asked.form["client_id"] for asked in self.refreshes(authority)], [first])
        self.consent(world)
        self.wait_until(lambda: self.tokens_of(world)["client_id"] == "another", "the new client")
        authority.expire_access_tokens()
        self.assertEqual(self.succeed(server.typescript(SAY)).result, "hi")
        self.assertEqual(self.refreshes(authority)[-1].form["client_id"], "another")


class Scopes(LoginRig):
    def asked_for(self, era, **knobs):
        authority, _, world = self.away(era, **knobs)
        self.consent(world)
        self.assertEqual(self.succeed(self.start(world=world).typescript(SAY)).result, "hi")
        return set(authority.asked("authorize")[-1].query.get("scope", "").split())

    @in_both_eras
    def test_those_of_the_challenge_win(self, era):
        asked = self.asked_for(era, scope="mcp:read", scopes_supported=("mcp:all", "mcp:admin"), needs="mcp:read")
        self.assertEqual(asked, {"mcp:read"})

    @in_both_eras
    def test_without_any_those_of_the_metadata_count(self, era):
        metadata = ("mcp:read", "mcp:write")
        self.assertEqual(self.asked_for(era, scopes_supported=metadata, needs="mcp:write"), set(metadata))


if __name__ == "__main__":
    unittest.main()
