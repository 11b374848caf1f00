"""What a client must not send: every case gets an error that says what is wrong, and the server lives on."""

import json

from support.case import Case, SharedServerCase
from support.config import child

MEBIBYTE = 1 << 20
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602


class Lines(SharedServerCase):
    """Lines that are no request."""

    def assert_anonymous_error(self, line, code):
        self.server.send_line(line)
        error = self.server.anonymous_answer()["error"]
        self.assertEqual(error["code"], code, error)
        self.assertTrue(error["message"])
        self.assertEqual(self.server.request("ping"), {})
        return error["message"]

    def test_no_json(self):
        for line in (b"hello", b"{", b'{"jsonrpc":"2.0","id":1,"method":"ping"', b"{]}", b'"unfinished', b"\x00\x01",
                     b'{"jsonrpc":"2.0","id":1,"method":"ping"} trailing'):
            with self.subTest(line):
                self.assert_anonymous_error(line, PARSE_ERROR)

    def test_a_broken_request_is_answered_under_its_id(self):
        for line in (b'{"jsonrpc":"2.0","id":"broken","method":"ping","params":{"x":"\xff"}}',
                     b'{"method":"ping","params":{"x":NaN,"id":1},"jsonrpc":"2.0","id":"broken"}'):
            with self.subTest(line):
                self.server.send_line(line)
                self.assertEqual(self.server.answer("broken").message["error"]["code"], PARSE_ERROR)

    def test_a_request_that_is_too_long_is_answered_under_its_id(self):
        filling = b"x" * (17 * MEBIBYTE)
        for line in (b'{"jsonrpc":"2.0","id":"long","method":"ping","params":{"id":1,"x":"' + filling + b'"}}',
                     b'{"method":"ping","params":{"id":1,"x":"' + filling + b'"},"jsonrpc":"2.0","id":"long"}'):
            with self.subTest(line[:60]):
                self.server.send_line(line)
                error = self.server.answer("long").message["error"]
                self.assertEqual(error["code"], INVALID_REQUEST)
                self.assertIn("more than 16 MiB", error["message"])
        self.assertEqual(self.server.request("ping"), {})

    def test_an_id_that_is_a_whole_number(self):
        self.server.send_line(b'{"jsonrpc":"2.0","id":4711.0,"method":"ping"}')
        self.assertEqual(self.server.answer(4711).message["result"], {})

    def test_invalid_utf8(self):
        for line in (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', b"\xc3\x28", b"\xed\xa0\x80"):
            with self.subTest(line):
                self.assert_anonymous_error(line, PARSE_ERROR)

    def test_json_that_is_no_message(self):
        for line in (b"5", b'"text"', b"null", b"true", b"{}"):
            with self.subTest(line):
                self.assert_anonymous_error(line, INVALID_REQUEST)

    def test_id_of_a_wrong_type(self):
        for request_id in (None, {}, [], True):
            with self.subTest(request_id):
                line = json.dumps({"jsonrpc": "2.0", "id": request_id, "method": "ping"}).encode()
                self.assertIn("id", self.assert_anonymous_error(line, INVALID_REQUEST))

    def test_too_long(self):
        for size in (16 * MEBIBYTE + 1, 20 * MEBIBYTE):
            with self.subTest(size):
                line = b'{"jsonrpc":"2.0","method":"ping","params":{"x":"' + b"x" * size + b'"}}'
                self.assertRegex(self.assert_anonymous_error(line, INVALID_REQUEST), r"16\W?777\W?216|16 ?Mi?B")

    def test_cut_character(self):
        self.server.send_line(b'{"jsonrpc":"2.0","id":"cut","method":"tools/call","params":{"name":"run-typescript-code","arguments":{"code":'
                              b'"return \'\\ud83d\'"},"_meta":{"\\udcff":"\\ude00"}}}')
        answer = self.server.answer("cut").message
        self.assertIn("\ufffd", answer["result"]["content"][0]["text"])

    def test_long_but_allowed(self):
        self.server.send_line(b'{"jsonrpc":"2.0","id":"long","method":"ping","params":{"x":"' + b"x" * (15 * MEBIBYTE)
                              + b'"}}')
        self.assertEqual(self.server.answer("long").message["result"], {})

    def test_nested_too_deeply(self):
        for depth in (10_000, 1_000_000):
            with self.subTest(depth):
                line = b'{"jsonrpc":"2.0","id":"deep","method":"ping","params":' + b"[" * depth + b"]" * depth + b"}"
                self.server.send_line(line)
                self.assertIn(self.server.answer("deep").message["error"]["code"], (PARSE_ERROR, INVALID_REQUEST))
                self.assertEqual(self.server.request("ping"), {})

    def test_blank_lines_do_no_harm(self):
        self.server.send_line(b"\n\r\n   \n")
        self.assertEqual(self.server.request("ping"), {})


class Envelopes(SharedServerCase):
    """JSON-RPC messages with a wrong member."""

    def error_of(self, message, code):
        self.server.send({"id": "envelope", **message})
        # The server may answer without the id of a message that it cannot trust.
        answer = self.server.first_answer("envelope", None).message
        self.assertEqual(answer["error"]["code"], code, answer)
        return answer["error"]["message"]

    def test_version(self):
        for message in ({"method": "ping"}, {"jsonrpc": "1.0", "method": "ping"}, {"jsonrpc": 2.0, "method": "ping"}):
            with self.subTest(message):
                self.assertIn("jsonrpc", self.error_of(message, INVALID_REQUEST))

    def test_method(self):
        for method in (None, 5, ["ping"]):
            with self.subTest(method):
                self.assertIn("method", self.error_of({"jsonrpc": "2.0", "method": method}, INVALID_REQUEST))

    def test_params(self):
        for params in (5, "text", True):
            with self.subTest(params):
                message = {"jsonrpc": "2.0", "method": "ping", "params": params}
                self.assertIn("params", self.error_of(message, INVALID_REQUEST))

    def test_unknown_method(self):
        for method in ("no/such/method", "", "tools/cal", "prompts/get", "resources/other"):
            with self.subTest(method):
                self.assertIn(method, self.error_of({"jsonrpc": "2.0", "method": method}, METHOD_NOT_FOUND))


class ToolCalls(SharedServerCase):
    def error_of(self, params):
        answer = self.server.exchange("tools/call", params)
        self.assertIn("error", answer)
        self.assertEqual(answer["error"]["code"], INVALID_PARAMS, answer)
        return answer["error"]["message"]

    def test_unknown_tool_names_the_nearest(self):
        message = self.error_of({"name": "run-typescript-cod", "arguments": {}})
        self.assertIn("Unknown tool: run-typescript-cod", message)
        self.assertIn("run-typescript-code", message.replace("Unknown tool: run-typescript-cod", "", 1))

    def test_name(self):
        for params in ({}, {"name": 5}, {"name": None}, {"name": ""}):
            with self.subTest(params):
                self.error_of(params)
        self.assertIn("name", self.error_of({"arguments": {}}))

    def test_arguments_that_are_no_object(self):
        for arguments in ([], "code", 5):
            with self.subTest(arguments):
                self.assertIn("arguments", self.error_of({"name": "run-python-code", "arguments": arguments}))

    def test_no_params(self):
        self.assertEqual(self.server.exchange("tools/call")["error"]["code"], INVALID_PARAMS)


class Arguments(SharedServerCase):
    """Wrong arguments of our own tools are results that the model can read and learn from."""

    # arguments, and the words that must be in the error: field, expected, given
    CASES = [
        ({}, ["code"]),
        ({"code": ""}, ["code"]),
        ({"code": 5}, ["code", "string", "5"]),
        ({"code": None}, ["code", "string", "null"]),
        ({"code": ["1"]}, ["code", "string"]),
        ({"code": "1", "timeoutMs": 999}, ["timeoutMs", "1000", "999"]),
        ({"code": "1", "timeoutMs": 300_001}, ["timeoutMs", "300000", "300001"]),
        ({"code": "1", "timeoutMs": -5}, ["timeoutMs", "1000", "-5"]),
        ({"code": "1", "timeoutMs": 1000.5}, ["timeoutMs", "integer", "1000.5"]),
        ({"code": "1", "timeoutMs": "soon"}, ["timeoutMs", "integer", "soon"]),
        ({"code": "1", "timeoutMs": 1e300}, ["timeoutMs"]),
        ({"code": "1", "allowedTools": "mcp__*"}, ["allowedTools", "mcp__*"]),
        ({"code": "1", "allowedTools": [5]}, ["allowedTools", "string", "5"]),
        ({"code": "1", "allowedTools": [""]}, ["allowedTools"]),
        ({"code": "1", "allowedTools": {"mcp__kid__echo": True}}, ["allowedTools"]),
        ({"code": "1", "timeoutms": 5000}, ["timeoutms", "timeoutMs"]),
        ({"code": "1", "allowedTool": []}, ["allowedTool", "allowedTools"]),
        ({"cod": "1"}, ["cod", "code"]),
    ]

    def test_every_shape_a_tool(self):
        for tool in ("run-typescript-code", "run-python-code", "executeTypescript", "executePython"):
            for arguments, words in self.CASES:
                with self.subTest(tool=tool, arguments=arguments):
                    self.refuse(self.server.tool(tool, arguments), *words)

    def test_code_over_its_limit(self):
        for tool in ("run-typescript-code", "run-python-code"):
            with self.subTest(tool):
                error = self.refuse(self.server.tool(tool, {"code": "#" * (MEBIBYTE + 1)}), "code")
                self.assertRegex(error, r"1\W?048\W?576|1 ?Mi?B")

    def test_code_at_its_limit(self):
        code = "1 + 1 #"
        self.succeed(self.python(code + "x" * (MEBIBYTE - len(code))))

    def test_code_of_unusual_characters(self):
        for text in ("\u65e5\u672c\u8a9e \U0001f600", "tab\there", "quote \" ' ` ${x} \\n", "\u2028\u2029", "nul\u0000"):
            with self.subTest(text):
                self.assertEqual(self.succeed(self.python(f"ord_list = {[ord(c) for c in text]}\n"
                                                          "''.join(map(chr, ord_list))")).result, text)
                self.assertEqual(self.succeed(self.typescript(f"return {json.dumps(text)}")).result, text)


class GuestArguments(SharedServerCase):
    """Wrong arguments inside a program are exceptions that the program can catch."""

    CASES = [
        ("callMCPTool()", "call_mcp_tool()"),
        ("callMCPTool(5)", "call_mcp_tool(5)"),
        ("callMCPTool('')", "call_mcp_tool('')"),
        ("callMCPTool('echo')", "call_mcp_tool('echo')"),
        ("callMCPTool('mcp__kid__echo', 5)", "call_mcp_tool('mcp__kid__echo', 5)"),
        ("callMCPTool('mcp__kid__echo', ['x'])", "call_mcp_tool('mcp__kid__echo', ['x'])"),
        ("callMCPTool('kid', 'echo', 'text')", "call_mcp_tool('kid', 'echo', 'text')"),
        ("callMCPTool('kid', 5, {})", "call_mcp_tool('kid', 5, {})"),
    ]

    def test_typescript(self):
        for call, _ in self.CASES:
            with self.subTest(call):
                answer = self.succeed(self.typescript(
                    f"try {{ await {call}; return 'no error' }} catch (e) {{ return {{message: e.message}} }}"))
                self.assertIsInstance(answer.result, dict, "the call was expected to throw")
                self.assertTrue(answer.result["message"])

    def test_python(self):
        for _, call in self.CASES:
            with self.subTest(call):
                answer = self.succeed(self.python(
                    f"try:\n    {call}\n    out = 'no error'\nexcept Exception as e:\n    out = {{'message': str(e)}}\n"
                    "out"))
                self.assertIsInstance(answer.result, dict, "the call was expected to raise")
                self.assertTrue(answer.result["message"])

    def test_wrong_type_of_a_tool_argument_names_it(self):
        answer = self.succeed(self.typescript(
            "try { await callMCPTool('kid', 'add', {a: 'one', b: 2}) }"
            " catch (e) { return {code: e.code, message: e.message} }"))
        self.assertIn(answer.result["code"], ("invalid_argument", "tool_failed"))
        self.assertIn("a", answer.result["message"])


class Survival(Case):
    def test_a_thousand_bad_lines_then_a_run(self):
        server = self.start({"kid": child()})
        for _ in range(1000):
            server.send_line(b"garbage")
        for _ in range(1000):
            server.anonymous_answer()
        self.assertEqual(self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'fine'})"))
                         .result, "fine")
