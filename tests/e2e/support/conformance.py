"""One table of programs and what must come of them, for every runtime of a language."""

from typing import NamedTuple


class Program(NamedTuple):
    name: str
    code: str
    result: object = None
    output: str = ""
    error: str = ""  # a part of the error; empty: it succeeds


PYTHON = (
    Program("last expression", "1 + 1", 2),
    Program("nothing", "x = 1"),
    Program("text", "'é' * 3", "ééé"),
    Program("structure", "{'a': [1, 2.5, None, True], 'b': {'c': 'd'}}", {"a": [1, 2.5, None, True], "b": {"c": "d"}}),
    Program("printed", "print('a')\nprint('b', end='')", None, "a\nb"),
    Program("printed and returned", "print('out')\n'in'", "in", "out\n"),
    Program("top-level await", "import asyncio\nawait asyncio.sleep(0)\n5", 5),
    Program("asyncio.run", "import asyncio\nasync def main():\n    return 7\nasyncio.run(main())", 7),
    Program("top-level return", "return 3", 3),
    Program("exception", "def f():\n    raise ValueError('mine')\nf()", error="ValueError: mine\nat line 2, column "),
    Program("syntax error", "x = = 1", error="SyntaxError"),
    Program("sys.exit(0)", "import sys\nsys.exit(0)"),
    Program("sys.exit(3)", "import sys\nsys.exit(3)", error="3"),
    Program("standard library", "import json, re, math, datetime, collections, hashlib\nhashlib.sha256(b'x').hexdigest()[:8]", "2d711642"),
    Program("sqlite", "import sqlite3\nsqlite3.connect(':memory:').execute('select 1 + 1').fetchone()[0]", 2),
    Program("files of its own", "open('/tmp/x', 'w').write('abc')\nopen('/tmp/x').read()", "abc"),
    Program("no file of the host", "open('/etc/shadow').read()", error="Error"),
    Program("no network", "import urllib.request\nurllib.request.urlopen('http://example.com/', timeout=2)", error="Error"),
    Program("call", "call_mcp_tool('mcp__kid__add', {'a': 1, 'b': 2})", {"sum": 3}),
    Program("awaited call", "(await call_mcp_tool('kid', 'add', {'a': 1, 'b': 2}))['sum']", 3),
    Program("proxy", "mcp.kid.add(a=2, b=3)['sum']", 5),
    Program("calls at once", "import asyncio\nsum(r['sum'] for r in await asyncio.gather(*[mcp.kid.add(a=i, b=1) for i in range(5)]))", 15),
    Program("caught error", "try:\n    call_mcp_tool('mcp__kid__no_such', {})\nexcept MCPError as e:\n    r = e.code\nr", "unknown_tool"),
    Program("display", "display('shown')\n1", 1),
    Program("unicode output", "print('日本語 🎉')", None, "日本語 🎉\n"),
    Program("large output", "print('x' * 30000)\n1", 1, None),
    Program("class and closure", "class A:\n    def __init__(self):\n        self.v = [i * i for i in range(4)]\nA().v", [0, 1, 4, 9]),
)

TYPESCRIPT = (
    Program("return", "return 1 + 1", 2),
    Program("nothing", "const x = 1"),
    Program("types", "interface P { a: number }\nconst p: P = { a: 1 };\nfunction f<T>(x: T): T { return x }\nreturn f<number>(p.a)", 1),
    Program("enum", "enum Color { Red = 4 }\nreturn Color.Red", 4),
    Program("top-level await", "const x = await Promise.resolve(5);\nreturn x", 5),
    Program("printed", "console.log('a', {b: 1})", None, "a { b: 1 }\n"),
    Program("structure", "return {a: [1, 2.5, null, true], b: {c: 'd'}}", {"a": [1, 2.5, None, True], "b": {"c": "d"}}),
    Program("exception", "function f() {\n  throw new TypeError('mine')\n}\nf()", error="TypeError: mine\n    at f (code.ts:2:"),
    Program("syntax error", "const = 1", error="SyntaxError"),
    Program("timer", "return await new Promise(r => setTimeout(() => r('late'), 10))", "late"),
    Program("node modules", "import { createHash } from 'node:crypto'\nreturn createHash('sha256').update('x').digest('hex').slice(0, 8)", "2d711642"),
    Program("no file", "return await Deno.readTextFile('/etc/shadow')", error="NotCapable"),
    Program("no network", "return await fetch('http://example.com/')", error="NotCapable"),
    Program("no import from npm", "import x from 'npm:is-number'\nreturn x", error="npm"),
    Program("no import from the web", "return await import('https://example.com/x.ts')", error="import"),
    Program("call", "return await callMCPTool('mcp__kid__add', {a: 1, b: 2})", {"sum": 3}),
    Program("proxy", "return (await mcp.kid.add({a: 2, b: 3})).sum", 5),
    Program("wrappers", "import { kid } from './mcp-wrappers'\nreturn (await kid.add({a: 2, b: 2})).sum", 4),
    Program("calls at once", "return (await Promise.all([1, 2, 3].map(i => mcp.kid.add({a: i, b: 0})))).map(r => r.sum)", [1, 2, 3]),
    Program("caught error", "try { await callMCPTool('mcp__kid__no_such', {}) } catch (e) { return e.code }", "unknown_tool"),
    Program("display", "display('shown'); return 1", 1),
    Program("Deno.exit(0)", "Deno.exit(0)"),
)
