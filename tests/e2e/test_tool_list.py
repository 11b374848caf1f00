"""tools/list: small, the same whatever is configured, and enough to write a first program."""

import json
import os
import subprocess

from support.case import Case
from support.config import child
from support.paths import PACKAGES
from support.schema import KNOWN

STRUCTURED = {"CODE_EXECUTOR_RESULTS": "structured"}
COUNT_TOKENS = "console.log(require('gpt-tokenizer/encoding/o200k_base').encode(require('fs').readFileSync(0, 'utf8')).length)"


class ToolList(Case):
    def raw_list(self, server):
        """The answer, byte by byte."""
        return server.answer(server.ask("tools/list", request_id="list")).line

    def test_is_the_same_for_no_servers_and_500(self):
        none = self.raw_list(self.start({}))
        many = self.start({f"server-{number}": child("--tools", "10") for number in range(500)})
        self.assertEqual(self.raw_list(many), none)

    def test_is_the_same_after_servers_were_used_and_broken(self):
        server = self.start({"kid": child(), "bad": child("--refuse")})
        before = self.raw_list(server)
        self.succeed(server.typescript("await callMCPTool('kid', 'echo', {text: 'x'})"))
        self.refuse(server.typescript("await callMCPTool('bad', 'echo', {text: 'x'})"))
        self.assertEqual(self.raw_list(server), before)

    def tokens(self, env):
        result = self.start({}, env=env).request("tools/list")
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        counted = subprocess.run(["node", "-e", COUNT_TOKENS], cwd=PACKAGES.parent, input=text.encode(), check=True,
                                 capture_output=True, env={"PATH": os.environ["PATH"]})
        return int(counted.stdout)

    def test_costs_few_tokens(self):
        for env, tokens_max in (({}, 500), (STRUCTURED, 600), ({"CODE_EXECUTOR_SURFACE": "bridge"}, 200)):
            with self.subTest(env):
                self.assertLessEqual(self.tokens(env), tokens_max)

    def test_names(self):
        names = [tool["name"] for tool in self.start({}).request("tools/list")["tools"]]
        self.assertEqual(sorted(names), ["run-python-code", "run-typescript-code"])

    def test_every_tool_is_described(self):
        for tool in self.start({}).request("tools/list")["tools"]:
            self.assertTrue(tool["description"])
            self.assertEqual(tool["inputSchema"]["type"], "object")
            self.assertNotIn("outputSchema", tool)
            self.assertEqual(tool["_meta"], {"anthropic/alwaysLoad": True})
            self.assertEqual(tool["inputSchema"]["required"], ["code"])
            self.assertIn("code", tool["inputSchema"]["properties"])

    def test_teaches_discovery_and_calls(self):
        for tool in self.start({}).request("tools/list")["tools"]:
            taught = json.dumps(tool).lower()
            for word in ("search", "mcp"):
                self.assertIn(word, taught, f"{tool['name']} does not teach how to find and call tools")

    def test_output_schema_promises_what_the_contract_promises(self):
        for tool in self.start({}, env=STRUCTURED).request("tools/list")["tools"]:
            schema = tool["outputSchema"]
            self.assertLessEqual({"success", "output", "executionTimeMs"}, set(schema["required"]))
            self.assertLessEqual({"success", "output", "result", "error", "executionTimeMs", "toolCallsMade", "toolCallSummary",
                                  "samplingCalls", "samplingMetrics"}, set(schema["properties"]))
            self.assertLessEqual(set(schema), KNOWN)

    def test_has_one_page(self):
        self.assertNotIn("nextCursor", self.start({}).request("tools/list"))

    def test_unknown_cursor(self):
        answer = self.start({}).exchange("tools/list", {"cursor": "no such page"})
        self.assertEqual(answer["error"]["code"], -32602)
