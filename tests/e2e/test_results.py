"""The answers of every tool of ours, in the shape of the system it comes from."""

import json

from support.case import Case, SharedServerCase
from support.config import child


class ShapeA(SharedServerCase):
    """run-typescript-code, run-python-code and their other names. The schema is checked with every answer."""

    def test_success(self):
        answer = self.succeed(self.typescript("console.log('printed'); return {value: 1}"))
        self.assertEqual(answer.result, {"value": 1})
        self.assertEqual(answer.output.strip(), "printed")
        self.assertGreater(answer.structured["executionTimeMs"], 0)
        self.assertNotIn("error", answer.structured)

    def test_error(self):
        answer = self.typescript("console.log('printed'); throw new Error('boom')")
        self.assertIs(answer.structured["success"], False)
        self.assertIn("boom", self.refuse(answer))
        self.assertIn("boom", answer.text)

    def test_one_text_block_that_says_nothing_empty(self):
        answer = self.succeed(self.typescript("return 4711"))
        self.assertEqual([block["type"] for block in answer.raw["content"]], ["text"])
        self.assertIn("4711", answer.text)
        for header in ("Stderr", "Stdout", "(none)", "Tool Calls"):
            self.assertNotIn(header, answer.text)

    def test_a_run_that_says_nothing(self):
        answer = self.succeed(self.typescript("const x = 1"))
        self.assertTrue(answer.text.strip(), "a model must not be given an empty text")

    def test_texts_without_characters(self):
        for run, code, text in (
            (self.typescript, "return ''", "printed nothing and returned an empty text"),
            (self.python, "''", "printed nothing and returned an empty text"),
            (self.typescript, "console.log('')", "printed an empty line and returned nothing"),
            (self.python, "print('')", "printed an empty line and returned nothing"),
        ):
            with self.subTest(code):
                self.assertEqual(self.succeed(run(code)).text, f"Done: the program {text}.")

    def test_escape_sequences(self):
        note = "[escape sequences for a terminal were left out of the text]"
        for sequence in (r"\x1b]0;title", r"\x1bP1", r"\x1b[", r"\x1b[1;2;3", r"\x1b", r"\x9b", r"\x9d0;t"):
            text = f"before{sequence} AFTER 12345\\nsecond line"
            for run, prints, returns in ((self.typescript, "console.log('{}')", "return '{}'"), (self.python, "print('{}')", "'{}'")):
                with self.subTest(sequence=sequence, returns=returns):
                    printed = self.succeed(run(prints.format(text)))
                    self.assertRegex(printed.text, r"(?s)^before.* AFTER 12345\nsecond line")
                    self.assertTrue(printed.text.endswith(note), printed.text)
                    answer = self.succeed(run(returns.format(text)))
                    self.assertEqual(answer.result, text.encode().decode("unicode_escape"))
                    self.assertTrue(answer.text.endswith(note), answer.text)
        self.assertEqual(self.succeed(self.python(r"print('\x1b[31mred\x1b[0m')")).text, "red")

    def test_ends_by_signals_are_what_they_are(self):
        self.assertIn("SIGABRT (Aborted): it, or a library in it, has called abort()", self.refuse(self.python("import os\nos.abort()")))
        segfault = self.refuse(self.python("import ctypes\nctypes.string_at(0)"))
        self.assertIn("SIGSEGV (Segmentation fault)", segfault)
        self.assertNotIn("memory limit", segfault)

    def test_other_names(self):
        for tool, code in (("executeTypescript", "return 2 as number"), ("executePython", "1 + 1")):
            with self.subTest(tool):
                answer = self.succeed(self.server.tool(tool, {"code": code, "timeoutMs": 20_000, "allowedTools": []}))
                self.assertEqual(answer.result, 2)


