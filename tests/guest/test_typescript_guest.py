"""What the TypeScript guest promises to programs."""

import unittest

from fake_host import (
    Guest,
    deno_path,
    echo,
    run_typescript,
    typescript_command,
    typescript_command_by_descriptor,
)

CALL_RESULT = {"method": "call", "name": "mcp__s__t", "args": {}}
NO_RESULT = object()


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


# name: (code, result); no result means that the done frame has none.
RESULTS = {
    "return": ("return 1 + 1", 2),
    "no return": ("1 + 1", NO_RESULT),
    "null": ("return null", None),
    "empty program": ("", NO_RESULT),
    "ends in a comment": ("return 1 // one", 1),
    "top-level await": ("return await callMCPTool('mcp__s__t')", CALL_RESULT),
    "returned promise": ("return callMCPTool('mcp__s__t')", CALL_RESULT),
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
    "markdown fence": ("```typescript\nconst a: number = 1;\nreturn a\n```\n", 1),
    "map": (
        "return [new Map([['a', 1]]), new Map<unknown, number>([[1, 2], ['b', 3]])]",
        [{"a": 1}, [[1, 2], ["b", 3]]],
    ),
    "set": ("return new Set([1, new Set(['a'])])", [1, ["a"]]),
    "date": ("return [new Date(0), new Date(NaN)]", ["1970-01-01T00:00:00.000Z", None]),
    "bigint": ("return 2n ** 64n", "18446744073709551616"),
    "undefined": ("return { a: undefined, b: [undefined, 1] }", {"b": [None, 1]}),
    "functions and symbols": (
        "return [function f() {}, () => 1, class K {}, Symbol('s')]",
        ["[Function f]", "[Function]", "[Function K]", "[Symbol(s)]"],
    ),
    "error": ("return new TypeError('t')", {"name": "TypeError", "message": "t"}),
    "typed arrays": (
        "return [new Uint8Array([1, 2]), new Float32Array([0.5]), new ArrayBuffer(2)]",
        [[1, 2], [0.5], [0, 0]],
    ),
    "cycle": ("const a: any = { b: [] }; a.b.push(a); return a", {"b": ["[Circular]"]}),
    "the same object twice is no cycle": ("const a = [1]; return [a, a]", [[1], [1]]),
    "not finite": ("return [NaN, Infinity, -0]", [None, None, 0]),
    "toJSON": ("return { a: { toJSON() { return 'j' } } }", {"a": "j"}),
    "toJSON that throws": ("return [{ toJSON() { throw new Error('no') } }, 1]", ["[Unreadable: no]", 1]),
    "getter that throws": ("return { get a() { throw new Error('no') }, b: 1 }", {"a": "[Getter threw: no]", "b": 1}),
    "class instance": ("class A { x = 1; #y = 2; get z() { return 3 } }\nreturn new A()", {"x": 1}),
    "null prototype": ("return Object.assign(Object.create(null), { a: 1 })", {"a": 1}),
    "boxed": ("return [Object(1), Object('s'), Object(false)]", [1, "s", False]),
    "lone surrogate": (r"return ['a\ud800b', { '\udc00': 1 }]", ["a\ufffdb", {"\ufffd": 1}]),
    "unicode": ("return 'h\u00e9 \U0001f600'", "h\u00e9 \U0001f600"),
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
    "exception": (
        "const x = 1;\n\n  throw new TypeError('bad')",
        {"name": "TypeError", "message": "bad", "line": 3, "column": 9},
    ),
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
    "syntax": (
        "const a = 1;\nconst b = ;",
        {"name": "SyntaxError", "message": "Expression expected", "line": 2, "column": 11},
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
    "undefined function": ("\nnothing()", {"name": "ReferenceError", "line": 2, "column": 1}),
    "recursion": ("function f(): number { return f() + 1 }\nf()", {"name": "RangeError", "line": 1}),
    "permission": ("\nDeno.readTextFileSync('/etc/passwd')", {"name": "NotCapable", "line": 2}),
    "array as parameters": (
        "\nawait callMCPTool('mcp__s__t', [1])",
        {"name": "MCPError", "code": "invalid_argument", "line": 2, "column": 7},
    ),
    "number as parameters": ("await mcp.s.t(5)", {"name": "MCPError", "code": "invalid_argument", "line": 1}),
    "cyclic parameters": ("const a: any = {}; a.a = a\nawait mcp.s.t(a)", {"code": "invalid_argument", "line": 2}),
    "bigint in parameters": ("await mcp.s.t({ a: 1n })", {"code": "invalid_argument", "line": 1}),
    "exit": ("Deno.exit(3)", {"name": "ProcessExit", "message": "Process exited with code 3", "exitCode": 3}),
    "process.exit": ("import process from 'node:process'\nprocess.exit(4)", {"exitCode": 4}),
    "unreadable error": (
        "throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } })",
        {"name": "Error", "message": ""},
    ),
}


@unittest.skipIf(deno_path() is None, "there is no Deno to run it with")
class TypeScriptTest(unittest.TestCase):
    pass


class TablesTest(TypeScriptTest):
    def test_results(self):
        for name, (code, expected) in RESULTS.items():
            with self.subTest(name):
                outcome = run_typescript(code)
                self.assertIsNone(outcome.error, outcome)
                if expected is NO_RESULT:
                    self.assertNotIn("result", outcome.done)
                else:
                    self.assertIn("result", outcome.done)
                    self.assertEqual(outcome.result, expected)

    def test_errors(self):
        for name, (code, expected) in ERRORS.items():
            with self.subTest(name):
                outcome = run_typescript(code)
                self.assertIsNotNone(outcome.error, outcome)
                self.assertEqual({field: outcome.error.get(field) for field in expected}, expected, outcome)
                for ours in ("blob:", "sandbox/guest", "ext:", "\x1b"):
                    self.assertNotIn(ours, str(outcome.error))


class CallTest(TypeScriptTest):
    def test_forms(self):
        forms = {
            "callMCPTool('mcp__s__t')": ("call", {"name": "mcp__s__t", "args": {}}),
            "callMCPTool('mcp__s__t', null)": ("call", {"name": "mcp__s__t", "args": {}}),
            "callMCPTool('mcp__s__t', { a: 1 })": ("call", {"name": "mcp__s__t", "args": {"a": 1}}),
            "callMCPTool('s', 't')": ("call", {"server": "s", "tool": "t", "args": {}}),
            "callMCPTool('s', 't', { a: 1 })": ("call", {"server": "s", "tool": "t", "args": {"a": 1}}),
            "mcp.s.t()": ("call", {"server": "s", "tool": "t", "args": {}}),
            "mcp['my-server']['read-file']({ a: 1 })": (
                "call",
                {"server": "my-server", "tool": "read-file", "args": {"a": 1}},
            ),
            "discoverMCPTools()": ("discover", {}),
            "discoverMCPTools({ search: ['a'], server: 's', limit: 3 })": (
                "discover",
                {"search": ["a"], "server": "s", "limit": 3},
            ),
            "discoverMCPTools({ search: 'a' })": ("discover", {"search": ["a"]}),
            "searchTools('q')": ("search", {"query": "q"}),
            "searchTools('q', 5)": ("search", {"query": "q", "limit": 5}),
            "searchTools('q', { limit: 5, server: 's', detail: 'full' })": (
                "search",
                {"query": "q", "limit": 5, "server": "s", "detail": "full"},
            ),
            "getToolSchema('mcp__s__t')": ("schema", {"name": "mcp__s__t"}),
            "getToolSchema('s', 't')": ("schema", {"server": "s", "tool": "t"}),
            "listServers()": ("servers", {}),
            "listMCPResources('s')": ("resources", {"server": "s"}),
            "readMCPResource('s', 'test://a')": ("resource", {"server": "s", "uri": "test://a"}),
            "listMCPPrompts('s')": ("prompts", {"server": "s"}),
            "getMCPPrompt('s', 'p')": ("prompt", {"server": "s", "name": "p"}),
            "getMCPPrompt('s', 'p', { a: 'b' })": ("prompt", {"server": "s", "name": "p", "args": {"a": "b"}}),
            "readOutput('out_x')": ("output", {"handle": "out_x"}),
            "readOutput('out_x', { path: 'a[0]', offset: 5, limit: 2 })": (
                "output",
                {"handle": "out_x", "path": "a[0]", "offset": 5, "limit": 2},
            ),
        }
        code = "".join(f"await {form};\n" for form in forms)
        outcome = run_typescript(code)
        self.assertIsNone(outcome.error, outcome)
        self.assertEqual([request["id"] for request in outcome.requests], list(range(1, len(forms) + 1)))
        for request, (form, expected) in zip(outcome.requests, forms.items()):
            with self.subTest(form):
                self.assertEqual((request["method"], request["params"]), expected)

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
                outcome = run_typescript(code)
                self.assertEqual(outcome.result, {"method": "call", "server": "s", "tool": "t", "args": {}}, outcome)

    def test_result_values(self):
        for value in ({"a": [1]}, [], "text", "007", 0, False, None):
            with self.subTest(value=value):
                self.assertEqual(run_typescript("return await mcp.s.t()", lambda _: {"result": value}).result, value)

    def test_errors_can_be_caught(self):
        code = (
            "try { await mcp.s.t() } catch (e) {\n  return [e instanceof MCPError, e instanceof Error, e.name, e.code, "
            "e.server, e.tool, e.message, e.suggestions, e.retryAfterMs]\n}"
        )
        expected = [True, True, "MCPError", "unknown_tool", "s", "t", "no such tool", ["mcp__s__u"], 7]
        self.assertEqual(run_typescript(code, failing).result, expected)

    def test_errors_that_are_not_caught(self):
        for call in ("callMCPTool('mcp__s__t')", "mcp.s.t()", "Promise.all([mcp.s.t()])"):
            with self.subTest(call):
                error = run_typescript(f"async function f() {{\n  await {call}\n}}\nawait f()", failing).error
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
                self.assertTrue(error["stack"].startswith("MCPError: no such tool\n    at "), error)

    def test_calls_in_parallel(self):
        with Guest(typescript_command()) as guest:
            asked = []

            def answer(request):  # only when all have been asked
                asked.append(request)
                if len(asked) == 10:
                    for each in asked:
                        guest.reply(each, echo(each))

            code = "return (await Promise.all([...Array(10).keys()].map((i) => mcp.s.t({ i })))).map((r) => r.args.i)"
            self.assertEqual(guest.run(code, answer).result, list(range(10)))

    def test_replies_in_any_order(self):
        with Guest(typescript_command()) as guest:
            held = []

            def answer(request):
                held.append(request)
                if len(held) == 20:
                    for late in reversed(held):
                        guest.reply(late, echo(late))

            code = "return (await Promise.all([...Array(20).keys()].map((i) => mcp.s.t({ i })))).map((r) => r.args.i)"
            self.assertEqual(guest.run(code, answer).result, list(range(20)))

    def test_large_values(self):
        outcome = run_typescript("const r = await mcp.s.t({ text: 'a'.repeat(5_000_000) });\nreturn r.args.text + 'b'")
        self.assertEqual(len(outcome.result), 5_000_001)

    def test_lone_surrogates_in_arguments(self):
        outcome = run_typescript(r"return (await mcp.s.t({ a: 'x\ud800', b: '\\ud800' })).args")
        self.assertEqual(outcome.result, {"a": "x\ufffd", "b": "\\ud800"})


class OutputTest(TypeScriptTest):
    def test_streams(self):
        outcome = run_typescript(
            "console.log('log'); console.info('info'); console.debug('debug');"
            "console.warn('warn'); console.error('error')"
        )
        self.assertEqual((outcome.stdout, outcome.stderr), ("log\ninfo\ndebug\n", "warn\nerror\n"))

    def test_output_comes_before_done(self):
        programs = {
            "console": "console.log('x'.repeat(3_000_000))",
            "node": "import process from 'node:process'\nprocess.stdout.write('x'.repeat(3_000_000) + '\\n')",
            "deno": "await Deno.stdout.write(new TextEncoder().encode('x'.repeat(30_000) + '\\n'))",
            "before exit": "console.log('x'.repeat(3_000_000)); Deno.exit(0)",
            "before a failure": "console.log('x'.repeat(3_000_000)); throw 1",
        }
        for name, code in programs.items():
            with self.subTest(name):
                self.assertIn(len(run_typescript(code).stdout), (3_000_001, 30_001))

    def test_stray_errors_fail_the_program(self):
        code = (
            "Promise.reject(new Error('lost'));\nsetTimeout(() => { throw new TypeError('timer') }, 1);\n"
            "Promise.reject('text');\nawait new Promise((r) => setTimeout(r, 30));\nreturn 'on'"
        )
        outcome = run_typescript(code)
        self.assertEqual((outcome.error["message"], outcome.error["line"], outcome.error["column"]), ("lost", 1, 16))
        self.assertIn("Unhandled rejection: Error: text\n", outcome.stderr)
        self.assertIn("Uncaught error: TypeError: timer\n", outcome.stderr)
        self.assertIn("code.ts:2:26", outcome.stderr)
        self.assertNotIn("blob:", outcome.stderr)

    def test_calls_that_nobody_awaits(self):
        error = run_typescript("mcp.s.t();\nawait mcp.s.u().catch(() => 0);\nreturn 1", failing).error
        self.assertEqual((error["name"], error["message"], error["line"]), ("MCPError", "no such tool", 1))


class StackTest(TypeScriptTest):
    def test_names_and_positions(self):
        code = (
            "function g() { throw new Error('deep') }\nclass A { run() { g() } }\n"
            "await (async () => { new A().run() })()"
        )
        stack = run_typescript(code).error["stack"]
        self.assertEqual(
            stack.split("\n")[:3],
            ["Error: deep", "    at g (code.ts:1:22)", "    at A.run (code.ts:2:19)"],
        )

    def test_message_of_several_lines(self):
        error = run_typescript("throw new Error('one\\n    at two (three:4:5)')").error
        self.assertEqual(error["message"], "one\n    at two (three:4:5)")
        self.assertEqual(error["line"], 1)

    def test_causes(self):
        code = "throw new Error('outer', { cause: new TypeError('inner', { cause: 'root' }) })"
        stack = run_typescript(code).error["stack"]
        self.assertIn("Caused by: TypeError: inner\n", stack)
        self.assertTrue(stack.endswith("Caused by: root"), stack)

    def test_cause_of_itself(self):
        code = "const e = new Error('round'); e.cause = e; throw e"
        self.assertEqual(run_typescript(code).error["message"], "round")

    def test_aggregate_errors(self):
        stack = run_typescript("await Promise.any([Promise.reject(new Error('first'))])").error["stack"]
        self.assertIn("[0] Error: first", stack)


class HostileProgramTest(TypeScriptTest):
    """Whatever a program breaks, the host hears of its end."""

    PROGRAMS = {
        "globals": "globalThis.callMCPTool = null; globalThis.mcp = null; globalThis.Promise = null; return ['end']",
        "JSON": "JSON.parse = null; JSON.stringify = null; return ['end']",
        "prototypes": (
            "const classes = [Array, String, Map, Set, Promise, RegExp, Date, Function, Error, Uint8Array, TextEncoder];\n"
            "for (const c of classes)\n"
            "  for (const k of Object.getOwnPropertyNames(c.prototype)) try { c.prototype[k] = null } catch {}\n"
            "return ['end']"
        ),
        "iterators": "Array.prototype[Symbol.iterator] = null; return ['end']",
        "Object": "for (const k of ['keys', 'create', 'defineProperty', 'freeze']) Object[k] = null; return ['end']",
        "toJSON": "Object.prototype.toJSON = undefined; return ['end']",
        "console": "globalThis.process = null; globalThis.console = null; return ['end']",
        "thrown proxy": (
            "throw new Proxy({}, { get() { throw 1 }, ownKeys() { throw 1 }, getPrototypeOf() { throw 1 } })"
        ),
        "broken stack": "Error.prepareStackTrace = () => { throw 1 }; throw new Error('x')",
        "thrown function": "throw () => 1",
    }

    def test_done_arrives(self):
        for name, code in self.PROGRAMS.items():
            with self.subTest(name):
                outcome = run_typescript(code)
                self.assertEqual(outcome.done["type"], "done")
                if "throw " not in code.splitlines()[-1]:
                    self.assertEqual(outcome.result, ["end"], outcome)
                else:
                    self.assertIsNotNone(outcome.error)

    def test_calls_after_breaking_builtins(self):
        code = "JSON.parse = null; Array.prototype.push = null; Promise.prototype.then = null;\nreturn await mcp.s.t()"
        self.assertEqual(run_typescript(code, lambda _: {"result": [1]}).result, [1])

    def test_deep_values_are_cut(self):
        code = "let x: unknown = []; for (let i = 0; i < 100_000; i++) x = [x]; return x"
        self.assertIn("[Depth limit]", str(run_typescript(code).result))

    def test_result_beyond_a_frame(self):
        self.assertEqual(run_typescript("return 'x'.repeat(65 * 1024 * 1024)").error["name"], "RangeError")


class ChannelTest(TypeScriptTest):
    command = staticmethod(typescript_command)

    def exit_status(self, data):
        with Guest(self.command()) as guest:
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
        with Guest(self.command()) as guest:
            guest.receive()
            guest.send({"type": "run", "code": "return 1"})
            self.assertEqual(guest.receive(), {"type": "done", "result": 1})
            guest.socket.shutdown(1)
            self.assertEqual(guest.process.wait(30), 70)

    def test_frames_in_pieces(self):
        with Guest(self.command()) as guest:
            guest.receive()
            body = b'{"type":"run","code":"return 21 * 2"}'
            for byte in len(body).to_bytes(4, "big") + body:
                guest.socket.sendall(bytes([byte]))
            self.assertEqual(guest.receive()["result"], 42)

    def test_a_large_frame_and_many_small_ones_in_order(self):
        code = "const all = []; for (let i = 0; i < 200; i++) all.push(mcp.s.t({ i, pad: 'x'.repeat(i === 0 ? 3e6 : 1e4) })); " \
            "return (await Promise.all(all)).length"
        with Guest(self.command()) as guest:
            outcome = guest.run(code, lambda request: {"result": request["params"]["args"]["i"]})
            self.assertEqual(outcome.result, 200)
            self.assertEqual([request["params"]["args"]["i"] for request in outcome.requests], list(range(200)))

    def test_a_program_that_leaves_while_it_sends(self):
        with Guest(self.command()) as guest:
            outcome = guest.run("mcp.s.t({}); mcp.s.t({}); Deno.exit(0)", lambda request: None)
            self.assertEqual((len(outcome.requests), outcome.done), (2, {"type": "done"}))


class DescriptorTest(ChannelTest):
    command = staticmethod(typescript_command_by_descriptor)


if __name__ == "__main__":
    unittest.main()
