"""Programs that follow each other in one TypeScript guest: which declarations of one the next can see."""

import unittest

import languages
import sessions_cases

# name: (programs, result of the last)
SESSIONS = {
    "const": (["const x = 1", "return x"], 1),
    "var": (["var x = 1", "x++", "return x"], 2),
    "several in one declaration": (["let a = 1, b = [2, 3], c", "c = 4; return [a, b, c]"], [1, [2, 3], 4]),
    "several over lines": (
        ["const a = (1, 2),\n  b = { x: [a, 3] }\n  , c = `${a}, ${b.x}`,\n  d = /,/.test(c)", "return [a, b, c, d]"],
        [2, {"x": [2, 3]}, "2, 2,3", True],
    ),
    "object pattern": (
        ["const { a, b: { c = 7, ...d }, ['e']: f = 8, ...g } = { a: 1, b: { x: 2 }, h: 3 }", "return [a, c, d, f, g]"],
        [1, 7, {"x": 2}, 8, {"h": 3}],
    ),
    "array pattern": (["let [a, , [b = 2] = [], ...c] = [1, 0, undefined, 4, 5]", "return [a, b, c]"], [1, 2, [4, 5]]),
    "function": (["function f(n: number): number { return n * 2 }", "return f(4)"], 8),
    "async function": (["async function f() { return await Promise.resolve(1) }", "return await f()"], 1),
    "generator": (["function* g() { yield 1; yield 2 }", "return [...g()]"], [1, 2]),
    "async generator": (
        ["async function* g() { yield 1 }", "for await (const x of g()) return x"],
        1,
    ),
    "class": (["class A { x = 1; static #n = 2; get n() { return A.#n } }", "return [new A().x, new A().n]"], [1, 2]),
    "class that extends one": (
        ["abstract class A { constructor(readonly x: number) {} }", "class B extends A { y = 2 }", "return new B(1)"],
        {"y": 2, "x": 1},
    ),
    "arrow function": (["const f = async (a: number, b?: number) => a + (b ?? 1)", "return await f(1)"], 2),
    "enum": (["enum Color { Red = 'r', Blue = 'b' }", "return [Color.Red, Color.Blue]"], ["r", "b"]),
    "namespace": (["namespace N { export const x = 3 }", "return N.x"], 3),
    "exported": (["export const a = 1; export default function f() { return a }", "return f() + a"], 2),
    "other imports": (["import path, * as all from 'node:path'", "return [path.sep, all.sep]"], ["/", "/"]),
    "wrapper import": (["import { files } from './mcp-wrappers'", "return (await files.read({ a: 1 })).tool"], "read"),
    "types are nothing": (
        ["interface I { a: number }\ntype T = I; declare const d: T; import type { X } from 'node:fs'", "return 1"],
        1,
    ),
    "typed declarations": (
        ["const m: Map<string, number> = new Map<string, number>([['a', 1]]), n: Array<number> = [2]", "return [m, n]"],
        [{"a": 1}, [2]],
    ),
    "var in a block": (["if (true) { var x = 1 }\nfor (var i = 0, n = 3; i < n; i++);", "return [x, i, n]"], [1, 3, 3]),
    "names of inner scopes": (
        [
            "{ let hidden = 1 }\nfunction f(inner) { var own = inner; return own }; f(1)",
            "return [typeof hidden, typeof inner, typeof own]",
        ],
        ["undefined"] * 3,
    ),
    "counter the other way": (["let n = 0\nfunction show() { return n }", "n = 41; n++; return show()"], 42),
    "closures over a loop": (
        ["const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i)", "return fs.map((f) => f())"],
        [0, 1, 2],
    ),
    "declared again": (["const x = 1; const old = () => x", "const x = 2", "return [x, old()]"], [2, 1]),
    "declared again as something else": (["const x = 1", "function x() { return 3 }", "return x()"], 3),
    "hidden for one program only": (["let x = 1", "return (() => { let x = 2; return x })() + x"], 3),
    "later names in earlier functions": (["function f() { return later }", "const later = 7", "return f()"], 7),
    "early end leaves the older name": (["const b = 1", "return; const b = 2", "return b"], 1),
    "name of a global": (
        [
            "const name = 'n', status = 1, fetch = () => 'mine', URL = 'u', Blob = 2, process = 3",
            "return [name, status, fetch(), URL, Blob, process]",
        ],
        ["n", 1, "mine", "u", 2, 3],
    ),
    "name of a global in what is no script": (
        ["const URL = 1, Blob = 2, eval2 = 3", "enum E { A = 5 }; return [URL, Blob, E.A]"],
        [1, 2, 5],
    ),
    "v is a name": (["let v = 1, vv = 2", "v = 3; vv = v + 1; return [v, vv]"], [3, 4]),
    "names like words": (
        ["let of = 1, async = 2, get = 3, type = 4, from = 5", "return [of, async, get, type, from]"],
        [1, 2, 3, 4, 5],
    ),
    "unicode name": (["const größe = 1, π = 3", "return größe + π"], 4),
    "this": (["return 1", "return this"], None),
    "await": (["const x = await Promise.resolve(1)", "return x"], 1),
    "timers go on": (
        [
            "let done = false; setTimeout(() => { done = true }, 1)",
            "await new Promise((r) => setTimeout(r, 20)); return done",
        ],
        True,
    ),
}

