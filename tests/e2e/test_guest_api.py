"""What a program may call, in both languages: tools by name and by proxy, their results, their errors."""

import re

from support.case import TRY_PYTHON, TRY_TYPESCRIPT, SharedServerCase
from support.config import child
from support.paths import SLOWNESS

ODD_SERVERS = ("my-other.server", "a__b", "a", "with space", "class", "9lives")


class ApiCase(SharedServerCase):
    @classmethod
    def servers(cls):
        return {"kid": child(), **{name: child("--name", name) for name in ODD_SERVERS}}

    def both(self, typescript, python, expected):
        """The expression gives that value in both languages."""
        for run, code in ((self.typescript, f"return {typescript}"), (self.python, python)):
            with self.subTest(code):
                self.assertEqual(self.succeed(run(code)).result, expected)


class Calls(ApiCase):
    def test_full_name(self):
        self.both("await callMCPTool('mcp__kid__echo', {text: 'hi'})", "await call_mcp_tool('mcp__kid__echo', {'text': 'hi'})",
                  "hi")

    def test_server_and_tool(self):
        self.both("await callMCPTool('kid', 'echo', {text: 'hi'})", "await call_mcp_tool('kid', 'echo', {'text': 'hi'})", "hi")

    def test_without_parameters(self):
        self.both("await callMCPTool('mcp__kid__number_text')", "await call_mcp_tool('mcp__kid__number_text')", "007")
        self.both("await callMCPTool('kid', 'number_text')", "await call_mcp_tool('kid', 'number_text')", "007")

    def test_python_without_await(self):
        answer = self.succeed(self.python(
            "data = call_mcp_tool('mcp__kid__json_text', {})\n[type(data).__name__, data['answer']]"))
        self.assertEqual(answer.result, ["dict", 42])

    def test_python_results_are_plain(self):
        answer = self.succeed(self.python("""
import json
a = await call_mcp_tool('kid', 'add', {'a': 1, 'b': 2})
b = call_mcp_tool('kid', 'multi')
c = call_mcp_tool('kid', 'echo', {'text': 'x'})
[isinstance(a, dict), isinstance(b, list), isinstance(c, str), json.dumps(a), c + 'y']
"""))
        self.assertEqual(answer.result, [True, True, True, '{"sum": 3}', "xy"])

    def test_python_inside_functions(self):
        answer = self.succeed(self.python("""
async def asked(text):
    return await call_mcp_tool('kid', 'echo', {'text': text})
def told(text):
    return call_mcp_tool('kid', 'echo', {'text': text})
[await asked('a'), told('b')]
"""))
        self.assertEqual(answer.result, ["a", "b"])

    def test_python_inside_asyncio_run(self):
        answer = self.succeed(self.python("""
import asyncio
async def main():
    return await call_mcp_tool('kid', 'echo', {'text': 'inside'})
asyncio.run(main())
"""))
        self.assertEqual(answer.result, "inside")

    def test_parallel_calls(self):
        # One after the other they would take 3 s.
        typescript = "await Promise.all([1, 2, 3, 4, 5, 6].map(n => callMCPTool('kid', 'sleep', {ms: 500})))"
        python = ("import asyncio\nawait asyncio.gather(*[call_mcp_tool('kid', 'sleep', {'ms': 500}) for _ in range(6)])")
        for run, code in ((self.typescript, f"return {typescript}"), (self.python, python)):
            with self.subTest(code):
                answer = self.succeed(run(code))
                self.assertEqual(answer.result, ["slept 500 ms"] * 6)
                self.assertLess(answer.seconds, 0.5 + 1.5 * SLOWNESS)

    def test_python_gather_keeps_exceptions(self):
        answer = self.succeed(self.python("""
import asyncio
out = await asyncio.gather(call_mcp_tool('kid', 'echo', {'text': 'ok'}),
                           call_mcp_tool('kid', 'fail', {'message': 'no'}), return_exceptions=True)
[out[0], type(out[1]).__name__]
"""))
        self.assertEqual(answer.result, ["ok", "MCPError"])

    def test_server_name_with_the_separator_in_it(self):
        # `a` has a tool `b__...` for all we know; the longest configured server name wins.
        self.both("await callMCPTool('mcp__a__b__echo', {text: 'long'})",
                  "call_mcp_tool('mcp__a__b__echo', {'text': 'long'})", "long")
        self.both("await callMCPTool('mcp__a__echo', {text: 'short'})",
                  "call_mcp_tool('mcp__a__echo', {'text': 'short'})", "short")

    def test_odd_server_names(self):
        for name in ODD_SERVERS:
            self.both(f"await callMCPTool('mcp__{name}__echo', {{text: 'hi'}})",
                      f"call_mcp_tool('mcp__{name}__echo', {{'text': 'hi'}})", "hi")
            self.both(f"await callMCPTool('{name}', 'echo', {{text: 'hi'}})",
                      f"call_mcp_tool('{name}', 'echo', {{'text': 'hi'}})", "hi")

    def test_odd_tool_names(self):
        for tool in ("read-file", "get.item", "with space", "a__b", "class"):
            self.both(f"await callMCPTool('mcp__kid__{tool}', {{value: 'v'}})",
                      f"call_mcp_tool('mcp__kid__{tool}', {{'value': 'v'}})", f"{tool}: v")


