"""What rigs for MCP clients put them through, played with a server of our own in both eras of the protocol (support/chaos_child.py).

| row | where, beside the class named here |
|---|---|
| consent: approve, decline, a wrong code, another state | test_chaos_logins.Consent; test_login.Logins, Liars |
| fixed headers are sent | Headers; test_http_children.Answers (2025-11-25), test_odd_http_children.Told (variables that are not set) |
| headers are missing or wrong | Headers; test_http_children.Refusals |
| a token is rejected in mid-session, with 401 and 500 | test_chaos_logins.Rejection; test_login.Logins, Renewal (503 of the other server) |
| tokens expire and are refreshed | test_chaos_logins.Expiry; test_login.Renewal (at once, by several, in a crowd) |
| refresh tokens are rejected | test_chaos_logins.Refresh; test_login.Renewal (a login that was taken back) |
| a refresh by another client | test_chaos_logins.Refresh; test_login_fixtures.Dance (that the fixture refuses it) |
| scopes of the challenge against those of the metadata | test_chaos_logins.Scopes; test_login.Renewal (more rights) |
| a tool disappears | Change |
| the schema of a tool changes | Change; test_validation.Arguments (stdio), test_pinning (a change that has to be approved) |
| calls fail at a rate | Failure |
| answers are slow | Slowness; test_children.Silent, test_http_children.Refusals (a call that is given up) |
| tools on a database | Database |
| troubles are switched on and off in mid-run | Control |
| the log of all requests | the journals of the fixtures: `seen`, `done`, `asked()` |"""

import functools
import json
import os
import unittest

from support.case import TRY_PYTHON, TRY_TYPESCRIPT
from support.chaos_child import ChaosChild, ERAS, ProtectedChaosChild
from support.config import with_mark
from support.plain_client import fetch
from support.server import MARK
from test_login import LoginCase

SAY = "return await callMCPTool('far', 'say', {text: 'hi'})"
KEY = "right-" + "key-0123456789"
WRONG = "wrong-" + "key-9876543210"
# Until its tool is gone: what came of each call.
WORKER = """
const ends = [];
for (let i = 0; ; i++) {
  const email = `%s-${i}@example.com`;
  const end = await callMCPTool('far', 'create_contact', {name: 'x', email})
    .then(made => ({email, id: made.id}), error => ({email, code: error.code, message: error.message}));
  if (end.message?.includes('Unknown tool')) return ends;
  ends.push(end);
}
"""


def in_both_eras(test):
    @functools.wraps(test)
    def both(self):
        for era in ERAS:
            with self.subTest(era):
                test(self, era)
    return both


class RigCase(LoginCase):
    def child(self, era):
        child = ChaosChild(era=era)
        self.addCleanup(child.close)
        return child

    def guarded(self, era, authority, **knobs):
        return self.far(authority, ProtectedChaosChild, era=era, **knobs)

    def rig(self, era, **entry):
        """A child that lets in everybody, and a server of ours that knows it."""
        child = self.child(era)
        return child, self.start(world=self.world_of(child, **entry))

    def attempts(self, server, *calls):
        """What came of each, one after the other; and the whole answer."""
        each = ", ".join(f"await attempt(() => {call})" for call in calls)
        answer = self.succeed(server.typescript(f"{TRY_TYPESCRIPT}\nreturn [{each}]"))
        return answer.result, answer

    def switch(self, child, **troubles):
        answer = fetch(child.control.origin, json.dumps(troubles).encode())
        self.assertEqual(answer.status, 200, answer.body)

    def told_everywhere(self, server):
        """What a person can read of the servers."""
        health, listed = server.tool("health"), server.tool("list_servers")
        return "\n".join((json.dumps(health.raw), json.dumps(listed.raw), server.world.command("servers").stdout, server.stderr()))

    def source(self, server):
        return server.tool("list_servers").structured["sources"]["far"]


class Headers(RigCase):
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

    # What a server answers that wants another header than Authorization becomes "wants a login; log in with ...", and nothing of its
    # answer is told: login/renewal.cpp, wants_login() where nobody has logged in yet. That login can not work: see the next test.
    @unittest.expectedFailure
    @in_both_eras
    def test_a_wrong_key_says_what_to_do(self, era):
        _, _, told = self.refused(era, {"RIG_KEY": WRONG}, X_Api_Key="Bearer ${RIG_KEY}")
        self.assertIn("HTTP 401", told)
        self.assertIn("headers", told)

    # It says "has an authorization server that does not register us", and to ask there for a `clientId`: the server names none,
    # and what was asked was the server itself (login/discovery.cpp, the origin of the server instead of metadata).
    @unittest.expectedFailure
    @in_both_eras
    def test_a_login_where_nobody_can_log_in_says_so(self, era):
        server, _, _ = self.refused(era, {"RIG_KEY": WRONG}, X_Api_Key="Bearer ${RIG_KEY}")
        done = server.world.command("login", "far", "--no-browser", env={"RIG_KEY": WRONG})
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("clientId", done.stderr, "nobody there gives out any")

    @in_both_eras
    def test_a_corrected_entry_counts_without_a_restart(self, era):
        server, child, _ = self.refused(era, {"RIG_KEY": WRONG}, Authorization="Bearer ${RIG_KEY}")
        world = server.world
        entry = child.entry(headers={"Authorization": f"Bearer {KEY}"})
        with open(world.user_file + ".new", "w", encoding="utf-8") as file:
            json.dump({"mcpServers": with_mark({"far": entry}, {MARK: world.mark[MARK]})}, file)
        os.rename(world.user_file + ".new", world.user_file)
        self.wait_until(lambda: server.typescript(SAY).result == "hi", "the new entry")


