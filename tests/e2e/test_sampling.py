"""Programs that ask a model of a provider: in every format and both languages, within their limits, with tools, and when it fails."""

import json
from concurrent.futures import ThreadPoolExecutor

from support.case import Case, TRY_TYPESCRIPT
from support.config import child
from support.models import DEFAULT_KEY, KEY_VARIABLES, ModelCase, ModelProvider, TRY_ALL_PYTHON, provider_at
from support.record import wait_for_line
from support.server import Server

# Has the form of a token of GitHub, and is none.
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
MARK = "[REDACTED_SECRET]"


class Providers(Case):
    """Each in its own format, with its own key, at its own address."""

    CODE = """
    const history = [{role: 'user', content: 'One.'}, {role: 'assistant', content: 'Two.'},
                     {role: 'user', content: [{type: 'text', text: 'Three.'}]}];
    const [asked, thought, used] = await Promise.all([
      llm.ask('Hello.', {systemPrompt: 'You are a helpful assistant', maxTokens: 77}),
      llm.think(history),
      llm.think({messages: [{role: 'user', content: 'mock-tool {"a": 1, "b": 2}'}], tools: ['mcp__kid__echo', 'mcp__kid__add']}),
    ]);
    const pieces = [];
    for await (const piece of llm.ask('mock-drip mock-say ' + 'Grüße, 世界. '.repeat(10), {stream: true})) pieces.push(piece);
    return {asked, thought, used, streamed: pieces.join(''), pieces: pieces.length};
    """

    MODELS = {"anthropic": "claude-haiku-4-5-20251001", "openai": "gpt-4o-mini", "gemini": "gemini-2.5-flash-lite",
              "grok": "grok-4-1-fast-non-reasoning", "perplexity": "sonar", "compatible": "llama-x"}
    FORMATS = {"anthropic": "anthropic", "gemini": "gemini"}  # the others speak like OpenAI

    def ask_everything(self, name):
        """The answer of the run, and what the provider was asked."""
        # A server that asks the wrong one of them would have no key that fits.
        keys = {variable: f"{who}-key" for who, variable in KEY_VARIABLES.items()}
        more = {"CODE_EXECUTOR_AI_MODEL": "llama-x"} if name == "compatible" else keys
        with ModelProvider(key=None if name == "compatible" else f"{name}-key") as provider:
            more.pop(KEY_VARIABLES.get(name), None)
            env = provider_at(provider.url, name, f"{name}-key", **more)
            server = Server({"kid": child()}, env=env)
            try:
                return self.succeed(server.typescript(self.CODE, enableSampling=True)), provider.requests
            finally:
                server.stop()

    def check(self, name, answer, requests):
        says = "mock-say " + "Grüße, 世界. " * 10
        self.assertEqual({key: value for key, value in answer.result.items() if key != "pieces"},
                         {"asked": "You said: Hello.", "thought": "You said: Three.", "used": 'The tool said: {"sum":3}',
                          "streamed": says.removeprefix("mock-say ").strip()})
        self.assertGreater(answer.result["pieces"], 2)
        self.assertEqual(answer.summary["mcp__kid__add"]["successCount"], 1)
        for request in requests:
            self.assertEqual((request["provider"], request["model"]), (self.FORMATS.get(name, "openai"), self.MODELS[name]))
            self.assertEqual(request["has_key"], name != "compatible")
        asked, thought, *used, streamed = sorted(requests, key=lambda r: ("Hello" not in str(r["messages"]), "Three" not in str(r["messages"]), r["time"]))
        self.assertEqual((asked["system"], asked["max_tokens"], asked["stream"]), ("You are a helpful assistant", 77, False))
        self.assertEqual([(m["role"], m["text"]) for m in thought["messages"]], [("user", "One."), ("assistant", "Two."), ("user", "Three.")])
        self.assertEqual([sorted(request["tools"]) for request in used], [["mcp__kid__add", "mcp__kid__echo"]] * 2)
        self.assertEqual(used[1]["results"], ['{"sum":3}'])
        self.assertIs(streamed["stream"], True)
        metrics = answer.structured["samplingMetrics"]
        self.assertEqual((metrics["totalRounds"], metrics["route"]), (5, name))
        calls = answer.structured["samplingCalls"]
        self.assertEqual({(call["provider"], call["model"]) for call in calls}, {(name, self.MODELS[name])})
        self.assertEqual(metrics["totalTokens"], sum(call["inputTokens"] + call["outputTokens"] for call in calls))
        self.assertNotIn("estimated", metrics)

    def test_each_answers_asks_thinks_streams_and_uses_tools(self):
        with ThreadPoolExecutor(max_workers=3) as pool:
            answers = dict(zip(self.MODELS, pool.map(self.ask_everything, self.MODELS)))
        for name, (answer, requests) in answers.items():
            with self.subTest(provider=name):
                self.check(name, answer, requests)