class Proxies(ApiCase):
    def test_plain(self):
        self.both("await mcp.kid.echo({text: 'hi'})", "await mcp.kid.echo({'text': 'hi'})", "hi")
        self.both("await mcp['kid']['echo']({text: 'hi'})", "mcp['kid']['echo']({'text': 'hi'})", "hi")
        self.both("await mcp.kid.number_text()", "mcp.kid.number_text()", "007")

    def test_python_keywords(self):
        self.assertEqual(self.succeed(self.python("mcp.kid.add(a=1, b=2)")).result, {"sum": 3})
        self.assertEqual(self.succeed(self.python("await mcp.kid.add(a=1, b=2)")).result, {"sum": 3})

    def test_aliases_of_odd_tool_names(self):
        for alias, tool in (("readFile", "read-file"), ("read_file", "read-file"), ("get_item", "get.item"),
                            ("getItem", "get.item"), ("with_space", "with space"), ("a__b", "a__b"), ("class_", "class")):
            self.both(f"await mcp.kid.{alias}({{value: 'v'}})", f"mcp.kid.{alias}({{'value': 'v'}})", f"{tool}: v")

    def test_raw_odd_tool_names(self):
        for tool in ("read-file", "get.item", "with space", "class"):
            self.both(f"await mcp.kid['{tool}']({{value: 'v'}})", f"mcp.kid['{tool}']({{'value': 'v'}})", f"{tool}: v")

    def test_odd_server_names(self):
        for name in ODD_SERVERS:
            self.both(f"await mcp['{name}'].echo({{text: 'hi'}})", f"mcp['{name}'].echo({{'text': 'hi'}})", "hi")
        self.both("await mcp.my_other_server.echo({text: 'hi'})", "mcp.my_other_server.echo({'text': 'hi'})", "hi")

    def test_a_proxy_is_no_promise(self):
        # `await` looks for `then`; a proxy that answers to every name would be called.
        answer = self.succeed(self.typescript("const server = await mcp.kid; return await server.echo({text: 'still here'})"))
        self.assertEqual(answer.result, "still here")

    def test_printing_a_proxy_calls_nothing(self):
        for answer in (self.typescript("console.log(mcp, mcp.kid, String(mcp.kid), JSON.stringify(mcp.kid))"),
                       self.python("print(mcp, mcp.kid, repr(mcp.kid.echo), str(mcp))")):
            self.assertEqual(self.succeed(answer).summary, {})


