"""`llm` where Python has ways of its own: without await, and with parameters by position or of both kinds of names."""

import unittest

import languages
import llm_cases
from fake_model import Model
from llm_cases import DEFAULTS, MESSAGES, PIECES, READ, THOUGHTS

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

# name: (code, parameters besides the messages)
REQUESTS = {
    "by position": ("llm.ask('hi', 's', 5, False, 'm')", {"systemPrompt": "s", "maxTokens": 5, "model": "m"}),
    "the names of TypeScript": ("llm.ask('hi', systemPrompt='s', maxTokens=5)", {"systemPrompt": "s", "maxTokens": 5}),
    "prompt by name": ("llm.ask(prompt='hi')", DEFAULTS),
    "tools": (f"llm.think({MESSAGES}, tools=('mcp__a__*',))", {**DEFAULTS.python, "tools": ["mcp__a__*"]}),
    "no tools": (f"llm.think({MESSAGES}, tools=[])", {**DEFAULTS.python, "tools": []}),
    "one dict": (
        "llm.think({'messages': ({'role': 'user', 'content': 'hi'},), 'model': 'm', 'maxTokens': 7, 'system_prompt': 's'})",
        {"model": "m", "maxTokens": 7, "systemPrompt": "s"},
    ),
    "streamed": ("llm.ask('hi', stream=True).close()", {**DEFAULTS.python, "stream": True}),
}

# name: (code, part of the message)
ERRORS = {
    "too many values": ("llm.ask('a', 'b', 3, False, 'm', 1)", "takes at most 5 values"),
    "twice": ("llm.ask('a', max_tokens=1, maxTokens=2)", "got max_tokens twice"),
    "True is no number": ("llm.ask('a', max_tokens=True)", "max_tokens must be a whole number"),
    "stream that is a text": ("llm.ask('a', stream='yes')", "stream must be True or False"),
    "what is no JSON": ("m = []; m.append(m); llm.think([{'role': 'user', 'content': m}])", "cannot be sent as JSON"),
}

# name: (code, result)
STREAMS = {
    "for": ("[t for t in SOURCE]", READ),
    "for, awaited": ("[t for t in await SOURCE]", READ),
    "async for": ("r = []\nasync for t in SOURCE:\n    r.append(t)\nr", READ),
    "async for, lengths": ("n = 0\nasync for t in SOURCE:\n    n += len(t)\nn", sum(map(len, READ))),
    "async comprehension, lengths": ("sum([len(t) async for t in SOURCE])", sum(map(len, READ))),
    "async for, awaited": ("r = []\nasync for t in await SOURCE:\n    r.append(t)\nr", READ),
    "with a loop": (
        "import asyncio\nasync def main():\n    r = []\n    async for t in SOURCE:\n"
        "        r.append(t)\n        await asyncio.sleep(0)\n    return r\nasyncio.run(main())",
        READ,
    ),
    "two with a loop": (
        "import asyncio\nasync def read(q):\n    return [t async for t in llm.ask(q, stream=True)]\n"
        "await asyncio.gather(read('a'), read('b'))",
        [READ, READ],
    ),
    "for, think": (f"[t for t in {THOUGHTS.python}]", READ),
    "in a variable": ("s = SOURCE\n[next(s), next(s), list(s), list(s)]", ["a", "b", ["c!"], []]),
    "of a function": ("def f():\n    yield from SOURCE\n''.join(f())", "abc!"),
}

# Ways to leave a stream early.
LEFT = {
    "for": "for t in SOURCE:\n    break",
    "async for in a loop": (
        "import asyncio\nasync def main():\n    async for t in SOURCE:\n        break\nasyncio.run(main())"
    ),
    "close": "s = SOURCE\nnext(s)\ns.close()\ns.close()",
    "never read": "s = SOURCE\ndel s",
    "an error in the loop of for": "try:\n    for t in SOURCE:\n        1 / 0\nexcept ZeroDivisionError:\n    pass",
}


def with_stream(code):
    return code.replace("SOURCE", llm_cases.STREAM.python)


class LlmTest(llm_cases.LlmTests, languages.PythonTest):
    REQUESTS = {**llm_cases.REQUESTS, **REQUESTS}
    ERRORS = {
        **llm_cases.ERRORS,
        **{f"{name}, not awaited": (code.python.replace("await ", ""), message) for name, (code, message) in llm_cases.ERRORS.items()},
        **ERRORS,
    }
    LEFT = {**llm_cases.LEFT, **{name: with_stream(code) for name, code in LEFT.items()}}
    SESSION = (*llm_cases.SESSION, ("def ask():\n    return 1\nllm", "mine"))
    FAILING = {
        **llm_cases.LlmTests.FAILING,
        "ask, not awaited": "llm.ask('hi')",
        "think, not awaited": f"llm.think({MESSAGES})",
        "stream, not awaited": llm_cases.STREAM.python,
    }
    FAILING_LATER = {
        **llm_cases.LlmTests.FAILING_LATER,
        "not awaited": with_stream(
            "r = []\ns = SOURCE\ntry:\n    for t in s:\n        r.append(t)\nexcept MCPError as e:\n    r.append(e.code)\nr + list(s)"
        ),
    }

    def streams(self):
        return {**super().streams(), **{name: (with_stream(code), result, None) for name, (code, result) in STREAMS.items()}}

    def test_programs(self):
        for name, (code, expected) in PROGRAMS.items():
            with self.subTest(name):
                outcome = self.run_program(code, Model())
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.result, expected)

    def test_a_stream_that_is_shown(self):
        outcome = self.run_program(with_stream("s = SOURCE\nr = repr(s)\ns.close()\nr"), Model(PIECES))
        self.assertEqual((outcome.error, outcome.result), (None, "<stream of text>"))

    def test_a_reader_that_is_cancelled_loses_nothing(self):
        code = (
            "import asyncio\ns = await llm.ask('q', stream=True)\nr = []\n"
            "try:\n    await asyncio.wait_for(s.__anext__(), 0)\nexcept asyncio.TimeoutError:\n    r.append('late')\n"
            "r + [t async for t in s]"
        )
        outcome = self.run_program(code, Model(PIECES))
        self.assertIn(outcome.result, (["late", *READ], READ), outcome)


if __name__ == "__main__":
    unittest.main()
