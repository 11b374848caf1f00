"""`llm` of the Python guest."""

import unittest

from fake_host import run_python, run_python_session
from fake_model import OFF, Model

DEFAULTS = {"maxTokens": 1000}
QUESTION = [{"role": "user", "content": "hi"}]
TALK = "[{'role': 'system', 'content': 's'}, {'role': 'user', 'content': [{'type': 'text', 'text': 'x'}]}]"
TALK_SENT = [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "x"}]}]

# name: (code, result)
PROGRAMS = {
    "ask": ("llm.ask('hi')", "HI"),
    "ask awaited": ("await llm.ask('hi')", "HI"),
    "awaited later": ("a = llm.ask('hi')\nb = await a\n[a + '!', b, type(b).__name__]", ["HI!", "HI", "str"]),
    "in functions": (
        "def f():\n    return llm.ask('a')\nasync def g():\n    return await llm.ask('b')\n[f(), await g()]",
        ["A", "B"],
    ),
    "at once": (
        "import asyncio\nawait asyncio.gather(*[llm.ask(f'q{i}') for i in range(3)])",
        ["Q0", "Q1", "Q2"],
    ),
    "as a task": ("import asyncio\nt = asyncio.create_task(llm.ask('hi'))\nawait t", "HI"),
    "think": ("llm.think([{'role': 'user', 'content': 'hi'}])", "HI"),
    "think awaited": ("await llm.think({'messages': [{'role': 'user', 'content': 'hi'}]})", "HI"),
    "its own name": ("llm = 5\nllm", 5),
    "a variable of a function": ("def f(llm):\n    return llm\nf(6)", 6),
    "shown": ("repr(llm)", "<llm>"),
    "its functions are described": ("'max_tokens' in llm.ask.__doc__ and llm.think.__name__ == 'think'", True),
}

# name: (code, parameters without the messages, of which ask has QUESTION)
REQUESTS = {
    "ask": ("llm.ask('hi')", DEFAULTS),
    "all of ask": (
        "llm.ask('hi', system_prompt='s', max_tokens=5, model='m')",
        {"systemPrompt": "s", "maxTokens": 5, "model": "m"},
    ),
    "by position": ("llm.ask('hi', 's', 5, False, 'm')", {"systemPrompt": "s", "maxTokens": 5, "model": "m"}),
    "the names of TypeScript": ("llm.ask('hi', systemPrompt='s', maxTokens=5)", {"systemPrompt": "s", "maxTokens": 5}),
    "prompt by name": ("llm.ask(prompt='hi')", DEFAULTS),
    "nothing in particular": ("llm.ask('hi', system_prompt='', max_tokens=None, model=None)", DEFAULTS),
    "tools": (
        "llm.think([{'role': 'user', 'content': 'hi'}], tools=('mcp__a__*',))",
        {**DEFAULTS, "tools": ["mcp__a__*"]},
    ),
    "no tools": ("llm.think([{'role': 'user', 'content': 'hi'}], tools=[])", {**DEFAULTS, "tools": []}),
    "one dict": (
        "llm.think({'messages': ({'role': 'user', 'content': 'hi'},), 'model': 'm', 'maxTokens': 7, 'system_prompt': 's'})",
        {"model": "m", "maxTokens": 7, "systemPrompt": "s"},
    ),
    "a dict and keywords": (
        "llm.think({'messages': [{'role': 'user', 'content': 'hi'}], 'model': 'm'}, model='n', max_tokens=8)",
        {"model": "n", "maxTokens": 8},
    ),
    "streamed": ("llm.ask('hi', stream=True).close()", {**DEFAULTS, "stream": True}),
}

