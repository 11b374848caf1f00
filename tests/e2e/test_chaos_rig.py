"""What rigs for MCP clients put them through, played with a server of our own in both eras: support/chaos_child.py.

| row | where; what other files have of it |
|---|---|
| consent: approve, decline, a wrong code, another state | test_chaos_logins.Consent; test_login.Logins, Liars |
| fixed headers are sent | test_chaos_headers.Sent; test_http_children.Answers, test_odd_http_children.Told |
| headers are missing or wrong | test_chaos_headers.Wrong; test_http_children.Refusals |
| a token is rejected in mid-session: 401, 500 | test_chaos_logins.Rejection, test_chaos_expiry; test_login.Renewal |
| tokens expire and are refreshed | test_chaos_expiry; test_login.Renewal (at once, by several, in a crowd) |
| refresh tokens are rejected | test_chaos_logins.Refresh; test_login.Renewal (a login that was taken back) |
| a refresh by another client | test_chaos_logins.Refresh; test_login_fixtures.Dance (the fixture refuses it) |
| scopes of the challenge against those of the metadata | test_chaos_logins.Scopes; test_login.Renewal (more rights) |
| a tool disappears | Change |
| the schema of a tool changes | Change; test_validation.Arguments (stdio), test_pinning (it has to be approved) |
| calls fail at a rate | Failure |
| answers are slow | Slowness; test_children.Silent, test_http_children.Refusals (a call that is given up) |
| tools on a database | Database |
| troubles are switched on and off in mid-run | Control |
| the log of all requests | what the fixtures keep: `seen`, `done`, `asked()` |"""

import functools
import json
import unittest

from support.case import TRY_PYTHON, TRY_TYPESCRIPT
from support.chaos_child import ChaosChild, ERAS, ProtectedChaosChild
from support.plain_client import fetch
from test_login import LoginCase

