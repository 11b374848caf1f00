"""Calls of Python programs: its own forms of them, awaited or not, and values of Python's types."""

import unittest

import calls_cases
import languages

# code: (method, parameters)
FORMS = {
    "call_mcp_tool(name='mcp__s__t', params={'a': 1})": ("call", {"name": "mcp__s__t", "args": {"a": 1}}),
    "call_mcp_tool(server='s', tool='t', params={'a': 1})": ("call", {"server": "s", "tool": "t", "args": {"a": 1}}),
    "call_mcp_tool('mcp__s__t', path='p', name='n')": ("call", {"name": "mcp__s__t", "args": {"path": "p", "name": "n"}}),
    "mcp.s.t({'a': 1}, b=2)": ("call", {"server": "s", "tool": "t", "args": {"a": 1, "b": 2}}),
    "mcp_servers['s'].t(a=1)": ("call", {"server": "s", "tool": "t", "args": {"a": 1}}),
    "mcp_my_server.t(a=1)": ("call", {"server": "my_server", "tool": "t", "args": {"a": 1}}),
    "import mcp\nmcp.s.t()": ("call", {"server": "s", "tool": "t", "args": {}}),
    "from mcp import s\ns.t()": ("call", {"server": "s", "tool": "t", "args": {}}),
    "from mcp import s as other\ndef f():\n    return other.t()\nf()": ("call", {"server": "s", "tool": "t", "args": {}}),
    "discover_mcp_tools('a')": ("discover", {"search": ["a"]}),
    "search_tools('q', 5, server='s', detail='full')": (
        "search",
        {"query": "q", "limit": 5, "server": "s", "detail": "full"},
    ),
    "get_tool_signature('s', 't')": ("signature", {"server": "s", "tool": "t", "language": "python"}),
}
_AWAITED, _EXPECTED = calls_cases.CAUGHT["awaited"]


def values(*results):
    """Answers the requests with these results, in order."""
    remaining = list(results)
    return lambda request: {"result": remaining.pop(0)}