class Tracker(SharedServerCase):
    CODE = """
        for (const text of ['a', 'b', 'c']) await callMCPTool('kid', 'echo', {text});
        await callMCPTool('kid', 'fail', {message: 'first failure'}).catch(() => {});
        await callMCPTool('kid', 'fail', {message: 'last failure'}).catch(() => {});
        await callMCPTool('kid', 'sleep', {ms: 200});
        return 'done'"""

    def test_counts(self):
        summary = self.succeed(self.typescript(self.CODE)).summary
        counts = {name: (entry["callCount"], entry["successCount"], entry["errorCount"]) for name, entry in summary.items()}
        self.assertEqual(counts, {"mcp__kid__echo": (3, 3, 0), "mcp__kid__fail": (2, 0, 2), "mcp__kid__sleep": (1, 1, 0)})

    def test_durations(self):
        entry = self.succeed(self.typescript(self.CODE)).summary["mcp__kid__sleep"]
        self.assertGreaterEqual(entry["totalDurationMs"], 195)
        self.assertEqual(entry["averageDurationMs"], entry["totalDurationMs"])

    def test_last_error(self):
        summary = self.succeed(self.typescript(self.CODE)).summary
        self.assertIn("last failure", summary["mcp__kid__fail"]["lastErrorMessage"])
        self.assertNotIn("lastErrorMessage", summary["mcp__kid__echo"])

    def test_tool_calls_made(self):
        made = self.succeed(self.typescript(self.CODE)).structured["toolCallsMade"]
        self.assertEqual(set(made), {"mcp__kid__echo", "mcp__kid__fail", "mcp__kid__sleep"})

    def test_names_are_the_real_ones(self):
        answer = self.succeed(self.python("mcp.kid.read_file(value='x')"))
        self.assertEqual(list(answer.summary), ["mcp__kid__read-file"])

    def test_nothing_called_nothing_said(self):
        structured = self.succeed(self.typescript("return 1")).structured
        self.assertFalse(structured.get("toolCallSummary"))
        self.assertFalse(structured.get("toolCallsMade"))


class ShapeB(SharedServerCase):
    """execute_code."""

    def execute(self, code, **parameters):
        answer = self.server.tool("execute_code", {"code": code, **parameters})
        self.assertEqual(len(answer.raw["content"]), 1)
        self.assertEqual(answer.json(), answer.structured)
        self.assertEqual(answer.is_error, not answer.structured["success"])
        self.assertIsInstance(answer.structured["execution_ms"], (int, float))
        return answer.structured

    def test_success(self):
        result = self.execute("console.log('one'); console.log('two'); return {value: 1}")
        self.assertEqual(result["result"], {"value": 1})
        self.assertEqual(result["logs"], ["one", "two"])
        self.assertEqual(set(result), {"success", "result", "logs", "execution_ms"})

    def test_nothing_to_say(self):
        self.assertEqual(set(self.execute("const x = 1")), {"success", "execution_ms"})

    def test_error(self):
        result = self.execute("console.log('before'); throw new Error('boom')")
        self.assertIn("boom", result["error"])
        self.assertEqual(result["logs"], ["before"])
        self.assertNotIn("result", result)

    def test_calls_by_server_and_tool(self):
        self.assertEqual(self.execute("return await callMCPTool('kid', 'echo', {text: 'hi'})")["result"], "hi")

    def test_timeout_ms(self):
        result = self.execute("console.log('so far'); for (;;) {}", timeout_ms=1000)
        self.assertRegex(result["error"].lower(), r"time.?out|timed out")
        self.assertEqual(result["logs"], ["so far"])

    def test_timeout_out_of_range(self):
        for value in (999, 300_001):
            with self.subTest(value):
                result = self.execute("return 1", timeout_ms=value)
                self.assertIn("timeout_ms", result["error"])
                self.assertIn(str(value), result["error"])

    def test_missing_code(self):
        answer = self.server.tool("execute_code", {})
        self.assertTrue(answer.is_error)
        self.assertIn("code", answer.json()["error"])


