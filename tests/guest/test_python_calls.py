"""The guest API of Python programs: what is asked of the host, and what programs get."""

import unittest

from fake_host import run_python


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


def values(*results):
    """Answers the requests with these results, in order."""
    remaining = list(results)
    return lambda request: {"result": remaining.pop(0)}


class CallTest(unittest.TestCase):
    def requests(self, code):
        outcome = run_python(code)
        self.assertIsNone(outcome.error, outcome)
        return [(request["method"], request["params"]) for request in outcome.requests]

    def test_ids_count_from_one(self):
        outcome = run_python("for i in range(3):\n    list_servers()")
        self.assertEqual([request["id"] for request in outcome.requests], [1, 2, 3])

    def test_forms_of_call_mcp_tool(self):
        forms = {
            "call_mcp_tool('mcp__s__t')": {"name": "mcp__s__t", "args": {}},
            "call_mcp_tool('mcp__s__t', None)": {"name": "mcp__s__t", "args": {}},
            "call_mcp_tool('mcp__s__t', {'a': 1})": {"name": "mcp__s__t", "args": {"a": 1}},
            "call_mcp_tool('s', 't')": {"server": "s", "tool": "t", "args": {}},
            "call_mcp_tool('s', 't', {'a': 1})": {"server": "s", "tool": "t", "args": {"a": 1}},
            "call_mcp_tool(name='mcp__s__t', params={'a': 1})": {"name": "mcp__s__t", "args": {"a": 1}},
            "call_mcp_tool(server='s', tool='t', params={'a': 1})": {"server": "s", "tool": "t", "args": {"a": 1}},
            "call_mcp_tool('mcp__s__t', path='p', name='n')": {"name": "mcp__s__t", "args": {"path": "p", "name": "n"}},
            "mcp.s.t()": {"server": "s", "tool": "t", "args": {}},
            "mcp.s.t({'a': 1}, b=2)": {"server": "s", "tool": "t", "args": {"a": 1, "b": 2}},
            "mcp['my-server']['read-file'](a=1)": {"server": "my-server", "tool": "read-file", "args": {"a": 1}},
            "mcp_servers['s'].t(a=1)": {"server": "s", "tool": "t", "args": {"a": 1}},
            "mcp_my_server.t(a=1)": {"server": "my_server", "tool": "t", "args": {"a": 1}},
            "import mcp\nmcp.s.t()": {"server": "s", "tool": "t", "args": {}},
            "from mcp import s\ns.t()": {"server": "s", "tool": "t", "args": {}},
            "from mcp import s as other\ndef f():\n    return other.t()\nf()": {"server": "s", "tool": "t", "args": {}},
        }
        for code, params in forms.items():
            with self.subTest(code):
                self.assertEqual(self.requests(code), [("call", params)])

    def test_own_variables_named_like_servers(self):
        outcome = run_python("mcp_result = 1\ndef f(mcp_x):\n    return mcp_x\nf(mcp_result)")
        self.assertEqual(outcome.result, 1)

    def test_discovery(self):
        forms = {
            "discover_mcp_tools()": ("discover", {}),
            "discover_mcp_tools('a')": ("discover", {"search": ["a"]}),
            "discover_mcp_tools(search=['a', 'b'], server='s', limit=3)": (
                "discover",
                {"search": ["a", "b"], "server": "s", "limit": 3},
            ),
            "search_tools('q')": ("search", {"query": "q", "limit": 10}),
            "search_tools('q', 5, server='s', detail='full')": (
                "search",
                {"query": "q", "limit": 5, "server": "s", "detail": "full"},
            ),
            "get_tool_schema('mcp__s__t')": ("schema", {"name": "mcp__s__t"}),
            "get_tool_schema('s', 't')": ("schema", {"server": "s", "tool": "t"}),
            "get_tool_signature('s', 't')": ("signature", {"server": "s", "tool": "t", "language": "python"}),
            "await list_servers()": ("servers", {}),
            "list_mcp_resources('s')": ("resources", {"server": "s"}),
            "await read_mcp_resource('s', 'test://a')": ("resource", {"server": "s", "uri": "test://a"}),
            "list_mcp_prompts('s')": ("prompts", {"server": "s"}),
            "get_mcp_prompt('s', 'p')": ("prompt", {"server": "s", "name": "p"}),
            "get_mcp_prompt('s', 'p', {'a': 'b'})": ("prompt", {"server": "s", "name": "p", "args": {"a": "b"}}),
            "read_output('out_x')": ("output", {"handle": "out_x", "offset": 0}),
            "await read_output('out_x', 'a[0]', offset=5, limit=2)": (
                "output",
                {"handle": "out_x", "path": "a[0]", "offset": 5, "limit": 2},
            ),
        }
        for code, request in forms.items():
            with self.subTest(code):
                self.assertEqual(self.requests(code), [request])

    def test_arguments_of_many_types(self):
        code = (
            "import datetime, pathlib\n"
            "mcp.s.t(when=datetime.date(2020, 1, 2), path=pathlib.Path('/a'), some={1}, pair=(1, 2))"
        )
        args = {"when": "2020-01-02", "path": "/a", "some": [1], "pair": [1, 2]}
        self.assertEqual(self.requests(code)[0][1]["args"], args)

    def test_results_are_plain(self):
        code = "x = await mcp.s.t()\ny = mcp.s.t()\n[type(x).__name__, isinstance(y, dict), dict(y) == x]"
        self.assertEqual(run_python(code, values({"a": 1}, {"a": 1})).result, ["dict", True, True])
        self.assertEqual(run_python("type(mcp.s.t()).__name__", values({})).result, "dict")

    def test_a_result_that_was_not_awaited_can_be_awaited(self):
        for value in ({"a": 1}, [1, 2], "text", 5, 1.5, True, None):
            with self.subTest(value=value):
                code = "import json\nx = call_mcp_tool('s', 't')\ny = json.dumps(x)\nz = await x\n[json.loads(y), z]"
                self.assertEqual(run_python(code, lambda _: {"result": value}).result, [value, value])

    def test_part_of_a_result_can_be_awaited(self):
        self.assertEqual(
            run_python("[await mcp.s.t(a=1)['args'], await mcp.s.t()['args'].get('a', 5)]").result, [{"a": 1}, 5]
        )

    def test_errors_can_be_caught(self):
        code = (
            "try:\n    mcp.s.t()\nexcept MCPError as e:\n"
            "    result = [e.code, e.server, e.tool, e.message, str(e), e.suggestions, e.retry_after_ms]\nresult"
        )
        expected = ["unknown_tool", "s", "t", "no such tool", "no such tool", ["mcp__s__u"], 7]
        self.assertEqual(run_python(code, failing).result, expected)
        self.assertEqual(run_python(code.replace("mcp.s.t()", "await mcp.s.t()"), failing).result, expected)

    def test_errors_that_are_not_caught(self):
        for code in ("\nmcp.s.t()", "\nawait mcp.s.t()", "import asyncio\nawait asyncio.gather(mcp.s.t())"):
            with self.subTest(code):
                error = run_python(code, failing).error
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

    def test_large_values(self):
        size = 5_000_000
        outcome = run_python("x = mcp.s.t(text='a' * 5_000_000)\nx['args']['text'] + 'b'")
        self.assertEqual(len(outcome.result), size + 1)


if __name__ == "__main__":
    unittest.main()
