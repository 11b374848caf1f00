"""Calls of TypeScript programs: wrappers that they import, values and errors."""

import unittest

import calls_cases
import languages


class CallTest(calls_cases.CallTests, languages.TypeScriptTest):
    def test_wrapper_imports(self):
        forms = (
            "import { s } from './mcp-wrappers'\nreturn s.t()",
            "import { x, s as y } from './mcp-wrappers.ts';\nreturn y.t()",
            "import { s } from \"./mcp-wrappers.js\";\nreturn s.t()",
            "import * as w from './mcp-wrappers'\nreturn w.s.t()",
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

    def test_lone_surrogates_in_arguments(self):
        outcome = self.run_program(r"return (await mcp.s.t({ a: 'x\ud800', b: '\\ud800' })).args")
        self.assertEqual(outcome.result, {"a": "x\ufffd", "b": "\\ud800"})


if __name__ == "__main__":
    unittest.main()