class ShapeC(SharedServerCase):
    """run_python, in its compact form."""

    def run_c(self, code, **parameters):
        return self.server.tool("run_python", {"code": code, **parameters})

    def test_output(self):
        answer = self.run_c("print('hi')")
        self.assertEqual((answer.text.rstrip("\n"), answer.structured, answer.is_error), ("hi", {"stdout": ["hi"]}, False))

    def test_nothing_to_say(self):
        answer = self.run_c("x = 1")
        self.assertEqual((answer.text, answer.structured), ("Success (no output)", {"summary": "Success (no output)"}))

    def test_both_streams(self):
        answer = self.run_c("import sys\nprint('o')\nprint('e', file=sys.stderr)")
        self.assertEqual(answer.structured, {"stdout": ["o"], "stderr": ["e"]})
        self.assertEqual(answer.text.rstrip("\n"), "o\nstderr:\ne")

    def test_no_line_is_dropped(self):
        self.assertEqual(self.run_c("print('a')\nprint('')\nprint('  ')\nprint('()')\nprint('b')").structured["stdout"],
                         ["a", "", "  ", "()", "b"])

    def test_exception(self):
        answer = self.run_c("print('before')\nraise ValueError('boom')")
        self.assertTrue(answer.is_error)
        self.assertEqual(answer.structured["status"], "error")
        self.assertEqual(answer.structured["stdout"], ["before"])
        self.assertIn("ValueError: boom", "\n".join(answer.structured["stderr"]))
        self.assertNotEqual(answer.structured["exitCode"], 0)
        self.assertTrue(answer.text.startswith("status: error"))
        self.assertIn("ValueError: boom", answer.text)

    def test_exit_code(self):
        answer = self.run_c("import sys\nprint('x')\nsys.exit(3)")
        self.assertTrue(answer.is_error)
        self.assertEqual((answer.structured["exitCode"], answer.structured["stdout"]), (3, ["x"]))
        self.assertIn("3", answer.text)

    def test_timeout_in_seconds(self):
        answer = self.run_c("print('p')\nwhile True: pass", timeout=1)
        self.assertTrue(answer.is_error)
        structured = answer.structured
        self.assertEqual((structured["status"], structured["timeoutSeconds"], structured["stdout"]), ("timeout", 1, ["p"]))
        self.assertEqual(structured["error"], "Execution timed out after 1s\nNo call was open: the program itself took the time.")
        self.assertTrue(answer.text.startswith("status: timeout"))

    def test_tools_of_the_servers_it_names(self):
        answer = self.run_c("print(call_mcp_tool('mcp__kid__echo', {'text': 'hi'}))", servers=["kid"])
        self.assertFalse(answer.is_error, answer.text)
        self.assertEqual(answer.structured["stdout"], ["hi"])

    def test_unknown_server(self):
        answer = self.run_c("print(1)", servers=["nosuch"])
        self.assertTrue(answer.is_error)
        self.assertEqual(answer.structured["status"], "error")
        self.assertIn("Unknown MCP server: nosuch", answer.structured["error"])

    def test_wrong_arguments(self):
        for arguments, word in (({}, "code"), ({"code": " "}, "code"), ({"code": "1", "servers": "kid"}, "servers"),
                                ({"code": "1", "timeout": "soon"}, "timeout"), ({"code": 5}, "code")):
            with self.subTest(arguments):
                answer = self.server.tool("run_python", arguments)
                self.assertTrue(answer.is_error)
                self.assertEqual(answer.structured["status"], "validation_error")
                self.assertIn(word, answer.structured["error"])


class Health(SharedServerCase):
    def test_what_it_tells(self):
        answer = self.server.tool("health")
        self.assertFalse(answer.is_error)
        health = answer.structured
        self.assertIs(health["healthy"], True)
        self.assertIn("enabled", health["auditLog"])
        self.assertIn("connected", health["mcpClients"])
        self.assertEqual({name: health["connectionPool"][name] for name in ("active", "waiting", "max")},
                         {"active": 0, "waiting": 0, "max": 100})
        self.assertGreaterEqual(health["uptime"], 0)
        self.assertRegex(health["timestamp"], r"^\d{4}-\d\d-\d\dT")

    def test_counts_servers_not_tools(self):
        self.succeed(self.typescript("await callMCPTool('kid', 'echo', {text: 'x'})"))
        self.assertEqual(self.server.tool("health").structured["mcpClients"]["connected"], 1)

    def test_a_missing_runtime_is_explained(self):
        server = self.start(env={"DENO_PATH": "/no/such/deno", "PATH": "/usr/bin:/bin"})
        self.assertIn("/no/such/deno", json.dumps(server.tool("health").raw))
        listed = [tool["name"] for tool in server.request("tools/list")["tools"]]
        self.assertNotIn("run-typescript-code", listed)
        self.refuse(server.typescript("return 1"), "/no/such/deno")


