"""Arguments are checked before anything leaves, results against what their tool promises."""

from support.case import TRY_PYTHON, TRY_TYPESCRIPT, Case
from support.config import child


class Arguments(Case):
    def setUp(self):
        self.calls = self.journal()
        self.server = self.start({"kid": child("--journal", self.calls.path)})

    def error(self, call):
        """What the call of a TypeScript program throws."""
        answer = self.server.typescript(f"{TRY_TYPESCRIPT}\nreturn (await attempt(() => {call})).error")
        return self.succeed(answer).result

    def calls_seen(self):
        return [event["tool"] for event in self.calls.events("call")]

    def test_missing_parameter_with_the_name_that_was_given(self):
        error = self.error("callMCPTool('mcp__kid__echo', {txt: 'hi'})")
        self.assertEqual([error["code"], error["server"], error["tool"]], ["invalid_argument", "kid", "echo"])
        self.assertIn('Parameter validation failed for "mcp__kid__echo"', error["message"])
        self.assertIn('Missing required parameter: text (you gave "txt")', error["message"])
        self.assertIn("Required:\n    text: string", error["message"])
        self.assertIn('You provided:\n  {"txt":"hi"}', error["message"])
        self.assertEqual(error["suggestions"], ["text"])
        self.assertEqual(self.calls_seen(), [])

    def test_wrong_type(self):
        error = self.error("callMCPTool('mcp__kid__add', {a: 1, b: 'two'})")
        self.assertIn('Type mismatch for "b": expected number, got "two"', error["message"])

    def test_unexpected_parameter(self):
        error = self.error("mcp.kid.number_text({loud: true})")
        self.assertIn("Unexpected parameter: loud", error["message"])

    def test_enum_and_nested_path(self):
        error = self.error("mcp.kid.settings({mode: 'quick', options: {depth: 1.5, tags: ['a', 2]}})")
        self.assertIn('Invalid value for "mode": must be one of "fast" or "thorough"', error["message"])
        self.assertIn('Type mismatch for "options.depth": expected integer, got 1.5', error["message"])
        self.assertIn('Type mismatch for "options.tags[1]": expected string, got 2', error["message"])
        self.assertEqual(self.calls_seen(), [])

    def test_parameters_left_out_are_no_parameters(self):
        self.assertIn("Missing required parameter: text", self.error("callMCPTool('mcp__kid__echo')")["message"])
        self.assertEqual(self.succeed(self.server.typescript("return mcp.kid.number_text()")).result, "007")

    def test_python(self):
        answer = self.server.python(f"{TRY_PYTHON}\nattempt(lambda: mcp_kid.echo(txt='hi'))['error']")
        error = self.succeed(answer).result
        self.assertEqual([error["isMCPError"], error["code"]], [True, "invalid_argument"])
        self.assertIn('Missing required parameter: text (you gave "txt")', error["message"])

    def test_counted_as_an_error(self):
        answer = self.server.typescript("try { await mcp.kid.echo({}) } catch {}")
        self.assertEqual(self.succeed(answer).summary["mcp__kid__echo"]["errorCount"], 1)

    def test_large_arguments(self):
        answer = self.server.typescript(TRY_TYPESCRIPT + """
            const text = 'x'.repeat(2_000_000);
            const wrong = (await attempt(() => mcp.kid.echo({text: [text]}))).error;
            return [(await mcp.kid.echo({text})).length, wrong.code, wrong.message.length < 2000]""")
        self.assertEqual(self.succeed(answer).result, [2_000_000, "invalid_argument", True])

    def test_a_changed_schema_counts_at_once(self):
        answer = self.server.typescript(TRY_TYPESCRIPT + """
            const before = await mcp.kid.echo({text: 'a'});
            await mcp.kid.rename_parameter({name: 'words'});
            const old = (await attempt(() => mcp.kid.echo({text: 'b'}))).error;
            return [before, old.message.includes('words'), await mcp.kid.echo({words: 'c'}),
                    (await getToolSchema('mcp__kid__echo')).parameters.required]""")
        self.assertEqual(self.succeed(answer).result, ["a", True, "c", ["words"]])


class Results(Case):
    def test_a_broken_promise_is_a_warning(self):
        server = self.start({"kid": child()})
        for run, code in ((server.typescript, "return mcp.kid.broken_promise()"), (server.python, "mcp_kid.broken_promise()")):
            answer = self.succeed(run(code))
            self.assertEqual(answer.result, {"sum": "three"})
            self.assertIn("mcp__kid__broken_promise is not what its outputSchema promises", answer.text)
            self.assertIn("/sum: expected a number", answer.text)

    def test_a_kept_promise_is_not_mentioned(self):
        server = self.start({"kid": child()})
        self.assertNotIn("outputSchema", self.succeed(server.typescript("return mcp.kid.add({a: 1, b: 2})")).text)
