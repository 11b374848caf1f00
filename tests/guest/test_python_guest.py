"""What the Python guest promises to programs: Python's own results and errors, and tracebacks."""

import unittest

import guest_cases
import languages
from fake_host import guest_python_version
from guest_cases import CALL_RESULT, NO_RESULT

CALL = guest_cases.CALL.python

# name: (code, result); no result means that the done frame has none.
RESULTS = {
    "top-level return": ("for i in range(5):\n    if i == 3:\n        return i\nelse:\n    return 9", 3),
    "bare return": ("return\n5", NO_RESULT),
    "return from try, finally runs": (
        "try:\n    return 1\nexcept Exception:\n    return 2\nfinally:\n    print('f')",
        1,
    ),
    "return in a function is its own": ("def f():\n    return 4\nf()", 4),
    "main guard": ("r = 0\nif __name__ == '__main__':\n    r = 1\nr", 1),
    "tuple, set, range": ("[(1, 2), {3}, frozenset([4]), range(2)]", [[1, 2], [3], [4], [0, 1]]),
    "bytes": (r"[b'text', b'\xff\xfe', bytearray(b'x')]", ["text", "//4=", "x"]),
    "dates": (
        "import datetime\n[datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3)]",
        ["2020-01-02", "2020-01-02T03:00:00"],
    ),
    "text types": (
        "import collections, decimal, pathlib, uuid\n"
        "[decimal.Decimal('1.50'), pathlib.Path('/a/b'), uuid.UUID(int=0), collections.UserString('ab')]",
        ["1.50", "/a/b", "00000000-0000-0000-0000-000000000000", "ab"],
    ),
    "dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: object\nP(1, P(2, None))",
        {"x": 1, "y": {"x": 2, "y": None}},
    ),
    "enum": ("import enum\nclass C(enum.Enum):\n    A = 'a'\nclass N(enum.IntEnum):\n    B = 2\n[C.A, N.B]", ["a", 2]),
    "tolist": ("class A:\n    def tolist(self):\n        return [1, (2,)]\nA()", [1, [2]]),
    "to_dict": ("class A:\n    def to_dict(self):\n        return {1: {2}}\nA()", {"1": [2]}),
    "repr of objects": ("class A:\n    def __repr__(self):\n        return '<A>'\nA()", "<A>"),
    "keys become text": (
        "{2: 1, None: 2, True: 3, (1, 2): 4, 1.5: 5}",
        {"2": 1, "null": 2, "true": 3, "(1, 2)": 4, "1.5": 5},
    ),
    "broken object": ("class A:\n    def tolist(self):\n        1/0\n[A()]", ["[Unreadable A: ZeroDivisionError]"]),
    "endless iterator is not consumed": ("import itertools\nrepr(itertools.count()) == 'count(0)'", True),
    "byte order mark": ("\ufeff1 + 1", 2),
    "byte order mark before a fence": ("\ufeff```python\n1 + 1\n```", 2),
    "help": (
        "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as out:\n    help(display)\n"
        "'shows text, JSON data, images' in out.getvalue()",
        True,
    ),
    "integer of 64 bits": ("2 ** 63", 2**63),
    "fresh globals": ("__name__", "__main__"),
    "globals are the module's": ("import sys\nsys.modules['__main__'].__dict__ is globals()", True),
    "pickle of own class": ("import pickle\nclass A:\n    x = 1\npickle.loads(pickle.dumps(A())).x", 1),
    "future import": ("from __future__ import annotations\ndef f(x: Undefined): return 1\nf(0)", 1),
    "list of global names": (
        "sorted(name for name in globals() if not name.startswith('__'))",
        [
            "MCPError",
            "approve",
            "ask_user",
            "call_mcp_tool",
            "delete_memory",
            "discover_mcp_tools",
            "display",
            "get_mcp_prompt",
            "get_memory_info",
            "get_tool_schema",
            "get_tool_signature",
            "list_mcp_prompts",
            "list_mcp_resources",
            "list_memories",
            "list_servers",
            "llm",
            "load_memory",
            "mcp",
            "mcp_servers",
            "memory_exists",
            "read_mcp_resource",
            "read_output",
            "runtime",
            "save_memory",
            "save_tool",
            "search_tools",
            "update_memory",
        ],
    ),
    "our modules are not importable": (
        "found = []\nfor name in ('session', 'channel', 'api', 'wire', 'display', 'llm', 'memory'):\n"
        "    try:\n        __import__(name)\n"
        "        found.append(name)\n    except ImportError:\n        pass\nfound",
        [],
    ),
    "a module as the result": ("[mcp, mcp.s, runtime]", ["<mcp>", "<mcp.s>", "<module 'mcp.runtime'>"]),
    "a server that is called like a method of values": ("mcp.s.isoformat is not None", True),
    "builtins can be changed": ("import builtins\nbuiltins.answer = 42\nanswer", 42),
    "async generator": ("async def g():\n    yield 1\n    yield 2\n[x async for x in g()]", [1, 2]),
    "asyncio.run": ("import asyncio\nasync def main():\n    return 5\nasyncio.run(main())", 5),
    "asyncio.run beside top-level await": (
        "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    return 5\nawait asyncio.sleep(0)\n"
        "x = asyncio.run(main())\nawait asyncio.sleep(0)\nx",
        5,
    ),
    "asyncio.run of a call": (f"import asyncio\nasyncio.run({CALL})", CALL_RESULT),
    "wait_for": (f"import asyncio\nawait asyncio.wait_for({CALL}, 30)", CALL_RESULT),
    "shield": (f"import asyncio\nawait asyncio.shield({CALL})", CALL_RESULT),
}

