"""Programs that are nearly JavaScript, or something else than they seem: however they are loaded, they mean the same."""

import unittest

import guest_cases
import languages

# name: (code, result)
RESULTS = {
    "generic call": ("const f = <T,>(x: T) => x; return f<string>('a')", "a"),
    "line of an interpreter": ("#!/usr/bin/env -S deno run\nconst a: number = 1; return a", 1),
    "line of an interpreter, behind a mark of the order of bytes": ("\ufeff#!/usr/bin/env node\nreturn 1", 1),
    "line of an interpreter in a fence": ("```ts\n#!/usr/bin/env node\nimport { sep } from 'node:path'\nreturn sep\n```", "/"),
    "comparisons that look like one": ("const a = 1, b = 2, c = 3; return [a < b, c > a]", [True, True]),
    "assertions": ("const x: unknown = [1]; return (<number[]>x)[0] + (x as number[])[0]! + (x as any)![0]", 3),
    "decorator": (
        "function d(v: any, _: any) { return class extends v { y = 2 } }\n@d class A { x = 1 }\nreturn new A()",
        {"x": 1, "y": 2},
    ),
    "parameter properties": (
        "class A { constructor(private x: number, readonly y = 2) {} }\nreturn new A(1)",
        {"x": 1, "y": 2},
    ),
    "overloads": (
        "function f(x: string): string;\nfunction f(x: number): number;\nfunction f(x: any) { return x }\nreturn f(1)",
        1,
    ),
    "semicolons left out around types": (
        "type A = number\nlet x: A = 1\ninterface B {}\n(x as B)\nlet y = x as any\n;[1].map(() => y = 2)\nreturn y",
        2,
    ),
    "declarations": (
        "declare const a: number; declare function f(): void; declare global { interface X {} }\nreturn typeof a",
        "undefined",
    ),
    "regular expressions": ("return ['a<b>'.replace(/<(\\w)>/g, '$1'), /[/`'\"]/.test('`')]", ["ab", True]),
    "text that looks like types": ("return 'let x: <T> = enum' + `<${1 as number}>`", "let x: <T> = enum<1>"),
    "types that look like imports": ("type A = typeof import('node:path'); return 1", 1),
    "type imported without saying so": (
        "import { PathLike, existsSync } from 'node:fs'\nconst p: PathLike = 'x'; return typeof existsSync + p",
        "functionx",
    ),
    "names of imports as text": ("import { 'join' as j, \"sep\" as s } from 'node:path'; return j('a', s)", "a/"),
    "import for its effect": ("import 'node:path'; return 1", 1),
    "import with attributes": ("import { join } from 'node:path' with {}\nreturn join('a')", "a"),
    "module's own address": ("return typeof import.meta.url", "string"),
    "own name for the source": ("const x = 1\n//# sourceURL=other.ts\nreturn x", 1),
    "using": ("const log: number[] = []; { using a = { [Symbol.dispose]() { log.push(1) } } } return log", [1]),
    "for await": ("for await (const x of [Promise.resolve(1)]) return x", 1),
    "carriage returns": ("const a: number = 1\r\nreturn a", 1),
    "strict": ("return (function () { return this })() === undefined", True),
    "this": ("return this === undefined", True),
    "line separators": ("const a = 'x\u2028y'\nreturn a.length", 3),
    "wide types": ("const a: 'h\u00e9\U0001f600' = 'h\u00e9\U0001f600' as const; return a", "h\u00e9\U0001f600"),
}

# name: (code, error fields that must be as given)
ERRORS = {
    "behind the line of an interpreter": ("#!/usr/bin/env node\n  throw new Error('x')", {"line": 2, "column": 9}),
    "end of our function": ("return 1 }); (async () => { return 7", {"name": "SyntaxError", "line": 1}),
    "unknown module of Node": ("\nimport x from 'node:nothing'", {"name": "ImportError", "line": 2, "column": 15}),
    "name that is used and missing": (
        "import { nothing as x } from 'node:path'\nx()",
        {"name": "SyntaxError", "line": 1},
    ),
    "behind types": (
        "const a: Map<string, Array<number>> = new Map(); throw new Error('x')",
        {"line": 1, "column": 56},
    ),
    "behind an own name for the source": ("//# sourceURL=other.ts\n throw new Error('x')", {"line": 2, "column": 8}),
    "in a callback": ("\n[1].map(() => {\n  throw new Error('x')\n})", {"line": 3, "column": 9}),
    "in what only the loader can read": (
        "enum A { B }\nconst f = (x: number) => { throw new Error('x') }\nf(1)",
        {"line": 2, "column": 34},
    ),
    "constant": ("const a = 1; a = 2", {"name": "TypeError", "message": "Assignment to constant variable.", "line": 1}),
    "word of strict code": ("let a = 1;\nlet interface = 2", {"name": "SyntaxError", "line": 2}),
    "name of another program": (
        "const other = 'code.ts, <anonymous>:9:9'; throw new Error(other)",
        {"line": 1, "column": 49},
    ),
}


class SyntaxTest(guest_cases.TablesTests, languages.TypeScriptTest):
    RESULTS = RESULTS
    ERRORS = ERRORS


if __name__ == "__main__":
    unittest.main()
