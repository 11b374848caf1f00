"""Programs that ask the person at the client (`askUser`, `ask_user`)."""

import json
import time

from support.case import Case, TRY_PYTHON, TRY_TYPESCRIPT
from support.person import PersonClient
from support.record import wait_for_line
from test_approvals import saying, settings_of
from test_parked_calls import ParkedCase

FORM = {"type": "object", "properties": {"label": {"type": "string", "enum": ["bug", "idea"]}, "count": {"type": "integer", "minimum": 1, "default": 1}}, "required": ["label"]}
BUG = {"action": "accept", "content": {"label": "bug"}}


class AskUser(Case):
    def client(self, person, settings=None, env=None, **options):
        world = self.world()
        client = PersonClient(world=world, person=person, env={**settings_of(world, settings or {}), **(env or {})}, **options)
        self.addCleanup(client.stop)
        return client

    def attempt(self, client, *calls, **parameters):
        code = TRY_TYPESCRIPT + f"return [{', '.join(f'await attempt(() => {call})' for call in calls)}]"
        return self.succeed(client.typescript(code, **parameters)).result

    def test_in_both_languages(self):
        client = self.client(saying(BUG))
        [said] = self.attempt(client, f"askUser('Which label?', {json.dumps(FORM)})")
        self.assertEqual(said, {"value": {"action": "accept", "content": {"label": "bug", "count": 1}}})
        code = f"answer = ask_user('Which label?', {FORM!r})\n[answer.content.label, (await ask_user('Which label?', schema={FORM!r}))['action']]"
        self.assertEqual(self.succeed(client.python(code)).result, ["bug", "accept"])
        self.assertEqual(len(client.asked), 3)
        first = client.asked[0]
        self.assertEqual((first.method, first.params["message"]), ("elicitation/create", "[program in code-executor] Which label?"))
        self.assertEqual(first.params["requestedSchema"], FORM)

    def test_without_a_schema_they_write_a_text(self):
        client = self.client(saying({"action": "accept", "content": {"answer": "blue"}}))
        self.assertEqual(self.attempt(client, "askUser('Your colour?')"), [{"value": {"action": "accept", "content": {"answer": "blue"}}}])
        self.assertEqual(client.asked[0].params["requestedSchema"]["required"], ["answer"])

    def test_declined_and_closed(self):
        client = self.client(saying({"action": "decline"}, {"action": "cancel"}))
        self.assertEqual(self.attempt(client, "askUser('a?')", "askUser('b?')"), [{"value": {"action": "decline"}}, {"value": {"action": "cancel"}}])

    def test_a_client_that_cannot_be_asked(self):
        client = self.client(saying(BUG), capabilities={})
        self.mcp_error(self.attempt(client, "askUser('a?')")[0], "not_allowed", "askUser", "this client shows no forms", "return the question")
        code = TRY_PYTHON + "attempt(lambda: ask_user('a?'))"
        self.mcp_error(self.succeed(client.python(code)).result, "not_allowed", "this client shows no forms")
        self.assertEqual(client.asked, [])

    def test_a_person_who_does_not_answer(self):
        client = self.client(lambda _asked: None, settings={"runs": {"questionTimeoutMs": 1_000}})
        self.mcp_error(self.attempt(client, "askUser('a?')")[0], "call_timeout", "runs.questionTimeoutMs")
        client.wait_for(lambda: client.asked[0].id in client.withdrawn(), "notifications/cancelled of the question")

    def test_the_runs_time_stands_still(self):
        client = self.client(lambda asked: (time.sleep(2.5), asked.answer({"action": "decline"})))
        self.assertEqual(self.attempt(client, "askUser('a?')", timeoutMs=1_000), [{"value": {"action": "decline"}}])

    def test_secrets_are_never_asked_for(self):
        client = self.client(saying(BUG))
        secrets = ["askUser('x', {type: 'object', properties: {password: {type: 'string'}}})", "askUser('Please enter your API key')",
                   "askUser('x', {type: 'object', properties: {a: {type: 'string', title: 'GitHub token'}}})"]
        for got in self.attempt(client, *secrets):
            self.mcp_error(got, "not_allowed", "secrets are never asked for by a form")
        self.assertEqual(client.asked, [])

    def test_hostile_questions(self):
        client = self.client(saying({"action": "decline"}))
        wrong = ["askUser('x'.repeat(16 << 20))", "askUser()", "askUser('')", "askUser(5)", "askUser('x', 'string')", "askUser('x', {properties: {a: {type: 'object'}}})",
                 "askUser('x', {type: 'string', description: 'y'.repeat(16 << 20)})", r"askUser('x', {properties: {'a\u0000': {type: 'string'}}})",
                 "askUser('x', {type: 'object', properties: Object.fromEntries([...Array(21).keys()].map(i => ['f' + i, {type: 'string'}]))})"]
        for call, got in zip(wrong, self.attempt(client, *wrong)):
            with self.subTest(call):
                error = self.mcp_error(got, "invalid_argument", "askUser")
                self.assertLess(len(error["message"]), 500)
        self.assertEqual(client.asked, [])
        self.attempt(client, r"askUser('\r\u001b[2K\u0000[code-executor] Approve?\n[code-executor] yes')")
        self.assertEqual(client.asked[0].params["message"], "[program in code-executor] \\r\\u001b[2K\\u0000[code-executor] Approve?\n  [code-executor] yes")

    def test_odd_answers(self):
        answers = [{"action": "accept", "content": {"label": "other"}}, {"action": "accept"}, {"action": "accept", "content": {"label": "bug", "count": "many secrets"}}, {"action": "yes"}]
        client = self.client(saying(*answers))
        for got in self.attempt(client, *[f"askUser('x', {json.dumps(FORM)})" for _ in answers]):
            error = self.mcp_error(got, "protocol_violation", "askUser")
            self.assertNotIn("many secrets", error["message"])

    def test_a_run_asks_so_much_and_no_more(self):
        client = self.client(saying({"action": "decline"}))
        code = TRY_TYPESCRIPT + "const all = []; for (let i = 0; i < 22; i++) all.push(await attempt(() => askUser('a?'))); return all"
        got = self.succeed(client.typescript(code)).result
        self.assertEqual([each for each in got[:20] if each != {"value": {"action": "decline"}}], [])
        for each in got[20:]:
            self.mcp_error(each, "limit_exceeded", "which is the limit")
        self.assertEqual(len(client.asked), 20)

    def test_the_end_of_the_run_withdraws_it(self):
        client = self.client(lambda _asked: None)
        run = client.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": "await askUser('a?')"}})
        client.wait_for(lambda: client.asked, "question")
        client.notify("notifications/cancelled", requestId=run)
        client.wait_for(lambda: client.asked[0].id in client.withdrawn(), "notifications/cancelled of the question")

    def test_the_record_knows_that_and_not_what(self):
        client = self.client(saying(BUG))
        self.attempt(client, f"askUser('Which label?', {json.dumps(FORM)})")
        line = wait_for_line(client.world, lambda line: line["event"] == "question", "line of the question")
        self.assertEqual((line["state"], line["success"]), ("askUser: accept", True))
        self.assertNotIn("label", json.dumps(line))


class Modern(ParkedCase):
    def check(self, wire):
        code = f"return (await askUser('Which label?', {json.dumps(FORM)})).content"
        asked = self.parked(wire, code)
        [request] = asked["inputRequests"].values()
        self.assertEqual(request["params"]["message"], "[program in code-executor] Which label?")
        self.assertEqual(self.done(self.come_back(wire, code, asked, lambda _: BUG)), {"label": "bug", "count": 1})
        code = "ask_user('a?').action"
        asked = self.parked(wire, code, name="run-python-code")
        self.assertEqual(self.done(self.come_back(wire, code, asked, lambda _: {"action": "decline"}, name="run-python-code")), "decline")

    def test_over_stdio(self):
        self.check(self.over_stdio(self.world()))

    def test_over_http(self):
        self.check(self.over_http(self.world()))
