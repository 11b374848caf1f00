"""`llm`: what is asked of the model, in both languages."""

from fake_model import OFF, Model
from languages import Both

QUESTION = [{"role": "user", "content": "hi"}]
MESSAGES = '[{"role": "user", "content": "hi"}]'
TALK = '[{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "x"}]}]'
TALK_SENT = [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "x"}]}]
# What is sent if the program says nothing.
DEFAULTS = Both({"maxTokens": 1000}, {})


def called(python, typescript):
    """A program in each language that gives what this call of `llm` does."""
    return Both(f"llm.{python}", f"return await llm.{typescript}")


# name: (code, parameters besides the messages)
REQUESTS = {
    "ask": (called("ask('hi')", "ask('hi')"), DEFAULTS),
    "options that are not there": (
        called(
            "ask('hi', system_prompt='', max_tokens=None, model=None)",
            "ask('hi', { model: undefined, maxTokens: null, stream: false })",
        ),
        DEFAULTS,
    ),
    "all of ask": (
        called("ask('hi', system_prompt='s', max_tokens=5, model='m')", "ask('hi', { systemPrompt: 's', maxTokens: 5, model: 'm' })"),
        {"systemPrompt": "s", "maxTokens": 5, "model": "m"},
    ),
    "think": (called(f"think({MESSAGES})", f"think({MESSAGES})"), DEFAULTS),
    "think with options": (
        called(f"think({MESSAGES}, tools=('mcp__a__*',), max_tokens=7)", f"think({MESSAGES}, {{ tools: ['mcp__a__*'], maxTokens: 7 }})"),
        {"tools": ["mcp__a__*"], "maxTokens": 7},
    ),
    "one object": (
        called(
            f"think({{'messages': {MESSAGES}, 'model': 'm', 'maxTokens': 7, 'system_prompt': 's', 'tools': []}})",
            f"think({{ messages: {MESSAGES}, model: 'm', maxTokens: 7, systemPrompt: 's', tools: [] }})",
        ),
        {"model": "m", "maxTokens": 7, "systemPrompt": "s", "tools": []},
    ),
    "an object and options": (
        called(
            f"think({{'messages': {MESSAGES}, 'model': 'm', 'stream': True}}, model='n', max_tokens=8, stream=False)",
            f"think({{ messages: {MESSAGES}, model: 'm', stream: true }}, {{ model: 'n', maxTokens: 8, stream: false }})",
        ),
        {"model": "n", "maxTokens": 8},
    ),
}


def refused(python, typescript=None):
    return Both(f"await llm.{python}", f"await llm.{typescript or python}")


# name: (code, part of the message)
ERRORS = {
    "no prompt": (refused("ask()"), Both("llm.ask needs a text, got None", "llm.ask needs a text, got undefined")),
    "prompt that is no text": (refused("ask(['a'])"), Both("llm.ask needs a text, got a list", "llm.ask needs a text, got an array")),
    "unknown option": (
        refused("ask('a', temperature=1)", "ask('a', { max_tokens: 1 })"),
        Both(
            "llm.ask has no parameter 'temperature'; there are prompt",
            "there is no option max_tokens; there are systemPrompt, maxTokens,",
        ),
    ),
    "number of tokens": (
        refused("ask('a', max_tokens='many')", "ask('a', { maxTokens: 'many' })"),
        Both("max_tokens must be a whole number above 0, got a str", "maxTokens must be a whole number above 0"),
    ),
    "no tokens": (
        refused("ask('a', max_tokens=0)", "ask('a', { maxTokens: 0 })"),
        Both("max_tokens must be a whole number above 0", "maxTokens must be a whole number above 0, got the number 0"),
    ),
    "model": (
        refused("ask('a', model=5)", "ask('a', { model: 5 })"),
        Both("model must be a text, got an int", "model must be a text, got the number 5"),
    ),
    "stream": (
        refused("ask('a', stream=1)", "ask('a', { stream: 1 })"),
        Both("stream must be True or False", "stream must be true or false"),
    ),
    "tools of ask": (
        refused("ask('a', tools=[])", "ask('a', { tools: [] })"),
        Both("llm.ask has no parameter 'tools'", "there is no option tools"),
    ),
    "tools": (refused(f"think({MESSAGES}, tools='mcp__*')", f"think({MESSAGES}, {{ tools: 'mcp__*' }})"), "tools must be a list of patterns"),
    "messages that are a text": (
        refused("think('hi')"),
        Both("llm.think needs a list of messages, got a str", 'llm.think needs messages such as [{role: "user", content: "..."}], got the string'),
    ),
    "no messages": (refused("think([])"), "llm.think needs at least one message"),
    "an object without messages": (
        refused("think({'model': 'm'})"),
        Both("llm.think needs a list of messages, got None", "llm.think needs messages"),
    ),
    "message": (refused("think(['hi'])"), Both("llm.think: messages[0] must be a dict", "messages[0] must be an object")),
    "role": (
        refused("think([{'role': 'bot', 'content': 'a'}])"),
        Both(
            "messages[0] has the role a str: 'bot'; there are user, a",
            'messages[0] has the role the string "bot"; there are user, assistant, system',
        ),
    ),
    "content": (
        refused("think([{'role': 'user'}])"),
        Both("messages[0] has no text as its content, but None", "messages[0] has no text as its content, but undefined"),
    ),
}