class Unwrapping(ApiCase):
    def unwraps(self, tool, arguments, expected):
        self.both(f"await callMCPTool('kid', '{tool}', {arguments})", f"call_mcp_tool('kid', '{tool}', {arguments})", expected)

    def test_structured_content_comes_first(self):
        self.unwraps("add", '{"a": 1, "b": 2}', {"sum": 3})

    def test_one_text(self):
        self.unwraps("echo", '{"text": "plain"}', "plain")

    def test_empty_text(self):
        self.unwraps("echo", '{"text": ""}', "")

    def test_text_that_is_a_json_object(self):
        self.unwraps("json_text", "{}", {"answer": 42, "list": [1, 2]})

    def test_text_that_is_a_json_array(self):
        answer = self.succeed(self.typescript("return await callMCPTool('kid', 'json_text', {list: true})"))
        self.assertEqual(answer.result, [1, "two"])

    def test_text_that_only_looks_like_json_stays_text(self):
        for text in ("true", "null", "42", "\\\"quoted\\\"", "{not json}", "[1, 2", "{} trailing"):
            self.unwraps("echo", f'{{"text": "{text}"}}', text.replace("\\", ""))

    def test_number_with_leading_zeros_stays_text(self):
        self.unwraps("number_text", "{}", "007")

    def test_no_content(self):
        self.unwraps("empty", "{}", [])

    def test_one_block_that_is_no_text(self):
        answer = self.succeed(self.typescript("return await callMCPTool('kid', 'image')"))
        self.assertEqual((answer.result["type"], answer.result["mimeType"]), ("image", "image/png"))
        self.assertTrue(answer.result["data"].startswith("iVBOR"))

    def test_many_blocks_are_all_there(self):
        for answer in (self.typescript("return await callMCPTool('kid', 'multi')"),
                       self.python("call_mcp_tool('kid', 'multi')")):
            blocks = self.succeed(answer).result
            self.assertEqual([block["type"] for block in blocks], ["text", "image", "text", "resource"])
            self.assertEqual(blocks[3]["resource"]["text"], "a note")

    def test_unicode_survives(self):
        text = "\u65e5\u672c\u8a9e \U0001f600 \u00e9 \u2028 \\u0007"
        self.unwraps("echo", f'{{"text": "{text}"}}', "\u65e5\u672c\u8a9e \U0001f600 \u00e9 \u2028 \u0007")


class Errors(ApiCase):
    def attempts(self, typescript, python, code, *words):
        """Gives the error that the call throws in both languages."""
        errors = []
        for answer in (self.typescript(f"{TRY_TYPESCRIPT}\nreturn await attempt(() => {typescript})"),
                       self.python(f"{TRY_PYTHON}\nattempt(lambda: {python})")):
            errors.append(self.mcp_error(self.succeed(answer).result, code, *words))
        return errors

    def test_the_tool_says_no(self):
        for error in self.attempts("callMCPTool('kid', 'fail', {message: 'out of cheese'})",
                                   "call_mcp_tool('kid', 'fail', {'message': 'out of cheese'})", "tool_failed",
                                   "out of cheese"):
            self.assertEqual((error["server"], error["tool"]), ("kid", "fail"))

    def test_unknown_tool_suggests_the_nearest(self):
        for error in self.attempts("callMCPTool('kid', 'ecko', {text: 'x'})", "call_mcp_tool('kid', 'ecko', {'text': 'x'})",
                                   "unknown_tool", "ecko"):
            self.assertTrue([name for name in error["suggestions"] if re.fullmatch(r"(mcp__kid__)?echo", name)],
                            error["suggestions"])

    def test_unknown_server_suggests_the_nearest(self):
        for error in self.attempts("callMCPTool('kidd', 'echo', {text: 'x'})", "call_mcp_tool('kidd', 'echo', {'text': 'x'})",
                                   "unknown_server", "kidd"):
            self.assertTrue([name for name in error["suggestions"] if "kid" in name], error["suggestions"])

    def test_unknown_full_name(self):
        self.attempts("callMCPTool('mcp__nobody__echo', {})", "call_mcp_tool('mcp__nobody__echo', {})", "unknown_server",
                      "nobody")
        self.attempts("callMCPTool('mcp__kid__nothing', {})", "call_mcp_tool('mcp__kid__nothing', {})", "unknown_tool",
                      "nothing")

    def test_name_of_a_wrong_form(self):
        self.attempts("callMCPTool('kid.echo', {text: 'x'})", "call_mcp_tool('kid.echo', {'text': 'x'})",
                      ("invalid_argument", "unknown_server", "unknown_tool"), "kid.echo")

    def test_unknown_tool_of_a_proxy(self):
        self.attempts("mcp.kid.nothing({})", "mcp.kid.nothing({})", "unknown_tool", "nothing")

    def test_unknown_server_of_a_proxy(self):
        self.attempts("mcp.nobody.echo({})", "mcp.nobody.echo({})", "unknown_server", "nobody")

    def test_missing_argument_names_it(self):
        self.attempts("callMCPTool('kid', 'echo', {})", "call_mcp_tool('kid', 'echo', {})", ("invalid_argument", "tool_failed"),
                      "text")

    def test_uncaught_it_ends_the_run_with_its_message_and_place(self):
        for answer in (self.typescript("const a = 1;\nawait callMCPTool('kid', 'fail', {message: 'uncaught'})"),
                       self.python("a = 1\ncall_mcp_tool('kid', 'fail', {'message': 'uncaught'})")):
            error = self.refuse(answer, "uncaught")
            self.assertRegex(error, r"\bline 2\b|(?<!\d)2:\d")
            self.assertEqual(answer.summary["mcp__kid__fail"]["errorCount"], 1)

    def test_mcp_error_is_a_class_to_catch(self):
        self.both("(await callMCPTool('kid', 'fail', {message: 'x'}).catch(e => e instanceof MCPError && e instanceof Error))",
                  "try:\n    call_mcp_tool('kid', 'fail', {'message': 'x'})\nexcept MCPError as e:\n"
                  "    caught = isinstance(e, Exception)\ncaught", True)


