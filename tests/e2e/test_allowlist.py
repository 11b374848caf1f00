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


class NamesThatReadTheSame(AllowlistCase):
    """A server `a`, and one whose name begins like the name of a tool of it."""

    @classmethod
    def servers(cls):
        return {"a": child(), "a__b": child()}

    def test_a_pattern_means_the_server_that_it_names(self):
        self.assert_allowed("a", ["mcp__a__*"])
        self.assert_refused("a__b", ["mcp__a__*"])
        self.assert_allowed("a__b", ["mcp__a__b__*"])
        self.assert_refused("a", ["mcp__a__b__*"])
        self.assert_allowed("a__b", ["mcp__a*"])

    def test_discovery_shows_the_same(self):
        for answer in (self.typescript("return await discoverMCPTools({search: 'echo', limit: 100})", allowedTools=["mcp__a__*"]),
                       self.python("discover_mcp_tools(search='echo', limit=100)", allowedTools=["mcp__a__*"])):
            names = [tool["name"] for tool in self.succeed(answer).result]
            self.assertEqual([name for name in names if not name.startswith("mcp__a__") or name.startswith("mcp__a__b__")], [])

    def test_servers_of_a_call_are_these_alone(self):
        code = TRY_PYTHON + "print(attempt(lambda: call_mcp_tool('mcp__a__b__echo', {'text': 'x'})))"
        self.assertIn("not_allowed", self.server.tool("run_python", {"code": code, "servers": ["a"]}).text)


class Servers(AllowlistCase):
    """What a run is told of servers."""

    @classmethod
    def servers(cls):
        return {"kid": child(), "other": child(), "broken": child("--refuse"), "unseen": child()}

    def listed(self, allowed):
        """As each language gives it."""
        self.server.tool("search_tools", {"query": "echo", "server": "kid"})
        self.server.tool("search_tools", {"query": "echo", "server": "other"})
        self.server.tool("search_tools", {"query": "echo", "server": "broken"})
        return [self.succeed(answer).result for answer in (self.typescript("return await listServers()", allowedTools=allowed),
                                                           self.python("list_servers()", allowedTools=allowed))]

    def test_only_what_it_may_call(self):
        for doc in self.listed(["mcp__kid__echo", "mcp__kid__add"]):
            self.assertEqual([(s["name"], sorted(s["tools"]), s["toolCount"]) for s in doc["servers"]], [("kid", ["add", "echo"], 2)])
            self.assertEqual(doc["totalTools"], 2)
            self.assertEqual(doc["available"], [])
            self.assertNotIn("errors", doc)
            self.assertNotIn("indexed", doc)

    def test_servers_that_have_nothing_for_it_are_not_there(self):
        for doc in self.listed(["mcp__*__no_such_tool"]):
            self.assertEqual(doc["servers"], [])
            self.assertEqual(doc["totalTools"], 0)
            self.assertEqual(set(doc["available"]), {"broken", "unseen"}, "of these nothing is known")

    def test_nothing(self):
        for doc in self.listed([]):
            self.assertEqual((doc["servers"], doc["available"], doc["totalTools"]), ([], [], 0))
            self.assertNotIn("errors", doc)
