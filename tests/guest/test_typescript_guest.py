"""What the TypeScript guest promises to programs: TypeScript's own results and errors, and stacks."""

import unittest

import guest_cases
import languages
from guest_cases import NO_RESULT

# name: (code, result); no result means that the done frame has none.
RESULTS = {
    "ends in a comment": ("return 1 // one", 1),
    "types": (
        "interface A<T> { x: T; y?: number }\ntype B = A<string> | null;\nenum C { Red = 'r' }\n"
        "const a: A<number> = { x: 1 } satisfies A<number>;\nconst f = <T,>(v: T): T => v as unknown as T;\n"
        "abstract class D { constructor(protected n: number) {} }\nclass E extends D { get() { return this.n } }\n"
        "return [a.x, C.Red, f<string>('g'), new E(3).get()!]",
        [1, "r", "g", 3],
    ),
    "node modules": (
        "import { join, basename as base } from 'node:path';\nimport * as url from 'node:url'\n"
        "import util from \"node:util\"\nreturn [join('a', 'b'), base('/x/y'), typeof url.parse, util.format('%d', 1)]",
        ["a/b", "y", "function", "1"],
    ),
    "import after use": ("return join('a', 'b')\nimport { join } from 'node:path'", "a/b"),
    "import over several lines": (
        "import {\n  join, // joins\n  sep,\n} from 'node:path';\nreturn join('a', sep)",
        "a/",
    ),
    "type imports": ("import type { A } from './mcp-wrappers'\nimport { type B } from './mcp-wrappers'\nreturn 1", 1),
    "import in other places": (
        "const s = `import x from 'a' ${`import y from 'b'`}`; // import z from 'c'\n/* import w from 'd' */\n"
        "const r = /import q from 'e'/; const o = { import: 1 };\nreturn [s.length, r.test('x'), o.import]",
        [35, False, 1],
    ),
    "dynamic import": ("return (await import('node:path')).join('a', 'b')", "a/b"),
    "exports are tolerated": (
        "export const a = 1;\nexport default function f() { return 2 }\n"
        "export { a };\nexport interface I {}\nreturn [a, f()]",
        [1, 2],
    ),
    "use strict": ("'use strict';\nimport { s } from './mcp-wrappers'\nreturn typeof s", "object"),
    "map": (
        "return [new Map([['a', 1]]), new Map<unknown, number>([[1, 2], ['b', 3]])]",
        [{"a": 1}, [[1, 2], ["b", 3]]],
    ),
    "set": ("return new Set([1, new Set(['a'])])", [1, ["a"]]),
    "date": ("return [new Date(0), new Date(NaN)]", ["1970-01-01T00:00:00.000Z", None]),
    "undefined": ("return { a: undefined, b: [undefined, 1] }", {"b": [None, 1]}),
    "functions and symbols": (
        "return [function f() {}, () => 1, class K {}, Symbol('s')]",
        ["[Function f]", "[Function]", "[Function K]", "[Symbol(s)]"],
    ),
    "typed arrays": (
        "return [new Uint8Array([1, 2]), new Float32Array([0.5]), new ArrayBuffer(2)]",
        [[1, 2], [0.5], [0, 0]],
    ),
    "toJSON": ("return { a: { toJSON() { return 'j' } } }", {"a": "j"}),
    "toJSON that throws": ("return [{ toJSON() { throw new Error('no') } }, 1]", ["[Unreadable: no]", 1]),
    "getter that throws": ("return { get a() { throw new Error('no') }, b: 1 }", {"a": "[Getter threw: no]", "b": 1}),
    "errors inside of an error": (
        "const e = new AggregateError([new RangeError('a', { cause: 1 })], 'b', { cause: new Error('c', { cause: undefined }) });\n"
        "return [e, await Promise.allSettled([Promise.reject(new Error('d', { cause: 'e' }))])]",
        [
            {
                "name": "AggregateError",
                "message": "b",
                "cause": {"name": "Error", "message": "c"},
                "errors": [{"name": "RangeError", "message": "a", "cause": 1}],
            },
            [{"status": "rejected", "reason": {"name": "Error", "message": "d", "cause": "e"}}],
        ],
    ),
    "error that is its own cause": (
        "const e = new Error('e'); e.cause = e; return e",
        {"name": "Error", "message": "e", "cause": "[Circular]"},
    ),
    "class instance": ("class A { x = 1; #y = 2; get z() { return 3 } }\nreturn new A()", {"x": 1}),
    "null prototype": ("return Object.assign(Object.create(null), { a: 1 })", {"a": 1}),
    "boxed": ("return [Object(1), Object('s'), Object(false)]", [1, "s", False]),
    "awaiting a proxy": (
        "const p = await mcp.s; return [typeof p.t, String(mcp.s), JSON.stringify(mcp)]",
        ["function", "[mcp.s]", "{}"],
    ),
    "proxies are stable": ("return mcp.s === mcp.s && mcp.s.t === mcp.s.t", True),
    "the API is frozen": (
        "const tries = [() => { callMCPTool.x = 1 }, () => { mcp.s = 1 }, () => { MCPError.prototype.x = 1 }];\n"
        "return tries.map((f) => { try { f(); return 'changed' } catch (e) { return e.name } })",
        ["TypeError", "TypeError", "TypeError"],
    ),
    "own variables named like the API": ("const mcp = 1, callMCPTool = 2; return mcp + callMCPTool", 3),
    "promises left over": ("new Promise(() => {}); setInterval(() => {}, 1000).unref(); return 1", 1),
    "exit with success": ("console.log('x'); Deno.exit(0)", NO_RESULT),
}