class Change(RigCase):
    def begin(self, era):
        """A server of ours that has used both tools, and listens."""
        child, server = self.rig(era)
        self.succeed(server.typescript(SAY))
        self.succeed(server.typescript("return await callMCPTool('far', 'greet', {name: 'Ann'})"))
        self.wait_until(child.is_listened_to, "its ear")
        return child, server

    def tell(self, child):
        """... that the tools are others, and waits until it has been asked for them."""
        before = len(child.messages("tools/list"))
        self.switch(child, tells_change=True)
        self.wait_until(lambda: len(child.messages("tools/list")) > before, "another look at the tools")

    def names(self, server):
        return self.succeed(server.typescript("return (await discoverMCPTools()).map(tool => tool.name)")).result

    @in_both_eras
    def test_a_tool_that_is_gone_is_found_no_more(self, era):
        child, server = self.begin(era)
        self.assertIn("mcp__far__say", self.names(server))
        self.switch(child, gone=["say"])
        self.tell(child)
        self.wait_until(lambda: "mcp__far__say" not in self.names(server), "its end")
        asked = len(child.messages("tools/call"))
        outcomes, answer = self.attempts(server, "callMCPTool('far', 'say', {text: 'hi'})", "getToolSchema('far', 'say')",
                                         "callMCPTool('far', 'greet', {name: 'Bo'})", "searchTools('say text')")
        for outcome in outcomes[:2]:
            self.mcp_error(outcome, "unknown_tool", "far", "has no tool 'say'")
        self.assertEqual(outcomes[2]["value"], "Hello Bo")
        self.assertNotIn("mcp__far__say", [hit["name"] for hit in outcomes[3]["value"]])
        self.assertEqual(len(child.messages("tools/call")) - asked, 1, "what is not there is not asked for")
        self.assertEqual(answer.summary["mcp__far__greet"]["errorCount"], 0)
        self.switch(child, gone=[])
        self.tell(child)
        self.wait_until(lambda: not server.typescript(SAY).is_error, "its return")

    @in_both_eras
    def test_one_that_is_gone_without_a_word_is_refused_by_its_server(self, era):
        child, server = self.begin(era)
        self.switch(child, gone=["say"])
        asked = len(child.messages("tools/call"))
        outcomes, answer = self.attempts(server, "callMCPTool('far', 'say', {text: 'hi'})", "callMCPTool('far', 'greet', {name: 'Bo'})")
        self.mcp_error(outcomes[0], ("tool_failed", "unknown_tool"), "Unknown tool: say")
        self.assertEqual(outcomes[1]["value"], "Hello Bo")
        self.assertEqual(len(child.messages("tools/call")) - asked, 2, "nothing is called twice")
        self.assertEqual(answer.summary["mcp__far__say"]["errorCount"], 1)

    @in_both_eras
    def test_another_schema_counts_at_once(self, era):
        child, server = self.begin(era)
        before = self.attempts(server, "getToolSchema('far', 'greet')", "getToolSignature('far', 'greet')")[0]
        self.assertEqual(before[0]["value"]["parameters"]["required"], ["name"])
        self.switch(child, greets_in=2)
        self.tell(child)
        schema = "return (await getToolSchema('far', 'greet')).parameters.required"
        self.wait_until(lambda: server.typescript(schema).result == ["person"], "the new schema")
        new = "callMCPTool('far', 'greet', {person: {first: 'Ann', last: 'Lee'}})"
        outcomes, _ = self.attempts(server, "getToolSignature('far', 'greet')", "callMCPTool('far', 'greet', {name: 'Ann'})", new,
                                    "callMCPTool('far', 'greet', {person: {first: 'Ann'}})")
        self.assertIn("person", json.dumps(outcomes[0]["value"]))
        self.mcp_error(outcomes[1], "invalid_argument", "Missing required parameter: person", 'You provided:\n  {"name":"Ann"}')
        self.assertEqual(outcomes[2]["value"], "Hello Ann Lee")
        self.mcp_error(outcomes[3], "invalid_argument", "person.last")
        python = self.succeed(server.python(f"{TRY_PYTHON}\nattempt(lambda: call_mcp_tool('far', 'greet', {{'name': 'Ann'}}))"))
        self.mcp_error(python.result, "invalid_argument", "Missing required parameter: person")
        self.assertEqual([given for tool, given in child.done if tool == "greet"], [{"name": "Ann"}, {"person": {"first": "Ann", "last": "Lee"}}])

    @in_both_eras
    def test_another_schema_without_a_word_gives_the_words_of_its_server(self, era):
        child, server = self.begin(era)
        self.switch(child, greets_in=2)
        outcomes, _ = self.attempts(server, "callMCPTool('far', 'greet', {name: 'Ann'})")
        self.mcp_error(outcomes[0], "tool_failed", "Missing arguments: ['person']")


