"""What guests promise to programs of both languages: results and errors."""

from languages import Both

CALL = Both('call_mcp_tool("mcp__s__t", {"i": 1})', "callMCPTool('mcp__s__t', { i: 1 })")
CALL_RESULT = {"method": "call", "name": "mcp__s__t", "args": {"i": 1}}

# name: (code, result); no result means that the done frame has none.
NO_RESULT = object()
RESULTS = {
    "value": (Both("x = 2\nx + 1", "return 1 + 2"), 3),
    "no value": (Both("x = 2", "1 + 1"), NO_RESULT),
    "nothing as the value": (Both("None", "return null"), Both(NO_RESULT, None)),
    "empty program": ("", NO_RESULT),
    "only comments": (Both("# nothing\n", "// nothing\n"), NO_RESULT),
    "exit with 256, which is 0 for a process": (Both("import sys\nsys.exit(256)", "Deno.exit(256)"), NO_RESULT),
    "exit with 2**32": (Both("import sys\nsys.exit(2**32)", "import process from 'node:process'\nprocess.exit(2**32)"), NO_RESULT),
    "top-level await": (Both(f"await {CALL.python}", f"return await {CALL.typescript}"), CALL_RESULT),
    "what is not awaited at the end": (
        Both(f"async def main():\n    return await {CALL.python}\nmain()", f"return {CALL.typescript}"),
        CALL_RESULT,
    ),
    "markdown fence": (Both("```python\nx = 5\nx\n```\n", "```typescript\nconst x: number = 5;\nreturn x\n```\n"), 5),
    "cycle": (Both("d = {}\nd['d'] = [d]\nd", "const d: any = { d: [] }; d.d.push(d); return d"), {"d": ["[Circular]"]}),
    "the same object twice is no cycle": (Both("a = [1]\n[a, a]", "const a = [1]; return [a, a]"), [[1], [1]]),
    "not finite": (
        Both("[float('nan'), float('inf'), -float('inf'), -0.0]", "return [NaN, Infinity, -Infinity, -0]"),
        [None, None, None, 0],
    ),
    "a value that has no JSON": (Both("float('nan')", "return NaN"), None),
    "an infinite value": (Both("float('-inf')", "return -Infinity"), None),
    "big integer": (Both("2 ** 70", "return 2n ** 70n"), str(2**70)),
    "an error as the value": (
        Both("ValueError('x')", "return new TypeError('x')"),
        {"name": Both("ValueError", "TypeError"), "message": "x"},
    ),
    "lone surrogate": (
        Both(r"'a\ud800b'", r"return ['a\ud800b', { '\udc00': 1 }]"),
        Both("a\ufffdb", ["a\ufffdb", {"\ufffd": 1}]),
    ),
    "unicode": (Both("'h\u00e9 \U0001f600'", "return 'h\u00e9 \U0001f600'"), "h\u00e9 \U0001f600"),
}

