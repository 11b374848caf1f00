"""What the Python guest promises to programs."""

import time
import unittest

from fake_host import Guest, echo, guest_python_version, python_command, run_python

CALL = 'call_mcp_tool("mcp__s__t", {"i": 1})'
CALL_RESULT = {"method": "call", "name": "mcp__s__t", "args": {"i": 1}}


def failing(request):
    return {
        "error": {
            "code": "unknown_tool",
            "message": "no such tool",
            "server": "s",
            "tool": "t",
            "suggestions": ["mcp__s__u"],
            "retryAfterMs": 7,
        }
    }


def values(*results):
    """Answers the requests with these results, in order."""
    remaining = list(results)
    return lambda request: {"result": remaining.pop(0)}


# name: (code, result); no result means that the done frame has none.
NO_RESULT = object()
RESULTS = {
    "last expression": ("x = 2\nx + 1", 3),
    "no expression at the end": ("x = 2", NO_RESULT),
    "None": ("None", NO_RESULT),
    "empty program": ("", NO_RESULT),
    "only comments": ("# nothing\n", NO_RESULT),
    "top-level return": ("for i in range(5):\n    if i == 3:\n        return i\nelse:\n    return 9", 3),
    "bare return": ("return\n5", NO_RESULT),
    "return from try, finally runs": (
        "try:\n    return 1\nexcept Exception:\n    return 2\nfinally:\n    print('f')",
        1,
    ),
    "return in a function is its own": ("def f():\n    return 4\nf()", 4),
    "top-level await": (f"await {CALL}", CALL_RESULT),
    "coroutine at the end is awaited": (f"async def main():\n    return await {CALL}\nmain()", CALL_RESULT),
    "main guard": ("r = 0\nif __name__ == '__main__':\n    r = 1\nr", 1),
    "markdown fence": ("```python\nx = 5\nx\n```\n", 5),
    "tuple, set, range": ("[(1, 2), {3}, frozenset([4]), range(2)]", [[1, 2], [3], [4], [0, 1]]),
    "bytes": (r"[b'text', b'\xff\xfe', bytearray(b'x')]", ["text", "//4=", "x"]),
    "dates": (
        "import datetime\n[datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3)]",
        ["2020-01-02", "2020-01-02T03:00:00"],
    ),
    "text types": (
        "import decimal, pathlib, uuid\n[decimal.Decimal('1.50'), pathlib.Path('/a/b'), uuid.UUID(int=0)]",
        ["1.50", "/a/b", "00000000-0000-0000-0000-000000000000"],
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
    "not finite": ("[float('nan'), float('inf'), -float('inf')]", [None, None, None]),
    "cycle": ("d = {}\nd['d'] = [d]\nd", {"d": ["[Circular]"]}),
    "the same object twice is no cycle": ("a = [1]\n[a, a]", [[1], [1]]),
    "broken object": ("class A:\n    def tolist(self):\n        1/0\n[A()]", ["[Unreadable A: ZeroDivisionError]"]),
    "repr of an exception": ("ValueError('x')", {"name": "ValueError", "message": "x"}),
    "endless iterator is not consumed": ("import itertools\nrepr(itertools.count()) == 'count(0)'", True),
    "integer of 64 bits": ("2 ** 63", 2**63),
    "big integer": ("2 ** 70", str(2**70)),
    "lone surrogate": (r"'a\ud800b'", "a?b"),
    "unicode": ("'h\u00e9 \U0001f600'", "h\u00e9 \U0001f600"),
    "fresh globals": ("__name__", "__main__"),
    "globals are the module's": ("import sys\nsys.modules['__main__'].__dict__ is globals()", True),
    "pickle of own class": ("import pickle\nclass A:\n    x = 1\npickle.loads(pickle.dumps(A())).x", 1),
    "future import": ("from __future__ import annotations\ndef f(x: Undefined): return 1\nf(0)", 1),
    "list of global names": (
        "sorted(name for name in globals() if not name.startswith('__'))",
        [
            "MCPError",
            "call_mcp_tool",
            "discover_mcp_tools",
            "get_tool_schema",
            "get_tool_signature",
            "list_servers",
            "mcp",
            "mcp_servers",
            "search_tools",
        ],
    ),
    "our modules are not importable": (
        "found = []\nfor name in ('session', 'channel', 'api', 'wire'):\n    try:\n        __import__(name)\n"
        "        found.append(name)\n    except ImportError:\n        pass\nfound",
        [],
    ),
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

# name: (code, error fields that must be as given)
ERRORS = {
    "exception": ("x = 1\n\n  \nraise ValueError('bad')", {"name": "ValueError", "message": "bad", "line": 4}),
    "in a function": ("def f():\n    return {}['k']\nf()", {"name": "KeyError", "message": "'k'", "line": 2}),
    "syntax error": ("x = 1\ny = = 2", {"name": "SyntaxError", "line": 2, "column": 5}),
    "indentation": ("if 1:\nx = 1", {"name": "IndentationError", "line": 2}),
    "return in a class": ("class A:\n    return 1", {"name": "SyntaxError", "line": 2}),
    "null byte": ("x = '\0'", {"name": ("SyntaxError", "ValueError")}),
    "sys.exit with a code": ("import sys\nsys.exit(3)", {"name": "SystemExit", "exitCode": 3}),
    "sys.exit with a message": ("import sys\nsys.exit('bye')", {"name": "SystemExit", "message": "bye", "exitCode": 1}),
    "input": ("input('? ')", {"name": "EOFError", "line": 1}),
    "keyboard interrupt": ("raise KeyboardInterrupt", {"name": "KeyboardInterrupt"}),
    "memory error": ("x = 'a' * (1 << 62)", {"name": ("MemoryError", "OverflowError")}),
    "recursion": ("def f(n):\n    return f(n + 1)\nf(0)", {"name": "RecursionError", "line": 2}),
    "unreadable exception": (
        "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E()",
        {"name": "E", "line": 4},
    ),
    "unknown name": ("undefined_thing", {"name": "NameError", "line": 1}),
    "call with a list": ("call_mcp_tool('s', 't', [1])", {"name": "MCPError", "code": "invalid_argument", "line": 1}),
    "call without a name": ("call_mcp_tool()", {"name": "MCPError", "code": "invalid_argument"}),
    "cyclic arguments": ("d = {}\nd['d'] = d\ncall_mcp_tool('s', 't', d)", {"code": "invalid_argument", "line": 3}),
    "error inside asyncio": (
        "import asyncio\nasync def main():\n    raise LookupError('l')\nasyncio.run(main())",
        {"name": "LookupError", "line": 3},
    ),
    "awaiting what needs a loop": ("await object()", {"name": "TypeError", "line": 1}),
}


class TablesTest(unittest.TestCase):
    RESULTS = RESULTS
    ERRORS = ERRORS

    def test_results(self):
        for name, (code, expected) in self.RESULTS.items():
            with self.subTest(name):
                outcome = run_python(code)
                self.assertIsNone(outcome.error, outcome)
                if expected is NO_RESULT:
                    self.assertNotIn("result", outcome.done)
                else:
                    self.assertEqual(outcome.result, expected)

    def test_errors(self):
        for name, (code, expected) in self.ERRORS.items():
            with self.subTest(name):
                outcome = run_python(code)
                self.assertIsNotNone(outcome.error, outcome)
                for field, value in expected.items():
                    allowed = value if isinstance(value, tuple) else (value,)
                    self.assertIn(outcome.error.get(field), allowed, outcome)
                self.assertNotIn("sandbox/guest", str(outcome.error.get("stack")))


class CallTest(unittest.TestCase):
    def requests(self, code):
        outcome = run_python(code)
        self.assertIsNone(outcome.error, outcome)
        return [(request["method"], request["params"]) for request in outcome.requests]

    def test_ids_count_from_one(self):
        outcome = run_python("for i in range(3):\n    list_servers()")
        self.assertEqual([request["id"] for request in outcome.requests], [1, 2, 3])

    def test_forms_of_call_mcp_tool(self):
        forms = {
            "call_mcp_tool('mcp__s__t')": {"name": "mcp__s__t", "args": {}},
            "call_mcp_tool('mcp__s__t', None)": {"name": "mcp__s__t", "args": {}},
            "call_mcp_tool('mcp__s__t', {'a': 1})": {"name": "mcp__s__t", "args": {"a": 1}},
            "call_mcp_tool('s', 't')": {"server": "s", "tool": "t", "args": {}},
            "call_mcp_tool('s', 't', {'a': 1})": {"server": "s", "tool": "t", "args": {"a": 1}},
            "call_mcp_tool(name='mcp__s__t', params={'a': 1})": {"name": "mcp__s__t", "args": {"a": 1}},
            "call_mcp_tool(server='s', tool='t', params={'a': 1})": {"server": "s", "tool": "t", "args": {"a": 1}},
            "call_mcp_tool('mcp__s__t', path='p', name='n')": {"name": "mcp__s__t", "args": {"path": "p", "name": "n"}},
            "mcp.s.t()": {"server": "s", "tool": "t", "args": {}},
            "mcp.s.t({'a': 1}, b=2)": {"server": "s", "tool": "t", "args": {"a": 1, "b": 2}},
            "mcp['my-server']['read-file'](a=1)": {"server": "my-server", "tool": "read-file", "args": {"a": 1}},
            "mcp_servers['s'].t(a=1)": {"server": "s", "tool": "t", "args": {"a": 1}},
            "mcp_my_server.t(a=1)": {"server": "my_server", "tool": "t", "args": {"a": 1}},
            "import mcp\nmcp.s.t()": {"server": "s", "tool": "t", "args": {}},
            "from mcp import s\ns.t()": {"server": "s", "tool": "t", "args": {}},
            "from mcp import s as other\ndef f():\n    return other.t()\nf()": {"server": "s", "tool": "t", "args": {}},
        }
        for code, params in forms.items():
            with self.subTest(code):
                self.assertEqual(self.requests(code), [("call", params)])

    def test_own_variables_named_like_servers(self):
        outcome = run_python("mcp_result = 1\ndef f(mcp_x):\n    return mcp_x\nf(mcp_result)")
        self.assertEqual(outcome.result, 1)

    def test_discovery(self):
        forms = {
            "discover_mcp_tools()": ("discover", {}),
            "discover_mcp_tools('a')": ("discover", {"search": ["a"]}),
            "discover_mcp_tools(search=['a', 'b'], server='s', limit=3)": (
                "discover",
                {"search": ["a", "b"], "server": "s", "limit": 3},
            ),
            "search_tools('q')": ("search", {"query": "q", "limit": 10}),
            "search_tools('q', 5, server='s', detail='full')": (
                "search",
                {"query": "q", "limit": 5, "server": "s", "detail": "full"},
            ),
            "get_tool_schema('mcp__s__t')": ("schema", {"name": "mcp__s__t"}),
            "get_tool_schema('s', 't')": ("schema", {"server": "s", "tool": "t"}),
            "get_tool_signature('s', 't')": ("signature", {"server": "s", "tool": "t"}),
            "await list_servers()": ("servers", {}),
        }
        for code, request in forms.items():
            with self.subTest(code):
                self.assertEqual(self.requests(code), [request])

    def test_arguments_of_many_types(self):
        code = (
            "import datetime, pathlib\n"
            "mcp.s.t(when=datetime.date(2020, 1, 2), path=pathlib.Path('/a'), some={1}, pair=(1, 2))"
        )
        args = {"when": "2020-01-02", "path": "/a", "some": [1], "pair": [1, 2]}
        self.assertEqual(self.requests(code)[0][1]["args"], args)

    def test_results_are_plain(self):
        code = "x = await mcp.s.t()\ny = mcp.s.t()\n[type(x).__name__, isinstance(y, dict), dict(y) == x]"
        self.assertEqual(run_python(code, values({"a": 1}, {"a": 1})).result, ["dict", True, True])
        self.assertEqual(run_python("type(mcp.s.t()).__name__", values({})).result, "dict")

    def test_a_result_that_was_not_awaited_can_be_awaited(self):
        for value in ({"a": 1}, [1, 2], "text", 5, 1.5, True, None):
            with self.subTest(value=value):
                code = "import json\nx = call_mcp_tool('s', 't')\ny = json.dumps(x)\nz = await x\n[json.loads(y), z]"
                self.assertEqual(run_python(code, lambda _: {"result": value}).result, [value, value])

    def test_errors_can_be_caught(self):
        code = (
            "try:\n    mcp.s.t()\nexcept MCPError as e:\n"
            "    result = [e.code, e.server, e.tool, e.message, str(e), e.suggestions, e.retry_after_ms]\nresult"
        )
        expected = ["unknown_tool", "s", "t", "no such tool", "no such tool", ["mcp__s__u"], 7]
        self.assertEqual(run_python(code, failing).result, expected)
        self.assertEqual(run_python(code.replace("mcp.s.t()", "await mcp.s.t()"), failing).result, expected)

    def test_errors_that_are_not_caught(self):
        for code in ("\nmcp.s.t()", "\nawait mcp.s.t()", "import asyncio\nawait asyncio.gather(mcp.s.t())"):
            with self.subTest(code):
                error = run_python(code, failing).error
                details = {name: error[name] for name in ("name", "message", "code", "server", "tool", "suggestions")}
                self.assertEqual(
                    details,
                    {
                        "name": "MCPError",
                        "message": "no such tool",
                        "code": "unknown_tool",
                        "server": "s",
                        "tool": "t",
                        "suggestions": ["mcp__s__u"],
                    },
                )
                self.assertEqual(error["line"], 2)

    def test_large_values(self):
        size = 5_000_000
        outcome = run_python("x = mcp.s.t(text='a' * 5_000_000)\nx['args']['text'] + 'b'")
        self.assertEqual(len(outcome.result), size + 1)


class ParallelTest(unittest.TestCase):
    """Ten calls whose replies each take 100 ms."""

    CALLS = 10
    DELAY_SECONDS = 0.1
    LIMIT_SECONDS = 0.4
    PROGRAMS = {
        "gather of a comprehension": "await asyncio.gather(*[mcp.s.t(i=i) for i in range(10)])",
        "gather of a generator": "await asyncio.gather(*(mcp.s.t(i=i) for i in range(10)))",
        "gather of a list": "tasks = [mcp.s.t(i=i) for i in range(10)]\nawait asyncio.gather(*tasks)",
        "gather of appended calls": (
            "tasks = []\nfor i in range(10):\n    tasks.append(mcp.s.t(i=i))\n"
            "results = await asyncio.gather(*tasks)\nresults"
        ),
        "gather of named calls": (
            "a, b = mcp.s.t(i=0), mcp.s.t(i=1)\nrest = [mcp.s.t(i=i) for i in range(2, 10)]\n"
            "await asyncio.gather(a, b, *rest)"
        ),
        "gather of map": "await asyncio.gather(*map(lambda i: mcp.s.t(i=i), range(10)))",
        "gather of map of the function": "await asyncio.gather(*map(mcp.s.t, [dict(i=i) for i in range(10)]))",
        "gather through a helper": (
            "def get(i):\n    return mcp.s.t(i=i)\nawait asyncio.gather(*[get(i) for i in range(10)])"
        ),
        "gather of coroutines": (
            "async def get(i):\n    return await mcp.s.t(i=i)\nawait asyncio.gather(*[get(i) for i in range(10)])"
        ),
        "gather of values of a dict": (
            "tasks = {i: mcp.s.t(i=i) for i in range(10)}\nawait asyncio.gather(*tasks.values())"
        ),
        "items of a dict": (
            "tasks = {i: mcp.s.t(i=i) for i in range(10)}\nresults = []\nfor i, task in tasks.items():\n"
            "    results.append(await task)\nresults"
        ),
        "zip": (
            "names = list(range(10))\ntasks = [mcp.s.t(i=i) for i in names]\nresults = []\n"
            "for name, task in zip(names, tasks):\n    print(name)\n    results.append(await task)\nresults"
        ),
        "create_task": "tasks = [asyncio.create_task(mcp.s.t(i=i)) for i in range(10)]\n[await task for task in tasks]",
        "ensure_future": (
            "tasks = [asyncio.ensure_future(mcp.s.t(i=i)) for i in range(10)]\n[await task for task in tasks]"
        ),
        "wait": (
            "tasks = [asyncio.create_task(mcp.s.t(i=i)) for i in range(10)]\nawait asyncio.wait(tasks)\n"
            "[task.result() for task in tasks]"
        ),
        "as_completed": (
            "results = [await x for x in asyncio.as_completed([mcp.s.t(i=i) for i in range(10)])]\n"
            "sorted(results, key=lambda r: r['args']['i'])"
        ),
        "asyncio.run": (
            "async def main():\n    return await asyncio.gather(*[mcp.s.t(i=i) for i in range(10)])\n"
            "asyncio.run(main())"
        ),
        "without asyncio": "calls = [mcp.s.t(i=i) for i in range(10)]\n[await call for call in calls]",
        "threads": (
            "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(10) as pool:\n"
            "    results = list(pool.map(lambda i: mcp.s.t(i=i), range(10)))\nresults"
        ),
        "to_thread": "await asyncio.gather(*[asyncio.to_thread(mcp.s.t, i=i) for i in range(10)])",
    }
    if guest_python_version() >= (3, 11):
        PROGRAMS["TaskGroup"] = (
            "async with asyncio.TaskGroup() as group:\n"
            "    tasks = [group.create_task(mcp.s.t(i=i)) for i in range(10)]\n[task.result() for task in tasks]"
        )

    def test_parallel(self):
        for name, program in self.PROGRAMS.items():
            with self.subTest(name):
                code = program if name in ("without asyncio", "threads") else f"import asyncio\n{program}"
                result, seconds = self.run_with_delays(code)
                self.assertEqual([item["args"]["i"] for item in result], list(range(self.CALLS)))
                self.assertLess(seconds, self.LIMIT_SECONDS)

    def run_with_delays(self, code):
        """The result, and the time from the first request to the end."""
        with Guest(python_command()) as guest:
            times = []

            def answer(request):
                times.append(time.perf_counter())
                guest.reply_later(request, echo(request), self.DELAY_SECONDS)

            outcome = guest.run(code, answer)
            self.assertIsNone(outcome.error, outcome)
            return outcome.result, time.perf_counter() - times[0]

    def test_helper_that_is_also_used_directly(self):
        code = (
            "import asyncio\ndef get(i):\n    return mcp.s.t(i=i)\nfirst = get(0)['args']['i']\n"
            "rest = await asyncio.gather(*[get(i) for i in range(1, 3)])\n[first, *[r['args']['i'] for r in rest]]"
        )
        self.assertEqual(run_python(code).result, [0, 1, 2])

    def test_helper_with_values_of_any_type(self):
        code = (
            "import asyncio\ndef get(i):\n    x = mcp.s.t(i=i)\n    return x\nfirst = get(0)\n"
            "tasks = [get(i) for i in range(3)]\nlast = await asyncio.create_task(get(4))\n"
            "[first, *await asyncio.gather(*tasks), last]"
        )
        for value in (None, 3, True, "text", [1], {"a": 1}):
            with self.subTest(value=value):
                self.assertEqual(run_python(code, lambda _: {"result": value}).result, [value] * 5)

    def test_value_used_and_awaited(self):
        code = "x = mcp.s.t(i=1)\nprint(x['args'])\ny = await x\ny['args']['i']"
        outcome = run_python(code)
        self.assertEqual((outcome.result, outcome.stdout), (1, "{'i': 1}\n"))

    def test_replies_in_any_order(self):
        code = (
            "import asyncio\nr = await asyncio.gather(*[mcp.s.t(i=i) for i in range(20)])\n"
            "[x['args']['i'] for x in r]"
        )
        with Guest(python_command()) as guest:
            held = []

            def answer(request):
                held.append(request)
                if len(held) == 20:
                    for late in reversed(held):
                        guest.reply(late, echo(late))

            self.assertEqual(guest.run(code, answer).result, list(range(20)))

    def test_blocking_calls_among_tasks_lose_no_reply(self):
        code = (
            "import asyncio, threading\nasync def task(i):\n    total = 0\n    for k in range(10):\n"
            "        total += (await mcp.s.t(i=i))['args']['i']\n        total += mcp.s.t(i=1)['args']['i']\n"
            "    return total\n"
            "out = []\n"
            "thread = threading.Thread(target=lambda: out.extend(mcp.s.t(i=k)['args']['i'] for k in range(50)))\n"
            "thread.start()\nr = await asyncio.gather(*[task(i) for i in range(5)])\nthread.join()\n[r, sum(out)]"
        )
        self.assertEqual(run_python(code).result, [[10 * (i + 1) for i in range(5)], sum(range(50))])

    def test_many_threads_with_replies_in_bursts(self):
        code = (
            "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(12) as pool:\n"
            "    total = sum(pool.map(lambda i: mcp.s.t(i=i)['args']['i'], range(3000)))\ntotal"
        )
        with Guest(python_command()) as guest:
            held = []
            answered = 0

            def answer(request):
                nonlocal answered
                held.append(request)
                # The last of the threads have fewer calls than a burst holds.
                if len(held) >= min(6, 3000 - answered):
                    for late in reversed(held):
                        guest.reply(late, echo(late))
                    answered += len(held)
                    held.clear()

            self.assertEqual(guest.run(code, answer).result, sum(range(3000)))

    def test_timeout_of_one_call_leaves_the_others(self):
        code = (
            "import asyncio\ntry:\n    await asyncio.wait_for(mcp.s.slow(), 0.05)\nexcept asyncio.TimeoutError:\n"
            "    pass\nawait mcp.s.t()"
        )
        outcome = run_python(code, lambda request: None if request["params"]["tool"] == "slow" else {"result": "on"})
        self.assertEqual(outcome.result, "on")


class OutputTest(unittest.TestCase):
    def test_streams(self):
        outcome = run_python("import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.stdout.buffer.write(b'raw')")
        self.assertEqual((outcome.stdout, outcome.stderr), ("out\nraw", "err\n"))

    def test_unfinished_line_is_flushed(self):
        self.assertEqual(run_python("print('a', end='')").stdout, "a")

    def test_lines_arrive_while_the_program_runs(self):
        with Guest(python_command()) as guest:
            answered = guest.run("print('early')\nmcp.s.t()", lambda _: {"result": 1})
            self.assertEqual(answered.stdout, "early\n")

    def test_text_that_utf8_cannot_hold(self):
        self.assertEqual(run_python(r"print('a\ud800')").stdout, "a\\ud800\n")

    def test_programs_and_descriptors(self):
        code = "import os, subprocess\nos.write(1, b'fd\\n')\nsubprocess.run(['echo', 'sub'])\nprint('last')"
        self.assertEqual(run_python(code).stdout, "fd\nsub\nlast\n")

    def test_large_output_comes_before_done(self):
        self.assertEqual(len(run_python("print('x' * 3_000_000)").stdout), 3_000_001)

    def test_stray_errors_do_not_end_the_program(self):
        outcome = run_python("import threading\nt = threading.Thread(target=lambda: 1/0)\nt.start()\nt.join()\n'on'")
        self.assertEqual(outcome.result, "on")
        self.assertIn("ZeroDivisionError", outcome.stderr)
        self.assertIn('File "<code>", line 2', outcome.stderr)
        self.assertNotIn("sandbox/guest", outcome.stderr)

    def test_errors_of_tasks(self):
        code = (
            "import asyncio\nasync def bad():\n    raise ValueError('lost')\nasync def main():\n"
            "    t = asyncio.create_task(bad())\n    await asyncio.sleep(0)\n    await asyncio.sleep(0)\n    del t\n"
            "    return 'on'\nawait main()"
        )
        outcome = run_python(code)
        self.assertEqual(outcome.result, "on")
        self.assertIn("ValueError: lost", outcome.stderr)

    def test_printing_a_traceback_shows_the_source(self):
        outcome = run_python("import traceback\ntry:\n    1 / 0\nexcept Exception:\n    traceback.print_exc()")
        self.assertIn("    1 / 0\n", outcome.stderr)


class StackTest(unittest.TestCase):
    def test_traceback(self):
        stack = run_python("def f():\n    raise ValueError('bad')\nf()").error["stack"]
        self.assertEqual(
            stack,
            'Traceback (most recent call last):\n  File "<code>", line 3, in <module>\n    f()\n'
            "  File \"<code>\", line 2, in f\n    raise ValueError('bad')\nValueError: bad",
        )

    def test_frames_of_libraries_are_left_out(self):
        error = run_python("import json\njson.loads('{')").error
        self.assertEqual((error["name"], error["line"]), ("JSONDecodeError", 2))
        self.assertNotIn("decoder.py", error["stack"])

    def test_causes(self):
        stack = run_python("try:\n    1 / 0\nexcept Exception as e:\n    raise RuntimeError('r') from e").error["stack"]
        self.assertIn("ZeroDivisionError: division by zero\n\nThe above exception was the direct cause", stack)
        self.assertTrue(stack.endswith("RuntimeError: r"))

    def test_long_stacks_are_cut(self):
        stack = run_python("def f(n):\n    return f(n + 1)\nf(0)").error["stack"]
        self.assertIn("more frames", stack)
        self.assertLess(stack.count("\n"), 100)

    @unittest.skipIf(guest_python_version() < (3, 11), "columns need Python 3.11")
    def test_columns_count_characters(self):
        error = run_python("\u00e9 = '\u00e9'; 1 / 0").error
        self.assertEqual((error["line"], error["column"]), (1, 10))


class HostileProgramTest(unittest.TestCase):
    """Whatever a program breaks, the host hears of its end."""

    PROGRAMS = {
        "closed stdout": "import sys\nsys.stdout.close()\nsys.stderr.close()\n'end'",
        "closed descriptors": "import os\nos.close(1)\nos.close(2)\n'end'",
        "no streams": "import sys\ndel sys.stdout\nsys.stderr = None\n'end'",
        "builtins removed": (
            "import builtins\nfor name in ('print', 'len', 'isinstance', 'getattr', 'type', 'str', 'dict'):\n"
            "    delattr(builtins, name)\n'end'"
        ),
        "json replaced": "import json\njson.dumps = json.loads = None\n'end'",
        "modules cleared": "import sys\nsys.modules.clear()\n'end'",
        "modules cleared, call after": "import sys\nsys.modules.clear()\nmcp.s.t()\n'end'",
        "posix emptied": "import posix\nposix.fsync = None\n'end'",
        "excepthook replaced": "import sys\nsys.excepthook = None\nsys.unraisablehook = None\n'end'",
        "forked child": "import os\nif os.fork() == 0:\n    raise ValueError('child')\nos.wait()\n'end'",
        "exit handler": "import atexit\natexit.register(lambda: 1/0)\n'end'",
        "threads left running": "import threading\nthreading.Thread(target=threading.Event().wait).start()\n'end'",
        "recursion limit": "import sys\nsys.setrecursionlimit(60)\n'end'",
    }

    def test_done_arrives(self):
        for name, code in self.PROGRAMS.items():
            with self.subTest(name):
                outcome = run_python(code)
                self.assertEqual(outcome.done, {"type": "done", "result": "end"}, outcome)

    def test_deep_values_are_cut(self):
        outcome = run_python("x = []\nfor i in range(100_000):\n    x = [x]\nx")
        self.assertIn("[Depth limit]", str(outcome.result))

    def test_result_beyond_a_frame(self):
        error = run_python("'x' * (65 << 20)").error
        self.assertEqual(error["name"], "ValueError")


class ChannelTest(unittest.TestCase):
    def exit_status(self, data):
        with Guest(python_command()) as guest:
            self.assertEqual(guest.receive(), {"type": "ready"})
            if data:
                guest.socket.sendall(data)
            guest.socket.shutdown(1)
            return guest.process.wait(30)

    def test_end_of_channel(self):
        self.assertEqual(self.exit_status(b""), 70)

    def test_broken_frames(self):
        for data in (b"\0\0\0\3abc", b"\xff\xff\xff\xff", b"\0\0\0\2[]", b"\0\0\0\4\xff\xff\xff\xff"):
            with self.subTest(data=data):
                self.assertEqual(self.exit_status(data), 70)

    def test_end_of_channel_after_done(self):
        with Guest(python_command()) as guest:
            guest.receive()
            guest.send({"type": "run", "code": "1"})
            self.assertEqual(guest.receive(), {"type": "done", "result": 1})
            guest.socket.shutdown(1)
            self.assertEqual(guest.process.wait(30), 70)

    def test_frames_in_pieces(self):
        with Guest(python_command()) as guest:
            guest.receive()
            body = b'{"type":"run","code":"21 * 2"}'
            for byte in len(body).to_bytes(4, "big") + body:
                guest.socket.sendall(bytes([byte]))
            self.assertEqual(guest.receive()["result"], 42)


if __name__ == "__main__":
    unittest.main()