class Guests(ModelCase):
    """What a program gets, where the languages have different ways to say it."""

    def test_python_awaits_or_does_not(self):
        answer = self.succeed(self.python("""
import asyncio
history = [{"role": "user", "content": "One."}, {"role": "assistant", "content": "Two."}, {"role": "user", "content": "Three."}]
out = [llm.ask("plain"), await llm.ask("awaited", "You are a helpful assistant", 60), llm.think(history), llm.think({"messages": history})]
out += await asyncio.gather(llm.ask("a"), llm.think(history, max_tokens=61))
out.append("".join(llm.ask("mock-drip mock-say " + "Grüße, 世界. " * 5, stream=True)))
pieces = [piece async for piece in llm.ask("mock-drip mock-say " + "Grüße, 世界. " * 5, stream=True)]
out.append("".join(pieces))
out.append(llm.think(messages=[{"role": "user", "content": 'mock-tool {"text": "from the tool"}'}], tools=["mcp__kid__echo"]))
{"out": out, "pieces": len(pieces)}
"""))
        says = ("Grüße, 世界. " * 5).strip()
        self.assertEqual(answer.result["out"], ["You said: plain", "You said: awaited", "You said: Three.", "You said: Three.", "You said: a",
                                                "You said: Three.", says, says, "The tool said: from the tool"])
        self.assertGreater(answer.result["pieces"], 2)
        self.assertEqual([request["max_tokens"] for request in self.asked()].count(60), 1)
        self.assertEqual([request["system"] for request in self.asked()].count("You are a helpful assistant"), 1)

    def test_a_stream_that_is_left_early_costs_no_more(self):
        for run in (lambda: self.typescript("""
            for (let i = 0; i < 3; i++) for await (const piece of llm.ask(`mock-drip mock-long ${i}`, {stream: true})) break;
            return llm.ask('Still there?')"""), lambda: self.python("""
for i in range(3):
    for piece in llm.ask(f"mock-drip mock-long {i}", stream=True):
        break
llm.ask("Still there?")""")):
            answer = self.succeed(run())
            self.assertEqual(answer.result, "You said: Still there?")
            self.assertLess(answer.seconds, 10, "2,000 pieces of 20 ms would take 40 s")
            self.assertEqual(answer.structured["samplingMetrics"]["totalRounds"], 4)
            for call in answer.structured["samplingCalls"]:
                self.assertGreater(call["inputTokens"], 0, "what was sent was used, whoever stopped listening")
                self.assertGreater(call["outputTokens"], 0)

    def test_what_is_wrong_with_a_question_is_said(self):
        answer = self.succeed(self.typescript(TRY_TYPESCRIPT + """
            return Promise.all([() => llm.ask(5), () => llm.ask('x', {maxToken: 5}), () => llm.think([]), () => llm.ask('x', {maxTokens: -1}),
              () => llm.think([{role: 'robot', content: 'x'}])].map(attempt))"""))
        for outcome, word in zip(answer.result, ("text", "maxTokens", "message", "whole number", "robot")):
            self.mcp_error(outcome, "invalid_argument", word)
        self.assertNotIn("x", self.prompts())
        answer = self.succeed(self.python(TRY_ALL_PYTHON + """
await asyncio.gather(*map(attempt, [lambda: llm.ask(5), lambda: llm.ask("x", max_token=5), lambda: llm.think([]), lambda: llm.ask("x", max_tokens=-1)]))"""))
        for outcome, word in zip(answer.result, ("text", "max_tokens", "message", "whole number")):
            self.mcp_error(outcome, "invalid_argument", word)
        self.assertNotIn("x", self.prompts())

    def test_what_the_provider_does_not_count_is_estimated(self):
        answer = self.succeed(self.typescript("return llm.ask('mock-no-usage, and some more words')"))
        self.assertIs(answer.structured["samplingMetrics"]["estimated"], True)
        self.assertGreater(answer.structured["samplingMetrics"]["totalTokens"], 5)
        self.assertIn("estimated", answer.text)

    def test_prompts_and_answers_are_told_only_to_who_wants_them(self):
        code = "await llm.ask('a violet prompt'); return 1"
        quiet = self.succeed(self.typescript(code))
        self.assertNotIn("violet", json.dumps(quiet.raw))
        told = self.succeed(self.typescript(code, samplingVerbose=True)).structured["samplingCalls"]
        self.assertEqual((told[0]["prompt"], told[0]["answer"]), ("a violet prompt", "You said: a violet prompt"))

    def test_a_refusal_is_an_answer_with_its_reason(self):
        answer = self.succeed(self.typescript("return llm.ask('mock-refuse')"))
        self.assertEqual(answer.result, "I will not.")
        self.assertEqual(answer.structured["samplingCalls"][0]["stopReason"], "refused")

    def test_the_end_of_a_run_ends_its_questions(self):
        self.refuse(self.typescript("await llm.ask('mock-slow-20000 of a run that ends')", timeoutMs=1000), "1000")
        answer = self.typescript("llm.ask('mock-slow-20000 of a run that has failed').catch(() => 0); throw new Error('over')")
        self.refuse(answer, "over")
        self.assertLess(answer.seconds, 10)

    def test_a_question_that_nobody_awaits_belongs_to_the_run(self):
        answer = self.succeed(self.typescript("llm.ask('one that nobody awaits').then(console.log); return 1"))
        self.assertIn("one that nobody awaits", answer.output)


