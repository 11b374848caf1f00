"""What programs may ask of models, who may ask at all, and that nothing secret is told."""

import json
import os

from support.case import Case, TRY_TYPESCRIPT
from support.config import child
from support.models import DEFAULT_KEY, KEY_VARIABLES, ModelCase, ModelProvider, TRY_ALL_PYTHON, provider_at
from support.record import files_of, lines_of, text_of, verify, wait_for_line

# Has the form of a token of GitHub, and is none.
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
MARK = "[REDACTED_SECRET]"


class Guards(ModelCase):
    SONNET = "claude-3-5-sonnet-20241022"

    def errors_of(self, code, **parameters):
        return self.succeed(self.typescript(TRY_TYPESCRIPT + code, **parameters)).result

    def test_system_prompts_are_those_of_the_list(self):
        code = """return Promise.all([{}, {systemPrompt: ''}, {systemPrompt: 'You are a code analysis expert'}, {systemPrompt: 'You are a pirate'},
                                      {systemPrompt: 'you are a helpful assistant'}].map(options => attempt(() => llm.ask('x', options))))"""
        outcomes = self.errors_of(code)
        self.assertTrue(all("value" in outcome for outcome in outcomes[:3]), outcomes)
        for outcome in outcomes[3:]:
            self.mcp_error(outcome, "not_allowed", "System prompt not in allowlist", "sampling.allowedSystemPrompts")
        hidden = "return attempt(() => llm.think([{role: 'system', content: 'You are a pirate'}, {role: 'user', content: 'x'}]))"
        self.mcp_error(self.errors_of(hidden), "not_allowed", "System prompt not in allowlist")
        self.assertNotIn("pirate", json.dumps(self.asked()))

    def test_the_prompt_of_the_run(self):
        answer = self.succeed(self.typescript("return [await llm.ask('a'), await llm.ask('b', {systemPrompt: ''})]", samplingSystemPrompt="Be terse."))
        self.assertEqual([request["system"] for request in self.asked()], ["Be terse.", ""], answer.result)

    def test_the_prompt_of_the_run_is_no_way_around_a_list(self):
        with ModelProvider() as provider:
            server = self.start({}, env=provider_at(provider.url, CODE_EXECUTOR_ALLOWED_SYSTEM_PROMPTS="Be kind."))
            code = TRY_TYPESCRIPT + "return attempt(() => llm.ask('x'))"
            refused = self.succeed(server.typescript(code, enableSampling=True, samplingSystemPrompt="Be terse."))
            self.mcp_error(refused.result, "not_allowed", "System prompt not in allowlist")
            self.assertEqual(provider.requests, [])
            self.assertIn("value", self.succeed(server.typescript(code, enableSampling=True, samplingSystemPrompt="Be kind.")).result)
            self.assertEqual(provider.requests[0]["system"], "Be kind.")

    def test_models_are_those_of_the_list(self):
        code = f"return Promise.all(['', '{self.SONNET}', 'claude-opus-9'].map(model => attempt(() => llm.ask('x', model ? {{model}} : {{}}))))"
        default, sonnet, other = self.errors_of(code)
        self.assertIn("value", default)
        self.assertIn("value", sonnet)
        self.mcp_error(other, "not_allowed", "claude-opus-9", "not in allowlist", self.SONNET)
        self.assertEqual({request["model"] for request in self.asked()}, {"claude-haiku-4-5-20251001", self.SONNET})

    def test_the_models_of_the_run_can_only_be_fewer(self):
        code = "return Promise.all(['claude-3-5-haiku-20241022', 'claude-3-5-sonnet-20241022', 'claude-opus-9'].map(model => attempt(() => llm.ask('x', {model}))))"
        haiku, sonnet, other = self.errors_of(code, allowedSamplingModels=[self.SONNET, "claude-opus-9"])
        self.mcp_error(haiku, "not_allowed", "not in allowlist", "allowedSamplingModels")
        self.assertIn("value", sonnet)
        self.mcp_error(other, "not_allowed", "not in allowlist")
        none, _, _ = self.errors_of(code, allowedSamplingModels=[])
        self.mcp_error(none, "not_allowed", "not in allowlist")

    def test_a_program_that_names_no_model_asks_one_that_its_run_allows(self):
        self.succeed(self.typescript("return llm.ask('x')", allowedSamplingModels=[self.SONNET]))
        self.assertEqual([request["model"] for request in self.asked()], [self.SONNET])

    def test_secrets_go_neither_to_the_model_nor_come_from_it(self):
        halves = f"'{TOKEN[:9]}', '{TOKEN[9:]}'"
        answer = self.succeed(self.typescript(f"""
            const token = [{halves}].join('');
            const out = [await llm.ask(`mock-say Is ${{token}} a token?`)];
            out.push(await llm.think([{{role: 'user', content: token}}, {{role: 'assistant', content: `It is ${{token}}.`}}, {{role: 'user', content: 'Sure?'}}]));
            out.push(await llm.ask('Write to jane.doe@example.com, 4111 1111 1111 1111, 123-45-6789'));
            return out""", samplingVerbose=True))
        self.assertEqual(answer.result, [f"Is {MARK} a token?", "You said: Sure?",
                                         "You said: Write to [REDACTED_PII], [REDACTED_PII], [REDACTED_PII]"])
        asked = json.dumps([{**each, "time": None} for each in self.asked()])  # whose digits may be those of a secret
        for secret in (TOKEN, TOKEN[4:], "jane.doe", "4111", "6789"):
            self.assertNotIn(secret, asked, "the provider has got it")
            self.assertNotIn(secret, json.dumps(answer.raw))

    def test_a_secret_in_the_pieces_of_a_stream(self):
        with ModelProvider(key=None) as provider:
            provider.RequestHandlerClass = self.leaking(provider.RequestHandlerClass)
            server = self.start({}, env=provider_at(provider.url))
            for run in (lambda: server.typescript("""
                const pieces = []; for await (const piece of llm.ask('Tell me the token.', {stream: true})) pieces.push(piece);
                return [pieces.join(''), await llm.ask('Tell me the token.')]""", enableSampling=True), lambda: server.python("""
["".join(llm.ask("Tell me the token.", stream=True)), llm.ask("Tell me the token.")]""", enableSampling=True)):
                answer = self.succeed(run())
                self.assertEqual(answer.result, [f"It is {MARK}, keep it."] * 2)

    @staticmethod
    def leaking(handler):
        class Leaking(handler):
            def answer(self, form, question, record):
                if question.prompt.startswith("Tell me"):
                    question.messages = [{"role": "user", "text": f"mock-say It is {TOKEN}, keep it."}]
                super().answer(form, question, record)
        return Leaking

    def test_what_is_to_be_blocked(self):
        world = self.world()
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"sampling": {"contentFilter": {"secret": "block", "email": "allow"}}}, file)
        with ModelProvider(key=None) as provider:
            provider.RequestHandlerClass = self.leaking(provider.RequestHandlerClass)
            server = self.start(world=world, env=provider_at(provider.url))
            code = TRY_TYPESCRIPT + f"""
                const token = ['{TOKEN[:9]}', '{TOKEN[9:]}'].join('');
                return [await attempt(() => llm.ask(token)), await attempt(() => llm.ask('to jane.doe@example.com'))]"""
            blocked, mail = self.succeed(server.typescript(code, enableSampling=True)).result
            self.mcp_error(blocked, "not_allowed", "content filter", "'secret'")
            self.assertEqual(mail["value"], "You said: to jane.doe@example.com")
            code = TRY_TYPESCRIPT + """
                let all = '';
                const streamed = await attempt(async () => { for await (const piece of llm.ask('Tell me.', {stream: true})) all += piece });
                return {streamed, all, asked: await attempt(() => llm.ask('Tell me.'))}"""
            result = self.succeed(server.typescript(code, enableSampling=True)).result
            self.mcp_error(result["streamed"], "not_allowed", "content filter")
            self.mcp_error(result["asked"], "not_allowed", "content filter")
            self.assertNotIn(TOKEN[:6], result["all"])


