"""`llm` where TypeScript has ways of its own: promises, iterators by hand, and what cannot be changed."""

import unittest

import languages
import llm_cases
from fake_model import OFF, Model
from llm_cases import MESSAGES, PIECES, QUESTION, READ

STREAM = llm_cases.STREAM.typescript

# name: (code, part of the message)
ERRORS = {
    "options that are none": ("await llm.ask('a', 'b')", 'the options must be an object such as {maxTokens: 500}, got the string "b"'),
    "streamed, awaited": ("await llm.ask(5, { stream: true })", "llm.ask needs a text"),
    "streamed": ("for await (const t of llm.ask('a', { stream: true, x: 1 })) t", "there is no option x"),
}

# name: code; each gives READ
STREAMS = {
    "think with one object": (
        f"const r = []; for await (const t of await llm.think({{ messages: {MESSAGES}, stream: true }})) r.push(t); return r"
    ),
    "by then": f"return {STREAM}.then(async (s) => {{ const r = []; for await (const t of s) r.push(t); return r }})",
    "by hand": (
        f"const s = await {STREAM}; const r = []; for (;;) {{ const {{ value, done }} = await s.next(); if (done) return r; r.push(value) }}"
    ),
    "all at once": (
        f"const s = await {STREAM}; const all = await Promise.all([1, 2, 3, 4, 5].map(() => s.next()));"
        "return all.filter((step) => !step.done).map((step) => step.value)"
    ),
    "Array.fromAsync": f"return await Array.fromAsync({STREAM})",
    "broken built-ins": (
        "Array.prototype[Symbol.iterator] = Promise.prototype.then = Function.prototype.apply = Array.prototype.push = undefined;"
        "Object.keys = Object.freeze = JSON.stringify = undefined; globalThis.Promise = globalThis.Symbol = undefined;"
        f"const r = []; let n = 0; for await (const t of await {STREAM}) r[n++] = t; return r"
    ),
}


class LlmTest(llm_cases.LlmTests, languages.TypeScriptTest):
    REQUESTS = {**llm_cases.REQUESTS, "no options": ("return await llm.ask('hi', {})", {})}
    ERRORS = {**llm_cases.ERRORS, **ERRORS}
    LEFT = {**llm_cases.LEFT, "return": f"await (async () => {{ for await (const t of {STREAM}) return t }})()"}

    def streams(self):
        asked = [{"messages": QUESTION, "stream": True}]
        return {**super().streams(), **{name: (code, READ, asked) for name, code in STREAMS.items()}}

    def test_answers(self):
        code = f"return [await llm.ask('hi'), await llm.think({MESSAGES}), ...await Promise.all(['a', 'b'].map((q) => llm.ask(q)))]"
        self.assertEqual(self.run_program(code, Model()).result, ["HI", "HI", "A", "B"])

    def test_an_error_that_can_be_caught(self):
        code = f"try {{ for await (const t of {STREAM}) t }} catch (e) {{ return [e instanceof MCPError, e.code] }}"
        self.assertEqual(self.run_program(code, lambda _: OFF).result, [True, "not_allowed"])

    def test_an_error_in_the_middle_that_nobody_catches(self):
        error = self.run_program(f"\n\nfor await (const t of {STREAM}) t", Model(PIECES, fails_after=2)).error
        self.assertEqual((error["name"], error["code"], error["line"]), ("MCPError", "model_failed", 3), error)

    def test_own_variable_of_that_name(self):
        self.assertEqual(self.run_program("const llm = 1; return llm").result, 1)
        self.assertEqual(self.run_program("const f = (llm: number) => llm; return f(2)").result, 2)

    def test_it_cannot_be_changed_from_inside(self):
        code = "try { llm.ask = 1 } catch {} return [Object.isFrozen(llm), Object.isFrozen(llm.ask), typeof llm.ask]"
        self.assertEqual(self.run_program(code).result, [True, True, "function"])


if __name__ == "__main__":
    unittest.main()
