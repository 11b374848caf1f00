"""What can be imported from `mcp`: servers as modules, and `mcp.runtime`."""

import unittest

from fake_host import run_python, run_python_session

TOOLS = [
    {
        "name": "mcp__my-kid__read-file",
        "server": "my-kid",
        "tool": "read-file",
        "description": "Reads.",
        "parameters": {"a": 1},
    },
    {"name": "mcp__my-kid__read_file", "server": "my-kid", "tool": "read_file", "parameters": {"a": 2}},
    {"name": "mcp__my-kid__class", "server": "my-kid", "tool": "class", "description": "Teaches.", "parameters": {}},
]
SERVERS = {
    "servers": [{"name": "my-kid", "status": "ready", "toolCount": 3, "tools": ["read-file", "read_file", "class"]}],
    "available": ["other", "broken"],
    "totalTools": 3,
    "errors": {"broken": "no such file"},
}


def host(request):
    """A host with two servers, one of them connected."""
    method, params = request["method"], request["params"]
    if method == "servers":
        return {"result": SERVERS}
    if method in ("discover", "search"):
        if params.get("server") == "nosuch":
            return {"error": {"code": "unknown_server", "message": "no server nosuch", "server": "nosuch"}}
        return {"result": TOOLS}
    return {"result": {"method": method, **params}}


def doc(tool, alias, **more):
    return {"server": "my-kid", "serverAlias": "my_kid", "tool": tool, "toolAlias": alias, **more}


NAMES = ["my-kid", "other", "broken"]
DESCRIBED = [
    {"name": "read-file", "alias": "read_file_2", "description": "Reads.", "inputSchema": {"a": 1}},
    {"name": "read_file", "alias": "read_file", "description": "", "inputSchema": {"a": 2}},
    {"name": "class", "alias": "class_", "description": "Teaches.", "inputSchema": {}},
]
DOCS = [
    doc("read-file", "read_file", description="Reads."),
    doc("read_file", "read_file"),
    doc("class", "class_", description="Teaches."),
]
CALLED = {"method": "call", "server": "s", "tool": "t", "args": {"a": 1}}

# Expressions with `runtime`, and their values, awaited or not.
RUNTIME = {
    "runtime.discovered_servers()": NAMES,
    "runtime.discovered_servers(detailed=True)": [
        {"name": "my-kid", "description": "3 tools: read-file, read_file, class"},
        {"name": "other", "description": "starts when it is first used"},
        {"name": "broken", "description": "its last start failed: no such file"},
    ],
    "runtime.list_servers()": NAMES,
    "runtime.list_servers_sync()": NAMES,
    "runtime.discovered_servers_sync()": NAMES,
    "runtime.list_tools('my-kid')": DESCRIBED,
    "runtime.describe_server('my_kid')": {"name": "my-kid", "alias": "my_kid", "tools": DESCRIBED, "cwd": None},
    "runtime.describe_server_sync('my_kid')": {"name": "my-kid", "alias": "my_kid", "tools": DESCRIBED, "cwd": None},
    "runtime.query_tool_docs('my-kid')": DOCS,
    "runtime.query_tool_docs('my-kid', detail='full')": [
        {**described, "inputSchema": tool["parameters"]} for described, tool in zip(DOCS, TOOLS)
    ],
    "runtime.query_tool_docs('my-kid', tool='CLASS_')": DOCS[2],
    "runtime.query_tool_docs('my-kid', 'read-file', detail='full')": {**DOCS[0], "inputSchema": {"a": 1}},
    "runtime.query_tool_docs_sync('my-kid', 'class')": [DOCS[2]],
    "runtime.search_tool_docs('file', limit=2)": DOCS,
    "runtime.search_tool_docs_sync('file')": DOCS,
    "runtime.search_tool_docs_sync(' ')": [],
    "runtime.list_loaded_server_metadata_sync()[0]['name']": "my-kid",
    "runtime.read_output_sync('out_x', path='a')": {"method": "output", "handle": "out_x", "path": "a", "offset": 0},
    "runtime.memory_exists('k')": True,
    "runtime.memory_exists_sync('k')": True,
    "runtime.delete_memory_sync('k')": "Memory 'k' deleted.",
    "runtime.call_tool('s', 't', {'a': 1})": CALLED,
    "runtime.call_tool_sync('s', 't', a=1)": CALLED,
}