class Discovery(ApiCase):
    def test_list_servers(self):
        for answer in (self.typescript("return await listServers()"), self.python("await list_servers()"),
                       self.python("list_servers()")):
            listed = str(self.succeed(answer).result)
            for name in ("kid", *ODD_SERVERS):
                self.assertIn(f"'{name}'", listed)

    def test_discover_finds_by_word(self):
        for answer in (self.typescript("return await discoverMCPTools({search: ['echo'], server: 'kid'})"),
                       self.python("discover_mcp_tools(search=['echo'], server='kid')"),
                       self.python("await discover_mcp_tools({'search': ['echo'], 'server': 'kid'})")):
            tools = self.succeed(answer).result
            self.assertEqual(tools[0]["name"], "mcp__kid__echo")
            self.assertIn("Says again", tools[0]["description"])
            self.assertIn("text", tools[0]["parameters"]["properties"])

    def test_discover_takes_one_word_too(self):
        tools = self.succeed(self.typescript("return await discoverMCPTools({search: 'echo', server: 'kid'})")).result
        self.assertIn("mcp__kid__echo", [tool["name"] for tool in tools])

    def test_discover_everything_of_a_server(self):
        tools = self.succeed(self.typescript("return await discoverMCPTools({server: 'kid', limit: 100})")).result
        names = [tool["name"] for tool in tools]
        self.assertTrue(all(name.startswith("mcp__kid__") for name in names), names)
        self.assertIn("mcp__kid__read-file", names)

    def test_discovered_names_can_be_called(self):
        answer = self.succeed(self.typescript("""
            const [tool] = await discoverMCPTools({search: ['read-file'], server: 'kid'});
            return await callMCPTool(tool.name, {value: 'found'})"""))
        self.assertEqual(answer.result, "read-file: found")

    def test_limit(self):
        answer = self.succeed(self.typescript("return (await discoverMCPTools({server: 'kid', limit: 3})).length"))
        self.assertEqual(answer.result, 3)

    def test_search_tools_ranks(self):
        for answer in (self.typescript("await discoverMCPTools({server: 'kid'}); return await searchTools('add numbers', 5)"),
                       self.python("discover_mcp_tools(server='kid')\nsearch_tools('add numbers', 5)")):
            tools = self.succeed(answer).result
            self.assertIn("add", tools[0]["name"])
            self.assertLessEqual(len(tools), 5)

    def test_get_tool_schema(self):
        for answer in (self.typescript("return await getToolSchema('mcp__kid__add')"),
                       self.typescript("return await getToolSchema('kid', 'add')"),
                       self.python("get_tool_schema('mcp__kid__add')"), self.python("await get_tool_schema('kid', 'add')")):
            schema = self.succeed(answer).result
            self.assertIn("Adds two numbers", schema["description"])
            parameters = schema.get("parameters") or schema["inputSchema"]
            self.assertEqual(sorted(parameters["properties"]), ["a", "b"])

    def test_get_tool_signature(self):
        for answer, words in (
            (self.typescript("return await getToolSignature('kid', 'add')"),
             ("declare namespace mcp.kid", "function add(", "a: number", "b: number", "sum")),
            (self.python("get_tool_signature('mcp__kid__add')"), ("async def add(", "a: float", "b: float", "sum")),
        ):
            signature = self.succeed(answer).result["signature"]
            for word in words:
                self.assertIn(word, signature)

    def test_a_server_that_is_named_is_started(self):
        tools = self.succeed(self.typescript("return await discoverMCPTools({server: '9lives', search: ['echo']})")).result
        self.assertEqual(tools[0]["name"], "mcp__9lives__echo")