# name: (programs, fields of the error of the last)
ERRORS = {
    "constant": (
        ["const x = 1", "x = 2"],
        {"name": "TypeError", "message": "Assignment to constant variable.", "line": 1},
    ),
    "not kept": (["const x = 1; globalThis.y = 2", "\n return z"], {"name": "ReferenceError", "line": 2, "column": 2}),
    "columns of the first line": (
        ["const a = 1, b = 2; function f() {}; throw new Error('x')"],
        {"line": 1, "column": 44},
    ),
    "columns behind imports": (
        ["import { join } from 'node:path'; const a = 1; throw new Error('x')"],
        {"line": 1, "column": 54},
    ),
    "columns of what is no script": (["enum A { B }; const a = 1; throw new Error('x')"], {"line": 1, "column": 34}),
    "further lines": (["const a = 1\nconst b: number = 2\n  throw new Error('x')"], {"line": 3, "column": 9}),
}


class SessionsTest(sessions_cases.SessionsTests, languages.TypeScriptTest):
    SESSIONS = {**sessions_cases.SESSIONS, **SESSIONS}
    ERRORS = {**sessions_cases.ERRORS, **ERRORS}

    def test_without_keep_nothing_is_kept(self):
        first, second = self.run_session("const x = 1; return x", "return typeof x", keep=False)
        self.assertEqual((first.result, second.result), (1, "undefined"))

    def test_a_program_that_is_not_kept_sees_the_session(self):
        with self.guest() as guest:
            guest.program("let x = 1", keep=True)
            self.assertEqual(guest.program("const y = ++x; return y", keep=False).result, 2)
            self.assertEqual(guest.program("return [x, typeof y]", keep=True).result, [2, "undefined"])

    def test_errors_left_behind_are_told_from_the_program_that_runs(self):
        programs = [
            "const fail = () => {\n  throw new Error('late')\n}",
            "setTimeout(fail, 1); await new Promise((r) => setTimeout(r, 30)); Promise.reject(new Error('own'))",
        ]
        last = self.run_session(*programs)[-1]
        self.assertEqual(last.error["stack"].split("\n")[:2], ["Error: late", "    at Timeout.fail [as _onTimeout] (code.ts#1:2:9)"])
        self.assertIn("Unhandled rejection: Error: own\n    at code.ts:1:82", last.stderr)
        self.assertEqual(last.stderr.count("Error: own"), 1)

    def test_replies_after_the_end(self):
        """Of a program that failed before they came."""
        with self.guest() as guest:
            held = []
            guest.program("var late = 0; mcp.s.t().then((r) => { late = r }); throw 1", held.append, keep=True)
            guest.send({"type": "run", "code": "while (!late) await new Promise((r) => setTimeout(r, 1)); return late", "keep": True})
            guest.reply(held[0], {"result": "there"})
            self.assertEqual(guest.receive(), {"type": "done", "result": "there"})

    def test_reply_to_a_failed_program_that_arrives_with_the_next(self):
        with self.guest() as guest:
            code = "globalThis.left = (async () => { await mcp.s.t() })(); throw new Error('own')"
            guest.send({"type": "run", "code": code, "keep": True})
            request = guest.receive()
            self.assertEqual(guest.receive()["error"]["message"], "own")
            late = {"type": "reply", "id": request["id"], "error": {"code": "cancelled", "message": "the run ended"}}
            guest.send(late, {"type": "run", "code": "return 2", "keep": True})
            self.assertEqual(guest.receive(), {"type": "done", "result": 2})

    def test_exit_ends_the_session(self):
        with self.guest() as guest:
            guest.program("const leave = Deno.exit", keep=True)
            done = guest.program("leave(3)", keep=True).done
            self.assertEqual((done["error"]["exitCode"], done["exits"]), (3, True))
            self.assertEqual(guest.process.wait(30), 3)
        with self.guest() as guest:
            code = "addEventListener('unload', () => console.log('over')); process.on('exit', () => console.log('exit')); process.exit()"
            self.assertEqual(guest.program(code, keep=True).done, {"type": "done", "exits": True})
            self.assertEqual(guest.process.wait(30), 0)
            guest.finish()
            self.assertEqual(guest.output("stdout"), "exit\nover\n")

    def test_timer_that_is_not_waited_for_ends_no_later_program(self):
        for timer in ("setTimeout(() => Deno.exit(0), 50).unref()", "Deno.unrefTimer(setInterval(() => process.exit(), 50))"):
            with self.subTest(timer):
                later = "for (let i = 0; i < 4; i++) await new Promise(r => setTimeout(r, 50)); return 'done'"
                self.assertEqual(self.run_session(timer, later)[-1].result, "done")

    def test_broken_builtins_end_no_later_program_in_silence(self):
        breaking = "for (const k of ['map', 'filter', 'push', 'join', 'forEach']) Array.prototype[k] = null"
        with self.guest() as guest:
            guest.program(breaking, keep=True)
            for code in (
                "const a: Array<number> = [1]; return a",
                "enum E { A }",
                "import fs from 'node:fs'; return 1",
            ):
                self.assertEqual(guest.program(code, keep=True).done["type"], "done")

    def test_frozen_global_object(self):
        _, first, second = self.run_session("Object.freeze(globalThis)", "const x = 1; return x", "return typeof x")
        self.assertEqual((first.result, second.result), (1, "undefined"))

    def test_many_programs(self):
        with self.guest() as guest:
            guest.program("let n = 0", keep=True)
            for _ in range(300):
                guest.program("n++", keep=True)
            self.assertEqual(guest.program("return n", keep=True).result, 300)


if __name__ == "__main__":
    unittest.main()