_LIMITED = " (the memory of a program is limited: sandbox.memoryMb)"

# name: (code, error fields that must be as given)
NO_TERMINAL = "breakpoint() needs a person at a terminal, and a program has none: print what you want to see"
NOTES = {
    "bytes that are no text": (r"[b'text', b'\xff']", "[in the result, bytes that are no text are base64]\n"),
    "bytes that are text": ("b'text'", ""),
}
ERRORS = {
    "in a function": ("def f():\n    return {}['k']\nf()", {"name": "KeyError", "message": "'k'", "line": 2}),
    "indentation": ("if 1:\nx = 1", {"name": "IndentationError", "line": 2}),
    "return in a class": ("class A:\n    return 1", {"name": "SyntaxError", "line": 2}),
    "null byte": ("x = '\0'", {"name": ("SyntaxError", "ValueError")}),
    "sys.exit with a message": ("import sys\nsys.exit('bye')", {"name": "SystemExit", "message": "bye", "exitCode": 1}),
    "breakpoint": ("1\nbreakpoint()", {"name": "RuntimeError", "message": NO_TERMINAL, "line": 2}),
    "input": ("input('? ')", {"name": "EOFError", "line": 1}),
    "keyboard interrupt": ("raise KeyboardInterrupt", {"name": "KeyboardInterrupt"}),
    "memory error": ("x = 'a' * (1 << 62)", {"name": ("MemoryError", "OverflowError")}),
    "no memory for the result": (
        "class A:\n    def tolist(self):\n        raise MemoryError('no room')\n[A()]",
        {"name": "MemoryError", "message": f"The result cannot be sent: no room{_LIMITED}"},
    ),
    "result of endless length": (
        "[range(10 ** 9)]",
        {"name": "ValueError", "message": "The result cannot be sent: 1000000000 elements are more than a message can hold (67108864 bytes)"},
    ),
    "call without a name": ("call_mcp_tool()", {"name": "MCPError", "code": "invalid_argument"}),
    "error inside asyncio": (
        "import asyncio\nasync def main():\n    raise LookupError('l')\nasyncio.run(main())",
        {"name": "LookupError", "line": 3},
    ),
    "awaiting what needs a loop": ("await object()", {"name": "TypeError", "line": 1}),
}

_GROUP = "class Group(Exception):\n    def __init__(self, text, exceptions):\n        super().__init__(text)\n        self.exceptions = exceptions\n"
# name: (code, lines of the stack that follow the headline)
PARTS = {
    "note": ("e = ValueError('v')\ne.__notes__ = ['one\\ntwo', 3]\nraise e", ["ValueError: v", "one", "two", "3"]),
    "many notes": (
        "e = ValueError('v')\ne.__notes__ = [str(i) for i in range(30)]\nraise e",
        ["ValueError: v", *map(str, range(20)), "... and 10 more notes"],
    ),
    "no notes": ("e = ValueError('v')\ne.__notes__ = 5\nraise e", ["ValueError: v"]),
    "notes of a member": (
        f"{_GROUP}e = ValueError('v')\ne.__notes__ = ['n']\nraise Group('g', (e,))", ["Group: g", "  [0] ValueError: v", "      n"]
    ),
    "many members": (
        f"{_GROUP}raise Group('g', [ValueError(i) for i in range(40)])",
        ["Group: g", *(f"  [{i}] ValueError: {i}" for i in range(15)), "  ... and 25 more"],
    ),
    "members that are no errors": (f"{_GROUP}raise Group('g', 5)", ["Group: g"]),
}
# Errors as values. Code: result
_CAUSED = "def caused(cause):\n    e = ValueError('v')\n    e.__cause__ = cause\n    return e\n"
VALUES = {
    "ValueError('v')": {"name": "ValueError", "message": "v"},
    f"{_CAUSED}[caused(caused(KeyError('k')))]": [
        {"name": "ValueError", "message": "v", "cause": {"name": "ValueError", "message": "v", "cause": {"name": "KeyError", "message": "'k'"}}}
    ],
    f"{_CAUSED}e = caused(None)\ne.__cause__ = e\ne": {"name": "ValueError", "message": "v", "cause": "[Circular]"},
    f"{_GROUP}Group('g', (ValueError('v'), Group('h', [])))": {
        "name": "Group",
        "message": "g",
        "errors": [{"name": "ValueError", "message": "v"}, {"name": "Group", "message": "h", "errors": []}],
    },
    "e = ValueError('v')\ne.__notes__ = ['n']\ne": {"name": "ValueError", "message": "v", "notes": ["n"]},
}


