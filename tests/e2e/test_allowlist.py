"""allowedTools: which tools a run may call and see, checked on the server's side for both languages."""

import json

from support.case import TRY_PYTHON, TRY_TYPESCRIPT, SharedServerCase
from support.config import child


class AllowlistCase(SharedServerCase):
    @classmethod
    def servers(cls):
        return {"kid": child(), "other": child()}

    def try_typescript(self, call, **parameters):
        return self.typescript(f"{TRY_TYPESCRIPT}\nreturn await attempt(() => {call})", **parameters)

    def try_python(self, call, **parameters):
        return self.python(f"{TRY_PYTHON}\nattempt(lambda: {call})", **parameters)

    def echo(self, server, allowed):
        """What `echo` of that server gives in each language."""
        parameters = {} if allowed is None else {"allowedTools": allowed}
        typescript = self.try_typescript(f"callMCPTool('{server}', 'echo', {{text: 'x'}})", **parameters)
        python = self.try_python(f"call_mcp_tool('mcp__{server}__echo', {{'text': 'x'}})", **parameters)
        return [self.succeed(answer).result for answer in (typescript, python)]

    def assert_allowed(self, server, allowed):
        self.assertEqual(self.echo(server, allowed), [{"value": "x"}] * 2)

    def assert_refused(self, server, allowed):
        for outcome in self.echo(server, allowed):
            self.mcp_error(outcome, "not_allowed", f"mcp__{server}__echo")


class Patterns(AllowlistCase):
    def test_omitted_allows_everything(self):
        self.assert_allowed("kid", None)

    def test_empty_allows_nothing(self):
        self.assert_refused("kid", [])

    def test_whole_name(self):
        self.assert_allowed("kid", ["mcp__kid__echo"])
        self.assert_refused("other", ["mcp__kid__echo"])

    def test_star_after_a_server(self):
        self.assert_allowed("kid", ["mcp__kid__*"])
        self.assert_refused("other", ["mcp__kid__*"])

    def test_stars_elsewhere(self):
        for pattern in ("*", "mcp__*", "*__echo", "mcp__*__echo", "mcp__k*d__e*o", "**", "mcp__kid__echo*"):
            with self.subTest(pattern):
                self.assert_allowed("kid", [pattern])

    def test_what_does_not_match(self):
        for pattern in ("mcp__kid__ech", "mcp__kid__echoo", "MCP__KID__ECHO", "mcp__kid__Echo", "kid__echo", "echo",
                        "mcp__kid", "mcp__kid__", "*kid", "mcp__kid__ech?", "mcp__kid__[e]cho", "mcp__.*"):
            with self.subTest(pattern):
                self.assert_refused("kid", [pattern])

    def test_any_of_several(self):
        self.assert_allowed("other", ["mcp__kid__add", "mcp__other__e*"])

    def test_long_pattern_of_many_stars_ends(self):
        self.assert_refused("kid", ["*a" * 100 + "b"])


class BothLanguages(AllowlistCase):
    def test_no_way_around_it(self):
        for call in ("callMCPTool('mcp__kid__echo', {text: 'x'})", "callMCPTool('kid', 'echo', {text: 'x'})",
                     "mcp.kid.echo({text: 'x'})", "mcp['kid']['echo']({text: 'x'})"):
            with self.subTest(call):
                answer = self.succeed(self.try_typescript(call, allowedTools=["mcp__kid__add"]))
                self.mcp_error(answer.result, "not_allowed")
        for call in ("call_mcp_tool('mcp__kid__echo', {'text': 'x'})", "call_mcp_tool('kid', 'echo', {'text': 'x'})",
                     "mcp.kid.echo({'text': 'x'})", "mcp.kid.echo(text='x')"):
            with self.subTest(call):
                answer = self.succeed(self.try_python(call, allowedTools=["mcp__kid__add"]))
                self.mcp_error(answer.result, "not_allowed")

    def test_an_alias_is_judged_by_its_real_name(self):
        answer = self.succeed(self.typescript("return await mcp.kid.readFile({value: 'v'})",
                                              allowedTools=["mcp__kid__read-file"]))
        self.assertEqual(answer.result, "read-file: v")

    def test_every_run_has_its_own(self):
        self.refuse(self.typescript("await callMCPTool('kid', 'echo', {text: 'x'})", allowedTools=[]))
        self.succeed(self.typescript("await callMCPTool('kid', 'echo', {text: 'x'})"))


class Refusals(AllowlistCase):
    def test_name_the_pattern_that_would_allow_it(self):
        for outcome in self.echo("other", ["mcp__kid__*"]):
            error = self.mcp_error(outcome, "not_allowed")
            told = error["message"] + " ".join(error["suggestions"] or [])
            self.assertIn("allowedTools", told)
            self.assertRegex(told, r"mcp__other__(echo|\*)")

    def test_do_not_list_all_names(self):
        for outcome in self.echo("kid", []):
            self.assertLess(len(json.dumps(outcome)), 1000)
            self.assertNotIn("mcp__kid__stderr_flood", json.dumps(outcome))

    def test_are_counted_as_errors(self):
        answer = self.typescript("await callMCPTool('kid', 'echo', {text: 'x'}).catch(() => {}); return 1", allowedTools=[])
        self.assertEqual(self.succeed(answer).summary["mcp__kid__echo"]["errorCount"], 1)


class Discovery(AllowlistCase):
    def test_shows_only_what_is_allowed(self):
        allowed = ["mcp__kid__echo", "mcp__kid__a*"]
        for answer in (self.typescript("return await discoverMCPTools({server: 'kid', limit: 100})", allowedTools=allowed),
                       self.python("discover_mcp_tools(server='kid', limit=100)", allowedTools=allowed)):
            names = {tool["name"] for tool in self.succeed(answer).result}
            self.assertEqual(names, {"mcp__kid__echo", "mcp__kid__add", "mcp__kid__add_tool", "mcp__kid__a__b"})

    def test_search_shows_only_what_is_allowed(self):
        answer = self.typescript("await discoverMCPTools({server: 'kid'}); return await searchTools('echo add sleep', 50)",
                                 allowedTools=["mcp__kid__add"])
        names = {tool["name"] for tool in self.succeed(answer).result}
        self.assertLessEqual(names, {"mcp__kid__add", "add"})

    def test_shows_nothing_when_nothing_is_allowed(self):
        answer = self.typescript("return await discoverMCPTools()", allowedTools=[])
        self.assertEqual(self.succeed(answer).result, [])

    def test_schema_of_a_refused_tool(self):
        answer = self.typescript("return await getToolSchema('kid', 'echo').catch(e => e.code)",
                                 allowedTools=["mcp__kid__add"])
        self.assertIn(self.succeed(answer).result, (None, "not_allowed", "unknown_tool"))
