"""Results as clients get them that are known, by their names, to do something to them: docs/clients.md."""

from support.case import Case

REPORT = "code-executor/report"


class KnownClients(Case):
    def result(self, client, code):
        return self.start(client=client).request("tools/call", {"name": "run-typescript-code", "arguments": {"code": code}})

    def test_who_passes_meta_on_to_its_model_gets_none(self):
        for client in ("Cline", "gemini-cli-mcp-client", "qwen-cli-mcp-client-code-executor"):
            for code in ("return 1 + 1", "throw new Error('boom')"):
                with self.subTest(client, code=code):
                    self.assertNotIn("_meta", self.result(client, code))
        self.assertIn(REPORT, self.result("another", "return 1 + 1")["_meta"])

    def test_who_guesses_a_structure_gets_an_empty_one(self):
        """Else Gemini CLI takes a text that is JSON for it, and refuses numbers and lists."""
        for code, text in (("return 1 + 1", "2"), ("return [1, 2]", "[1,2]"), ("return {a: 1}", '{"a":1}')):
            with self.subTest(code):
                result = self.result("gemini-cli-mcp-client", code)
                self.assertEqual(result["structuredContent"], {})
                self.assertEqual([block["text"] for block in result["content"]], [text])
        self.assertNotIn("structuredContent", self.result("another", "return 1 + 1"))