class RuntimeTest(unittest.TestCase):
    def result(self, code):
        outcome = run_python(code, host)
        self.assertIsNone(outcome.error, outcome)
        return outcome.result

    def test_functions(self):
        expressions = list(RUNTIME)
        for code in (f"[{', '.join(expressions)}]", f"[{', '.join('await ' + e for e in expressions)}]"):
            for expression, value, expected in zip(expressions, self.result(code), RUNTIME.values()):
                with self.subTest(expression):
                    self.assertEqual(value, expected)

    def test_schemas_of_list_tools_sync(self):
        self.assertEqual(self.result("runtime.list_tools_sync('my-kid')[0]['input_schema']"), {"a": 1})

    def test_connected_servers(self):
        tools = [
            {"name": tool["tool"], "alias": alias} for tool, alias in zip(TOOLS, ("read_file_2", "read_file", "class_"))
        ]
        expected = [{"name": "my-kid", "alias": "my_kid", "tools": tools, "cwd": None}]
        self.assertEqual(self.result("runtime.list_loaded_server_metadata()"), expected)

    def test_ways_to_import(self):
        for code in (
            "runtime",
            "from mcp import runtime\nruntime",
            "import mcp.runtime as runtime\nruntime",
            "import mcp.runtime\nmcp.runtime",
            "import mcp\nmcp.runtime",
        ):
            with self.subTest(code):
                self.assertEqual(self.result(f"{code}.discovered_servers()"), NAMES)
        self.assertEqual(self.result("from mcp.runtime import discovered_servers as f\nf()"), NAMES)
        self.assertEqual(
            self.result("import sys\ndel sys.modules['mcp']\nimport mcp.runtime\nmcp.runtime is runtime"), True
        )

    def test_results_are_plain(self):
        code = "x = runtime.list_servers_sync()\ny = await runtime.list_servers()\n[type(x).__name__, type(y).__name__]"
        self.assertEqual(self.result(code), ["list", "list"])

    def test_calls_in_parallel(self):
        code = (
            "import asyncio\n"
            "[r['args'] for r in await asyncio.gather(*[runtime.call_tool('s', 't', {'i': i}) for i in range(3)])]"
        )
        self.assertEqual(self.result(code), [{"i": 0}, {"i": 1}, {"i": 2}])

    def test_manual(self):
        manual = self.result("print(runtime.capability_summary())\nawait runtime.capability_summary()")
        for function in ("discovered_servers", "search_tool_docs", "save_tool", "save_memory", "display"):
            self.assertIn(function, manual)

    def test_every_function_of_both_versions_is_there(self):
        functions = (
            "discovered_servers list_servers list_tools describe_server list_loaded_server_metadata query_tool_docs "
            "search_tool_docs call_tool capability_summary save_tool save_memory load_memory delete_memory list_memories "
            "update_memory memory_exists get_memory_info"
        ).split()
        code = f"[name for name in {functions} for f in (name, name + '_sync') if not callable(getattr(runtime, f))]"
        self.assertEqual(self.result(code), [])

    def test_arguments_have_the_names_of_the_original(self):
        calls = (
            "discovered_servers(detailed=False)",
            "list_tools(server='my-kid')",
            "describe_server(name='my-kid')",
            "query_tool_docs(server='my-kid', tool=None, detail='summary')",
            "search_tool_docs(query='file', limit=5, detail='summary')",
            "call_tool(server='s', tool='t', arguments={})",
            "save_memory(key='k', value=1, metadata={'a': 1})",
            "get_memory_info(key='k')",
        )
        for call in calls:
            with self.subTest(call):
                self.result(f"runtime.{call}\nawait runtime.{call}")

    def test_contents(self):
        names = self.result("dir(runtime)")
        for name in ("MCPError", "call_tool", "list_memories", "save_tool", "query_tool_docs_sync"):
            self.assertIn(name, names)
        self.assertEqual(self.result("runtime.MCPError is MCPError"), True)

    def test_errors(self):
        for code, name, part in (
            ("runtime.list_tools()", "MCPError", "list_tools needs a text as 'server'"),
            ("await runtime.list_tools_sync()", "MCPError", "list_tools_sync needs a text as 'server'"),
            ("runtime.describe_server('nosuch')", "MCPError", "no server nosuch"),
            ("await runtime.query_tool_docs('my-kid', 'zip')", "MCPError", "Tool 'zip' not found for server my-kid"),
            ("runtime.search_tool_docs('')", "MCPError", "'query'"),
            ("runtime.search_tool_docs('q', limit='5')", "MCPError", "'limit' must be an integer"),
            ("runtime.nosuch", "AttributeError", "nosuch"),
            ("runtime.nosuch_sync", "AttributeError", "nosuch_sync"),
        ):
            with self.subTest(code):
                error = run_python(f"x = 1\n{code}", host).error
                self.assertEqual((error["name"], error["line"]), (name, 2))
                self.assertIn(part, error["message"])

    def test_limit_of_a_search_is_bounded(self):
        outcome = run_python("runtime.search_tool_docs('q', limit=1000)\nruntime.search_tool_docs('q', limit=-1)", host)
        self.assertEqual([request["params"]["limit"] for request in outcome.requests], [20, 1])

    def test_nothing_is_asked_ahead_of_need(self):
        outcome = run_python(
            "from mcp import runtime\nimport mcp.servers.kid as s\nfrom mcp.servers.kid import t\nimport user_tools"
        )
        self.assertEqual((outcome.error, outcome.requests), (None, []))


