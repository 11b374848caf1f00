"""Functions that Python programs save, and get back."""

import unittest

from fake_host import Guest, python_command, run_python, together


class Tools:
    """The host's saved tools."""

    def __init__(self, **sources):
        self.sources = sources
        self.descriptions = {}
        self.loaded = []

    def __call__(self, request):
        method = getattr(self, request["method"], None)
        return {"result": method(**request["params"]) if method else {"method": request["method"], **request["params"]}}

    def tool_save(self, name, source, description=None):
        self.sources[name] = source
        self.descriptions[name] = description
        return {"name": name}

    def tool_load(self, name):
        self.loaded.append(name)
        return {"name": name, "source": self.sources[name]} if name in self.sources else None

    def tool_list(self):
        return [{"name": name} for name in self.sources]

    def tool_delete(self, name):
        return self.sources.pop(name, None) is not None


# What stands in one program: (the program that saves `f`, the result of `f(2)` in another).
SAVED = {
    "plain": ("def f(x):\n    return x + 1\nsave_tool(f)", 3),
    "awaited": ("def f(x):\n    return x + 1\nawait save_tool(f)", 3),
    "by mcp.runtime": ("from mcp import runtime\ndef f(x):\n    return x + 1\nawait runtime.save_tool(f)", 3),
    "in a Markdown fence": ("```python\ndef f(x):\n    return x + 1\nsave_tool(f)\n```", 3),
    "with Windows line ends": ("x = 1\r\ndef f(x):\r\n    return x + 1\r\nsave_tool(f)", 3),
    "indented": ("if True:\n    for _ in [1]:\n        def f(x):\n            return x + 1\nsave_tool(f)", 3),
    "in a function": ("def make():\n    def f(x):\n        return x + 1\n    return f\nsave_tool(make())", 3),
    "text of several lines": (
        "if True:\n    def f(x):\n        return '''a\n        b\n  c''' * x\nsave_tool(f)",
        "a\n        b\n  ca\n        b\n  c",
    ),
    "one of several definitions": ("def f(x):\n    return 1\nold = f\ndef f(x):\n    return 2\nsave_tool(old)", 1),
    "decorators": (
        "import functools\ndef twice(function):\n    @functools.wraps(function)\n    def inner(x):\n"
        "        return 2 * function(x)\n    return inner\n@twice\n@functools.lru_cache\n"
        "def f(x):\n    return x\nsave_tool(f)",
        4,
    ),
    "imports": (
        "import json, collections.abc\nimport math as m\nfrom datetime import date as day\n"
        "def f(x):\n"
        "    return json.dumps([m.floor(x), day(2020, 1, x).isoformat(), isinstance(x, collections.abc.Hashable)])\n"
        "save_tool(f)",
        '[2, "2020-01-02", true]',
    ),
    "default, annotation and decorator": (
        "import typing, functools\nD = {'a': (1, 2)}\n@functools.lru_cache(maxsize=None)\n"
        "def f(x, d=D['a']) -> typing.Optional[int]:\n    return x + d[1]\nsave_tool(f)",
        4,
    ),
    "future annotations": ("from __future__ import annotations\ndef f(x: Undefined):\n    return x\nsave_tool(f)", 2),
    "helper functions and classes": (
        "import math\nclass Base:\n    n = 1\nclass A(Base):\n    def get(self, x):\n"
        "        return helper(x) + self.n\n"
        "def helper(x):\n    return math.floor(x) if x < 10 else f(x)\ndef f(x):\n    return A().get(x)\nsave_tool(f)",
        3,
    ),
    "local variables that are called like global ones": (
        "import os\ndata = object()\ndef f(x):\n    data = x\n    return data\nsave_tool(f)",
        2,
    ),
    "name that is defined nowhere": ("def f(x):\n    return x if x < 5 else undefined\nsave_tool(f)", 2),
    "async": ("async def f(x):\n    return (await mcp.s.t(x=x))['args']['x']\nsave_tool(f)", 2),
    "async with asyncio": (
        "import asyncio\nasync def f(x):\n    await asyncio.sleep(0)\n    return x\nsave_tool(f)",
        2,
    ),
    "generator": ("def f(x):\n    yield x\n    yield 1\nsave_tool(f)", "generator"),
    "guest API": (
        "from mcp.servers.kid import t\nother = mcp['my-kid']\ndef f(x):\n"
        "    return [t(x=x)['server'], other.t()['server'], mcp_third.t()['server'], call_mcp_tool('s', 't')['tool']]\n"
        "save_tool(f)",
        ["kid", "my-kid", "third", "t"],
    ),
    "a result of a call": ("data = mcp.s.t()\ndef f(x):\n    return data['tool']\nsave_tool(f)", "t"),
}
USES = (
    "from user_tools import f\nx = f(2)\n"
    "x = await x if hasattr(x, '__await__') and type(x).__name__ == 'coroutine' else x\n"
    "'generator' if type(x).__name__ == 'generator' else x"
)

