"""What servers ask in the middle of calls reaches the client that owns the run, and nobody else: a server of either era, and a client of the
earlier one."""

import json
import time

from support.case import Case
from support.config import journal_in
from support.modern_child import modern_child, ModernChild
from support.paths import CHILD, PYTHON
from support.person import FORM, PersonClient, URL
from support.record import wait_for_line
from support.waiting import wait_until

NAME_FORM = {"type": "object", "properties": {"name": {"type": "string"}, "polite": {"type": "boolean", "default": True}}, "required": ["name"]}
FORM_QUESTION = {"message": "What is your name?", "requestedSchema": NAME_FORM}
URL_QUESTION = {"mode": "url", "message": "Please agree there.", "url": "https://example.com/consent", "elicitationId": "e-1"}
MODEL_QUESTION = {"messages": [{"role": "user", "content": {"type": "text", "text": "Capital of France?"}}], "maxTokens": 100}
ROOTS = [{"uri": "file:///p", "name": "P"}]


def agreeable(asked):
    """Says yes to everything."""
    if asked.method == "elicitation/create":
        asked.answer({"action": "accept", **({} if asked.params.get("mode") == "url" else {"content": {"name": "Bob"}})})
    elif asked.method == "roots/list":
        asked.answer({"roots": ROOTS})
    else:
        asked.answer({"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m", "stopReason": "endTurn"})


def silent(_asked):
    """Looks at it and does nothing."""


def asking_child(journal):
    command, *options = PYTHON
    return {"command": command, "args": [*options, str(CHILD.parent / "asking_child.py"), "--journal", journal.path]}


class Questions(Case):
    def setUp(self):
        self.asked_world = self.world()
        self.journal = journal_in(self.asked_world.root)
        self.asked_world.configure(user={"kid": asking_child(self.journal)})

    def client(self, person=agreeable, **options):
        client = PersonClient(world=self.asked_world, person=person, **options)
        self.addCleanup(client.stop)
        return client

    def ask(self, client, method, params=None, **parameters):
        code = f"return await callMCPTool('kid', 'ask', {json.dumps({'method': method, **({'params': params} if params else {})})})"
        return client.typescript(code, **parameters)

    def got(self, client, method, params=None):
        return self.succeed(self.ask(client, method, params)).result