class Limits(ModelCase):
    environment = {"CODE_EXECUTOR_MAX_SAMPLING_ROUNDS": "100", "CODE_EXECUTOR_MAX_SAMPLING_TOKENS": "100000"}

    def check_rounds(self, answer):
        values = [outcome["value"] for outcome in self.succeed(answer).result if "value" in outcome]
        errors = [outcome for outcome in answer.result if "error" in outcome]
        self.assertEqual((len(values), len(errors)), (3, 17))
        for outcome in errors:
            self.mcp_error(outcome, "limit_exceeded", "3/3 rounds used, 0 remaining", "maxSamplingRounds")
        self.assertEqual(len(self.asked()), 3)
        self.assertEqual(answer.structured["samplingMetrics"]["totalRounds"], 3)
        self.assertEqual(answer.structured["samplingMetrics"]["quotaRemaining"]["rounds"], 0)

    def test_twenty_asks_at_once_with_three_rounds(self):
        self.check_rounds(self.typescript(TRY_TYPESCRIPT + """
            return Promise.all(Array.from({length: 20}, (_, i) => attempt(() => llm.ask(`mock-slow-100 ${i}`))))""", maxSamplingRounds=3))

    def test_twenty_asks_at_once_with_three_rounds_in_python(self):
        self.check_rounds(self.python(TRY_ALL_PYTHON + """
await asyncio.gather(*[attempt(lambda: llm.ask("mock-slow-100")) for _ in range(20)])""", maxSamplingRounds=3))

    def test_a_run_that_asks_nothing_has_all_of_it_left(self):
        for answer in (self.typescript("return 1", maxSamplingRounds=3, maxSamplingTokens=500), self.python("1", maxSamplingRounds=3, maxSamplingTokens=500)):
            self.assertEqual(self.succeed(answer).structured["samplingMetrics"]["quotaRemaining"], {"rounds": 3, "tokens": 500})

    def test_thirty_asks_at_once_stay_within_the_tokens(self):
        # Each uses 101 at the most: 100 of its answer, which the provider gives it all, and its prompt.
        answer = self.succeed(self.typescript(TRY_TYPESCRIPT + """
            const long = 'mock-say ' + 'word '.repeat(100);
            return Promise.all(Array.from({length: 30}, () => attempt(() => llm.ask(long, {maxTokens: 120}))))""",
                                              maxSamplingTokens=2000, maxSamplingRounds=100))
        errors = [outcome for outcome in answer.result if "error" in outcome]
        metrics = answer.structured["samplingMetrics"]
        self.assertLessEqual(metrics["totalTokens"], 2000)
        self.assertGreater(metrics["totalTokens"], 1000)
        self.assertEqual(metrics["quotaRemaining"]["tokens"], 2000 - metrics["totalTokens"])
        self.assertGreater(len(errors), 15)
        for outcome in errors:
            error = self.mcp_error(outcome, "limit_exceeded", "/2000 tokens used", "remaining", "maxSamplingTokens")
            self.assertRegex(error["message"], r"\d+/2000 tokens used, \d+ remaining")
        self.assertEqual(len(self.asked()), 30 - len(errors))

    def test_a_run_can_only_lower_them(self):
        with ModelProvider() as provider:
            server = self.start({}, env=provider_at(provider.url, CODE_EXECUTOR_MAX_SAMPLING_ROUNDS="2",
                                                    CODE_EXECUTOR_MAX_SAMPLING_TOKENS="500"))
            code = TRY_TYPESCRIPT + "return [await attempt(() => llm.ask('a', {maxTokens: 600})), await attempt(() => llm.ask('b', {maxTokens: 20}))]"
            answer = self.succeed(server.typescript(code, enableSampling=True, maxSamplingRounds=50, maxSamplingTokens=50000))
            self.mcp_error(answer.result[0], "limit_exceeded", "0/500 tokens used, 500 remaining")
            self.assertEqual(answer.result[1]["value"], "You said: b")
            self.assertEqual(answer.structured["samplingMetrics"]["quotaRemaining"]["rounds"], 1)

    def test_two_hundred_asks_at_once_share_their_connections(self):
        # How many connections are made in all depends on who is ready when: those in use at once are bounded.
        code = """const all = await Promise.all(Array.from({length: 100}, (_, i) => llm.ask(`mock-slow-200 ${i}`, {maxTokens: 50})));
                  return all.filter((text, i) => text === `You said: mock-slow-200 ${i}`).length"""
        ids = [self.server.ask_tool("run-typescript-code", {"code": code, "maxSamplingRounds": 100, "maxSamplingTokens": 100000}) for _ in range(2)]
        results = [self.server.answer(request_id).message["result"]["_meta"]["code-executor/report"] for request_id in ids]
        self.assertEqual([result.get("result", result) for result in results], [100, 100])
        self.assertEqual(len(self.asked()), 200)
        self.assertGreater(self.provider.open_max, 10)
        self.assertLessEqual(self.provider.open_max, 128)
        before = self.provider.connections
        self.succeed(self.typescript("return Promise.all([1, 2, 3, 4].map(n => llm.ask(`again ${n}`)))"))
        self.assertEqual(self.provider.connections, before, "idle ones are there")