# name: (code, message)
REFUSED = {
    "lambda": ("save_tool(lambda x: x)", "save_tool expects a function"),
    "built-in": ("save_tool(len)", "save_tool expects a function"),
    "class": ("class A:\n    pass\nsave_tool(A)", "save_tool expects a function"),
    "text": ("save_tool('def f(): pass')", "save_tool expects a function"),
    "closure": (
        "def make(n):\n    def f():\n        return n\n    return f\nsave_tool(make(1))",
        "f uses n of the function around it",
    ),
    "object of the program": (
        "lock = object()\ndef f():\n    return lock\nsave_tool(f)",
        "f uses 'lock', an object of the type object that cannot be saved; make it a parameter",
    ),
    "function of a library": ("import textwrap\nsave_tool(textwrap.dedent)", "the source of dedent is not known"),
    "function from exec": ("exec('def f(): pass')\nsave_tool(f)", "the source of f is not known"),
}


class SavingTest(unittest.TestCase):
    def test_saved_and_used(self):
        for name, (code, expected) in SAVED.items():
            with self.subTest(name):
                tools = Tools()
                saved = run_python(code, tools)
                self.assertIsNone(saved.error, saved)
                self.assertTrue(saved.result.startswith("Tool 'f' saved. It will be available in future sessions."), saved.result)
                used = run_python(USES, tools)
                self.assertIsNone(used.error, (used, tools.sources))
                self.assertEqual(used.result, expected)

    def test_names_that_nothing_defines_are_told(self):
        for code, names in {
            "def f(x):\n    return g(x) + LIMIT + x.a": "LIMIT, g",
            "def h():\n    return nothing\ndef f(x):\n    return h()": "nothing",
            "def f(x):\n    return [y for y in [x, len(str(x)), display, help, mcp_s, __name__, ValueError]]": "",
            "def f(x):\n    global count\n    count = x\n    return count": "",
            "from __future__ import annotations\ndef f(x: Some) -> Other:\n    return g(x)": "g",
            "def f(x):\n    return g(x)\ndef g(x):\n    return f(x - 1) if x else 0": "",
        }.items():
            with self.subTest(code):
                warning = f" Warning: it uses {names}, which this program does not define." if names else ""
                saved = run_python(f"{code}\nsave_tool(f)", Tools())
                self.assertEqual(saved.result, f"Tool 'f' saved. It will be available in future sessions.{warning}")

    def test_source_is_the_function_and_what_it_needs(self):
        tools = Tools()
        code = (
            "import json, os\nLIMIT = 5\nunused = 1\nprint('x')\nif True:\n    def f(x):\n"
            "        '''Cuts.\n\n        More.'''\n        return json.dumps(x)[:LIMIT]\nsave_tool(f)"
        )
        self.assertIsNone(run_python(code, tools).error)
        self.assertEqual(
            tools.sources["f"],
            "import json\nLIMIT = 5\ndef f(x):\n    '''Cuts.\n\n        More.'''\n    return json.dumps(x)[:LIMIT]\n",
        )
        self.assertEqual(tools.descriptions["f"], "Cuts.")

    def test_refused(self):
        for name, (code, message) in REFUSED.items():
            with self.subTest(name):
                tools = Tools()
                error = run_python(code, tools).error
                self.assertEqual(error["name"], "ValueError")
                self.assertIn(message, error["message"])
                self.assertEqual(tools.sources, {})