class Legacy(Questions):
    def test_everything_that_may_be_asked(self):
        client = self.client()
        self.assertEqual(self.got(client, "elicitation/create", FORM_QUESTION)["got"], {"action": "accept", "content": {"name": "Bob", "polite": True}})
        self.assertEqual(self.got(client, "elicitation/create", URL_QUESTION)["got"], {"action": "accept"})
        self.assertEqual(self.got(client, "roots/list")["got"], {"roots": ROOTS})
        self.assertEqual(self.got(client, "sampling/createMessage", MODEL_QUESTION)["got"]["content"]["text"], "Paris")
        answer = self.got(client, "something/else")
        self.assertEqual(answer["got"]["error"]["code"], -32601)
        self.assertEqual(answer["capabilities"], {"elicitation": {**FORM, **URL}, "sampling": {"tools": {}}, "roots": {}})
        form, url, roots, model = client.asked
        self.assertEqual(form.params["message"], "[MCP server 'kid', tool 'ask'] What is your name?")
        self.assertEqual(form.params["requestedSchema"], NAME_FORM)
        self.assertEqual((url.params["url"], url.params["elicitationId"]), ("https://example.com/consent", "e-1"))
        self.assertEqual(roots.params, {})
        self.assertEqual(model.params, {**MODEL_QUESTION, "_meta": {"code-executor/askedBy": {"server": "kid", "tool": "ask"}}})

    def test_in_python(self):
        answer = self.client().python("call_mcp_tool('kid', 'ask', {'method': 'roots/list'})['got']")
        self.assertEqual(self.succeed(answer).result, {"roots": ROOTS})

    def test_declined_and_cancelled_reach_the_server(self):
        actions = iter(["decline", "cancel"])
        client = self.client(lambda asked: asked.answer({"action": next(actions)}))
        self.assertEqual(self.got(client, "elicitation/create", FORM_QUESTION)["got"], {"action": "decline"})
        self.assertEqual(self.got(client, "elicitation/create", FORM_QUESTION)["got"], {"action": "cancel"})

    def test_a_client_that_cannot_be_asked(self):
        """The server is not told that it may ask; one that asks all the same hears that nobody wants to."""
        client = self.client(capabilities={})
        form = self.ask(client, "elicitation/create", FORM_QUESTION)
        self.assertEqual(self.succeed(form).result, {"got": {"action": "decline"}, "capabilities": {}})
        self.assertIn("this client shows no forms", form.text)
        self.assertEqual(self.got(client, "roots/list")["got"], {"roots": []})
        model = self.got(client, "sampling/createMessage", MODEL_QUESTION)["got"]["error"]
        self.assertEqual((model["code"], "no model" in model["message"]), (-32601, True), model)
        self.assertEqual(client.asked, [])

    def test_one_that_only_knows_forms(self):
        client = self.client(capabilities={"elicitation": {}})
        self.assertEqual(self.got(client, "elicitation/create", URL_QUESTION)["got"], {"action": "decline"})
        self.assertEqual(self.got(client, "elicitation/create", {**FORM_QUESTION, "mode": "form"})["got"]["action"], "accept")
        self.assertEqual(len(client.asked), 1)

    def test_an_earlier_client_hears_of_no_modes(self):
        client = self.client(capabilities={"elicitation": {}}, revision="2025-06-18")
        self.assertEqual(self.got(client, "elicitation/create", {**FORM_QUESTION, "mode": "form"})["got"]["content"], {"name": "Bob", "polite": True})
        self.assertNotIn("mode", client.asked[0].params)

    def test_odd_answers_of_the_client(self):
        answers = iter([{"action": "perhaps"}, {"action": "accept", "content": 7}, {}, "yes", {"action": "accept", "content": {"name": "Bob", "polite": False}}])
        client = self.client(lambda asked: asked.answer(next(answers)))
        for _ in range(4):
            answer = self.ask(client, "elicitation/create", FORM_QUESTION)
            self.assertEqual(self.succeed(answer).result["got"], {"action": "cancel"})
            self.assertIn("got no answer", answer.text)
        self.assertEqual(self.got(client, "elicitation/create", FORM_QUESTION)["got"]["content"], {"name": "Bob", "polite": False})

    def test_the_runs_time_stands_still(self):
        """And so does that of the call."""
        self.asked_world.configure(user={"kid": {**asking_child(self.journal), "timeoutMs": 1_000}})
        client = self.client(lambda asked: (time.sleep(2.5), agreeable(asked)))
        answer = self.ask(client, "elicitation/create", FORM_QUESTION, timeoutMs=1_000)
        self.assertEqual(self.succeed(answer).result["got"]["action"], "accept")
        late = client.typescript("await callMCPTool('kid', 'ask', {method: 'roots/list'}); await new Promise(() => setInterval(() => {}, 50))", timeoutMs=1_000)
        self.assertTrue(late.is_error)
        self.assertIn("1000 ms", late.text)

    def test_a_person_who_does_not_answer(self):
        client = self.client(silent, env={"CODE_EXECUTOR_CONFIG_PATH": self.settings({"runs": {"questionTimeoutMs": 1_000}})})
        answer = self.ask(client, "elicitation/create", FORM_QUESTION)
        self.assertEqual(self.succeed(answer).result["got"], {"action": "cancel"})
        self.assertIn("runs.questionTimeoutMs", answer.text)
        client.wait_for(lambda: client.asked[0].id in client.withdrawn(), "notifications/cancelled of the question")

    def settings(self, settings):
        path = f"{self.asked_world.root}/settings.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(settings, file)
        return path

    def test_withdrawn_by_the_server(self):
        client = self.client(silent)
        code = f"return (await callMCPTool('kid', 'ask', {json.dumps({'method': 'elicitation/create', 'params': FORM_QUESTION})})).got"
        run = client.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": code}})
        client.wait_for(lambda: client.asked, "question")
        self.assertEqual(self.succeed(client.typescript("return await mcp.kid.withdraw()")).result, "1")
        client.wait_for(lambda: client.asked[0].id in client.withdrawn(), "notifications/cancelled of the question")
        self.assertIn("withdrawn", json.dumps(client.answer(run).message["result"]))

    def test_a_run_that_is_cancelled(self):
        client = self.client(silent)
        code = f"await callMCPTool('kid', 'ask', {json.dumps({'method': 'elicitation/create', 'params': FORM_QUESTION})})"
        run = client.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": code}})
        client.wait_for(lambda: client.asked, "question")
        client.notify("notifications/cancelled", requestId=run)
        client.wait_for(lambda: client.asked[0].id in client.withdrawn(), "notifications/cancelled of the question")
        client.asked[0].answer({"action": "accept", "content": {"name": "late"}})
        self.assertEqual(self.succeed(client.typescript("return 1")).result, 1)

    def test_a_server_that_asks_too_much(self):
        client = self.client()
        code = "return await callMCPTool('kid', 'ask_many', {method: 'roots/list', times: 130})"
        answer = self.succeed(client.typescript(code))
        self.assertEqual(len(answer.result["got"]), 130)
        self.assertLessEqual(len(client.asked), 100)
        self.assertIn("which is the limit", answer.text)
        self.assertEqual(self.got(client, "roots/list")["got"], {"roots": ROOTS})  # another run

    def test_the_record_knows_that_and_not_what(self):
        client = self.client()
        self.got(client, "elicitation/create", FORM_QUESTION)
        line = wait_for_line(client.world, lambda line: line["event"] == "question", "line of the question")
        self.assertEqual((line["server"], line["tool"], line["state"], line["success"]), ("kid", "ask", "elicitation/create: accept", True))
        self.assertNotIn("Bob", json.dumps(line))

    def test_a_run_that_waits_gives_its_place_to_others(self):
        held = []
        client = self.client(held.append, env={"POOL_MAX_CONCURRENT": "1"})
        code = f"return (await callMCPTool('kid', 'ask', {json.dumps({'method': 'elicitation/create', 'params': FORM_QUESTION})})).got.action"
        waiting = client.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": code}})
        wait_until(lambda: held, "question")
        self.assertEqual(self.succeed(client.typescript("return 2")).result, 2)
        agreeable(held[0])
        self.assertIn("accept", json.dumps(client.answer(waiting).message["result"]))