class Failures(ModelCase):
    """What goes wrong at the provider is an error that says what to do, and only of the question that it happens to."""

    environment = {"CODE_EXECUTOR_SAMPLING_TIMEOUT_MS": "2500", "CODE_EXECUTOR_MAX_SAMPLING_ROUNDS": "100",
                   "CODE_EXECUTOR_MAX_SAMPLING_TOKENS": "100000"}

    # prompt: code and words of its error
    EXPECTED = {
        "mock-404": ("model_failed", "does not have this model", "sampling.models.anthropic"),
        "mock-429-always": ("rate_limited", "is asked too often", "HTTP 429", "Wait"),
        "mock-529-always": ("model_failed", "is overloaded", "HTTP 529", "Try again"),
        "mock-503": ("model_failed", "is overloaded", "HTTP 503", "Try again"),
        "mock-html": ("model_failed", "HTTP 502", "502 Bad Gateway", "Try again"),
        "mock-garbage": ("model_failed", "what is no answer", "sampling.baseUrl"),
        "mock-cut": ("model_failed", "Try again"),
        "mock-reset": ("model_failed", "closed the connection", "Try again"),
        "mock-slow-4000": ("model_failed", "did not answer in time", "sampling.timeoutPerCallMs"),
    }
    STREAMED = {**EXPECTED, "mock-error-event": ("model_failed", "Overloaded"),
                "mock-garbage": ("model_failed", "no JSON object", "sampling.baseUrl")}
    PASSING = ("mock-429", "mock-529")

    def check(self, answer, language):
        for name, outcome in self.succeed(answer).result.items():
            kind, word = name.split(" ")
            with self.subTest(what=name, language=language):
                self.assertEqual(outcome["next"], "You said: fine")
                if word in self.PASSING:
                    self.assertIn("value", outcome["of"], outcome)
                else:
                    code, *words = (self.STREAMED if kind == "stream" else self.EXPECTED)[word]
                    self.mcp_error(outcome["of"], code, *words)
                    self.assertNotIn(DEFAULT_KEY, outcome["of"]["error"]["message"])
        long = answer.result["ask mock-429-always"]["of"]["error"]
        self.assertEqual(long["retryAfterMs"], 3_600_000)
        self.assertLess(answer.seconds, 15)
        # An error is told once, not retried, where that is no use; and one that passes is asked again.
        prompts = [prompt for prompt in self.prompts() if prompt.startswith(language)]
        for word, count in (("mock-404", 1), ("mock-429-always", 1), ("mock-garbage", 1), ("mock-429", 2), ("mock-529", 2)):
            self.assertEqual(prompts.count(f"{language} ask {word}"), count, word)

    def test_in_typescript(self):
        self.check(self.typescript(TRY_TYPESCRIPT + f"""
            async function streamed(prompt) {{ let all = ''; for await (const p of llm.ask(prompt, {{stream: true, maxTokens: 50}})) all += p; return all }}
            const ways = {{ask: prompt => llm.ask(prompt, {{maxTokens: 50}}), stream: streamed}};
            const words = {{ask: {json.dumps([*self.EXPECTED, *self.PASSING])}, stream: {json.dumps([*self.STREAMED, *self.PASSING])}}};
            const out = {{}};
            await Promise.all(['ask', 'stream'].flatMap(way => words[way].map(async word => {{
              const of = await attempt(() => ways[way](`typescript ${{way}} ${{word}}`));
              out[`${{way}} ${{word}}`] = {{of, next: await llm.ask('fine', {{maxTokens: 50}})}};
            }})));
            return out"""), "typescript")

    def test_in_python(self):
        self.check(self.python(TRY_ALL_PYTHON + f"""
async def streamed(prompt):
    return "".join([piece async for piece in llm.ask(prompt, stream=True, max_tokens=50)])
async def whole(prompt):
    return await llm.ask(prompt, max_tokens=50)
ways = {{"ask": whole, "stream": streamed}}
words = {{"ask": {[*self.EXPECTED, *self.PASSING]}, "stream": {[*self.STREAMED, *self.PASSING]}}}
out = {{}}
async def one(way, word):
    of = await attempt(lambda: ways[way](f"python {{way}} {{word}}"))
    out[f"{{way}} {{word}}"] = {{"of": of, "next": await llm.ask("fine", max_tokens=50)}}
await asyncio.gather(*[one(way, word) for way in words for word in words[way]])
out"""), "python")

    def test_what_came_before_a_cut_is_given(self):
        answer = self.succeed(self.typescript("""
            let all = '', error;
            try { for await (const piece of llm.ask('mock-cut mock-say ' + 'word '.repeat(50), {stream: true})) all += piece } catch (e) { error = e.code }
            return {all, error}"""))
        self.assertEqual(answer.result["error"], "model_failed")
        self.assertTrue(answer.result["all"].startswith("word word"), answer.result)
        self.assertGreater(answer.structured["samplingMetrics"]["totalTokens"], 10, "it was used, though nobody counted it")

    def test_what_fails_is_paid_for(self):
        with ModelProvider() as provider:
            server = self.start({}, env=provider_at(provider.url, CODE_EXECUTOR_SAMPLING_TIMEOUT_MS="1000"))
            long = "word " * 300
            for answer in (server.typescript(TRY_TYPESCRIPT + f"""return [await attempt(() => llm.ask('mock-slow-20000 {long}', {{maxTokens: 50}})),
                                                     await attempt(() => llm.ask('mock-garbage {long}', {{maxTokens: 50}}))]""", enableSampling=True),
                           server.python(TRY_ALL_PYTHON + f"""
[await attempt(lambda: llm.ask('mock-slow-20000 {long}', max_tokens=50)), await attempt(lambda: llm.ask('mock-garbage {long}', max_tokens=50))]""",
                                         enableSampling=True)):
                for outcome in self.succeed(answer).result:
                    self.mcp_error(outcome, "model_failed")
                for call in answer.structured["samplingCalls"]:
                    self.assertGreater(call["inputTokens"], 250, call)
                self.assertGreater(answer.structured["samplingMetrics"]["totalTokens"], 500)

    def test_a_key_that_is_wrong(self):
        wrong = "sk-ant-wrong-" + "a1B2" * 8
        for name in ("anthropic", "openai"):
            with ModelProvider() as provider:
                server = self.start({}, env=provider_at(provider.url, name, wrong))
                answer = self.succeed(server.typescript(TRY_TYPESCRIPT + "return attempt(() => llm.ask('x'))", enableSampling=True))
                self.mcp_error(answer.result, "model_failed", "did not accept the key", KEY_VARIABLES[name])
                self.assertNotIn(wrong, json.dumps(answer.raw))
                self.assertEqual(len(provider.requests), 1)

    def test_nobody_is_there(self):
        server = self.start({}, env=provider_at("http://127.0.0.1:9", CODE_EXECUTOR_SAMPLING_TIMEOUT_MS="1000"))
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + "return attempt(() => llm.ask('x'))", enableSampling=True))
        self.mcp_error(answer.result, "model_failed", "can not be reached at http://127.0.0.1:9", "sampling.baseUrl")
        self.assertEqual(answer.structured["samplingMetrics"]["totalTokens"], 0, "nothing was ever sent")


