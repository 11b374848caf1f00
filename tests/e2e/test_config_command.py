"""`code-executor config`, and limits of runs that are settings."""

import json
import os
import subprocess

from support.case import Case
from support.paths import binary


class ConfigCommand(Case):
    def setUp(self):
        super().setUp()
        self.place = self.world()
        self.file = os.path.join(self.place.home, ".code-executor.json")

    def settings(self, content):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))

    def config(self, *words, code=0, env=None):
        ended = subprocess.run([binary(), "config", *words], env=self.place.environment(env or {}), cwd=self.place.cwd,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended

    def test_check(self):
        self.assertIn("no file", self.config("check").stdout)
        self.settings("{\n // mine\n \"runs\": {\"maxConcurrent\": 5},\n}")
        self.assertEqual(self.config("check").stdout, f"the settings are right: {self.file}\n")
        self.settings('{\n "runs": {"maxConcurent": 5,\n  "queueSize": -1}}')
        ended = self.config("check", code=2, env={"POOL_QUEUE_TIMEOUT_MS": "soon"})
        self.assertEqual(ended.stdout, "")
        self.assertEqual(ended.stderr.splitlines(), [
            f"code-executor: {self.file}: line 3, column 3: 'runs.queueSize' must be an integer from 0 to 1000, not -1",
            "code-executor: POOL_QUEUE_TIMEOUT_MS must be an integer from 1000 to 300000, not 'soon'",
            f"code-executor: {self.file}: line 2, column 11: 'runs.maxConcurent' is no setting; did you mean 'maxConcurrent'? "
            "Known here: maxConcurrent, maxHeldMb, maxSameFailures, maxToolCalls, questionTimeoutMs, queueSize, queueTimeoutMs"])
        told = json.loads(self.config("check", "--json", code=2).stdout)
        self.assertEqual((told["ok"], len(told["problems"])), (False, 2))

    def test_check_reads_the_files_that_are_named(self):
        for settings, said in (({"faults": {"rules": [{"match": "*", "kind": "nonsense"}]}}, "nonsense"),
                               ({"faults": "missing.json"}, "missing.json"),
                               ({"recording": {"replay": "missing.jsonl"}}, "missing.jsonl"),
                               ({"executors": {"typescript": {"denoPath": "deno\0x"}}}, "denoPath")):
            with self.subTest(said):
                self.settings(json.dumps(settings))
                self.assertIn(said, self.config("check", code=2).stderr)

    def test_show_says_where_each_comes_from(self):
        self.settings({"security": {"allowRead": ["/a"]}, "sessions": {"max": 3}})
        env = {"ALLOWED_PROJECTS": "/b", "POOL_QUEUE_SIZE": "7"}
        shown = json.loads(self.config("show", "--json", env=env).stdout)["settings"]
        self.assertEqual((shown["security.allowRead"]["value"], shown["security.allowRead"]["from"]),
                         (["/a", "/b"], [f"{self.file}:1", "ALLOWED_PROJECTS"]))
        self.assertEqual((shown["runs.queueSize"]["value"], shown["runs.queueSize"]["from"]), (7, ["POOL_QUEUE_SIZE"]))
        self.assertEqual((shown["sessions.max"]["value"], shown["sessions.max"]["default"]), (3, 16))
        self.assertEqual(shown["outputs.maxMb"]["from"], [])
        text = self.config("show", env=env).stdout
        self.assertRegex(text, r"(?m)^sessions\.max +3  # .*\.code-executor\.json:1$")
        self.assertNotIn("\x1b", text)

    def test_a_terminal_obeys_nothing_of_it(self):
        name = "/a\x9b2J\u202ehidden"
        self.settings({"security": {"allowRead": [name]}})
        for words in (["show"], ["show", "--json"]):
            told = self.config(*words).stdout
            self.assertIn("/a\\u009b2J\\u202ehidden", told)
            self.assertFalse([character for character in told if character in "\x9b\u202e"])
        self.assertEqual(json.loads(told)["settings"]["security.allowRead"]["value"], [name])

    def test_show_masks_secrets(self):
        self.settings({"security": {"allowRead": ["env:FOLDER"], "allowedDomains": ["sk-4711hidden.com"]}, "sessions": {"max": "env:MANY"}})
        for form in ((), ("--json",)):
            told = self.config("show", *form, env={"FOLDER": "/my-hidden", "MANY": "12"}).stdout
            self.assertNotIn("hidden", told)
            self.assertIn("***", told)

    def test_show_of_wrong_settings(self):
        self.settings('{"a": 1}')
        ended = self.config("show", code=2)
        self.assertEqual(ended.stdout, "")
        self.assertIn("'a' is no setting", ended.stderr)

    def test_path(self):
        self.assertIn(f"missing   {self.file}", self.config("path").stdout)
        self.settings("{ broken")
        os.mkdir(os.path.join(self.place.home, ".code-executor"))
        with open(os.path.join(self.place.home, ".code-executor", "config.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        told = json.loads(self.config("path", "--json").stdout)
        self.assertEqual(told["file"], self.file)
        self.assertEqual([place["state"] for place in told["searched"]], ["used", "not used", "missing"])

    def test_schema(self):
        schema = json.loads(self.config("schema").stdout)
        self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        self.assertIn("pool", schema["properties"]["sandbox"]["properties"])
        self.settings({"$schema": "./schema.json"})
        self.config("check")

    def test_wrong_words(self):
        self.assertIn("did you mean 'check'?", self.config("chekc", code=2).stderr)
        self.config(code=2)


class Limits(Case):
    def settled(self, settings):
        world = self.world()
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump(settings, file)
        return self.start(world=world)

    def test_of_runs_are_checked_and_not_advertised(self):
        listed = self.start().request("tools/list")
        server = self.settled({"security": {"maxTimeoutMs": 2000, "maxCodeSize": 1000}, "runs": {"maxToolCalls": 2}})
        self.assertEqual(server.request("tools/list"), listed)
        self.refuse(server.python("1", timeoutMs=2001), "from 1000 to 2000 (security.maxTimeoutMs), not 2001")
        self.refuse(server.python("#" * 1001), "at most 1000 bytes (security.maxCodeSize), not 1001")
        self.refuse(server.python("while True: pass"), "timed out after 2000 ms")

    def test_of_tool_calls(self):
        world = self.world(project={})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"runs": {"maxToolCalls": 2}}, file)
        server = self.start(world=world)
        self.refuse(server.python("for _ in range(3):\n  try: call_mcp_tool('none', 'x')\n  except Exception as e: last = e\nraise last"),
                    "2 tool calls, which is the limit (runs.maxToolCalls)")

    def test_log_as_json(self):
        world = self.world(project={})
        with open(world.project_file, "wb") as file:
            file.write(b'{"mcpServers": {"a\\nb\\"c": {"command": 5}}}')
        server = self.start(world=world, env={"CODE_EXECUTOR_LOG_FORMAT": "json", "CODE_EXECUTOR_LOG_LEVEL": "warning"})
        server.request("ping")
        self.wait_until(lambda: "b\\\"c" in server.stderr(), server.stderr)
        for line in server.stderr().splitlines():
            self.assertEqual(set(json.loads(line)), {"time", "level", "message"})
            self.assertEqual(json.loads(line)["level"], "warning")


class Unwritten(Case):
    """Every command says when nobody can have read what it printed."""

    COMMANDS = (["servers"], ["servers", "--json"], ["index"], ["index", "--json"], ["doctor", "--json"], ["config", "show"], ["config", "schema"],
                ["audit", "tail"], ["audit", "verify"], ["memory", "list"], ["--help"], ["--version"])

    def run_into(self, words, **where):
        return subprocess.run([binary(), *words], env=self.world().environment({}), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=60, check=False, **where)

    def assert_complains(self, words, ended):
        self.assertNotEqual(ended.returncode, 0, words)
        self.assertIn("code-executor: the output could not be written to stdout", ended.stderr, words)

    def test_a_full_device(self):
        for words in self.COMMANDS:
            with open("/dev/full", "w", encoding="utf-8") as full:
                ended = self.run_into(words, stdout=full)
            if words[0] != "audit":  # which may have nothing to say
                self.assert_complains(words, ended)

    def test_closed(self):
        for words in self.COMMANDS:
            self.assert_complains(words, self.run_into(words, preexec_fn=lambda: os.close(1)))