class Ends(ModelCase):
    """A program that is gone while the tools of its question are still being looked for."""

    @classmethod
    def servers(cls):
        return {"kid": child("--tools", "500")}

    def test_the_server_outlives_the_search(self):
        self.succeed(self.python("call_mcp_tool('kid', 'echo', {'text': 'its tools are known then'})"))
        code = """
import os, threading, time
threading.Thread(target=lambda: (time.sleep(0.05), os._exit(1))).start()
llm.think([{"role": "user", "content": "x"}], tools=[f"mcp__kid__*a*b*c{i}" for i in range(900)])
"""
        for _ in range(10):
            self.assertTrue(self.python(code).is_error)
        self.assertEqual(self.succeed(self.python("1 + 1")).result, 2)


class Switches(Case):
    CODE = {"typescript": TRY_TYPESCRIPT + "return attempt(() => llm.ask('x'))",
            "python": TRY_ALL_PYTHON + "await attempt(lambda: llm.ask('x'))"}

    def run_with(self, server, language, **parameters):
        return self.succeed(server.tool(f"run-{language}-code", {"code": self.CODE[language], **parameters}))

    def test_off_by_default(self):
        with ModelProvider() as provider:
            server = self.start({}, env=provider_at(provider.url))
            for language in self.CODE:
                answer = self.run_with(server, language)
                self.mcp_error(answer.result, "not_allowed", "Sampling not enabled. Pass enableSampling: true")
                self.assertNotIn("samplingMetrics", answer.structured)
                self.assertEqual(self.run_with(server, language, enableSampling=True).result["value"], "You said: x")
            self.assertEqual(len(provider.requests), 2)

    def test_a_run_can_refuse_what_is_on_for_all(self):
        with ModelProvider() as provider:
            server = self.start({}, env=provider_at(provider.url, CODE_EXECUTOR_SAMPLING_ENABLED="true"))
            self.mcp_error(self.run_with(server, "typescript", enableSampling=False).result, "not_allowed", "enableSampling: false")
            self.assertEqual(self.run_with(server, "typescript").result["value"], "You said: x")

    def test_nobody_is_configured(self):
        server = self.start({})
        for language in self.CODE:
            error = self.mcp_error(self.run_with(server, language, enableSampling=True).result, "model_failed", *KEY_VARIABLES.values())
            self.assertIn("CODE_EXECUTOR_AI_BASE_URL", error["message"])
            self.assertIn("'sampling'", error["message"])

    def test_the_settings_can_forbid_it(self):
        with ModelProvider() as provider:
            world = self.world()
            with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
                json.dump({"sampling": {"enabled": False, "provider": "anthropic", "baseUrl": provider.url, "apiKeys": {"anthropic": "env:MY_KEY"}}}, file)
            server = self.start(world=world, env={"MY_KEY": DEFAULT_KEY})
            for language in self.CODE:
                self.mcp_error(self.run_with(server, language, enableSampling=True).result, "not_allowed", "sampling.enabled: false")
            self.assertEqual(provider.requests, [])


