"""Calls of tools and the rest of the guest API, in both languages: what is asked of the host, and what programs get."""

import json

from fake_host import together
from languages import Both


def failing(_):
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


def form(python, typescript, method, params):
    return Both(python, f"await {typescript}"), method, params


_SEARCHED = {"query": "q", "limit": 5, "server": "s", "detail": "full"}
_READ = {"handle": "out_x", "path": "a[0]", "offset": 5, "limit": 2}
# name: (code, method, parameters)
FORMS = {
    "by name": form("call_mcp_tool('mcp__s__t')", "callMCPTool('mcp__s__t')", "call", {"name": "mcp__s__t", "args": {}}),
    "by name, nothing": form("call_mcp_tool('mcp__s__t', None)", "callMCPTool('mcp__s__t', null)", "call", {"name": "mcp__s__t", "args": {}}),
    "by name, parameters": form(
        "call_mcp_tool('mcp__s__t', {'a': 1})", "callMCPTool('mcp__s__t', { a: 1 })", "call", {"name": "mcp__s__t", "args": {"a": 1}}
    ),
    "by server": form("call_mcp_tool('s', 't')", "callMCPTool('s', 't')", "call", {"server": "s", "tool": "t", "args": {}}),
    "by server, parameters": form(
        "call_mcp_tool('s', 't', {'a': 1})", "callMCPTool('s', 't', { a: 1 })", "call", {"server": "s", "tool": "t", "args": {"a": 1}}
    ),
    "property": form("mcp.s.t()", "mcp.s.t()", "call", {"server": "s", "tool": "t", "args": {}}),
    "property by text": form(
        "mcp['my-server']['read-file'](a=1)",
        "mcp['my-server']['read-file']({ a: 1 })",
        "call",
        {"server": "my-server", "tool": "read-file", "args": {"a": 1}},
    ),
    "discover": form("discover_mcp_tools()", "discoverMCPTools()", "discover", {}),
    "discover a word": form("discover_mcp_tools(search='a')", "discoverMCPTools({ search: 'a' })", "discover", {"search": ["a"]}),
    "discover, all options": form(
        "discover_mcp_tools(search=['a', 'b'], server='s', limit=3)",
        "discoverMCPTools({ search: ['a', 'b'], server: 's', limit: 3 })",
        "discover",
        {"search": ["a", "b"], "server": "s", "limit": 3},
    ),
    "search": form("search_tools('q')", "searchTools('q')", "search", Both({"query": "q", "limit": 10}, {"query": "q"})),
    "search, limit": form("search_tools('q', 5)", "searchTools('q', 5)", "search", {"query": "q", "limit": 5}),
    "search, all options": form(
        "search_tools('q', limit=5, server='s', detail='full')",
        "searchTools('q', { limit: 5, server: 's', detail: 'full' })",
        "search",
        _SEARCHED,
    ),
    "schema": form("get_tool_schema('mcp__s__t')", "getToolSchema('mcp__s__t')", "schema", {"name": "mcp__s__t"}),
    "schema by server": form("get_tool_schema('s', 't')", "getToolSchema('s', 't')", "schema", {"server": "s", "tool": "t"}),
    "servers": form("list_servers()", "listServers()", "servers", {}),
    "resources": form("list_mcp_resources('s')", "listMCPResources('s')", "resources", {"server": "s"}),
    "resource": form(
        "read_mcp_resource('s', 'test://a')", "readMCPResource('s', 'test://a')", "resource", {"server": "s", "uri": "test://a"}
    ),
    "prompts": form("list_mcp_prompts('s')", "listMCPPrompts('s')", "prompts", {"server": "s"}),
    "prompt": form("get_mcp_prompt('s', 'p')", "getMCPPrompt('s', 'p')", "prompt", {"server": "s", "name": "p"}),
    "prompt, parameters": form(
        "get_mcp_prompt('s', 'p', {'a': 'b'})",
        "getMCPPrompt('s', 'p', { a: 'b' })",
        "prompt",
        {"server": "s", "name": "p", "args": {"a": "b"}},
    ),
    "output": form("read_output('out_x')", "readOutput('out_x')", "output", Both({"handle": "out_x", "offset": 0}, {"handle": "out_x"})),
    "output, all options": form(
        "read_output('out_x', 'a[0]', offset=5, limit=2)", "readOutput('out_x', { path: 'a[0]', offset: 5, limit: 2 })", "output", _READ
    ),
    "question": form("ask_user('Sure?')", "askUser('Sure?')", "ask", {"message": "Sure?"}),
    "question, form": form(
        "ask_user('Sure?', {'type': 'boolean'})", "askUser('Sure?', { type: 'boolean' })", "ask", {"message": "Sure?", "schema": {"type": "boolean"}}
    ),
    "approval": form("approve(['mcp__s__t x 2'])", "approve(['mcp__s__t x 2'])", "approve", {"summary": ["mcp__s__t x 2"]}),
    "approval of all": form("approve()", "approve()", "approve", {}),
}

