"""Calls of TypeScript programs: wrappers that they import, values and errors."""

import unittest

import calls_cases
import languages


# Values without properties of their own. name: (value, what is sent, and is the result)
CONVERTED = {
    "pattern": ("/re/g", "/re/g"),
    "search parameters": ("new URLSearchParams('a=1&a=2')", "a=1&a=2"),
    "headers": ("new Headers([['A', '1'], ['set-cookie', 'x'], ['set-cookie', 'y']])", {"a": "1", "set-cookie": "x, y"}),
    "shared memory": ("new SharedArrayBuffer(2)", [0, 0]),
    "boxed values": ("[Object(1), Object('x'), Object(false)]", [1, "x", False]),
    "hole in a list": ("[undefined, , 2]", [None, None, 2]),
    "instance": ("new (class A { x = 1 })()", {"x": 1}),
    "instance with a tag": ("new (class A { x = 1; [Symbol.toStringTag] = 'T' })()", {"x": 1}),
    "key with half a surrogate pair": (r"[{ '\ud800x': '\ud801' }, new Map([['\ud800', 1]])]", [{"\ufffdx": "\ufffd"}, {"\ufffd": 1}]),
    "empty objects": ("[{}, Object.create(null), new (class A {})()]", [{}, {}, {}]),
}
# name: (value, what it is called as an argument, and as a result)
REFUSED = {
    "form": ("new FormData()", "is a FormData, which has no JSON form", "[FormData]"),
    "blob": ("new Blob(['x'])", "is a Blob, which has no JSON form", "[Blob]"),
    "file": ("new File(['x'], 'n')", "is a File, which has no JSON form", "[File]"),
    "response": ("new Response('x')", "is a Response, which has no JSON form", "[Response]"),
    "stream": ("new ReadableStream()", "is a ReadableStream, which has no JSON form", "[ReadableStream]"),
    "iterator": ("[1].values()", "is an Array Iterator, which has no JSON form", "[Array Iterator]"),
    "iterator of a map": ("new Map().keys()", "is a Map Iterator, which has no JSON form", "[Map Iterator]"),
    "weak map": ("new WeakMap()", "is a WeakMap, which has no JSON form", "[WeakMap]"),
    "weak reference": ("new WeakRef({})", "is a WeakRef, which has no JSON form", "[WeakRef]"),
    "boxed bigint": ("Object(1n)", "is a bigint; give it as a number or a text", "1"),
    "boxed symbol": ("Object(Symbol('q'))", "is a symbol", "[Symbol(q)]"),
    "all servers": ("mcp", "is a mcp, which has no JSON form", "[mcp]"),
    "server": ("mcp.s", "is a mcp.s, which has no JSON form", "[mcp.s]"),
    "built-in": ("Math", "is a Math, which has no JSON form", "[Math]"),
    "infinite": ("1 / 0", "is Infinity, which is no number of JSON; give null or a text", None),
    "number of a view": ("new Float32Array([NaN])[0]", "is NaN, which is no number of JSON; give null or a text", None),
    "invalid date": ("new Date(NaN)", "is an invalid date; give null or a text", None),
}


class CallTest(calls_cases.CallTests, languages.TypeScriptTest):
    SENT = {**calls_cases.SENT, **{name: (f"{{ a: {value} }}", {"a": sent}) for name, (value, sent) in CONVERTED.items()}}
    REFUSED = {
        **calls_cases.REFUSED,
        **{name: (f"{{ a: [{{ b: {value} }}] }}", f"a[0].b {reason}") for name, (value, reason, _) in REFUSED.items()},
    }

    def test_keys_that_differ_in_halves_of_surrogate_pairs(self):
        for value in (r"{ '\ud800': 1, '\ud801': 2 }", r"new Map([['\ud800', 1], ['\ud801', 2]])"):
            with self.subTest(value):
                self.assertEqual(self.run_program(f"return {value}").result, {"\ufffd (key 1)": 1, "\ufffd (key 2)": 2})
                error = self.run_program(f"await mcp.s.t({{ a: {value} }})").error
                self.assertIn("a has keys with halves of surrogate pairs, which are the same in JSON: \ufffd", error["message"])

    def test_results_that_have_no_properties(self):
        results = {**CONVERTED, **{name: (value, label) for name, (value, _, label) in REFUSED.items()}}
        for name, (value, expected) in results.items():
            with self.subTest(name):
                self.assertEqual(self.run_program(f"return [{value}]").result, [expected])

    def test_wrapper_imports(self):
        forms = (
            "import { s } from './mcp-wrappers'\nreturn s.t()",
            "import { x, s as y } from './mcp-wrappers.ts';\nreturn y.t()",
            "import { s } from \"./mcp-wrappers.js\";\nreturn s.t()",
            "import * as w from './mcp-wrappers'\nreturn w.s.t()",
            "import { s } from './wrappers/typescript/index.js'\nreturn s.t()",
            "import { s } from '../../wrappers/typescript/s'\nreturn s.t()",
            "import w from './mcp-wrappers'\nreturn w.s.t()",
            "import w, { s } from './mcp-wrappers'\nimport * as mcp from './mcp-wrappers'\n"
            "return w.s === mcp.s && s.t()",
        )
        for code in forms:
            with self.subTest(code):
                outcome = self.run_program(code)
                self.assertEqual(outcome.result, {"method": "call", "server": "s", "tool": "t", "args": {}}, outcome)

    def test_result_values(self):
        for value in ({"a": [1]}, [], "text", "007", 0, False, None):
            with self.subTest(value=value):
                self.assertEqual(self.run_program("return await mcp.s.t()", lambda _: {"result": value}).result, value)

    def test_numbers_that_are_others_in_typescript(self):
        rounded = "[tool {} has sent a number that TypeScript can not hold: it is {} here; Python has whole numbers of 64 bits as they are]\n"
        calls = "await mcp.s.t(); await mcp.s.t(); return 1"
        for value, said in (
            ({"a": ["x", {"id": 9007199254740993}]}, rounded.format("s.t", "9007199254740992")),
            ([-(2**63) + 1], rounded.format("s.t", "-9223372036854776000")),
            ([1.7976931348623157e308], rounded.format("s.t", "1.7976931348623157e+308")),
            ([9007199254740992, 9007199254740991, 2**60, 1e22, 0.1 + 0.2, 1e300, "9007199254740993", True], ""),
        ):
            with self.subTest(value=value):
                self.assertEqual(self.run_program(calls, lambda _, value=value: {"result": value}).stderr, said)
        self.assertEqual(
            self.run_program("await callMCPTool('mcp__s__t')", lambda _: {"result": 2**63 + 1}).stderr,
            rounded.format("mcp__s__t", "9223372036854776000"),
        )

    def test_lone_surrogates_in_arguments(self):
        outcome = self.run_program(r"return (await mcp.s.t({ a: 'x\ud800', b: '\\ud800' })).args")
        self.assertEqual(outcome.result, {"a": "x\ufffd", "b": "\\ud800"})


if __name__ == "__main__":
    unittest.main()
