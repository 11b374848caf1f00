"""What tools give, learned from their results where they do not say it themselves."""

from support.case import Case
from support.config import child


class LearnedTypes(Case):
    def signature(self, server, tool):
        return self.succeed(server.typescript(f"return getToolSignature('kid', '{tool}')")).result

    def test_learned_from_calls(self):
        server = self.start({"kid": child()})
        self.assertIn("Promise<unknown>", self.signature(server, "json_text")["signature"])
        self.succeed(server.typescript("await mcp.kid.json_text(); await mcp.kid.json_text()"))
        doc = self.signature(server, "json_text")
        self.assertIn("answer: number", doc["signature"])
        self.assertIn("observed in 2 results, not declared by the server", doc["signature"])
        self.assertEqual(doc["observedOutputSchema"]["x-observed"]["samples"], 2)
        python = self.succeed(server.python("get_tool_signature('kid', 'json_text')['signature']")).result
        self.assertIn('"answer": int', python)

    def test_what_is_declared_is_not_learned(self):
        server = self.start({"kid": child()})
        self.succeed(server.typescript("await mcp.kid.add({a: 1, b: 2})"))
        doc = self.signature(server, "add")
        self.assertIn("sum: number", doc["signature"])
        self.assertNotIn("observed", doc["signature"])
        self.assertNotIn("observedOutputSchema", doc)

    def test_kept_for_the_next_server_without_starting_the_child(self):
        journal = self.journal()
        world = self.world(project={"kid": child("--journal", journal.path)})
        first = self.start(world=world)
        self.succeed(first.typescript("await mcp.kid.json_text()"))
        code, _ = first.end("eof")
        self.assertEqual(code, 0)
        second = self.start(world=world)
        self.assertIn("answer: number", self.signature(second, "json_text")["signature"])
        self.assertEqual(len(journal.events("started")), 1)

    def test_failed_calls_teach_nothing(self):
        server = self.start({"kid": child()})
        self.succeed(server.typescript("try { await mcp.kid.fail({message: 'x'}) } catch {}"))
        self.assertNotIn("observedOutputSchema", self.signature(server, "fail"))