class NotesTest(guest_cases.NotesTests, languages.PythonTest):
    NOTES = {**guest_cases.NOTES, **NOTES}

    def test_a_debugger_shows_no_frame_of_ours(self):
        outcome = self.run_program("import pdb\npdb.set_trace()")
        self.assertEqual((outcome.error["name"], outcome.error["line"]), ("BdbQuit", 2))
        self.assertIn("<module>()", outcome.stdout)
        for text in guest_cases.NEVER_TOLD:
            self.assertNotIn(text, outcome.stdout)


class TablesTest(guest_cases.TablesTests, languages.PythonTest):
    RESULTS = {**guest_cases.RESULTS, **RESULTS}
    ERRORS = {**guest_cases.ERRORS, **ERRORS}


class StackTest(languages.PythonTest):
    def test_traceback(self):
        stack = self.run_program("def f():\n    raise ValueError('bad')\nf()").error["stack"]
        self.assertEqual(
            stack,
            'Traceback (most recent call last):\n  File "<code>", line 3, in <module>\n    f()\n'
            "  File \"<code>\", line 2, in f\n    raise ValueError('bad')\nValueError: bad",
        )

    def test_frames_of_libraries_are_left_out(self):
        error = self.run_program("import json\njson.loads('{')").error
        self.assertEqual((error["name"], error["line"]), ("JSONDecodeError", 2))
        self.assertNotIn("decoder.py", error["stack"])

    def test_causes(self):
        stack = self.run_program("try:\n    1 / 0\nexcept Exception as e:\n    raise RuntimeError('r') from e").error["stack"]
        self.assertIn("ZeroDivisionError: division by zero\n\nThe above exception was the direct cause", stack)
        self.assertTrue(stack.endswith("RuntimeError: r"))

    def test_parts_of_errors(self):
        for name, (code, lines) in PARTS.items():
            with self.subTest(name):
                stack = self.run_program(code).error["stack"].split("\n")
                self.assertEqual(stack[-len(lines) :], lines)

    @unittest.skipIf(guest_python_version() < (3, 11), "groups need Python 3.11")
    def test_groups(self):
        code = "e = ValueError('v')\ne.add_note('n')\nraise ExceptionGroup('g', [e] * 20)"
        self.assertTrue(self.run_program(code).error["stack"].endswith("  ... and 5 more"))
        result = self.run_program(code.replace("raise ", "")).result
        self.assertEqual((result["message"], result["errors"][19]), ("g (20 sub-exceptions)", {"name": "ValueError", "message": "v", "notes": ["n"]}))

    def test_errors_as_values(self):
        for code, expected in VALUES.items():
            with self.subTest(code):
                self.assertEqual(self.run_program(code).result, expected)

    def test_a_member_that_its_group_has_led_to(self):
        code = f"{_GROUP}try:\n    raise Group('g', [ValueError('first'), ValueError('v')])\nexcept Group as e:\n    raise e.exceptions[1]"
        error = self.run_program(code).error
        self.assertEqual((error["name"], error["message"]), ("ValueError", "v"))
        self.assertEqual(error["stack"].count("ValueError: v"), 2)
        self.assertIn("  [1] ValueError: v\n", error["stack"])

    def test_many_errors_are_cut(self):
        chain = "def f(n):\n    try:\n        if n: f(n - 1)\n    finally:\n        raise ValueError(n)\nf(9)"
        stack = self.run_program(chain).error["stack"]
        self.assertIn("... further errors led to these ...", stack)
        self.assertEqual(stack.count("Traceback"), 5)
        nested = f"{_GROUP}def f(n):\n    return Group(n, [f(n - 1) for _ in range(9)]) if n else KeyError(0)\nraise f(4)"
        stack = self.run_program(nested).error["stack"]
        self.assertEqual(stack.count("Group: ") + stack.count("KeyError: "), 50)
        self.assertTrue(stack.endswith("  ... and 8 more"))
        deep = f"{_GROUP}e = ValueError('v')\nfor i in range(5000):\n    e = Group('g', [e])\nraise e"
        self.assertIn("... and 1 more", self.run_program(deep).error["stack"])

    def test_a_recursion_limit_hides_no_error(self):
        code = f"{_GROUP}import sys\nsys.setrecursionlimit(60)\ne = ValueError('v')\nfor i in range(30):\n    e = Group('g', [e])\nraise e"
        self.assertEqual(self.run_program(code).error["name"], "Group")

    def test_long_stacks_are_cut(self):
        stack = self.run_program("def f(n):\n    return f(n + 1)\nf(0)").error["stack"]
        self.assertIn("more frames", stack)
        self.assertLess(stack.count("\n"), 100)

    @unittest.skipIf(guest_python_version() < (3, 11), "columns need Python 3.11")
    def test_columns_count_characters(self):
        error = self.run_program("\u00e9 = '\u00e9'; 1 / 0").error
        self.assertEqual((error["line"], error["column"]), (1, 10))


if __name__ == "__main__":
    unittest.main()