# name: (code, error fields that must be as given)
ERRORS = {
    "first line": ("  throw new Error('bad')", {"line": 1, "column": 9}),
    "first line behind imports": (
        "import { join } from 'node:path'; join('a'); throw new Error('bad')",
        {"line": 1, "column": 52},
    ),
    "behind types": ("interface A {\n  x: number }\nenum E { A }\n  throw new Error('bad')", {"line": 4, "column": 9}),
    "string": ("throw 'text'", {"name": "Error", "message": "text"}),
    "object": ("throw { a: 1 }", {"name": "Error", "message": '{"a":1}'}),
    "null": ("throw null", {"name": "Error", "message": "null"}),
    "undefined": ("throw undefined", {"name": "Error", "message": "undefined"}),
    "own error class": (
        "class MyError extends Error { name = 'MyError' }\nthrow new MyError('m')",
        {"name": "MyError", "message": "m", "line": 2},
    ),
    "syntax on the first line": ("const a = ;", {"name": "SyntaxError", "line": 1, "column": 11}),
    "missing brace": ("const a = 1;\nif (a) {\n  f()\n", {"name": "SyntaxError", "line": 3}),
    "superfluous brace": ("const a = 1;\n}\n", {"name": "SyntaxError", "line": 2}),
    "declared twice": ("let x = 1;\nlet x = 2", {"name": "SyntaxError", "line": 2}),
    "unfinished string": ("const a = 'x\nreturn a", {"name": "SyntaxError", "line": 1}),
    "module that is not allowed": (
        "const a = 1;\nimport x from 'lodash'",
        {"name": "ImportError", "line": 2, "column": 15},
    ),
    "npm": ("import x from 'npm:lodash'", {"name": "ImportError", "line": 1, "column": 15}),
    "name that a module lacks": (
        "const a = 1;\nimport { nothing } from 'node:path'; nothing()",
        {"name": "SyntaxError", "line": 2, "column": 1},
    ),
    "remote dynamic import": ("\nawait import('https://example.com/x.ts')", {"line": 2, "name": "TypeError"}),
    "permission": ("\nDeno.readTextFileSync('/etc/passwd')", {"name": "NotCapable", "line": 2}),
    "number as parameters": ("await mcp.s.t(5)", {"name": "MCPError", "code": "invalid_argument", "line": 1}),
    "bigint in parameters": ("await mcp.s.t({ a: 1n })", {"code": "invalid_argument", "line": 1}),
    "process.exit": ("import process from 'node:process'\nprocess.exit(4)", {"exitCode": 4}),
}