# Read to their end or left early.
STREAM = Both("llm.ask('hi', stream=True)", "llm.ask('hi', { stream: true })")
THOUGHTS = Both(f"llm.think({MESSAGES}, stream=True)", f"llm.think({MESSAGES}, {{ stream: true }})")
PIECES = ["a", "", "b", "c!"]
READ = ["a", "b", "c!"]
COLLECT = Both("[t async for t in SOURCE]", "const r = []; for await (const t of SOURCE) r.push(t); return r")


def streaming(code, stream=STREAM):
    """The code of each language with its stream in place of SOURCE."""
    return Both(code.python.replace("SOURCE", stream.python), code.typescript.replace("SOURCE", stream.typescript))


AWAITED = streaming(COLLECT, Both(f"await {STREAM.python}", f"await {STREAM.typescript}"))
# name: code; each gives READ
STREAMS = {
    "not awaited": streaming(COLLECT),
    "awaited": AWAITED,
    "think": streaming(COLLECT, THOUGHTS),
    "in a variable, read to its end": streaming(
        Both(
            "s = SOURCE\nr = [t async for t in s]\nr + [t async for t in s]",
            "const s = SOURCE; const r = []; for await (const t of s) r.push(t); for await (const t of s) r.push('x'); return r",
        )
    ),
}

# Ways to leave a stream early.
LEFT = {
    "break": streaming(Both("async for t in SOURCE:\n    break", "for await (const t of SOURCE) break")),
    "break, awaited": streaming(Both("async for t in await SOURCE:\n    break", "for await (const t of await SOURCE) break")),
    "an error in the loop": streaming(
        Both(
            "try:\n    async for t in SOURCE:\n        1 / 0\nexcept ZeroDivisionError:\n    pass",
            "try { for await (const t of SOURCE) throw new Error('x') } catch {}",
        )
    ),
    "by hand": streaming(
        Both(
            "s = await SOURCE\nawait s.__anext__()\nawait s.aclose()\nawait s.aclose()",
            "const s = await SOURCE; await s.next(); await s.return(); await s.return()",
        )
    ),
    "before the first piece": streaming(Both("s = await SOURCE\nawait s.aclose()", "const s = await SOURCE; await s.return()")),
}

# One after the other.
SESSION = (
    (Both("answer = llm.ask('hi')", "const answer = await llm.ask('hi')"), None),
    (Both("answer", "return answer"), "HI"),
    (Both("llm = 'mine'", "const llm = 'mine'"), None),
    (Both("llm", "return llm"), "mine"),
)