CALL_SAY = "callMCPTool('far', 'say', {text: 'hi'})"
SAY = f"return await {CALL_SAY}"
GREET_BO = "callMCPTool('far', 'greet', {name: 'Bo'})"
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
        asked = [json.dumps(server.tool(name).raw) for name in ("health", "list_servers")]
        return "\n".join((*asked, server.world.command("servers").stdout, server.stderr()))

    @staticmethod
    def counts(answer, tool):
        """(calls, errors) of it, as the summary has them."""
        found = answer.summary[f"mcp__far__{tool}"]
        return found["callCount"], found["errorCount"]

    def source(self, server):
        return server.tool("list_servers").structured["sources"]["far"]


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
        outcomes, answer = self.attempts(server, CALL_SAY, "getToolSchema('far', 'say')", GREET_BO,
                                         "searchTools('say text')")
        for outcome in outcomes[:2]:
            self.mcp_error(outcome, "unknown_tool", "far", "has no tool 'say'")
        self.assertEqual(outcomes[2]["value"], "Hello Bo")
        self.assertNotIn("mcp__far__say", [hit["name"] for hit in outcomes[3]["value"]])
        self.assertEqual(len(child.messages("tools/call")) - asked, 1, "what is not there is not asked for")
        self.assertEqual(self.counts(answer, "greet"), (1, 0))
        self.switch(child, gone=[])
        self.tell(child)
        self.wait_until(lambda: not server.typescript(SAY).is_error, "its return")

    @in_both_eras
    def test_a_call_of_one_that_goes_meanwhile_is_answered(self, era):
        child, server = self.begin(era)
        child.delay_ms = (600_000, 600_000)
        before = len(child.messages("tools/call"))
        asked = server.ask_tool("run-typescript-code", {"code": SAY, "timeoutMs": 120_000})
        self.wait_until(lambda: len(child.messages("tools/call")) > before, "the call")
        self.switch(child, gone=["say"])
        self.tell(child)
        self.wait_until(lambda: "mcp__far__say" not in self.names(server), "its end")
        child.hurry.set()
        self.assertEqual(self.succeed(server.tool_answer("run-typescript-code", asked, 0)).result, "hi")

    @in_both_eras
    def test_one_that_is_gone_without_a_word_is_refused_by_its_server(self, era):
        child, server = self.begin(era)
        self.switch(child, gone=["say"])
        asked = len(child.messages("tools/call"))
        outcomes, answer = self.attempts(server, CALL_SAY, GREET_BO)
        self.mcp_error(outcomes[0], ("tool_failed", "unknown_tool"), "Unknown tool: say")
        self.assertEqual(outcomes[1]["value"], "Hello Bo")
        self.assertEqual(len(child.messages("tools/call")) - asked, 2, "nothing is called twice")
        self.assertEqual(self.counts(answer, "say"), (1, 1))

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
        outcomes, _ = self.attempts(server, "getToolSignature('far', 'greet')", GREET_BO, new,
                                    "callMCPTool('far', 'greet', {person: {first: 'Ann'}})")
        self.assertIn("person", json.dumps(outcomes[0]["value"]))
        told = ("Missing required parameter: person", 'You provided:\n  {"name":"Bo"}')
        self.mcp_error(outcomes[1], "invalid_argument", *told)
        self.assertEqual(outcomes[2]["value"], "Hello Ann Lee")
        self.mcp_error(outcomes[3], "invalid_argument", "person.last")
        python = server.python(f"{TRY_PYTHON}\nattempt(lambda: call_mcp_tool('far', 'greet', {{'name': 'Bo'}}))")
        self.mcp_error(self.succeed(python).result, "invalid_argument", *told)
        done = [given for tool, given in child.done if tool == "greet"]
        self.assertEqual(done, [{"name": "Ann"}, {"person": {"first": "Ann", "last": "Lee"}}])

    @in_both_eras
    def test_another_schema_without_a_word_gives_the_words_of_its_server(self, era):
        child, server = self.begin(era)
        self.switch(child, greets_in=2)
        outcomes, _ = self.attempts(server, GREET_BO)
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
        self.assertEqual(self.counts(answer, "say"), (30, 10))
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
        self.assertEqual(self.counts(answer, "say"), (6, 3))
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
    def test_a_call_above_its_time_fails_alone(self, era):
        child, server = self.rig(era, timeoutMs=1_000)
        child.delay_ms = (600_000, 600_000)
        late = server.ask_tool("run-typescript-code", {"code": TRY_TYPESCRIPT + """
            return await attempt(() => callMCPTool('far', 'say', {text: 'late'}))"""})
        self.wait_until(lambda: child.messages("tools/call"), "the slow call")
        child.delay_ms = (0, 20)
        others = self.succeed(server.typescript("""
            const said = [];
            for (const end = Date.now() + 1500; Date.now() < end;)
              said.push(await callMCPTool('far', 'say', {text: `${said.length}`}));
            return said"""))
        answer = self.succeed(server.tool_answer("run-typescript-code", late, 0))
        self.mcp_error(answer.result, "call_timeout", "far", "1000 ms", "timeoutMs of its entry")
        self.assertEqual(self.counts(answer, "say"), (1, 1))
        self.assertEqual(others.result, [str(i) for i in range(len(others.result))])
        self.assertEqual(self.succeed(server.typescript(SAY)).result, "hi", "and the next works")
        self.assertEqual(len(child.messages("tools/call")), len(others.result) + 2, "none is made twice")

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
        programs = [{"code": WORKER % name, "timeoutMs": 120_000} for name in "abcd"]
        asked = [server.ask_tool("run-typescript-code", program) for program in programs]
        for trouble, usual in (({"fails_every": 3}, {"fails_every": 0}), ({"status": 500}, {"status": None}),
                               ({"status": 403}, {"status": None}), ({"delay_ms": [50, 150]}, {"delay_ms": [1, 10]})):
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
            self.assertEqual(self.counts(answer, "create_contact"), (len(answer.result) + 1, bad + 1))
            self.assertIn("id", answer.result[-1], "at the end all is well")

    @in_both_eras
    def test_a_status_is_told_and_is_over_with_it(self, era):
        """Whatever it is: a lost session (404) too is begun anew, and nothing is called twice."""
        child, server = self.rig(era)
        self.succeed(server.typescript(SAY))
        for status in (404, 410, 429, 503):
            child.status = status
            outcomes, _ = self.attempts(server, CALL_SAY)
            self.mcp_error(outcomes[0], ("tool_failed", "server_died"), "far", f"HTTP {status}")
            child.status = None
            again = f"{TRY_TYPESCRIPT}\nreturn await patiently(() => {CALL_SAY})"
            self.assertEqual(self.succeed(server.typescript(again)).result, "hi")
        self.assertEqual(len(child.done), 5)

    def test_a_status_is_no_code_of_another_error(self):
        child, server = self.rig("modern")
        self.succeed(server.typescript(SAY))
        child.status = 410
        outcomes, _ = self.attempts(server, CALL_SAY)
        self.assertNotIn("-32601", self.mcp_error(outcomes[0], "tool_failed", "HTTP 410")["message"])


if __name__ == "__main__":
    unittest.main()