class ServerModulesTest(unittest.TestCase):
    def result(self, code):
        outcome = run_python(code, host)
        self.assertIsNone(outcome.error, outcome)
        return outcome.result

    def test_calls(self):
        expected = {"method": "call", "server": "kid", "tool": "t", "args": {"a": 1}}
        for code in (
            "from mcp.servers.kid import t\nt(a=1)",
            "from mcp.servers.kid import t\nawait t(a=1)",
            "import mcp.servers.kid as s\ns.t(a=1)",
            "import mcp.servers.kid\nmcp.servers.kid.t(a=1)",
            "from mcp.servers import kid\nkid.t({'a': 1})",
            "mcp.servers.kid.t(a=1)",
        ):
            with self.subTest(code):
                self.assertEqual(self.result(code), expected)

    def test_star(self):
        code = (
            "from mcp.servers.my_kid import *\n"
            "[read_file()['tool'], read_file_2()['tool'], class_()['tool'], read_file_2.__doc__]"
        )
        self.assertEqual(self.result(code), ["read_file", "read-file", "class", "Reads."])

    def test_star_leaves_the_names_of_the_program_alone(self):
        names = "print len dict display sorted call_mcp_tool runtime llm MCPError mcp mcp_bank exit None mine".split()
        names += ["__builtins__", "__all__", "__spec__", "_Server__name", "_own", "TOOLS", "TOOL_MAP", "class"]
        tools = [{"name": f"mcp__kid__{name}", "server": "kid", "tool": name, "parameters": {}} for name in names]
        server = {"name": "kid", "status": "ready", "toolCount": len(tools), "tools": names}
        listing = {"servers": [server], "available": ["print", "mcp", "_x", "mcp_y", "other"], "totalTools": len(tools)}

        def hostile(request):
            replies = {"discover": tools, "servers": listing}
            return {"result": replies.get(request["method"], {"method": request["method"], **request["params"]})}

        for code, expected in (
            ("import mcp.servers.kid as s\ns.__all__", ["None_", "mine", "class_"]),
            ("import mcp.servers.kid as s\ndir(s) == sorted(s.TOOL_MAP)", True),
            (
                "before = dict(globals())\nfrom mcp.servers.kid import *\n"
                "sorted(name for name, value in dict(globals()).items() if name != 'before' and before.get(name) is not value)",
                ["None_", "class_", "mine"],
            ),
            ("from mcp.servers.kid import *\nmcp_bank.accounts()['server']", "bank"),
            ("from mcp.servers import *\nprint()\nkid.mine()['tool']", "mine"),
            ("import mcp.servers as s\ns.__all__", ["kid", "mcp_y", "other"]),
            ("[mcp_kid['print']()['tool'], mcp_kid.print()['tool'], mcp_servers['print'].t()['server']]", ["print", "print", "print"]),
            ("import mcp.servers.kid as s\ns.TOOLS\n[s.print()['tool'], s._own()['tool'], s.mine()['server']]", ["print", "_own", "kid"]),
            ("from mcp.servers.kid import print, TOOL_MAP\n[print()['tool'], TOOL_MAP['mine']]", ["print", "mine"]),
        ):
            with self.subTest(code):
                outcome = run_python(code, hostile)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.result, expected)

    def test_catalog(self):
        code = "import mcp.servers.my_kid as s\n[s.__all__, s.TOOLS[0], s.TOOL_MAP, dir(s) == sorted(s.__all__)]"
        expected = [
            ["read_file_2", "read_file", "class_"],
            {"name": "read-file", "alias": "read_file_2", "description": "Reads.", "input_schema": {"a": 1}},
            {"read_file_2": "read-file", "read_file": "read_file", "class_": "class"},
            True,
        ]
        self.assertEqual(self.result(code), expected)

    def test_star_of_an_unknown_server(self):
        error = run_python("from mcp.servers.nosuch import *", host).error
        self.assertEqual((error["name"], error["code"], error["line"]), ("MCPError", "unknown_server", 1))

    def test_table_of_servers(self):
        code = (
            "[list(mcp_servers), len(mcp_servers), 'other' in mcp_servers, 'x' in mcp_servers, mcp_servers.get('x'),\n"
            " [(name, str(server)) for name, server in mcp_servers.items()][0], mcp_servers['x'].t()['server']]"
        )
        self.assertEqual(self.result(code), [NAMES, 3, True, False, None, ["my-kid", "<mcp.my-kid>"], "x"])

    def test_what_does_not_exist(self):
        for code in ("import mcp.nosuch", "import mcp.servers.a.b", "import mcp.runtime.x"):
            with self.subTest(code):
                self.assertEqual(run_python(code).error["name"], "ModuleNotFoundError")

    def test_in_a_session(self):
        self.assertEqual(
            run_python_session("from mcp.servers.kid import t\nimport mcp.runtime as r", "[t()['tool'], r is runtime]")[
                -1
            ].result,
            ["t", True],
        )


if __name__ == "__main__":
    unittest.main()