class LlmTests:
    REQUESTS = REQUESTS
    ERRORS = ERRORS
    LEFT = LEFT
    SESSION = SESSION
    # name: code
    FAILING = {
        "ask": refused("ask('hi')"),
        "think": refused(f"think({MESSAGES})"),
        "stream": streaming(Both("await SOURCE", "await SOURCE")),
        "stream that is read": streaming(Both("async for t in SOURCE:\n    pass", "for await (const t of SOURCE) t")),
    }
    # name: code
    FAILING_LATER = {
        "for": streaming(
            Both(
                "r = []\ns = SOURCE\ntry:\n    async for t in s:\n        r.append(t)\n"
                "except MCPError as e:\n    r.append(e.code)\nr + [t async for t in s]",
                "const r = []; const s = SOURCE;\ntry { for await (const t of s) r.push(t) } catch (e) { r.push(e.code) }\n"
                "for await (const t of s) r.push('x'); return r",
            )
        )
    }

    def streams(self):
        """name: (code, result, what was asked)"""
        asked = [{"messages": QUESTION, **self.own(DEFAULTS), "stream": True}]
        return {name: (self.own(code), READ, asked) for name, code in STREAMS.items()}

    def test_requests(self):
        for name, (code, params) in self.own(self.REQUESTS).items():
            with self.subTest(name):
                model = Model()
                outcome = self.run_program(code, model)
                self.assertIsNone(outcome.error, outcome)
                if not params.get("stream"):
                    self.assertEqual(outcome.result, "HI", outcome)
                self.assertEqual(model.asked, [{"messages": QUESTION, **params}])

    def test_messages_are_sent_as_they_are(self):
        model = Model()
        self.run_program(called(f"think({TALK})", f"think({TALK})"), model)
        self.assertEqual(model.asked, [{"messages": TALK_SENT, **self.own(DEFAULTS)}])

    def test_errors(self):
        for name, (code, message) in self.own(self.ERRORS).items():
            with self.subTest(name):
                model = Model()
                error = self.run_program(f"\n{code}", model).error
                self.assertEqual((error["name"], error["code"], error["line"]), ("MCPError", "invalid_argument", 2), error)
                self.assertIn(message, error["message"])
                self.assertEqual(model.asked, [])

    def test_errors_of_the_host(self):
        for name, code in self.own(self.FAILING).items():
            with self.subTest(name):
                error = self.run_program(f"\n{code}", lambda _: OFF).error
                self.assertEqual((error["name"], error["code"], error["line"]), ("MCPError", "not_allowed", 2), error)
                self.assertEqual(error["message"], OFF["error"]["message"])

    def test_streams(self):
        for name, (code, expected, asked) in self.streams().items():
            with self.subTest(name):
                model = Model(PIECES)
                outcome = self.run_program(code, model)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.result, expected, outcome)
                if asked:
                    self.assertEqual(model.asked, asked)
                self.assertEqual(model.stopped, [])

    def test_end_without_a_text(self):
        self.assertEqual(self.run_program(AWAITED, Model(["a", "b"])).result, ["a", "b"])

    def test_streams_are_pulled(self):
        code = streaming(
            Both(
                "s = SOURCE\nnext(s)\nlist_servers()\nlist(s)",
                "const s = await SOURCE; await s.next(); await listServers(); for await (const t of s) t",
            )
        )
        model = Model(PIECES)
        outcome = self.run_program(code, lambda request: {"result": 1} if request["method"] == "servers" else model(request))
        methods = [request["method"] for request in outcome.requests]
        self.assertEqual(methods, ["sample", "sample_next", "servers", "sample_next", "sample_next", "sample_next"])

    def test_left_early(self):
        for name, code in self.own(self.LEFT).items():
            with self.subTest(name):
                model = Model(PIECES)
                # In Python one more request: what was sent before is answered by then.
                more = self.own(Both("\nlist_servers()\n1", ""))
                outcome = self.run_program(code + more, lambda r: model(r) if "sample" in r["method"] else {"result": 1})
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(model.stopped, [1])

    def test_an_error_in_the_middle(self):
        for name, code in self.own(self.FAILING_LATER).items():
            with self.subTest(name):
                model = Model(PIECES, fails_after=2)
                self.assertEqual(self.run_program(code, model).result, ["a", "model_failed"])
                self.assertEqual(model.stopped, [])

    def test_sessions(self):
        programs, expected = zip(*self.SESSION)
        outcomes = self.run_session(*programs, answer=Model())
        self.assertEqual([outcome.result for outcome in outcomes], list(expected))