class Discovery(SharedServerCase):
    """search_tools, get_tool_signature, list_servers."""

    @classmethod
    def servers(cls):
        return {"kid": child("--name", "kid"), "other": child()}

    def b_tool(self, name, **arguments):
        answer = self.server.tool(name, arguments)
        self.assertFalse(answer.is_error, answer.text)
        self.assertEqual(answer.json(), answer.structured)
        return answer.structured

    def test_search_tools(self):
        found = self.b_tool("search_tools", query="add two numbers", server="kid")
        self.assertEqual((found["tools"][0]["server"], found["tools"][0]["tool"]), ("kid", "add"))
        self.assertIn("Adds two numbers", found["tools"][0]["description"])
        self.assertEqual(found["query"], "add two numbers")
        self.assertGreaterEqual(found["total"], 1)

    def test_search_tools_details(self):
        full = self.b_tool("search_tools", query="echo", server="kid", detail="full")["tools"][0]
        self.assertIn("text", full["parameters"]["properties"])
        standard = self.b_tool("search_tools", query="echo", server="kid")["tools"][0]
        self.assertEqual(list(standard), ["name", "server", "tool", "description", "parameters"])
        self.assertIn("text: string", standard["parameters"])
        minimal = self.b_tool("search_tools", query="echo", server="kid", detail="minimal")["tools"][0]
        self.assertNotIn("score", minimal)

    def test_search_tools_limit(self):
        found = self.b_tool("search_tools", query="test tool", server="kid", limit=2)
        self.assertLessEqual(len(found["tools"]), 2)
        self.assertGreaterEqual(found["total"], len(found["tools"]))

    def test_search_tools_limit_beyond_the_bound_is_the_bound(self):
        most = self.b_tool("search_tools", query="test tool", server="kid", limit=100)
        for limit in (101, 10**6, 2**64 - 1, 1e300, "5000"):
            with self.subTest(limit):
                self.assertEqual(self.b_tool("search_tools", query="test tool", server="kid", limit=limit)["tools"], most["tools"])

    def test_search_tools_without_a_match(self):
        found = self.b_tool("search_tools", query="zzzqqqxxx")
        self.assertEqual((found["tools"], found["total"]), ([], 0))

    def test_a_word_that_is_a_server_starts_it(self):
        server = self.start({"weather": child(), "mail": child()})
        found = server.tool("search_tools", {"query": "echo weather"}).structured
        self.assertEqual(found["lazyLoaded"], ["weather"])

    def test_search_tools_wrong_arguments(self):
        for arguments, word in (({}, "query"), ({"query": ""}, "query"), ({"query": 5}, "query"),
                                ({"query": "x", "limit": 0}, "limit"), ({"query": "x", "limit": "many"}, "limit"),
                                ({"query": "x", "detail": "huge"}, "detail"), ({"query": "x", "server": "kidd"}, "kidd"),
                                ({"query": "x", "servr": "kid"}, "servr")):
            with self.subTest(arguments):
                answer = self.server.tool("search_tools", arguments)
                self.assertTrue(answer.is_error)
                self.assertIn(word, answer.text)

    def test_get_tool_signature(self):
        signature = self.b_tool("get_tool_signature", server="kid", tool="add")
        self.assertEqual((signature["server"], signature["tool"]), ("kid", "add"))
        for word in ("a: number", "b: number", "sum"):
            self.assertIn(word, signature["signature"])
        self.assertEqual((signature["name"], signature["call"]), ("mcp__kid__add", "await mcp.kid.add({a: 1, b: 1})"))
        self.assertEqual(signature["parameters"], signature["inputSchema"], "its name in seed and contract, and the one of all others")

    def test_signature_of_an_odd_name_is_valid_typescript(self):
        signature = self.b_tool("get_tool_signature", server="kid", tool="read-file")["signature"]
        self.succeed(self.typescript(f"{signature}\nreturn 'compiled'"))

    def test_signature_of_unknown_names(self):
        for arguments, near in (({"server": "kid", "tool": "ecko"}, "echo"), ({"server": "kidd", "tool": "echo"}, "kid")):
            with self.subTest(arguments):
                answer = self.server.tool("get_tool_signature", arguments)
                self.assertTrue(answer.is_error)
                self.assertIn(near, answer.text)

    def test_list_servers(self):
        self.succeed(self.typescript("await callMCPTool('kid', 'echo', {text: 'x'})"))
        listed = self.b_tool("list_servers")
        kid = next(entry for entry in listed["servers"] if entry["name"] == "kid")
        self.assertEqual(kid["status"], "connected")
        self.assertGreater(kid["toolCount"], 20)
        self.assertIn("echo", kid["tools"])
        self.assertIn("other", listed["available"])
        self.assertGreaterEqual(listed["totalTools"], kid["toolCount"])

    def test_list_servers_tells_why_one_is_down(self):
        server = self.start({"bad": child("--refuse")})
        self.refuse(server.typescript("await callMCPTool('bad', 'echo', {text: 'x'})"))
        self.assertIn("TEST_CHILD_TOKEN is not set", server.tool("list_servers").text)