class Failure(RigCase):
    @in_both_eras
    def test_each_is_an_error_of_its_call_only(self, era):
        child, server = self.rig(era)
        child.fails_every = 3
        answer = self.succeed(server.typescript("""
            const one = i => callMCPTool('far', 'say', {text: `${i}`}).then(value => ({i, value}),
              error => ({i, message: error.message, code: error.code, is: error instanceof MCPError}));
            return await Promise.all(Array.from({length: 30}, (_, i) => one(i)))"""))
        bad = [each for each in answer.result if "code" in each]
        self.assertEqual(len(bad), 10)
        for each in bad:
            self.assertEqual((each["code"], each["is"]), ("tool_failed", True))
            self.assertEqual(each["message"], f'out of luck with {{"text": "{each["i"]}"}}')
        self.assertEqual([each["value"] for each in answer.result if "value" in each],
                         [str(each["i"]) for each in answer.result if "value" in each])
        self.assertEqual((answer.summary["mcp__far__say"]["callCount"], answer.summary["mcp__far__say"]["errorCount"]), (30, 10))
        self.assertEqual(len(child.messages("tools/call")), 30, "an error of a tool is no reason to call it again")

    @in_both_eras
    def test_in_python(self, era):
        child, server = self.rig(era)
        child.fails_every = 2
        answer = self.succeed(server.python(f"""{TRY_PYTHON}
[attempt(lambda: call_mcp_tool('far', 'say', {{'text': str(i)}})) for i in range(6)]"""))
        for i, outcome in enumerate(answer.result):
            if i % 2:
                self.mcp_error(outcome, "tool_failed", f'out of luck with {{"text": "{i}"}}')
            else:
                self.assertEqual(outcome, {"value": str(i)})
        self.assertEqual((answer.summary["mcp__far__say"]["callCount"], answer.summary["mcp__far__say"]["errorCount"]), (6, 3))
        self.assertEqual(self.source(server)["state"], "connected", "a tool's error is none of its server")


class Slowness(RigCase):
    @in_both_eras
    def test_answers_at_random_times_find_their_calls(self, era):
        child, server = self.rig(era)
        child.delay_ms = (0, 200)
        answer = self.succeed(server.typescript("""
            const say = i => callMCPTool('far', 'say', {text: `${i}`});
            return (await Promise.all(Array.from({length: 60}, (_, i) => say(i)))).join()"""))
        self.assertEqual(answer.result, ",".join(str(i) for i in range(60)))
        self.assertEqual(len(child.messages("tools/call")), 60)

    @in_both_eras
    def test_a_call_above_its_time_is_told_and_the_next_works(self, era):
        child, server = self.rig(era, timeoutMs=1_000)
        self.succeed(server.typescript(SAY))
        child.delay_ms = (60_000, 60_000)
        outcomes, answer = self.attempts(server, "callMCPTool('far', 'say', {text: 'late'})")
        self.mcp_error(outcomes[0], "call_timeout", "far", "1000 ms", "timeoutMs of its entry")
        self.assertEqual(answer.summary["mcp__far__say"]["errorCount"], 1)
        self.assertEqual(len(child.messages("tools/call")), 2, "it is not called again")
        child.delay_ms = (0, 0)
        found = self.succeed(server.typescript(f"{TRY_TYPESCRIPT}\nreturn await patiently(() => callMCPTool('far', 'say', {{text: 'next'}}))"))
        self.assertEqual(found.result, "next")
        self.assertEqual([given["text"] for _, given in child.done], ["hi", "next"])

    @in_both_eras
    def test_a_slow_call_holds_up_no_other(self, era):
        child, server = self.rig(era)
        child.delay_ms = (600_000, 600_000)
        slow = server.ask_tool("run-typescript-code", {"code": SAY, "timeoutMs": 120_000})
        self.wait_until(lambda: child.messages("tools/call"), "the slow call")
        child.delay_ms = (0, 0)
        quick = self.succeed(server.typescript("return await callMCPTool('far', 'say', {text: 'quick'})"))
        self.assertEqual(quick.result, "quick")
        self.assertEqual([given["text"] for _, given in child.done], ["quick"])
        child.hurry.set()
        self.assertEqual(self.succeed(server.tool_answer("run-typescript-code", slow, 0)).result, "hi")


