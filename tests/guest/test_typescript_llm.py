"""`llm` of the TypeScript guest."""

import unittest

from fake_host import Guest, deno_path, run_typescript, typescript_command
from fake_model import OFF, Model

QUESTION = [{"role": "user", "content": "hi"}]
MESSAGES = '[{ role: "user", content: "hi" }]'
PIECES = ["a", "", "b", "c!"]
READ = ["a", "b", "c!"]

# name: (code, parameters besides the messages)
REQUESTS = {
    "ask": ("return await llm.ask('hi')", {}),
    "no options": ("return await llm.ask('hi', {})", {}),
    "options that are not there": ("return await llm.ask('hi', { model: undefined, maxTokens: null, stream: false })", {}),
    "all of ask": (
        "return await llm.ask('hi', { systemPrompt: 's', maxTokens: 5, model: 'm' })",
        {"systemPrompt": "s", "maxTokens": 5, "model": "m"},
    ),
    "think": (f"return await llm.think({MESSAGES})", {}),
    "think with options": (
        f"return await llm.think({MESSAGES}, {{ tools: ['mcp__a__*'], maxTokens: 7 }})",
        {"tools": ["mcp__a__*"], "maxTokens": 7},
    ),
    "one object": (
        f"return await llm.think({{ messages: {MESSAGES}, model: 'm', systemPrompt: 's', tools: [] }})",
        {"model": "m", "systemPrompt": "s", "tools": []},
    ),
    "an object and options": (
        f"return await llm.think({{ messages: {MESSAGES}, model: 'm', stream: true }}, {{ model: 'n', stream: false }})",
        {"model": "n"},
    ),
}

# name: (code, part of the message)
ERRORS = {
    "no prompt": ("await llm.ask()", "llm.ask needs a text, got undefined"),
    "prompt that is no text": ("await llm.ask(['a'])", "llm.ask needs a text, got an array"),
    "options that are none": ("await llm.ask('a', 'b')", 'the options must be an object such as {maxTokens: 500}, got the string "b"'),
    "unknown option": ("await llm.ask('a', { max_tokens: 1 })", "there is no option max_tokens; there are systemPrompt, maxTokens,"),
    "number of tokens": ("await llm.ask('a', { maxTokens: 'many' })", "maxTokens must be a whole number above 0"),
    "no tokens": ("await llm.ask('a', { maxTokens: 0 })", "maxTokens must be a whole number above 0, got the number 0"),
    "model": ("await llm.ask('a', { model: 5 })", "model must be a text, got the number 5"),
    "stream": ("await llm.ask('a', { stream: 1 })", "stream must be true or false"),
    "tools of ask": ("await llm.ask('a', { tools: [] })", "there is no option tools"),
    "tools": (f"await llm.think({MESSAGES}, {{ tools: 'mcp__*' }})", "tools must be a list of patterns"),
    "messages that are a text": ("await llm.think('hi')", 'llm.think needs messages such as [{role: "user", content: "..."}], got the string'),
    "no messages": ("await llm.think([])", "llm.think needs at least one message"),
    "an object without messages": ("await llm.think({ model: 'm' })", "llm.think needs messages"),
    "message": ("await llm.think(['hi'])", "messages[0] must be an object"),
    "role": ("await llm.think([{ role: 'bot', content: 'a' }])", 'messages[0] has the role the string "bot"; there are user, assistant, system'),
    "content": ("await llm.think([{ role: 'user' }])", "messages[0] has no text as its content, but undefined"),
    "streamed, awaited": ("await llm.ask(5, { stream: true })", "llm.ask needs a text"),
    "streamed": ("for await (const t of llm.ask('a', { stream: true, x: 1 })) t", "there is no option x"),
}

