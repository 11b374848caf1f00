"""Programs that ask the client's own model: sampling/createMessage, answered, refused, never answered, and given up."""

import signal

from support.case import Case, TRY_TYPESCRIPT
from support.config import child
from support.models import ModelClient, ModelProvider, provider_at
from support.plain_client import meta
from support.record import wait_for_line
from support.run import ToolAnswer
from support.waiting import wait_until

SILENT = "Do not answer."
# More than a line of a client may have.
NOVEL_BYTES = 17 << 20


def agreeable(question):
    """Answers, refuses or does nothing, as the prompt says."""
    if question.prompt == "Refuse.":
        question.refuse("The user said no")
    elif question.prompt == "A novel.":
        question.answer("x" * NOVEL_BYTES)
    elif question.prompt == "Nonsense.":
        question.send(result={"role": "assistant"})
    elif question.params.get("tools") and not any("tool_result" in str(m) for m in question.params["messages"]):
        use = {"type": "tool_use", "id": "use-1", "name": question.params["tools"][0]["name"], "input": {"text": "from the tool"}}
        question.answer([use], stop="toolUse")
    elif "tool_result" in str(question.params["messages"][-1]):
        question.answer("The tool said: " + question.params["messages"][-1]["content"][0]["content"][0]["text"])
    elif question.prompt != SILENT:
        question.answer(f"The client says: {question.prompt}")


class ClientRoute(Case):
    def client(self, *, capability=None, env=None):
        world = self.world(project={"kid": child()})
        client = ModelClient(world=world, model=agreeable, capability=capability, env=env or {})
        self.addCleanup(client.stop)
        return client

    def attempt(self, client, *calls, **parameters):
        code = TRY_TYPESCRIPT + f"return Promise.all([{', '.join('() => ' + call for call in calls)}].map(attempt))"
        return self.succeed(client.typescript(code, enableSampling=True, **parameters))

    def test_answers_in_both_languages(self):
        client = self.client()
        code = """
            let streamed = '';
            for await (const piece of llm.ask('streamed', {stream: true})) streamed += piece;
            return [streamed, await llm.ask('hello', {systemPrompt: 'You are a helpful assistant', maxTokens: 70}),
                    await llm.think([{role: 'user', content: 'One.'}, {role: 'assistant', content: 'Two.'}, {role: 'user', content: 'Three.'}])]"""
        answer = self.succeed(client.typescript(code, enableSampling=True))
        self.assertEqual(answer.result, ["The client says: streamed", "The client says: hello", "The client says: Three."])
        metrics = answer.structured["samplingMetrics"]
        self.assertEqual((metrics["route"], metrics["totalRounds"], metrics["estimated"]), ("client", 3, True))
        self.assertGreater(metrics["totalTokens"], 10)
        asked = client.questions[1].params
        self.assertEqual((asked["systemPrompt"], asked["maxTokens"]), ("You are a helpful assistant", 70))
        self.assertEqual([m["role"] for m in client.questions[2].params["messages"]], ["user", "assistant", "user"])
        self.assertEqual(answer.structured["samplingCalls"][0]["model"], "model-of-the-client")
        answer = self.succeed(client.python('[llm.ask("hello"), "".join(llm.ask("streamed", stream=True))]', enableSampling=True))
        self.assertEqual(answer.result, ["The client says: hello", "The client says: streamed"])

    def test_what_it_does_not_answer_is_an_error_that_can_be_caught(self):
        client = self.client(env={"CODE_EXECUTOR_SAMPLING_CLIENT_TIMEOUT_MS": "1000"})
        answer = self.attempt(client, "llm.ask('Refuse.')", "llm.ask('Nonsense.')", f"llm.ask('{SILENT}')", "llm.ask('hello')")
        refused, nonsense, silent, good = answer.result
        self.assertIn("The user said no", refused["error"]["message"])
        self.assertIn("did not let its model answer", refused["error"]["message"])
        self.mcp_error(nonsense, "model_failed", "what is no message")
        self.mcp_error(silent, "model_failed", "within 1000 ms", "sampling.clientTimeoutMs", "not asked again", "nobody else can be")
        self.assertEqual(good["value"], "The client says: hello")
        given_up = next(q.id for q in client.questions if q.prompt == SILENT)
        client.wait_for(lambda: given_up in client.given_up(), "notifications/cancelled of the question")
        next(q for q in client.questions if q.prompt == SILENT).answer("too late")
        self.assertEqual(self.attempt(client, "llm.ask('again')").result[0]["value"], "The client says: again")

    def test_an_answer_that_is_too_long_fails_at_once(self):
        novel, good = self.attempt(self.client(), "llm.ask('A novel.')", "llm.ask('hello')").result
        self.mcp_error(novel, "model_failed", "a line of more than 16 MiB")
        self.assertEqual(good["value"], "The client says: hello")

    def test_comes_before_a_provider_with_a_key(self):
        with ModelProvider() as provider:
            answer = self.attempt(self.client(env=provider_at(provider.url)), "llm.ask('hello')")
            self.assertEqual(answer.result[0]["value"], "The client says: hello")
            self.assertEqual(provider.requests, [])

    def test_that_says_nothing_leaves_the_question_to_the_provider(self):
        with ModelProvider() as provider:
            client = self.client(env=provider_at(provider.url, CODE_EXECUTOR_SAMPLING_CLIENT_TIMEOUT_MS="1000"))
            answer = self.attempt(client, f"llm.ask('{SILENT}')")
            self.assertIsNone(answer.result[0].get("error"), answer.result)
            self.assertEqual([call.get("error") for call in answer.structured["samplingCalls"]], ["call_timeout", None])
            self.assertEqual(len(provider.requests), 1)
            self.attempt(client, "llm.ask('Refuse.')")
            self.assertEqual(len(provider.requests), 1)

    def test_cancelling_the_run_gives_its_question_up(self):
        client = self.client()
        run = client.ask_tool("run-typescript-code", {"code": f"return llm.ask('{SILENT}')", "enableSampling": True})
        wait_until(lambda: client.questions, "the question")
        client.notify("notifications/cancelled", requestId=run, reason="changed my mind")
        client.wait_for(lambda: client.questions[0].id in client.given_up(), "notifications/cancelled of the question")

    def test_the_client_leaves_meanwhile(self):
        for how in ("eof", signal.SIGTERM):
            client = self.client()
            client.ask_tool("run-typescript-code", {"code": f"return llm.ask('{SILENT}')", "enableSampling": True})
            wait_until(lambda client=client: client.questions, "the question")
            code, seconds = client.end(how)
            self.assertEqual(code, 0, how)
            self.assertLess(seconds, 10)
            client.expect_no_leftovers()

    def test_tools_if_it_takes_them(self):
        think = "llm.think({messages: [{role: 'user', content: 'Use it.'}], tools: ['mcp__kid__echo']})"
        answer = self.attempt(self.client(capability={"tools": {}}), think)
        self.assertEqual(answer.result[0].get("value"), "The tool said: from the tool", answer.result)
        self.assertEqual(answer.summary["mcp__kid__echo"]["successCount"], 1)
        client = self.client()
        self.mcp_error(self.attempt(client, think).result[0], "invalid_argument", "sampling.tools")
        self.assertEqual(client.questions, [])

    def test_the_record_quotes_no_refusal(self):
        client = self.client()
        self.attempt(client, "llm.ask('Refuse.')")
        line = wait_for_line(client.world, lambda line: line["event"] == "sampling_call", "line of the question")
        self.assertEqual((line["route"], line["success"]), ("client", False))
        self.assertNotIn("The user said no", str(line))

    def test_rounds_hold_for_it_too(self):
        client = self.client()
        answer = self.attempt(client, *["llm.ask('hello')"] * 20, maxSamplingRounds=3)
        self.assertEqual((sum("value" in outcome for outcome in answer.result), len(client.questions)), (3, 3))


