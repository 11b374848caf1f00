"""Answers of providers that are too large, or take long to read."""

import time

from support.case import TRY_TYPESCRIPT
from support.models import ModelCase, TRY_ALL_PYTHON
from support.paths import SLOWNESS


class TooLarge(ModelCase):
    """It is said and counted, and what a status says of it is told as that."""

    environment = {"CODE_EXECUTOR_MAX_SAMPLING_TOKENS": "100000"}

    def check(self, answer, *words):
        self.mcp_error(self.succeed(answer).result, "model_failed", *words)
        return answer.structured["samplingCalls"][0]

    def test_an_answer(self):
        answers = [self.typescript(TRY_TYPESCRIPT + "return attempt(() => llm.ask('mock-too-large'))"),
                   self.python(TRY_ALL_PYTHON + "await attempt(lambda: llm.ask('mock-too-large'))")]
        for answer in answers:
            call = self.check(answer, "answered with more than 8 MiB; ask for a shorter answer (maxTokens)")
            self.assertGreater(call["outputTokens"], 1_000_000)
            self.assertTrue(call["estimated"])
        self.assertEqual(len(self.asked()), 2)

    def test_what_is_no_stream(self):
        code = "return attempt(async () => { for await (const piece of llm.ask('mock-too-large', {stream: true})) ; })"
        call = self.check(self.typescript(TRY_TYPESCRIPT + code), "that are no stream", "maxTokens")
        self.assertGreater(call["outputTokens"], 1_000_000)

    def test_a_refusal_is_tried_again_and_each_try_counts_its_prompt(self):
        prompt = "word " * 100
        asked = f"llm.ask('mock-too-large-500 {prompt}', {{maxTokens: 10}})"
        call = self.check(self.typescript(TRY_TYPESCRIPT + f"return attempt(() => {asked})"), "HTTP 500", "large large", "Tried 4 times.")
        self.assertEqual(len(self.asked()), 4)
        self.assertGreater(call["inputTokens"], 400)
        self.assertEqual(call["outputTokens"], 0)


class DenseBody(ModelCase):
    environment = {"CODE_EXECUTOR_MAX_SAMPLING_ROUNDS": "100", "CODE_EXECUTOR_MAX_SAMPLING_TOKENS": "100000"}

    def test_whole_answers_hold_nobody_up(self):
        run = self.server.ask_tool("run-typescript-code", {"timeoutMs": 60_000, "code": TRY_TYPESCRIPT + """
            const one = () => attempt(() => llm.ask('mock-dense-body', {maxTokens: 10}));
            return await Promise.all(Array.from({length: 20}, one))"""})
        slowest = self.server.slowest_ping_until(run)
        answer = self.succeed(self.server.tool_answer("run-typescript-code", run, time.monotonic(), 60))
        self.assertEqual(len(answer.result), 20)
        for one in answer.result:
            self.mcp_error(one, "model_failed", "more than 32 MiB of memory")
        self.assertLess(slowest, 0.2 * SLOWNESS)


class Dense(ModelCase):
    environment = {"CODE_EXECUTOR_MAX_SAMPLING_ROUNDS": "100", "CODE_EXECUTOR_MAX_SAMPLING_TOKENS": "100000"}

    def test_it_holds_nobody_up(self):
        run = self.server.ask_tool("run-typescript-code", {"timeoutMs": 60_000, "code": """
            const one = async () => { let all = ''; for await (const p of llm.ask('mock-dense', {stream: true, maxTokens: 50})) all += p; return all };
            return [...new Set(await Promise.all(Array.from({length: 8}, one)))]"""})
        slowest = self.server.slowest_ping_until(run)
        answer = self.succeed(self.server.tool_answer("run-typescript-code", run, time.monotonic(), 60))
        self.assertEqual(answer.result, ["You said: mock-dense"])
        self.assertLess(slowest, 0.2 * SLOWNESS)