COLLECT = "const r = []; for await (const t of SOURCE) r.push(t); return r"
STREAM = "llm.ask('hi', { stream: true })"
# name: code; each gives READ
STREAMS = {
    "not awaited": COLLECT.replace("SOURCE", STREAM),
    "awaited": COLLECT.replace("SOURCE", f"await {STREAM}"),
    "think": COLLECT.replace("SOURCE", f"llm.think({MESSAGES}, {{ stream: true }})"),
    "think with one object": COLLECT.replace("SOURCE", f"await llm.think({{ messages: {MESSAGES}, stream: true }})"),
    "in a variable": f"const s = {STREAM}; const r = []; for await (const t of s) r.push(t); for await (const t of s) r.push('x'); return r",
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

# Ways to leave a stream early.
LEFT = {
    "break": f"for await (const t of {STREAM}) break",
    "break, awaited": f"for await (const t of await {STREAM}) break",
    "throw": f"try {{ for await (const t of {STREAM}) throw new Error('x') }} catch {{}}",
    "return": f"await (async () => {{ for await (const t of {STREAM}) return t }})()",
    "by hand": f"const s = await {STREAM}; await s.next(); await s.return(); await s.return()",
    "before the first piece": f"const s = await {STREAM}; await s.return()",
}


@unittest.skipIf(deno_path() is None, "there is no Deno to run it with")
class LlmTest(unittest.TestCase):
    def test_answers(self):
        code = f"return [await llm.ask('hi'), await llm.think({MESSAGES}), ...await Promise.all(['a', 'b'].map((q) => llm.ask(q)))]"
        self.assertEqual(run_typescript(code, Model()).result, ["HI", "HI", "A", "B"])

    def test_requests(self):
        for name, (code, params) in REQUESTS.items():
            with self.subTest(name):
                model = Model()
                outcome = run_typescript(code, model)
                self.assertEqual(outcome.result, "HI", outcome)
                self.assertEqual(model.asked, [{"messages": QUESTION, **params}])

    def test_messages_are_sent_as_they_are(self):
        messages = [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "x"}]}]
        model = Model()
        run_typescript(f"return await llm.think({messages})", model)
        self.assertEqual(model.asked, [{"messages": messages}])

    def test_errors(self):
        for name, (code, message) in ERRORS.items():
            with self.subTest(name):
                model = Model()
                error = run_typescript(f"\n{code}", model).error
                self.assertEqual((error["name"], error["code"], error["line"]), ("MCPError", "invalid_argument", 2), error)
                self.assertIn(message, error["message"])
                self.assertEqual(model.asked, [])

    def test_errors_of_the_host(self):
        for code in (
            "await llm.ask('hi')",
            f"await {STREAM}",
            f"for await (const t of {STREAM}) t",
            f"await llm.think({MESSAGES})",
        ):
            with self.subTest(code):
                error = run_typescript(f"\n{code}", lambda _: OFF).error
                self.assertEqual((error["name"], error["code"], error["line"]), ("MCPError", "not_allowed", 2), error)
                self.assertEqual(error["message"], OFF["error"]["message"])

    def test_an_error_that_can_be_caught(self):
        code = f"try {{ for await (const t of {STREAM}) t }} catch (e) {{ return [e instanceof MCPError, e.code] }}"
        self.assertEqual(run_typescript(code, lambda _: OFF).result, [True, "not_allowed"])

    def test_streams(self):
        for name, code in STREAMS.items():
            with self.subTest(name):
                model = Model(PIECES)
                outcome = run_typescript(code, model)
                self.assertEqual(outcome.result, READ, outcome)
                self.assertEqual(model.asked, [{"messages": QUESTION, "stream": True}])
                self.assertEqual(model.stopped, [])

    def test_end_without_a_text(self):
        self.assertEqual(run_typescript(STREAMS["awaited"], Model(["a", "b"])).result, ["a", "b"])

    def test_streams_are_pulled(self):
        code = f"const s = await {STREAM}; await s.next(); await listServers(); for await (const t of s) t"
        model = Model(PIECES)
        outcome = run_typescript(code, lambda request: {"result": 1} if request["method"] == "servers" else model(request))
        methods = [request["method"] for request in outcome.requests]
        self.assertEqual(methods, ["sample", "sample_next", "servers", "sample_next", "sample_next", "sample_next"])

    def test_left_early(self):
        for name, code in LEFT.items():
            with self.subTest(name):
                model = Model(PIECES)
                outcome = run_typescript(code, model)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(model.stopped, [1])

    def test_an_error_in_the_middle(self):
        code = (
            f"const r = []; const s = {STREAM};\ntry {{ for await (const t of s) r.push(t) }} catch (e) {{ r.push(e.code) }}\n"
            "for await (const t of s) r.push('x'); return r"
        )
        model = Model(PIECES, fails_after=2)
        self.assertEqual(run_typescript(code, model).result, ["a", "model_failed"])
        self.assertEqual(model.stopped, [])

    def test_an_error_in_the_middle_that_nobody_catches(self):
        error = run_typescript(f"\n\nfor await (const t of {STREAM}) t", Model(PIECES, fails_after=2)).error
        self.assertEqual((error["name"], error["code"], error["line"]), ("MCPError", "model_failed", 3), error)

    def test_own_variable_of_that_name(self):
        self.assertEqual(run_typescript("const llm = 1; return llm").result, 1)
        self.assertEqual(run_typescript("const f = (llm: number) => llm; return f(2)").result, 2)

    def test_it_cannot_be_changed_from_inside(self):
        code = "try { llm.ask = 1 } catch {} return [Object.isFrozen(llm), Object.isFrozen(llm.ask), typeof llm.ask]"
        self.assertEqual(run_typescript(code).result, [True, True, "function"])

    def test_sessions(self):
        with Guest(typescript_command()) as guest:
            guest.expect_ready()
            programs = ("const answer = await llm.ask('hi')", "return answer", "const llm = 'mine'", "return llm")
            outcomes = [guest.program(code, Model(), keep=True) for code in programs]
        self.assertEqual([outcome.result for outcome in outcomes], [None, "HI", None, "mine"])


if __name__ == "__main__":
    unittest.main()