ANY = "AggregateError: All promises were rejected"
# name: (code, the lines of its stack that are no frames)
INNER_ERRORS = {
    "members of members": (
        "await Promise.any([Promise.any([Promise.reject(new Error('in'))]), Promise.reject(new Error('a'))])",
        [ANY, f"    [0] {ANY}", "        [0] Error: in", "    [1] Error: a"],
    ),
    "causes of members": (
        "throw new AggregateError([new Error('a', { cause: new Error('b', { cause: 'c' }) })], 'all', { cause: 'd' })",
        ["AggregateError: all", "    [0] Error: a", "    Caused by: Error: b", "    Caused by: c", "Caused by: d"],
    ),
    "many members": (
        "throw new AggregateError(Array.from({ length: 30 }, (_, i) => i), 'all')",
        ["AggregateError: all", *(f"    [{i}] {i}" for i in range(15)), "    ... and 15 more"],
    ),
    "members that cannot be read": (
        "const errors = new Proxy([1], { get: (list, name) => name === 'length' ? { valueOf() { throw 1 } } : list[name] });\n"
        "const bad = new AggregateError([]); bad.errors = errors;\n"
        "const worse = Object.defineProperty(new Error('y'), 'errors', { get() { throw 1 } });\n"
        "const worst = Object.defineProperty(new Error('z'), 'name', { get() { throw 1 } });\n"
        "throw new AggregateError([bad, worse, worst], 'all')",
        ["AggregateError: all", "    [0] AggregateError", "    [1] Error: y", "    [2] Error: z"],
    ),
    "cause of itself": ("const e = new Error('e'); e.cause = e; throw e", ["Error: e", *["Caused by: Error: e"] * 5, "Caused by: ..."]),
    "of using": (
        "using x = { [Symbol.dispose]() { throw new Error('dispose') } }; throw new Error('body')",
        [
            "SuppressedError: An error was suppressed during disposal",
            "Caused by: Error: dispose",
            "Suppressed: Error: body",
        ],
    ),
}


class NotesTest(guest_cases.NotesTests, languages.TypeScriptTest):
    pass


class TablesTest(guest_cases.TablesTests, languages.TypeScriptTest):
    RESULTS = {**guest_cases.RESULTS, **RESULTS}
    ERRORS = {**guest_cases.ERRORS, **ERRORS}


class StackTest(languages.TypeScriptTest):
    def test_names_and_positions(self):
        code = (
            "function g() { throw new Error('deep') }\nclass A { run() { g() } }\n"
            "await (async () => { new A().run() })()"
        )
        stack = self.run_program(code).error["stack"]
        self.assertEqual(
            stack.split("\n")[:3],
            ["Error: deep", "    at g (code.ts:1:22)", "    at A.run (code.ts:2:19)"],
        )

    def test_message_of_several_lines(self):
        error = self.run_program("throw new Error('one\\n    at two (three:4:5)')").error
        self.assertEqual(error["message"], "one\n    at two (three:4:5)")
        self.assertEqual(error["line"], 1)

    def test_causes(self):
        code = "throw new Error('outer', { cause: new TypeError('inner', { cause: 'root' }) })"
        stack = self.run_program(code).error["stack"]
        self.assertIn("Caused by: TypeError: inner\n", stack)
        self.assertTrue(stack.endswith("Caused by: root"), stack)

    def test_errors_inside(self):
        """Nothing of them is left out without a mark."""
        for name, (code, expected) in INNER_ERRORS.items():
            with self.subTest(name):
                stack = self.run_program(code).error["stack"]
                lines = [line for line in stack.split("\n") if "    at " not in line]
                self.assertEqual(lines, expected)

    def test_many_errors_inside(self):
        """A tree of ten million of them, each with a cause."""
        code = (
            "const tree = (n) => new AggregateError(Array(15).fill(n ? tree(n - 1) : new Error('leaf', { cause: 'c' })), 'tree', { cause: 'c' });\n"
            "throw tree(5)"
        )
        stack = self.run_program(code).error["stack"]
        self.assertIn("more", stack)
        self.assertIn("Caused by: ...", stack)
        self.assertLess(len(stack.split("\n")), 200)

    def test_cause_of_itself(self):
        code = "const e = new Error('round'); e.cause = e; throw e"
        self.assertEqual(self.run_program(code).error["message"], "round")

    def test_aggregate_errors(self):
        stack = self.run_program("await Promise.any([Promise.reject(new Error('first'))])").error["stack"]
        self.assertIn("[0] Error: first", stack)


if __name__ == "__main__":
    unittest.main()