class ComingBack(Case):
    """A client of revision 2026-07-28: its call is answered with the question, and it calls again with the answer."""

    def call(self, client, code, capabilities=None, **more):
        params = {"name": "run-typescript-code", "arguments": {"code": code, "enableSampling": True},
                  "_meta": meta(capabilities={"sampling": {}} if capabilities is None else capabilities), **more}
        return client.answer(client.ask("tools/call", params)).message

    def come_back(self, client, code, asked, answers):
        responses = {key: {"role": "assistant", "model": "m", "content": {"type": "text", "text": answers(request["params"]["messages"][-1]["content"]["text"])}}
                     for key, request in asked["result"]["inputRequests"].items()}
        return self.call(client, code, requestState=asked["result"]["requestState"], inputResponses=responses)

    def test_the_same_run_goes_on(self):
        client = self.start(revision=None)
        code = "const first = await llm.ask('One?'); return [first, await llm.ask('Two?')]"
        asked = self.call(client, code)
        self.assertEqual(asked["result"]["resultType"], "input_required", asked)
        self.assertEqual([request["method"] for request in asked["result"]["inputRequests"].values()], ["sampling/createMessage"])
        again = self.come_back(client, code, asked, lambda prompt: f"{prompt} Yes.")
        self.assertEqual(again["result"]["resultType"], "input_required", again)
        done = self.come_back(client, code, again, lambda prompt: f"{prompt} No.")
        self.assertEqual(done["result"]["resultType"], "complete", done)
        answer = self.succeed(ToolAnswer(done["result"], 0))
        self.assertEqual(answer.result, ["One? Yes.", "Two? No."])
        self.assertEqual(self.come_back(client, code, again, str)["error"]["code"], -32602)

    def test_without_the_capability_nothing_is_asked(self):
        client = self.start(revision=None)
        said = self.call(client, "return llm.ask('One?')", {})
        self.assertEqual(said["result"]["resultType"], "complete", said)
        self.assertIn("did not declare the capability 'sampling'", str(said))