# name: (code, result); the fields of an error that the program catches.
CAUGHT = {
    "awaited": (
        Both(
            "try:\n    await mcp.s.t()\nexcept MCPError as e:\n"
            "    result = [e.code, e.server, e.tool, e.message, str(e), e.suggestions, e.retry_after_ms]\nresult",
            "try { await mcp.s.t() } catch (e) {\n  return [e.code, e.server, e.tool, e.message, e.suggestions, e.retryAfterMs,\n"
            "    e instanceof MCPError, e instanceof Error, e.name]\n}",
        ),
        Both(
            ["unknown_tool", "s", "t", "no such tool", "no such tool", ["mcp__s__u"], 7],
            ["unknown_tool", "s", "t", "no such tool", ["mcp__s__u"], 7, True, True, "MCPError"],
        ),
    ),
}
# name: code; the call is on line 2.
UNCAUGHT = {
    "by name": Both("\nawait call_mcp_tool('mcp__s__t')", "async function f() {\n  await callMCPTool('mcp__s__t')\n}\nawait f()"),
    "awaited": Both("\nawait mcp.s.t()", "async function f() {\n  await mcp.s.t()\n}\nawait f()"),
    "together": Both(
        "import asyncio\nawait asyncio.gather(mcp.s.t())", "async function f() {\n  await Promise.all([mcp.s.t()])\n}\nawait f()"
    ),
}
UNCAUGHT_DETAILS = {
    "name": "MCPError",
    "message": "no such tool",
    "code": "unknown_tool",
    "server": "s",
    "tool": "t",
    "suggestions": ["mcp__s__u"],
    "line": 2,
}


def nested(levels):
    """Arguments of so many levels; they are one themselves."""
    return f"{'[' * (levels - 1)}{']' * (levels - 1)}"


# Arguments of types that JSON does not have. name: (arguments, what is sent)
SENT = {
    "set": (Both("a={1}", "{ a: new Set([1]) }"), {"a": [1]}),
    "date": (Both("a=__import__('datetime').date(2020, 1, 2)", "{ a: new Date(0) }"), {"a": Both("2020-01-02", "1970-01-01T00:00:00.000Z")}),
    "bytes": (Both("a=b'ab'", "{ a: new Uint8Array([1, 2]) }"), {"a": Both("ab", [1, 2])}),
    "map": (Both("a={1: 'x', 'k': None}", "{ a: new Map([['1', 'x'], ['k', null]]) }"), {"a": {"1": "x", "k": None}}),
    "error": (Both("a=ValueError('x')", "{ a: new TypeError('x') }"), {"a": {"name": Both("ValueError", "TypeError"), "message": "x"}}),
    "within others": (Both("a=[{'b': {2}}]", "{ a: [{ b: new Map([[1, new Set([2])]]) }] }"), {"a": [{"b": Both([2], [[1, [2]]])}]}),
}
SENT["as deep as can be"] = (Both(f"a={nested(100)}", f"{{ a: {nested(100)} }}"), {"a": json.loads(nested(100))})
SENT["as deep as can be, a set"] = (
    Both(f"a=[{{2}}, {nested(99)}]", f"{{ a: [new Set([2]), {nested(99)}] }}"), {"a": [[2], json.loads(nested(99))]}
)
# Arguments that have none. name: (arguments, where and why)
REFUSED = {
    "function": (
        Both("a={'b': [1, len]}", "{ a: { b: [1, () => 1] } }"),
        Both("a.b[1]: a builtin_function_or_method has no JSON form; give a text, a number, a list or a dict", "a.b[1] is a function"),
    ),
    "other object": (
        Both("a=object()", "{ a: Symbol('q') }"),
        Both("a: an object has no JSON form; give a text, a number, a list or a dict", "a is a symbol"),
    ),
    "in a set": (
        Both("a={object()}", "{ a: new Set([() => 1]) }"),
        Both("a: an object has no JSON form; give a text, a number, a list or a dict", "a[...] is a function"),
    ),
    "cycle": (
        Both("a=[d := {}, d.update(d=d)]", "{ a: [((d: any) => d.d = d)({})] }"),
        Both("a[0].d: it contains itself", "a[0].d is an object that contains itself"),
    ),
    "what is not awaited": (
        Both("a=(lambda: (yield))() and type('A', (), {'__await__': 1})()", "{ a: mcp.s.t() }"),
        Both("a: `await` is missing before it", "a is a Promise: `await` is missing"),
    ),
    "too deep": (
        Both(f"a={nested(101)}", f"{{ a: {nested(101)} }}"),
        Both(f"a{'[0]' * 33}...: it is deeper than 100 levels", f"a{'[0]' * 99} is deeper than 100 levels"),
    ),
    "not a number": (
        Both("a=[float('nan')]", "{ a: [NaN] }"),
        Both("a[0]: nan is no number of JSON; give None or a text", "a[0] is NaN, which is no number of JSON; give null or a text"),
    ),
    "infinite": (
        Both("a=-float('inf')", "{ a: -Infinity }"),
        Both("a: -inf is no number of JSON; give None or a text", "a is -Infinity, which is no number of JSON; give null or a text"),
    ),
    "generator": (
        Both("a=(i for i in [1])", "{ a: (function* () {})() }"),
        Both("a: a generator has no JSON form; give a text, a number, a list or a dict", "a is a Generator, which has no JSON form"),
    ),
    "big integer": (
        Both("a=[2 ** 64]", "{ a: [10n] }"),
        Both(
            "a[0]: the number 18446744073709551616 has more than 64 bits and would be rounded; give it as a text",
            "a[0] is a bigint; give it as a number or a text",
        ),
    ),
}