class UserToolsTest(unittest.TestCase):
    def test_ways_to_use(self):
        for code in (
            "from user_tools import f\nf(1)",
            "import user_tools\nuser_tools.f(1)",
            "from user_tools import *\nf(1)",
            "import user_tools as u\nu.f(1)",
        ):
            with self.subTest(code):
                self.assertEqual(run_python(code, Tools(f="def f(x):\n    return x + 1\n")).result, 2)

    def test_loaded_when_needed_and_once(self):
        tools = Tools(f="def f():\n    return 1\n", g="def g():\n    return 2\n")
        self.assertEqual(run_python("import user_tools\nuser_tools.f() + user_tools.f()", tools).result, 2)
        self.assertEqual(tools.loaded, ["f"])
        self.assertEqual(run_python("1 + 1", tools).requests, [])

    def test_list(self):
        self.assertEqual(run_python("import user_tools\ndir(user_tools)", Tools(g="", f="")).result, ["f", "g"])
        self.assertEqual(run_python("runtime.list_saved_tools()", Tools(f="")).result, [{"name": "f"}])

    def test_delete(self):
        code = "[runtime.delete_saved_tool('f'), await runtime.delete_saved_tool('f')]"
        self.assertEqual(run_python(code, Tools(f="")).result, ["Tool 'f' deleted.", "Tool 'f' not found."])

    def test_tools_that_use_tools(self):
        tools = Tools(f="from user_tools import g\ndef f():\n    return g() + 1\n", g="def g():\n    return 1\n")
        self.assertEqual(run_python("from user_tools import f\nf()", tools).result, 2)
        tools = Tools(f="from user_tools import g\ndef f(): pass\n", g="from user_tools import f\ndef g(): pass\n")
        self.assertEqual(run_python("from user_tools import f", tools).error["name"], "ImportError")

    def test_saved_again_after_use(self):
        """What a program imported, a new tool of it imports too."""
        tools = Tools(g="def g():\n    return 1\n")
        saved = run_python("from user_tools import g\ndef f(x):\n    return g() + x\nsave_tool(f)", tools)
        self.assertIsNone(saved.error, saved)
        self.assertEqual(run_python(USES, tools).result, 3)

    def test_broken_tools_harm_only_those_that_use_them(self):
        broken = {
            "syntax": "def f(:\n",
            "error": "import sys\nraise LookupError('l')\n",
            "without the function": "x = 1\n",
            "exit": "import sys\nsys.exit(9)\n",
        }
        for name, source in broken.items():
            with self.subTest(name):
                tools = Tools(f=source, g="def g():\n    return 1\n")
                self.assertEqual(run_python("from user_tools import g\ng()", tools).result, 1)
                self.assertIsNotNone(run_python("from user_tools import f", tools).error)
        sources = {"e": broken["exit"], "f": broken["syntax"], "g": "def g():\n    return 1\n"}
        outcome = run_python("from user_tools import *\ng()", Tools(**sources))
        self.assertEqual(outcome.result, 1)
        self.assertIn("'f' cannot be loaded: SyntaxError", outcome.stderr)

    def test_position_of_errors(self):
        error = run_python("from user_tools import f\n\nf(0)", Tools(f="def f(x):\n    return 1 / x\n")).error
        self.assertEqual((error["name"], error["line"]), ("ZeroDivisionError", 3))
        self.assertIn('File "<saved tool f>", line 2, in f\n    return 1 / x', error["stack"])

    def test_unknown_tool(self):
        error = run_python("import user_tools\nuser_tools.nosuch", Tools(f="")).error
        self.assertEqual(
            (error["name"], error["message"]), ("AttributeError", "no tool 'nosuch' was saved; saved tools: f")
        )
        self.assertEqual(run_python("from user_tools import nosuch", Tools()).error["name"], "ImportError")

    def test_calls_of_a_tool_run_in_parallel_when_gathered(self):
        source = "import asyncio\nasync def f(n):\n    return await asyncio.gather(*[mcp.s.t(i=i) for i in range(n)])\n"
        tools = Tools(f=source)
        with Guest(python_command()) as guest:
            hold = together(guest, 3, answer=lambda request: {"result": request["params"]["args"]["i"]})

            def answer(request):
                return hold(request) if request["method"] == "call" else tools(request)

            self.assertEqual(guest.run("from user_tools import f\nawait f(3)", answer).result, [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