# name: (code, part of the message)
ERRORS = {
    "no prompt": ("llm.ask()", "llm.ask needs a text, got None"),
    "prompt that is no text": ("await llm.ask(['a'])", "llm.ask needs a text, got a list"),
    "unknown parameter": ("llm.ask('a', temperature=1)", "llm.ask has no parameter 'temperature'; there are prompt"),
    "too many values": ("llm.ask('a', 'b', 3, False, 'm', 1)", "takes at most 5 values"),
    "twice": ("llm.ask('a', max_tokens=1, maxTokens=2)", "got max_tokens twice"),
    "number of tokens": ("llm.ask('a', max_tokens='many')", "max_tokens must be a whole number above 0, got a str"),
    "no tokens": ("llm.ask('a', max_tokens=0)", "max_tokens must be a whole number above 0"),
    "True is no number": ("llm.ask('a', max_tokens=True)", "max_tokens must be a whole number"),
    "model": ("llm.ask('a', model=5)", "model must be a text, got an int"),
    "stream": ("llm.ask('a', stream='yes')", "stream must be True or False"),
    "tools of ask": ("llm.ask('a', tools=[])", "llm.ask has no parameter 'tools'"),
    "tools": ("llm.think([{'role': 'user', 'content': 'a'}], tools='mcp__*')", "tools must be a list of patterns"),
    "messages that are a text": ("llm.think('hi')", "llm.think needs a list of messages, got a str"),
    "no messages": ("llm.think([])", "llm.think needs at least one message"),
    "a dict without messages": ("llm.think({'model': 'm'})", "llm.think needs a list of messages, got None"),
    "message": ("llm.think(['hi'])", "llm.think: messages[0] must be a dict"),
    "role": ("llm.think([{'role': 'bot', 'content': 'a'}])", "messages[0] has the role a str: 'bot'; there are user, a"),
    "content": ("llm.think([{'role': 'user'}])", "messages[0] has no text as its content, but None"),
    "what is no JSON": ("m = []; m.append(m); llm.think([{'role': 'user', 'content': m}])", "cannot be sent as JSON"),
}

PIECES = ["a", "", "b", "c!"]
READ = ["a", "b", "c!"]
# name: (code, result)
STREAMS = {
    "for": ("[t for t in llm.ask('q', stream=True)]", READ),
    "for, awaited": ("[t for t in await llm.ask('q', stream=True)]", READ),
    "async for": ("r = []\nasync for t in llm.ask('q', stream=True):\n    r.append(t)\nr", READ),
    "async for, awaited": ("r = []\nasync for t in await llm.ask('q', stream=True):\n    r.append(t)\nr", READ),
    "async comprehension": ("[t async for t in llm.ask('q', stream=True)]", READ),
    "with a loop": (
        "import asyncio\nasync def main():\n    r = []\n    async for t in llm.ask('q', stream=True):\n"
        "        r.append(t)\n        await asyncio.sleep(0)\n    return r\nasyncio.run(main())",
        READ,
    ),
    "two with a loop": (
        "import asyncio\nasync def read(q):\n    return [t async for t in llm.ask(q, stream=True)]\n"
        "await asyncio.gather(read('a'), read('b'))",
        [READ, READ],
    ),
    "think": ("[t for t in llm.think([{'role': 'user', 'content': 'q'}], stream=True)]", READ),
    "in a variable": ("s = llm.ask('q', stream=True)\n[next(s), next(s), list(s), list(s)]", ["a", "b", ["c!"], []]),
    "of a function": ("def f():\n    yield from llm.ask('q', stream=True)\n''.join(f())", "abc!"),
    "shown": ("s = llm.ask('q', stream=True)\nr = repr(s)\ns.close()\nr", "<stream of text>"),
}

# Ways to leave a stream early.
LEFT = {
    "for": "for t in llm.ask('q', stream=True):\n    break",
    "async for": "async for t in llm.ask('q', stream=True):\n    break",
    "async for in a loop": (
        "import asyncio\nasync def main():\n    async for t in llm.ask('q', stream=True):\n        break\nasyncio.run(main())"
    ),
    "close": "s = llm.ask('q', stream=True)\nnext(s)\ns.close()\ns.close()",
    "aclose": "s = await llm.ask('q', stream=True)\nawait s.aclose()",
    "never read": "s = llm.ask('q', stream=True)\ndel s",
    "an error in the loop": "try:\n    for t in llm.ask('q', stream=True):\n        1 / 0\nexcept ZeroDivisionError:\n    pass",
}


