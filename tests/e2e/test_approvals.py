"""Calls that need the approval of the person at the client (`security.confirm`), and programs that announce them (`approve`)."""

import json
import os
import time

from support.case import Case, TRY_PYTHON, TRY_TYPESCRIPT
from support.config import child, journal_in
from support.person import PersonClient
from support.record import lines_of, wait_for_line
from test_parked_calls import ParkedCase

CONFIRM = {"security": {"confirm": ["mcp__kid__echo", "mcp__kid__add"]}}
ACCEPT, DECLINE, CANCEL = ({"action": action} for action in ("accept", "decline", "cancel"))
ECHO = "callMCPTool('mcp__kid__echo', {text: 'hello'})"


def saying(*answers):
    """One answer after the other; the last one for all that follow."""
    left = list(answers)
    return lambda asked: asked.answer(left.pop(0) if len(left) > 1 else left[0])


def settings_of(world, settings):
    path = os.path.join(world.root, "settings.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(settings, file)
    return {"CODE_EXECUTOR_CONFIG_PATH": path}


class Approvals(Case):
    def setUp(self):
        self.here = self.world()
        self.journal = journal_in(self.here.root)
        self.here.configure(user={"kid": child(journal=self.journal)})

    def client(self, person, settings=None, env=None, **options):
        client = PersonClient(world=self.here, person=person, env={**settings_of(self.here, settings or CONFIRM), **(env or {})}, **options)
        self.addCleanup(client.stop)
        return client

    def calls(self):
        """That have reached the server."""
        return len(self.journal.events("call"))

    def attempt(self, client, *calls):
        code = TRY_TYPESCRIPT + f"return [{', '.join(f'await attempt(() => {call})' for call in calls)}]"
        return self.succeed(client.typescript(code)).result

    def attempt_in_python(self, client, *calls):
        code = TRY_PYTHON + f"[{', '.join(f'attempt(lambda: {call})' for call in calls)}]"
        return self.succeed(client.python(code)).result


class OneCall(Approvals):
    def test_approved_in_both_languages(self):
        client = self.client(saying(ACCEPT))
        self.assertEqual(self.attempt(client, ECHO), [{"value": "hello"}])
        self.assertEqual(self.attempt_in_python(client, "mcp.kid.echo(text='you')"), [{"value": "you"}])
        first, second = client.asked
        self.assertEqual((first.method, first.params["requestedSchema"]), ("elicitation/create", {"type": "object", "properties": {}}))
        self.assertTrue(first.params["message"].startswith("[code-executor] A program wants to make a call"), first.params["message"])
        self.assertIn("""mcp__kid__echo (server 'kid')\n  with {"text":"hello"}""", first.params["message"])
        self.assertIn('{"text":"you"}', second.params["message"])

    def test_declined_the_program_goes_on_and_nobody_is_asked_again(self):
        client = self.client(saying(DECLINE))
        for got in (self.attempt(client, ECHO, ECHO, "mcp.kid.json_text({})"),
                    self.attempt_in_python(client, "mcp.kid.echo(text='a')", "call_mcp_tool('kid', 'echo', {'text': 'b'})", "mcp.kid.json_text()")):
            first, again, other = got
            error = self.mcp_error(first, "not_approved", "mcp__kid__echo", "the user has declined", "security.confirm", "not asked for again")
            self.assertEqual((error["server"], error["tool"]), ("kid", "echo"))
            self.mcp_error(again, "not_approved", "the user has declined")
            self.assertEqual(other["value"]["answer"], 42)
        self.assertEqual(len(client.asked), 2, "once in each run")
        self.assertEqual(self.calls(), 2, "json_text, in each")

    def test_closed_without_an_answer(self):
        client = self.client(saying(CANCEL))
        self.mcp_error(self.attempt(client, ECHO)[0], "not_approved", "without an answer")

    def test_odd_answers_are_no_approval(self):
        odd = ({}, {"action": "ACCEPT"}, {"action": True}, "accept", {"action": "accept", "content": 7}, [ACCEPT], None)
        client = self.client(saying(*odd))
        for _ in odd:
            self.mcp_error(self.attempt(client, ECHO)[0], "not_approved")
        self.assertEqual((len(client.asked), self.calls()), (len(odd), 0))

    def test_an_error_of_the_client(self):
        client = self.client(lambda asked: asked.refuse("secret reason"))
        error = self.mcp_error(self.attempt(client, ECHO)[0], "not_approved", "nobody could be asked")
        self.assertNotIn("secret reason", error["message"])

    def test_a_person_who_does_not_answer(self):
        client = self.client(lambda _asked: None, settings={**CONFIRM, "runs": {"questionTimeoutMs": 1_000}})
        first, again = self.attempt(client, ECHO, ECHO)
        self.mcp_error(first, "not_approved", "runs.questionTimeoutMs")
        self.mcp_error(again, "not_approved")
        self.assertEqual(len(client.asked), 1)

    def test_the_runs_time_stands_still_and_others_run_meanwhile(self):
        client = self.client(lambda asked: (time.sleep(2.5), asked.answer(ACCEPT)), env={"POOL_MAX_CONCURRENT": "1"})
        waiting = client.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": f"return await {ECHO}", "timeoutMs": 1_000}})
        client.wait_for(lambda: client.asked, "question")
        self.assertEqual(self.succeed(client.typescript("return 2")).result, 2)
        self.assertIn("hello", json.dumps(client.answer(waiting).message["result"]))

    def test_a_client_that_cannot_be_asked(self):
        client = self.client(saying(ACCEPT), capabilities={})
        self.mcp_error(self.attempt(client, ECHO)[0], "not_approved", "this client shows no forms", "security.confirm")
        self.mcp_error(self.attempt(client, "approve(['mcp__kid__echo x 2'])")[0], "not_approved", "this client shows no forms")
        self.assertEqual((client.asked, self.calls()), ([], 0))

    def test_an_earlier_client(self):
        client = self.client(saying(ACCEPT), capabilities={"elicitation": {}}, revision="2025-06-18")
        self.assertEqual(self.attempt(client, ECHO), [{"value": "hello"}])

    def test_however_the_tool_is_written(self):
        client = self.client(saying(DECLINE))
        ways = ["mcp.kid.echo({text: 'a'})", "mcp['kid']['echo']({text: 'a'})", "callMCPTool('kid', 'echo', {text: 'a'})", "callMCPTool('KID', 'Echo', {text: 'a'})",
                "callMCPTool('mcp__kid__ECHO', {text: 'a'})"]
        for got in self.attempt(client, *ways):
            self.assertIn("error", got)
        code = "import { kid } from './mcp-wrappers'\n" + TRY_TYPESCRIPT + "return await attempt(() => kid.echo({text: 'a'}))"
        self.mcp_error(self.succeed(client.typescript(code)).result, "not_approved")
        saved = "from mcp import runtime\nfrom mcp.servers.kid import *\n"
        code = TRY_PYTHON + saved + "[attempt(lambda: echo(text='a')), attempt(lambda: runtime.call_tool('kid', 'echo', {'text': 'a'})), attempt(lambda: mcp_kid.echo(text='a'))]"
        for got in self.succeed(client.python(code)).result:
            self.mcp_error(got, "not_approved")
        self.assertEqual(self.calls(), 0)

    def test_secrets_and_escapes_in_arguments(self):
        client = self.client(saying(ACCEPT))
        hostile = r"callMCPTool('mcp__kid__echo', {text: 'a\n\u001b[2K\u0000\u202e', password: 'hunter2secret', key: 'AKIAIOSFODNN7EXAMPLE'})"
        self.attempt(client, hostile, "callMCPTool('mcp__kid__echo', {text: 'x'.repeat(16 << 20)})")
        first, large = (asked.params["message"] for asked in client.asked)
        for hidden in ("hunter2secret", "AKIAIOSFODNN7EXAMPLE", "\x1b", "\x00", "\u202e"):
            self.assertNotIn(hidden, first)
        self.assertLess(len(large), 2_000)

    def test_the_record(self):
        client = self.client(saying(DECLINE))
        self.attempt(client, ECHO)
        line = wait_for_line(self.here, lambda line: line["event"] == "question", "line of the question")
        self.assertEqual((line["server"], line["tool"], line["state"], line["success"]), ("kid", "echo", "security.confirm: decline", True))
        refusal = wait_for_line(self.here, lambda line: line["event"] == "refusal", "line of the refusal")
        self.assertEqual((refusal["tool"], refusal["error"].split(":")[0]), ("echo", "not_approved"))
        self.assertNotIn("hello", json.dumps(lines_of(self.here)))


class ManyCalls(Approvals):
    def test_a_loop_that_announces_its_calls(self):
        client = self.client(saying(ACCEPT))
        code = """
            const ok = await approve(["mcp__kid__echo x 12"]);
            const out = [];
            for (let i = 0; i < 12; i++) out.push(await mcp.kid.echo({text: String(i)}));
            return [ok, out.length]"""
        self.assertEqual(self.succeed(client.typescript(code)).result, [True, 12])
        [asked] = client.asked
        self.assertIn("mcp__kid__echo (server 'kid') x 12", asked.params["message"])
        code = "ok = approve(['mcp__kid__echo x 3', 'mcp__kid__add x 1'])\n[ok, [mcp.kid.echo(text=str(i)) for i in range(3)], mcp.kid.add(a=1, b=2)]"
        self.assertEqual(self.succeed(client.python(code)).result, [True, ["0", "1", "2"], {"sum": 3}])
        self.assertEqual(len(client.asked), 2)
        self.assertEqual(self.succeed(client.python("[await approve('mcp__kid__echo x 3'), await approve({'mcp__kid__add': 2})]")).result, [True, True])

    def test_what_goes_beyond_is_asked_for_again(self):
        client = self.client(saying(ACCEPT, DECLINE))
        got = self.attempt(client, "approve(['mcp__kid__echo x 2'])", ECHO, ECHO, ECHO, ECHO)
        self.assertEqual([each.get("value") for each in got], [True, "hello", "hello", None, None])
        self.assertEqual(len(client.asked), 2)
        self.assertIn("beyond the 2 that you have agreed to", client.asked[1].params["message"])

    def test_an_announcement_that_is_declined(self):
        client = self.client(saying(DECLINE))
        said, call, again, other = self.attempt(client, "approve(['mcp__kid__echo x 2'])", ECHO, "approve(['mcp__kid__echo x 1'])", "mcp.kid.json_text({})")
        self.assertEqual((said, again), ({"value": False}, {"value": False}))
        self.mcp_error(call, "not_approved")
        self.assertIn("value", other)
        self.assertEqual(len(client.asked), 1)

    def test_all_calls_of_the_run(self):
        client = self.client(saying(ACCEPT))
        self.assertEqual(self.attempt(client, "approve()", ECHO, "mcp.kid.add({a: 1, b: 2})", ECHO)[0], {"value": True})
        [asked] = client.asked
        self.assertIn("ALL calls of this run", asked.params["message"])
        self.assertIn("mcp__kid__add", asked.params["message"])

    def test_calls_in_parallel_are_asked_for_together(self):
        client = self.client(saying(ACCEPT))
        code = "return (await Promise.all([...Array(12).keys()].map(i => mcp.kid.echo({text: 'n' + i})))).length"
        self.assertEqual(self.succeed(client.typescript(code)).result, 12)
        self.assertEqual(len(client.asked), 1, [asked.params["message"] for asked in client.asked])
        self.assertIn("12 calls", client.asked[0].params["message"])
        self.assertIn('"n0"', client.asked[0].params["message"])
        code = "import asyncio\nlen(await asyncio.gather(*[mcp.kid.echo(text=str(i)) for i in range(5)]))"
        self.assertEqual(self.succeed(client.python(code)).result, 5)
        self.assertEqual(len(client.asked), 2)

    def test_parallel_calls_that_are_declined(self):
        client = self.client(saying(DECLINE))
        code = TRY_TYPESCRIPT + "return (await Promise.all([1, 2, 3, 4].map(i => attempt(() => mcp.kid.echo({text: 'a'}))))).map(x => x.error.code)"
        self.assertEqual(self.succeed(client.typescript(code)).result, ["not_approved"] * 4)
        self.assertEqual((len(client.asked), self.calls()), (1, 0))

    def test_announcements_that_are_none(self):
        client = self.client(saying(ACCEPT))
        wrong = ["approve(['mcp__kid__nothing x 2'])", "approve(['mcp__kid__* x 2'])", "approve(['mcp__kid__echo x 0'])", "approve([])", "approve(5)",
                 "approve(['mcp__kid__echo x 1000000'])", r"approve(['mcp__kid__echo\u0000 x 2'])", "approve(['x'.repeat(16 << 20)])", "approve(Array(1001).fill('mcp__kid__echo'))"]
        for call, got in zip(wrong, self.attempt(client, *wrong)):
            with self.subTest(call):
                self.mcp_error(got, ("invalid_argument", "unknown_tool", "unknown_server"))
        self.assertEqual(client.asked, [])

    def test_without_the_setting_nobody_is_asked(self):
        client = self.client(saying(DECLINE), settings={"security": {}})
        self.assertEqual(self.attempt(client, "approve(['mcp__kid__echo x 2'])", "approve()", ECHO), [{"value": True}, {"value": True}, {"value": "hello"}])
        self.assertEqual(client.asked, [])

    def test_a_tool_that_needs_none_is_not_asked_for(self):
        client = self.client(saying(DECLINE))
        self.assertEqual(self.attempt(client, "approve(['mcp__kid__json_text x 2'])"), [{"value": True}])
        self.assertEqual(client.asked, [])

    def test_a_project_may_only_add(self):
        with open(os.path.join(self.here.cwd, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"confirm": ["mcp__kid__json_text"]}}, file)
        with open(os.path.join(self.here.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump(CONFIRM, file)
        client = PersonClient(world=self.here, person=saying(DECLINE))
        self.addCleanup(client.stop)
        for got in self.attempt(client, ECHO, "mcp.kid.json_text({})"):
            self.mcp_error(got, "not_approved")


class OtherWays(Approvals):
    def test_resources_and_prompts_match_as_their_names_do(self):
        client = self.client(saying(DECLINE), settings={"security": {"confirm": ["mcp__kid__*"]}})
        for got in self.attempt(client, "listMCPResources('kid')", "readMCPResource('kid', 'test://note')", "listMCPPrompts('kid')"):
            self.mcp_error(got, "not_approved", "mcp__kid__")

    def test_a_person_who_has_said_no_three_times_is_asked_nothing_more(self):
        client = self.client(saying(DECLINE), settings={"security": {"confirm": ["mcp__kid__*"]}})
        tools = ("echo", "add", "json_text", "empty", "multi")
        for got in self.attempt(client, *[f"callMCPTool('kid', '{tool}', {{}})" for tool in tools], "approve()"):
            self.assertTrue(got.get("value") is False or got["error"]["code"] == "not_approved", got)
        self.assertEqual((len(client.asked), self.calls()), (3, 0))

    def test_a_schema_says_it(self):
        client = self.client(saying(DECLINE))
        code = "return [(await getToolSchema('mcp__kid__echo')).needsApproval, (await getToolSchema('mcp__kid__json_text')).needsApproval ?? null]"
        self.assertEqual(self.succeed(client.typescript(code)).result, [True, None])


class OfModels(Approvals):
    def test_a_call_that_a_model_wants(self):
        def person(asked):
            if asked.method == "elicitation/create":
                return asked.answer(DECLINE)
            last = asked.params["messages"][-1]["content"]
            if "tool_result" in json.dumps(last):
                return asked.answer({"role": "assistant", "model": "m", "content": {"type": "text", "text": json.dumps(last)}, "stopReason": "endTurn"})
            use = {"type": "tool_use", "id": "u1", "name": asked.params["tools"][0]["name"], "input": {"text": "of the model"}}
            return asked.answer({"role": "assistant", "model": "m", "content": [use], "stopReason": "toolUse"})

        client = self.client(person)
        code = "return await llm.think({messages: [{role: 'user', content: 'go'}], tools: ['mcp__kid__echo']})"
        answer = self.succeed(client.typescript(code, enableSampling=True))
        self.assertIn("the user has declined", answer.result)
        self.assertEqual(self.calls(), 0)
        self.assertIn("of the model", next(asked.params["message"] for asked in client.asked if asked.method == "elicitation/create"))


class Modern(ParkedCase):
    """A client of 2026-07-28: its call is answered with the question, and goes on when it comes back with the answer."""

    def here(self):
        world = self.world()
        self.journal = journal_in(world.root)
        return world.configure(user={"kid": child(journal=self.journal)})

    def check(self, wire):
        for code, name, got in ((f"return await {ECHO}", "run-typescript-code", "hello"), ("mcp.kid.echo(text='you')", "run-python-code", "you")):
            asked = self.parked(wire, code, name=name)
            [request] = asked["inputRequests"].values()
            self.assertIn("mcp__kid__echo (server 'kid')", request["params"]["message"])
            self.assertEqual(self.done(self.come_back(wire, code, asked, lambda _: ACCEPT, name=name)), got)
        code = TRY_TYPESCRIPT + f"return await attempt(() => {ECHO})"
        asked = self.parked(wire, code)
        self.mcp_error(self.done(self.come_back(wire, code, asked, lambda _: DECLINE)), "not_approved", "the user has declined")
        self.mcp_error(self.done(self.call(wire, code, abilities={})), "not_approved", "this client shows no forms")
        code = "const ok = await approve(['mcp__kid__echo x 2']); return [ok, await mcp.kid.echo({text: 'a'}), await mcp.kid.echo({text: 'b'})]"
        asked = self.parked(wire, code)
        self.assertEqual(self.done(self.come_back(wire, code, asked, lambda _: ACCEPT)), [True, "a", "b"])

    def test_over_stdio(self):
        world = self.here()
        self.check(self.over_stdio(world, env=settings_of(world, CONFIRM)))

    def test_over_http(self):
        world = self.here()
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump(CONFIRM, file)
        self.check(self.over_http(world))
