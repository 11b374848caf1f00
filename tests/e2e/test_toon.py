"""TOON instead of JSON in the text of an answer: per call, and as a setting of run_python."""

import json
import os
import subprocess

from support.case import Case, SharedServerCase
from support.config import child
from support.paths import PACKAGES, binary

COUNT_TOKENS = "console.log(require('gpt-tokenizer/encoding/o200k_base').encode(require('fs').readFileSync(0, 'utf8')).length)"
BRIDGE_TOKENS_MAX = 200
USERS = "{users: [{id: 1, name: 'Ada'}, {id: 2, name: 'Bob, Jr.'}]}"
USERS_TOON = 'users[2]{id,name}:\n  1,Ada\n  2,"Bob, Jr."'


class PerCall(SharedServerCase):
    def run_python(self, code, **parameters):
        return self.server.tool("run_python", {"code": code, **parameters})

    def test_a_value(self):
        for run in (self.typescript, self.python):
            code = f"return {USERS}" if run == self.typescript else "{'users': [{'id': 1, 'name': 'Ada'}, {'id': 2, 'name': 'Bob, Jr.'}]}"
            plain, toon = self.succeed(run(code)), self.succeed(run(code, format="toon"))
            self.assertEqual(toon.text, USERS_TOON)
            self.assertEqual(toon.result, plain.result)
            self.assertEqual(json.loads(plain.text), plain.result)
            self.assertEqual(self.succeed(run(code, format="json")).text, plain.text)

    def test_of_execute_code(self):
        answer = self.server.tool("execute_code", {"code": f"console.log('hi'); return {USERS}", "format": "toon"})
        self.assertRegex(answer.text, r'^success: true\nresult:\n  users\[2\]\{id,name\}:\n    1,Ada\n    2,"Bob, Jr."\n'
                                      r'logs\[1\]: hi\nexecution_ms: \d+$')
        self.assertEqual(answer.structured["result"]["users"][0], {"id": 1, "name": "Ada"})

    def test_of_run_python(self):
        answer = self.run_python("print('hello')", format="toon", servers=["kid"])
        self.assertEqual(answer.text, "```toon\nstatus: success\nsummary: Success\nexitCode: 0\nservers[1]: kid\nstdout[1]: hello\n```")
        self.assertEqual(answer.structured, {"status": "success", "summary": "Success", "exitCode": 0, "servers": ["kid"], "stdout": ["hello"]})
        self.assertEqual(self.run_python("print('hello')").text, "hello")

    def test_quotes_as_its_seed(self):
        lines = ["alpha", "beta, gamma", "k: v", " lead", "5", "true", "- dash", 'q"uote', "tab\there", "back\\slash", "[x]", "é ü 日本"]
        answer = self.run_python(f"for line in {lines!r}: print(line)", format="toon")
        self.assertIn(r'stdout[12]: alpha,"beta, gamma","k: v"," lead","5","true","- dash","q\"uote","tab\there","back\\slash","[x]",é ü 日本',
                      answer.text)

    def test_a_fence_in_the_output_does_not_end_the_block(self):
        text = self.run_python("print('```')\nprint('a\\n```\\nb')", format="toon").text
        self.assertEqual([line for line in text.split("\n") if line.startswith("```")], ["```toon", "```"])

    def test_failures(self):
        answer = self.run_python("print('p')\nwhile True: pass", format="toon", timeout=1)
        self.assertTrue(answer.is_error)
        self.assertEqual(answer.text, '```toon\nstatus: timeout\nsummary: "Timeout: execution exceeded 1s"\nexitCode: 1\nstdout[1]: p\n'
                                      'error: "Execution timed out after 1s\\nNo call was open: the program itself took the time."\n'
                                      'timeoutSeconds: 1\n```')
        answer = self.run_python("1", format="toon", servers=["nosuch"])
        self.assertEqual(answer.text, '```toon\nstatus: error\nsummary: "Sandbox error: Unknown MCP server: nosuch"\n'
                                      'error: "Unknown MCP server: nosuch"\n```')

    def test_a_wrong_format(self):
        self.refuse(self.typescript("return 1", format="yaml"), "format", "toon", "yaml")
        self.refuse(self.typescript("return 1", format=5), "format")

    def test_a_value_that_is_too_large_is_described(self):
        answer = self.succeed(self.typescript("return Array.from({length: 20000}, (_, id) => ({id}))", format="toon"))
        self.assertIn("Array(20000) of {id: number}", answer.text)


class AsASetting(Case):
    def test_of_run_python_alone(self):
        server = self.start({"kid": child()}, env={"MCP_BRIDGE_OUTPUT_MODE": "toon"})
        answer = server.tool("run_python", {"code": "print('hello')"})
        self.assertTrue(answer.text.startswith("```toon\nstatus: success\n"), answer.text)
        self.assertEqual(server.tool("run_python", {"code": "print('hello')", "format": "compact"}).text, "hello")
        self.assertEqual(server.tool("run_python", {"code": ""}).text.splitlines()[:2], ["```toon", "status: validation_error"])
        self.assertEqual(json.loads(server.typescript("return {a: 1}").text), {"a": 1})

    def test_a_wrong_one_stops_the_start(self):
        world = self.world(project={})
        server = self.start(world=world, env={"MCP_BRIDGE_OUTPUT_MODE": "compact"})
        self.assertEqual(server.tool("run_python", {"code": "print(1)"}).text, "1")
        ended = subprocess.run([binary()], env=world.environment({"MCP_BRIDGE_OUTPUT_MODE": "yaml"}), cwd=world.cwd,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("MCP_BRIDGE_OUTPUT_MODE must be compact or toon", ended.stderr)


class ToolList(Case):
    def test_names_the_format_where_there_is_room(self):
        server = self.start(env={"CODE_EXECUTOR_SURFACE": "all"})
        schemas = {tool["name"]: tool["inputSchema"]["properties"] for tool in server.request("tools/list")["tools"]}
        for name in ("run_python", "execute_code"):
            self.assertIn("toon", schemas[name]["format"]["enum"])

    def test_of_the_bridge_costs_at_most_200_tokens(self):
        result = self.start(env={"CODE_EXECUTOR_SURFACE": "bridge"}).request("tools/list")
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        counted = subprocess.run(["node", "-e", COUNT_TOKENS], cwd=PACKAGES.parent, input=text.encode(), check=True,
                                 capture_output=True, env={"PATH": os.environ["PATH"]})
        self.assertLessEqual(int(counted.stdout), BRIDGE_TOKENS_MAX)