class LlmTest(unittest.TestCase):
    def test_programs(self):
        for name, (code, expected) in PROGRAMS.items():
            with self.subTest(name):
                outcome = run_python(code, Model())
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.result, expected)

    def test_requests(self):
        for name, (code, params) in REQUESTS.items():
            with self.subTest(name):
                model = Model()
                outcome = run_python(code, model)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(model.asked, [{"messages": QUESTION, **params}])

    def test_messages_are_sent_as_they_are(self):
        model = Model()
        run_python(f"llm.think({TALK})", model)
        self.assertEqual(model.asked, [{"messages": TALK_SENT, **DEFAULTS}])

    def test_errors(self):
        for name, (code, message) in ERRORS.items():
            with self.subTest(name):
                model = Model()
                error = run_python(f"x = 1\n{code}", model).error
                self.assertEqual((error["name"], error["code"], error["line"]), ("MCPError", "invalid_argument", 2), error)
                self.assertIn(message, error["message"])
                self.assertEqual(model.asked, [])

    def test_errors_of_the_host(self):
        for code in (
            "llm.ask('hi')",
            "await llm.ask('hi')",
            "llm.ask('hi', stream=True)",
            "async for t in llm.ask('hi', stream=True):\n    pass",
            "llm.think([{'role': 'user', 'content': 'hi'}])",
        ):
            with self.subTest(code):
                error = run_python(code, lambda _: OFF).error
                self.assertEqual((error["name"], error["code"], error["line"]), ("MCPError", "not_allowed", 1))
                self.assertEqual(error["message"], OFF["error"]["message"])

    def test_streams(self):
        for name, (code, expected) in STREAMS.items():
            with self.subTest(name):
                model = Model(PIECES)
                outcome = run_python(code, model)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.result, expected)
                if name != "shown":
                    self.assertEqual(model.stopped, [])

    def test_end_without_a_text(self):
        outcome = run_python("list(llm.ask('q', stream=True))", Model(["a", "b"]))
        self.assertEqual(outcome.result, ["a", "b"])

    def test_streams_are_pulled(self):
        code = "s = llm.ask('q', stream=True)\nnext(s)\ncall_mcp_tool('mcp__s__t')\nlist(s)"
        model = Model(PIECES)
        outcome = run_python(code, lambda request: {"result": 1} if request["method"] == "call" else model(request))
        methods = [request["method"] for request in outcome.requests]
        self.assertEqual(methods, ["sample", "sample_next", "call", "sample_next", "sample_next", "sample_next"])

    def test_left_early(self):
        for name, code in LEFT.items():
            with self.subTest(name):
                model = Model(PIECES)
                # One more request: what was sent before is answered by then.
                outcome = run_python(f"{code}\nlist_servers()\n1", lambda r: model(r) if "sample" in r["method"] else {"result": 1})
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(model.stopped, [1])

    def test_an_error_in_the_middle(self):
        for loop in ("for t in", "async for t in"):
            with self.subTest(loop):
                code = (
                    f"r = []\ns = llm.ask('q', stream=True)\ntry:\n    {loop} s:\n        r.append(t)\n"
                    "except MCPError as e:\n    r.append(e.code)\nr + list(s)"
                )
                model = Model(PIECES, fails_after=2)
                outcome = run_python(code, model)
                self.assertEqual(outcome.result, ["a", "model_failed"], outcome)
                self.assertEqual(model.stopped, [])

    def test_a_reader_that_is_cancelled_loses_nothing(self):
        code = (
            "import asyncio\ns = await llm.ask('q', stream=True)\nr = []\n"
            "try:\n    await asyncio.wait_for(s.__anext__(), 0)\nexcept asyncio.TimeoutError:\n    r.append('late')\n"
            "r + [t async for t in s]"
        )
        outcome = run_python(code, Model(PIECES))
        self.assertIn(outcome.result, (["late", *READ], READ), outcome)

    def test_sessions(self):
        outcomes = run_python_session(
            "answer = llm.ask('hi')", "answer", "llm = 'mine'", "llm", "def ask():\n    return 1\nllm", answer=Model()
        )
        self.assertEqual([outcome.result for outcome in outcomes], [None, "HI", None, "mine", "mine"])


if __name__ == "__main__":
    unittest.main()