class Database(RigCase):
    def expect_contacts(self, child, result):
        self.assertEqual(result["found"], [{"id": 2, "name": "Bo Lee", "email": "bo@example.com"}])
        self.assertEqual(result["left"], [{"id": 1, "name": "Ann Lee", "email": "ann@example.org"}])
        self.mcp_error(result["twice"], "tool_failed", "ann@example.org")
        self.mcp_error(result["nobody"], "tool_failed", "there is no contact 2")
        self.assertEqual(child.contacts.all(), result["left"])

    @in_both_eras
    def test_from_one_program_of_typescript(self, era):
        child, server = self.rig(era)
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            const [ann, bo] = [await mcp.far.create_contact({name: 'Ann Lee', email: 'ann@example.com'}),
                               await mcp.far.create_contact({name: 'Bo Lee', email: 'bo@example.com'})];
            const {contacts: found} = await mcp.far.search_contacts({query: 'bo@'});
            await mcp.far.update_contact({id: ann.id, email: 'ann@example.org'});
            const twice = await attempt(() => mcp.far.create_contact({name: 'Ann Two', email: 'ann@example.org'}));
            await mcp.far.delete_contact({id: bo.id});
            const nobody = await attempt(() => mcp.far.delete_contact({id: bo.id}));
            return {found, twice, nobody, left: (await mcp.far.search_contacts({query: 'Lee'})).contacts}"""))
        self.expect_contacts(child, answer.result)

    @in_both_eras
    def test_from_one_program_of_python(self, era):
        child, server = self.rig(era)
        answer = self.succeed(server.python(TRY_PYTHON + """
from mcp import far
ann = far.create_contact(name='Ann Lee', email='ann@example.com')
bo = far.create_contact(name='Bo Lee', email='bo@example.com')
found = far.search_contacts(query='bo@')['contacts']
far.update_contact(id=ann['id'], email='ann@example.org')
twice = attempt(lambda: far.create_contact(name='Ann Two', email='ann@example.org'))
far.delete_contact(id=bo['id'])
nobody = attempt(lambda: far.delete_contact(id=bo['id']))
{'found': found, 'twice': twice, 'nobody': nobody, 'left': far.search_contacts(query='Lee')['contacts']}"""))
        self.expect_contacts(child, answer.result)


class Control(RigCase):
    def expect_each_once(self, child, ends):
        """What the programs were told of their calls is what has happened."""
        told = {each["email"]: each["id"] for each in ends if "id" in each}
        self.assertEqual(told, {row["email"]: row["id"] for row in child.contacts.all()})
        calls = [each.message["params"]["arguments"]["email"] for each in child.messages("tools/call")]
        self.assertEqual(len(calls), len(set(calls)), "no call was made twice")

    def switch_and_see(self, child, programs, **troubles):
        """... that all of them, at least, have got into it."""
        self.switch(child, **troubles)
        before = len(child.messages("tools/call"))
        self.wait_until(lambda: len(child.messages("tools/call")) >= before + 3 * programs, f"calls with {troubles}")

    @in_both_eras
    def test_troubles_that_come_and_go_while_programs_run(self, era):
        child, server = self.rig(era)
        child.delay_ms = (1, 10)
        asked = [server.ask_tool("run-typescript-code", {"code": WORKER % name, "timeoutMs": 120_000}) for name in "abcd"]
        for trouble, usual in (({"fails_every": 3}, {"fails_every": 0}), ({"status": 500}, {"status": None}), ({"status": 403}, {"status": None}),
                               ({"delay_ms": [50, 150]}, {"delay_ms": [1, 10]})):
            self.switch_and_see(child, len(asked), **trouble)
            self.switch_and_see(child, len(asked), **usual)
        self.switch(child, gone=["create_contact"])
        answers = [self.succeed(server.tool_answer("run-typescript-code", each, 0)) for each in asked]
        ends = [each for answer in answers for each in answer.result]
        self.expect_each_once(child, ends)
        for words in ("out of luck", "HTTP 500", "HTTP 403"):
            self.assertTrue([each for each in ends if words in each.get("message", "")], words)
        for answer in answers:
            bad = len([each for each in answer.result if "code" in each])
            self.assertEqual(answer.summary["mcp__far__create_contact"]["errorCount"], bad + 1)
            self.assertIn("id", answer.result[-1], "at the end all is well")


if __name__ == "__main__":
    unittest.main()
