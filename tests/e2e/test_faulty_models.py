"""Faults of providers of models, as programs meet them that ask one."""

import json

from support.case import TRY_TYPESCRIPT
from support.faults import FaultCase
from support.models import ModelProvider, provider_at

ASK = "attempt(() => llm.ask('Hello.'))"
STREAM = """attempt(async () => {
  pieces = '';
  for await (const piece of llm.ask('mock-say ' + 'One two three. '.repeat(20), {stream: true})) pieces += piece;
  return pieces })"""


def rule(kind, **details):
    return {"match": "llm__*", "on": "model", "kind": kind, **details}


class FaultyModels(FaultCase):
    def ask(self, calls, *rules, name="anthropic", **more):
        """What came of the calls, what the provider was asked, and what was injected."""
        world = self.world(user={})
        with ModelProvider() as provider:
            env = {**provider_at(provider.url, name, CODE_EXECUTOR_SAMPLING_ENABLED="true"), "CODE_EXECUTOR_FAULTS": self.plan_file(world, *rules), **more}
            server = self.start(world=world, env=env)
            code = TRY_TYPESCRIPT + "let pieces = ''; return [" + ", ".join(f"await {call}" for call in calls) + ", pieces]"
            *outcomes, pieces = self.succeed(server.typescript(code)).result
            injected = server.tool("health").structured["faults"]["injected"]
            server.stop()
            return outcomes, provider.requests, injected, pieces

    def test_what_helps_is_tried_again(self):
        for kind, more in (("rate_limited", {"retryAfterMs": 10}), ("error", {}), ("error", {"code": 529}), ("disconnect", {})):
            with self.subTest(kind, **more):
                [answer], requests, injected, _ = self.ask([ASK], rule(kind, nth=1, **more))
                self.assertEqual([answer.get("value"), len(requests), injected], ["You said: Hello.", 1, {kind: 1}], answer)

    def test_what_does_not_end_is_told(self):
        [answer], requests, injected, _ = self.ask([ASK], rule("rate_limited", retryAfterMs=10))
        self.mcp_error(answer, "rate_limited", "rate limit exceeded", "Tried ")
        self.assertEqual(requests, [])
        self.assertGreater(injected["rate_limited"], 1)
        [answer], requests, _, _ = self.ask([ASK], rule("unauthorized", message="this key was revoked"))
        self.mcp_error(answer, "model_failed", "401", "this key was revoked")
        [answer], _, _, _ = self.ask([ASK], rule("garbage", text="<html>Bad gateway"))
        self.mcp_error(answer, "model_failed")
        self.assertEqual(requests, [])

    def test_answers_that_are_none_in_every_format(self):
        for name in ("anthropic", "openai", "gemini"):
            for kind, text in (("nonsense", "The moon is a number."), ("refusal", "I can't help with that request.")):
                with self.subTest(name, kind=kind):
                    more = {"text": text} if kind == "nonsense" else {}
                    (asked, streamed), requests, _, _ = self.ask([ASK, STREAM], rule(kind, **more), name=name)
                    self.assertEqual([asked.get("value"), streamed.get("value"), requests], [text, text, []])

    def test_a_refusal_says_that_it_is_one(self):
        world = self.world(user={})
        server = self.start(world=world, env={**provider_at("http://127.0.0.1:9", CODE_EXECUTOR_SAMPLING_ENABLED="true"),
                                              "CODE_EXECUTOR_FAULTS": self.plan_file(world, rule("refusal"))})
        answer = self.succeed(server.typescript("return llm.ask('Hello.')"))
        self.assertEqual(answer.structured["samplingCalls"][0]["stopReason"], "refused")

    def test_a_stream_that_is_cut(self):
        [answer], _, _, pieces = self.ask([STREAM], rule("truncate"))
        self.assertIn("error", answer)
        self.assertTrue(pieces.startswith("One two three."))
        self.assertLess(len(pieces), 20 * len("One two three. ") - 1)

    def test_late_and_never(self):
        timed = "(async () => { const begin = Date.now(); await llm.ask('Hello.'); return Date.now() - begin })()"
        [took, again], _, _, _ = self.ask([timed, timed], rule("latency", ms=400, nth=1))
        self.assertGreaterEqual(took, 390)
        [answer], requests, _, _ = self.ask([ASK], rule("timeout"), CODE_EXECUTOR_SAMPLING_TIMEOUT_MS="1500")
        self.assertIn("error", answer)
        self.assertEqual(requests, [])

    def test_only_what_matches(self):
        for match, hit in (("llm__anthropic__*", True), ("llm__openai__*", False), ("mcp__*", False), ("llm__*__claude-*", True)):
            [answer], _, injected, _ = self.ask([ASK], {**rule("nonsense", text="Moon."), "match": match})
            self.assertEqual([answer["value"], injected], ["Moon.", {"nonsense": 1}] if hit else ["You said: Hello.", {}], match)

    def test_a_run_can_not_bring_them(self):
        server = self.start(servers={})
        self.refuse(server.typescript("return 1", faults={"rules": [rule("nonsense")]}), "rules[0].on", "plan of the process only")

    def test_check_tells_which_are_hit(self):
        world = self.world()
        told = world.command("faults", "check", self.plan_file(world, rule("nonsense", every=40)), "--tool", "llm__anthropic__claude-x", "--json")
        self.assertEqual([hit["call"] for hit in json.loads(told.stdout)["of"]["hits"]], [40, 80])
