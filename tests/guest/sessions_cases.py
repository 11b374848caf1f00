"""Programs that follow each other in one guest, in both languages: what they share, and what they do not."""

from languages import Both

# name: (the programs of a session, the result of the last)
SESSIONS = {
    "variables": (
        Both(
            ["x = 1\ny = [1]", "x = 5", "x += 1\ny.append(x)", "[x, y]"],
            ["let x = 1, y = [1]", "x = 5", "x += 1; y.push(x)", "return [x, y]"],
        ),
        [6, [1, 6]],
    ),
    "imports": (
        Both(
            ["import json\nfrom math import pi as p", "[json.dumps(int(p)), int(p)]"],
            ["import { join, basename as base } from 'node:path'", "return [join('a', 'b'), base('/c/d')]"],
        ),
        Both(["3", 3], ["a/b", "d"]),
    ),
    "functions and classes": (
        Both(
            ["n = 1\ndef f():\n    global n\n    n += 1\n    return n\nclass A:\n    x = 5", "f()", "[n, f(), A().x]"],
            ["let n = 1\nfunction f() { return ++n }\nclass A { x = 5 }", "f()", "return [n, f(), new A().x]"],
        ),
        [2, 3, 5],
    ),
    "what a failed program declared": (
        Both(
            ["a = 1\nb = 1 / 0\nc = 3", "[a, 'b' in globals(), 'c' in globals()]"],
            ["const a = 1; const b = null.x; const c = 3", "return [a, typeof b !== 'undefined', typeof c !== 'undefined']"],
        ),
        [1, False, False],
    ),
    "after a syntax error": (
        Both(
            ["a = 1", "b = = 2", "[a, 'b' in globals()]"],
            ["const a = 1", "const b = ;", "return [a, typeof b !== 'undefined']"],
        ),
        [1, False],
    ),
    "early end": (
        Both(
            ["a = 1\nif a:\n    return 0\nb = 2", "[a, 'b' in globals()]"],
            ["const a = 1; if (a) return 0; const b = 2", "return [a, typeof b !== 'undefined']"],
        ),
        [1, False],
    ),
    "names of the guest API": (
        Both(
            ["list_servers = 5\nmcp_x = 6", "[list_servers, mcp_x]"],
            ["const mcp = 'm', display = 1, callMCPTool = 2", "return [mcp, display, callMCPTool]"],
        ),
        Both([5, 6], ["m", 1, 2]),
    ),
    "built-ins that were changed": (
        Both(
            ["import builtins\nbuiltins.answer = 42\nbuiltins.len = lambda _: 7", "[answer, len('')]"],
            ["Array.prototype.extra = 42; Object.prototype.get = 2; const x = 7", "delete Object.prototype.get; return [[].extra, x]"],
        ),
        [42, 7],
    ),
    "what a program started ends before the next": (
        Both(
            [
                "import asyncio\nseen = []\nlate = asyncio.create_task(mcp.s.t())\n"
                "asyncio.get_running_loop().call_later(0.02, seen.append, 'timer')",
                "[list(seen), (await late)['tool']]",
            ],
            [
                "var seen = []; var late = mcp.s.t(); setTimeout(() => seen.push('timer'), 20)",
                "return [[...seen], (await late).tool]",
            ],
        ),
        [["timer"], "t"],
    ),
}

# name: (programs, fields of the error of the last)
ERRORS = {
    "syntax": (
        Both(["x = 1", "y = 1\nx = = 2"], ["const a = 1", "const b = 2\nconst c = ;"]),
        Both({"name": "SyntaxError", "line": 2, "column": 5}, {"name": "SyntaxError", "line": 2, "column": 11}),
    ),
}


class SessionsTests:
    SESSIONS = SESSIONS
    ERRORS = ERRORS

    def test_sessions(self):
        for name, (programs, expected) in self.own(self.SESSIONS).items():
            with self.subTest(name):
                last = self.run_session(*programs)[-1]
                self.assertIsNone(last.error, last)
                self.assertEqual(last.result, expected, last)

    def test_errors(self):
        for name, (programs, expected) in self.own(self.ERRORS).items():
            with self.subTest(name):
                error = self.run_session(*programs)[-1].error
                self.assertIsNotNone(error)
                self.assertEqual({field: error.get(field) for field in expected}, expected, error)

    def test_frames_of_earlier_programs(self):
        programs = Both(
            ["x = 1\n\n\ndef f():\n    return 1 / 0", "y = 2\nf()"],
            ["function fail() {\n  throw new Error('x')\n}", "\n  fail()"],
        )
        error = self.run_session(*self.own(programs))[-1].error
        stack = Both(
            'Traceback (most recent call last):\n  File "<code>", line 2, in <module>\n    f()\n'
            '  File "<code 1>", line 5, in f\n    return 1 / 0\nZeroDivisionError: division by zero',
            "Error: x\n    at fail (code.ts#1:2:9)\n    at code.ts:2:3",
        )
        self.assertEqual(error["stack"], self.own(stack))
        # TypeScript tells the position of the innermost frame only, which is not in the program that runs.
        self.assertEqual(error.get("line", "none"), self.own(Both(2, "none")))

    def test_request_ids_go_on(self):
        outcomes = self.run_session(*[Both("mcp.s.t()", "await mcp.s.t()")] * 2)
        self.assertEqual([outcome.requests[0]["id"] for outcome in outcomes], [1, 2])