SAID = 'accept {"name": "Bob", "polite": true}'


class Visits(Questions):
    """A server that refuses a call until a person has been at an address (-32042)."""

    def guarded(self, client, **arguments):
        return client.typescript(f"return await callMCPTool('kid', 'guarded', {json.dumps({'says': 'complete', **arguments})})")

    def calls(self):
        return len(self.journal.events("call", tool="guarded"))

    def test_the_person_is_asked_and_the_call_is_made_once_more(self):
        client = self.client()
        self.assertEqual(self.succeed(self.guarded(client)).result, "let in")
        [visit] = client.asked
        self.assertEqual(visit.params, {"mode": "url", "elicitationId": "visit-1", "url": "https://example.com/visit?n=1",
                                        "message": "[MCP server 'kid', tool 'guarded'] Please agree there."})
        self.assertEqual(self.calls(), 2)

    def test_who_does_not_want_to(self):
        client = self.client(lambda asked: asked.answer({"action": "decline"}))
        answer = self.refuse(self.guarded(client), "This needs an agreement (code -32042)", "https://example.com/visit?n=1")
        self.assertIn("the person does not want to", answer)
        self.assertEqual(self.calls(), 1)

    def test_a_client_that_opens_no_addresses(self):
        client = self.client(capabilities={"elicitation": {}})
        answer = self.refuse(self.guarded(client), "nothing was done", "https://example.com/visit?n=1")
        self.assertIn("then the call can be made again", answer)
        self.assertEqual((client.asked, self.calls()), ([], 1))

    def test_once(self):
        client = self.client()
        self.refuse(self.guarded(client, never=True), "This needs an agreement")
        self.assertEqual((len(client.asked), self.calls()), (1, 2))


class Modern(Case):
    """Servers that want to know something before they answer (`input_required`)."""

    def client(self, entry, person=agreeable, **options):
        world = options.pop("world", None) or self.world()
        client = PersonClient(world=world.configure(user={"kid": entry}), person=person, **options)
        self.addCleanup(client.stop)
        return client

    def calls(self, client, *tools):
        code = "return [%s]" % ", ".join(f"await callMCPTool('kid', '{tool}', {{}})" for tool in tools)
        return self.succeed(client.typescript(code)).result

    def over_http(self, **how):
        kid = ModernChild(**how)
        self.addCleanup(kid.close)
        return kid

    def test_rounds_over_http(self):
        kid = self.over_http()
        client = self.client({"type": "http", "url": kid.url})
        said = self.calls(client, "ask", "ask_without_state", "ask_twice", "ask_by_url", "ask_all")
        self.assertEqual(kid.deviations, [])
        self.assertEqual(said[:4], [SAID, SAID, f"{SAID}, {SAID}", "accept"])
        self.assertEqual((said[4]["folders"], said[4]["answer"]["content"]["text"]), ({"roots": ROOTS}, "Paris"))
        self.assertIn("[MCP server 'kid', tool 'ask'] What is your name?", [asked.params.get("message") for asked in client.asked])

    def test_rounds_over_stdio(self):
        world = self.world()
        journal = journal_in(world.root)
        client = self.client(modern_child(journal=journal), world=world)
        self.assertEqual(self.calls(client, "ask", "ask_twice"), [SAID, f"{SAID}, {SAID}"])
        self.calls(client, "ask_all")
        self.assertEqual(journal.events("deviation"), [])

    def test_one_that_wants_time(self):
        kid = self.over_http()
        self.assertEqual(self.calls(self.client({"type": "http", "url": kid.url}), "state_only"), ["after 1 rounds"])
        self.assertEqual(kid.deviations, [])

    def test_one_that_asks_for_ever(self):
        kid = self.over_http()
        client = self.client({"type": "http", "url": kid.url})
        answer = client.typescript("await callMCPTool('kid', 'ask_for_ever', {})")
        self.assertTrue(answer.is_error)
        self.assertIn("10 times", answer.text)
        self.assertLessEqual(len(client.asked), 10)

    def test_a_client_that_cannot_be_asked(self):
        kid = self.over_http()
        client = self.client({"type": "http", "url": kid.url}, capabilities={})
        answer = client.typescript("await callMCPTool('kid', 'ask', {})")
        self.assertEqual(client.asked, [])
        self.assertEqual(kid.events("call")[-1]["meta"]["io.modelcontextprotocol/clientCapabilities"], {})
        self.assertIn("server 'kid' wants to ask what the client of this run can not answer", answer.text)