class CallTest(calls_cases.CallTests, languages.PythonTest):
    FORMS = {
        **calls_cases.FORMS,
        **{f"{name}, awaited": (f"await {code.python}", *request) for name, (code, *request) in calls_cases.FORMS.items()},
        **{code: (code, *request) for code, request in FORMS.items()},
    }
    CAUGHT = {
        **calls_cases.CAUGHT,
        "not awaited": (_AWAITED.python.replace("await ", ""), _EXPECTED.python),
    }
    REFUSED = {
        **calls_cases.REFUSED,
        "keys that are the same": ("a={1: 'x', '1': 'y'}", "a: the keys 1 and '1' are the same in JSON"),
        "keys of a dict in a list": ("a=[{None: 1, 'null': 2}]", "a[0]: the keys None and 'null' are the same in JSON"),
        "keys that are numbers with names of their own": (
            "a={__import__('enum').IntEnum('E', 'A').A: 1, '1': 2}", "a: the keys <E.A: 1> and '1' are the same in JSON"
        ),
        "keys that are whole numbers of their own": (
            "a={type('I', (int,), {'__repr__': lambda _: 'I'})(7): 1, '7': 2}", "a: the keys I and '7' are the same in JSON"
        ),
        "keys that are numbers of their own": (
            "a={type('F', (float,), {'__repr__': lambda _: 'F'})(1.5): 1, '1.5': 2}", "a: the keys F and '1.5' are the same in JSON"
        ),
        "keys that are texts of their own": (
            "a={type('S', (str,), {'__hash__': lambda _: 5, '__eq__': lambda *_: False, '__repr__': lambda _: 'S'})('k'): 1, 'k': 2}",
            "a: the keys S and 'k' are the same in JSON",
        ),
        "keys with halves of surrogate pairs": (
            "a=[{'\\ud800': 1, '\\ud801': 2}]", "a[0]: the keys '\\ud800' and '\ufffd' are the same in JSON"
        ),
        "keys of other types": ("a={(1,): 1}", "a: the key (1,) is no text but a tuple"),
    }
    UNCAUGHT = {**calls_cases.UNCAUGHT, "not awaited": "\nmcp.s.t()"}

    def test_own_variables_named_like_servers(self):
        outcome = self.run_program("mcp_result = 1\ndef f(mcp_x):\n    return mcp_x\nf(mcp_result)")
        self.assertEqual(outcome.result, 1)

    def test_arguments_of_many_types(self):
        code = (
            "import datetime, pathlib\n"
            "mcp.s.t(when=datetime.date(2020, 1, 2), path=pathlib.Path('/a'), some={1}, pair=(1, 2))"
        )
        args = {"when": "2020-01-02", "path": "/a", "some": [1], "pair": [1, 2]}
        self.assertEqual(self.requests(code)[0][1]["args"], args)

    def test_refusal_is_a_type_error(self):
        code = "try:\n    mcp.s.t(a=object())\nexcept TypeError as e:\n    r = isinstance(e, MCPError)\nr"
        self.assertIs(self.run_program(code).result, True)

    def test_whole_numbers_that_would_be_rounded_are_refused(self):
        for number in (2**64, -(2**63) - 1):
            outcome = self.run_program(f"mcp.s.t(a=[{{'b': {number}}}])")
            self.assertIn("more than 64 bits", outcome.error["message"], outcome)
        for number in (2**64 - 1, -(2**63)):
            self.assertEqual(self.requests(f"mcp.s.t(a={number}, b='{2**70}')")[0][1]["args"], {"a": number, "b": str(2**70)})

    def test_deep_arguments(self):
        """The host reads no more, and a frame that it cannot read ends the run."""
        for wrap in ("{'a': x}", "[x]", "(x,)", "Box(x)"):
            code = (
                "import dataclasses\n@dataclasses.dataclass\nclass Box:\n    a: object\n"
                f"def deep(n):\n    x = 1\n    for _ in range(n): x = {wrap}\n    return x\ncaught = []\nmcp.s.t(a=deep(99))\n"
                "for n in (100, 400, 1000):\n    try:\n        mcp.s.t(a=deep(n))\n"
                "    except MCPError as e:\n        caught.append([e.code, 'deeper than 100 levels' in str(e)])\n"
                "caught"
            )
            with self.subTest(wrap):
                outcome = self.run_program(code)
                self.assertEqual((outcome.error, outcome.result), (None, [["invalid_argument", True]] * 3))
                self.assertEqual(len(outcome.requests), 1)

    def test_half_a_surrogate_pair_in_a_key_is_replaced(self):
        self.assertEqual(self.requests("mcp.s.t(a={'\\ud800x': '\\ud801'})")[0][1]["args"], {"a": {"\ufffdx": "\ufffd"}})

    def test_half_a_surrogate_pair_is_replaced(self):
        self.assertEqual(self.requests("mcp.s.t(a='\\ud800x')")[0][1]["args"], {"a": "\ufffdx"})

    def test_a_number_that_is_too_large_is_said(self):
        outcome = self.run_program("mcp.s.t()\nmcp.s.t()", lambda _: {"result": 1.7976931348623157e308})
        self.assertEqual(outcome.stderr.count("[a tool has sent a number that is too large"), 1, outcome.stderr)

    def test_results_are_plain(self):
        code = "x = await mcp.s.t()\ny = mcp.s.t()\n[type(x).__name__, isinstance(y, dict), dict(y) == x]"
        self.assertEqual(self.run_program(code, values({"a": 1}, {"a": 1})).result, ["dict", True, True])
        self.assertEqual(self.run_program("type(mcp.s.t()).__name__", values({})).result, "dict")

    def test_a_result_that_was_not_awaited_can_be_awaited(self):
        for value in ({"a": 1}, [1, 2], "text", 5, 1.5, True, None):
            with self.subTest(value=value):
                code = "import json\nx = call_mcp_tool('s', 't')\ny = json.dumps(x)\nz = await x\n[json.loads(y), z]"
                self.assertEqual(self.run_program(code, lambda _: {"result": value}).result, [value, value])

    def test_part_of_a_result_can_be_awaited(self):
        self.assertEqual(
            self.run_program("[await mcp.s.t(a=1)['args'], await mcp.s.t()['args'].get('a', 5)]").result, [{"a": 1}, 5]
        )


if __name__ == "__main__":
    unittest.main()