class Tools(ModelCase):
    ASK = """return attempt(() => llm.think({messages: [{role: 'user', content: %s}], tools: %s}))"""

    def think(self, prompt, tools, **parameters):
        return self.typescript(TRY_TYPESCRIPT + self.ASK % (json.dumps(prompt), json.dumps(tools)), **parameters)

    def test_are_called_and_counted(self):
        answer = self.succeed(self.think('mock-tool {"text": "from the tool"}', ["mcp__kid__echo"]))
        self.assertEqual(answer.result["value"], "The tool said: from the tool")
        self.assertEqual(answer.structured["toolCallsMade"], ["mcp__kid__echo"])
        self.assertEqual(answer.structured["samplingCalls"][0]["toolCalls"], 1)
        self.assertEqual(answer.structured["samplingMetrics"]["totalRounds"], 2)
        line = wait_for_line(self.server.world, lambda line: line["event"] == "tool_call", "line of the call")
        self.assertEqual((line["tool"], line["success"]), ("echo", True))

    def test_a_stream_may_use_them(self):
        answer = self.succeed(self.typescript("""
            let all = '';
            for await (const piece of llm.think({messages: [{role: 'user', content: 'mock-tool {"text": "it"}'}], tools: ['mcp__kid__echo'], stream: true})) all += piece;
            return all"""))
        self.assertTrue(answer.result.endswith("The tool said: it"), answer.result)
        self.assertEqual(answer.summary["mcp__kid__echo"]["successCount"], 1)

    def test_what_the_run_may_not_call_is_not_offered(self):
        answer = self.succeed(self.think("mock-tool", ["mcp__kid__*"], allowedTools=["mcp__kid__add", "mcp__kid__empty"]))
        self.assertIn("value", answer.result)
        self.assertEqual({tuple(sorted(request["tools"])) for request in self.asked()}, {("mcp__kid__add", "mcp__kid__empty")})
        nothing = self.succeed(self.think("mock-tool", ["mcp__kid__echo"], allowedTools=["mcp__kid__add"]))
        self.mcp_error(nothing.result, "not_allowed", "none of the tools")
        self.assertEqual(len(self.asked()), 2)

    def test_a_tool_that_was_not_offered_is_not_called(self):
        with ModelProvider() as provider:
            handler = provider.RequestHandlerClass

            class Lying(handler):
                def answer(self, form, question, record):
                    for tool in question.tools:
                        tool["name"] = "mcp__kid__echo"
                    super().answer(form, question, record)
            provider.RequestHandlerClass = Lying
            server = self.start({"kid": child()}, env=provider_at(provider.url))
            answer = self.succeed(server.typescript(self.ASK.join([TRY_TYPESCRIPT, ""]) % (json.dumps('mock-tool {"text": "x"}'), '["mcp__kid__add"]'),
                                                    enableSampling=True))
            self.assertIn("there is no tool 'mcp__kid__echo'", answer.result["value"])
            self.assertNotIn("toolCallsMade", answer.structured)

    def test_errors_and_bad_arguments_go_back_to_the_model(self):
        answer = self.succeed(self.think('mock-tool {"message": "no such luck"}', ["mcp__kid__fail"]))
        self.assertIn("no such luck", answer.result["value"])
        self.assertEqual(answer.summary["mcp__kid__fail"]["errorCount"], 1)
        answer = self.succeed(self.think('mock-tool {"a": "one", "b": 2}', ["mcp__kid__add"]))
        self.assertIn('expected number, got "one"', answer.result["value"])

    def test_a_model_that_never_ends_is_ended(self):
        answer = self.succeed(self.think('mock-tools-forever {"text": "x"}', ["mcp__kid__echo"], maxSamplingRounds=100))
        self.mcp_error(answer.result, "limit_exceeded", "10", "which is the limit")
        self.assertLessEqual(len(self.asked()), 10)
        answer = self.succeed(self.think('mock-tools-forever {"text": "x"}', ["mcp__kid__echo"], maxSamplingRounds=3))
        self.mcp_error(answer.result, "limit_exceeded", "3/3 rounds used")
        self.assertEqual(len(self.asked()), 13)

    def test_in_python(self):
        answer = self.succeed(self.python("""
llm.think([{"role": "user", "content": 'mock-tool {"text": "from the tool"}'}], tools=["mcp__kid__*"])""", allowedTools=["mcp__kid__echo"]))
        self.assertEqual(answer.result, "The tool said: from the tool")
        self.assertEqual(answer.structured["toolCallsMade"], ["mcp__kid__echo"])

    def test_secrets_of_tools_stay_here(self):
        answer = self.succeed(self.typescript("return llm.think({messages: [{role: 'user', content: 'mock-tool'}], tools: ['mcp__secret__env']})"))
        self.assertTrue(answer.result.startswith("The tool said: {"), answer.result)
        self.assertIn(MARK, answer.result)
        self.assertNotIn(TOKEN, json.dumps(self.asked()))

    @classmethod
    def servers(cls):
        return {"kid": child(), "secret": child(env={"MY_TOKEN": TOKEN})}