# name: (code, error fields that must be as given); of a tuple, one
ERRORS = {
    "exception": (
        Both("x = 1\n\n  \nraise ValueError('bad')", "const x = 1;\n\n\n  throw new TypeError('bad')"),
        Both(
            {"name": "ValueError", "message": "bad", "line": 4},
            {"name": "TypeError", "message": "bad", "line": 4, "column": 9},
        ),
    ),
    "syntax error": (
        Both("x = 1\ny = = 2", "const a = 1;\nconst b = ;"),
        Both(
            {"name": "SyntaxError", "line": 2, "column": 5},
            {"name": "SyntaxError", "message": "Expression expected", "line": 2, "column": 11},
        ),
    ),
    "unknown name": (
        Both("\nundefined_thing", "\nnothing()"),
        Both({"name": "NameError", "line": 2}, {"name": "ReferenceError", "line": 2, "column": 1}),
    ),
    "recursion": (
        Both("def f(n):\n    return f(n + 1)\nf(0)", "\nfunction f(): number { return f() + 1 }\nf()"),
        {"name": Both("RecursionError", "RangeError"), "line": 2},
    ),
    "exit with a code": (
        Both("import sys\nsys.exit(3)", "Deno.exit(3)"),
        Both(
            {"name": "SystemExit", "exitCode": 3},
            {"name": "ProcessExit", "message": "Process exited with code 3", "exitCode": 3},
        ),
    ),
    "exit with a code of more than a byte": (
        Both("import sys\nsys.exit(259)", "Deno.exit(259)"),
        Both({"message": "Program exited with code 3", "exitCode": 3}, {"message": "Process exited with code 3", "exitCode": 3}),
    ),
    "exit with a negative code": (
        Both("import sys\nsys.exit(-1)", "import process from 'node:process'\nprocess.exit(-1)"),
        {"exitCode": 255},
    ),
    "unreadable error": (
        Both(
            "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E()",
            "throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } })",
        ),
        Both({"name": "E", "line": 4}, {"name": "Error", "message": ""}),
    ),
    "call with a list": (
        Both("\ncall_mcp_tool('s', 't', [1])", "\nawait callMCPTool('mcp__s__t', [1])"),
        Both(
            {"name": "MCPError", "code": "invalid_argument", "line": 2},
            {"name": "MCPError", "code": "invalid_argument", "line": 2, "column": 7},
        ),
    ),
    "cyclic arguments": (
        Both("d = {}; d['d'] = d\ncall_mcp_tool('s', 't', d)", "const d: any = {}; d.d = d\nawait mcp.s.t(d)"),
        {"code": "invalid_argument", "line": 2},
    ),
}
# name: (code, what is said on stderr of a result that is not what the program has returned)
NOTES = {
    "numbers that JSON does not have": (
        Both("[float('nan'), 1.5, {'a': float('-inf')}]", "return [NaN, 1.5, { a: -Infinity }]"),
        Both(
            "[in the result, nan and inf, which JSON does not have, are null]\n",
            "[in the result, NaN, Infinity and invalid dates, which JSON does not have, are null]\n",
        ),
    ),
    "the same displayed, said once": (
        Both("display(float('nan'))\ndisplay([float('inf')])", "display(NaN)\ndisplay([Infinity])"),
        Both(
            "[in what is displayed, nan and inf, which JSON does not have, are null]\n",
            "[in what is displayed, NaN, Infinity and invalid dates, which JSON does not have, are null]\n",
        ),
    ),
    "half a surrogate pair, said once": (
        Both(r"display('\ud800')" + "\n" + r"'a\udc00'", r"display('\ud800'); return 'a\udc00'"),
        "[halves of surrogate pairs, which UTF-8 does not have, leave this program as U+FFFD]\n",
    ),
    "half a surrogate pair in arguments": (
        Both(r"mcp.s.t(a='\ud800')" + "\nNone", r"await mcp.s.t({ a: '\ud800' })"),
        "[halves of surrogate pairs, which UTF-8 does not have, leave this program as U+FFFD]\n",
    ),
    "whole surrogate pairs": (Both(r"'\U0001f600 \\ud800'", r"return '\ud83d\ude00 \\ud800'"), ""),
    "what JSON has": (Both("[1.5, 'NaN', None, -1e300]", "return [1.5, 'NaN', null, -1e300]"), ""),
}
# Of our own files and of what runs them; and no colours.
NEVER_TOLD = ("sandbox/guest", "blob:", "ext:", "\x1b")


class TablesTests:
    RESULTS = RESULTS
    ERRORS = ERRORS

    def test_results(self):
        for name, (code, expected) in self.own(self.RESULTS).items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertIsNone(outcome.error, outcome)
                if expected is NO_RESULT:
                    self.assertNotIn("result", outcome.done)
                else:
                    self.assertIn("result", outcome.done)
                    self.assertEqual(outcome.result, expected)

    def test_errors(self):
        for name, (code, expected) in self.own(self.ERRORS).items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertIsNotNone(outcome.error, outcome)
                for field, value in expected.items():
                    allowed = value if isinstance(value, tuple) else (value,)
                    self.assertIn(outcome.error.get(field), allowed, outcome)
                for text in NEVER_TOLD:
                    self.assertNotIn(text, str(outcome.error))


class NotesTests:
    NOTES = NOTES

    def test_notes(self):
        for name, (code, expected) in self.own(self.NOTES).items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.stderr, expected)