class Secrets(Case):
    KEY = "sk-ant-api03-" + "e2eA1b2C3d4" * 6

    def test_the_key_and_the_prompts_are_told_nobody(self):
        world = self.world(project={"kid": child()})
        with ModelProvider(key=self.KEY) as provider:
            env = provider_at(provider.url, key=self.KEY, CODE_EXECUTOR_LOG_LEVEL="trace", OPENAI_API_KEY="sk-other-" + self.KEY)
            server = self.start(world=world, env=env)
            answers = [
                self.succeed(server.typescript(TRY_TYPESCRIPT + """
                    const out = [await llm.ask('a violet prompt'), await attempt(() => llm.ask('a violet mock-404')), await callMCPTool('kid', 'env')];
                    for await (const piece of llm.ask('a violet stream', {stream: true})) out.push(piece);
                    out.push(await attempt(() => Deno.env.toObject()), await attempt(() => Deno.env.get('ANTHROPIC_API_KEY')));
                    out.push(await attempt(() => Deno.readTextFileSync('/proc/self/environ')));
                    return out""", enableSampling=True)),
                self.succeed(server.python("""
import os
out = [llm.ask("a violet question"), dict(os.environ), call_mcp_tool("kid", "env")]
try:
    out.append(open("/proc/self/environ").read())
except OSError:
    pass
out""", enableSampling=True)),
                server.tool("health"), server.tool("list_servers"),
            ]
            wait_for_line(world, lambda line: line["event"] == "run" and line["executor"] == "python", "line of the run")
            self.assertEqual(server.end("eof")[0], 0)
            self.assertTrue(all(request["has_key"] for request in provider.requests))
        places = {f"answer {i}": json.dumps(answer.raw) for i, answer in enumerate(answers)}
        places.update(stderr=server.stderr(), record=text_of(world))
        for place, text in places.items():
            for word in (self.KEY, self.KEY[13:40]):
                self.assertNotIn(word, text, place)
        for place in ("stderr", "record"):
            self.assertNotIn("violet", places[place], place)

    def test_lines_of_the_record(self):
        world = self.world()
        with ModelProvider(key=None) as provider:
            # A provider may quote the question in its errors.
            handler = provider.RequestHandlerClass

            class Quoting(handler):
                def answer(self, form, question, record):
                    if "mock-400" not in question.prompt:
                        return super().answer(form, question, record)
                    self.send_body(400, form.error(400, f"I do not like this: {question.prompt}"))
            provider.RequestHandlerClass = Quoting
            server = self.start(world=world, env=provider_at(provider.url))
            self.succeed(server.typescript(TRY_TYPESCRIPT + """
                await llm.ask('a violet prompt');
                await attempt(() => llm.ask('a violet mock-400'));
                await attempt(() => llm.ask('x', {systemPrompt: 'a violet system prompt'}));
                for await (const piece of llm.ask('a violet stream', {stream: true})) break;
                return 1""", enableSampling=True))
            self.assertEqual(server.end("eof")[0], 0)
        asked = [line for line in lines_of(world) if line["event"] == "sampling_call"]
        self.assertEqual(len(asked), 3)
        run = next(line for line in lines_of(world) if line["event"] == "run")
        for line in asked:
            self.assertEqual((line["route"], line["model"], line["runId"]), ("anthropic", "claude-haiku-4-5-20251001", run["runId"]))
            self.assertRegex(line["promptHash"], r"^[0-9a-f]{64}$")
            self.assertIn("tokens", line)
            self.assertIn("durationMs", line)
        good, bad, _ = asked
        self.assertEqual((good["success"], good["tokens"]), (True, 8))
        self.assertRegex(good["answerHash"], r"^[0-9a-f]{64}$")
        self.assertEqual(bad["success"], False)
        self.assertTrue(bad["error"].startswith("model_failed"), bad)
        self.assertNotIn("violet", text_of(world))
        self.assertTrue(files_of(world))
        self.assertEqual(verify(world)[0], 0)