def many_calls(count):
    return Both(
        f"import asyncio\nr = await asyncio.gather(*[mcp.s.t(i=i) for i in range({count})])\n[x['args']['i'] for x in r]",
        f"return (await Promise.all([...Array({count}).keys()].map((i) => mcp.s.t({{ i }})))).map((r) => r.args.i)",
    )


class CallTests:
    FORMS = FORMS
    CAUGHT = CAUGHT
    UNCAUGHT = UNCAUGHT
    SENT = SENT
    REFUSED = REFUSED

    def requests(self, code):
        outcome = self.run_program(code)
        self.assertIsNone(outcome.error, outcome)
        return [(request["method"], request["params"]) for request in outcome.requests]

    def test_forms(self):
        for name, (code, method, params) in self.own(self.FORMS).items():
            with self.subTest(name):
                self.assertEqual(self.requests(code), [(method, params)])

    def test_arguments_without_a_json_form_of_their_own(self):
        for name, (arguments, sent) in self.own(self.SENT).items():
            with self.subTest(name):
                code = self.own(Both(f"mcp.s.t({arguments})", f"await mcp.s.t({arguments})"))
                self.assertEqual(self.requests(code)[-1][1]["args"], sent)

    def test_arguments_that_would_be_lost_are_refused(self):
        for name, (arguments, reason) in self.own(self.REFUSED).items():
            for tool, call in (("s.t", "mcp.s.t("), ("mcp__s__t", self.own(Both("call_mcp_tool('mcp__s__t', ", "callMCPTool('mcp__s__t', ")))):
                with self.subTest(name, tool=tool):
                    outcome = self.run_program(self.own(Both(f"\n{call}{arguments})", f"\nawait {call}{arguments})")))
                    self.assertIsNotNone(outcome.error, outcome)
                    self.assertEqual(outcome.error["message"], f"the arguments of {tool} cannot be sent as JSON: {reason}")
                    self.assertEqual((outcome.error["code"], outcome.error["line"]), ("invalid_argument", 2))

    def test_ids_count_from_one(self):
        forms = self.own(list(FORMS.values()))
        outcome = self.run_program("\n".join(code for code, _, _ in forms))
        self.assertIsNone(outcome.error, outcome)
        expected = [{"type": "request", "id": at, "method": method, "params": params} for at, (_, method, params) in enumerate(forms, 1)]
        self.assertEqual(outcome.requests, expected)

    def test_errors_can_be_caught(self):
        for name, (code, expected) in self.own(self.CAUGHT).items():
            with self.subTest(name):
                self.assertEqual(self.run_program(code, failing).result, expected)

    def test_errors_that_are_not_caught(self):
        stack = Both("Traceback (most recent call last):\n", "MCPError: no such tool\n    at ")
        for name, code in self.own(self.UNCAUGHT).items():
            with self.subTest(name):
                error = self.run_program(code, failing).error
                self.assertEqual({field: error[field] for field in UNCAUGHT_DETAILS}, UNCAUGHT_DETAILS)
                self.assertTrue(error["stack"].startswith(self.own(stack)), error)

    def test_calls_in_parallel(self):
        with self.guest() as guest:
            outcome = guest.program(self.own(many_calls(10)), together(guest, 10))
            self.assertEqual(outcome.result, list(range(10)), outcome)

    def test_replies_in_any_order(self):
        with self.guest() as guest:
            outcome = guest.program(self.own(many_calls(20)), together(guest, 20, reversed))
            self.assertEqual(outcome.result, list(range(20)), outcome)

    def test_large_values(self):
        code = Both(
            "x = mcp.s.t(text='a' * 5_000_000)\nx['args']['text'] + 'b'",
            "const r = await mcp.s.t({ text: 'a'.repeat(5_000_000) });\nreturn r.args.text + 'b'",
        )
        self.assertEqual(len(self.run_program(code).result), 5_000_001)
