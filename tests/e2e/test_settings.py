"""The settings file of our own: what it changes, and that the program refuses to start with one that is not right."""

import json
import os
import subprocess

from support.case import Case
from support.paths import binary


class Settings(Case):
    def settings(self, content, name=".code-executor.json", world=None):
        """A world whose home folder has this file."""
        world = world or self.world()
        with open(os.path.join(world.home, name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return world

    def refuse_start(self, world, *words, env=None):
        ended = subprocess.run([binary()], env=world.environment(env or {}), cwd=world.cwd, stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=30)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertEqual(ended.stdout, "")
        for word in words:
            self.assertIn(word, ended.stderr)
        return ended.stderr

    def test_a_link_to_what_is_not_there_is_not_taken_for_no_file(self):
        for link in (".code-executor.json", ".code-executor"):
            with self.subTest(link=link):
                world = self.world()
                path = os.path.join(world.home, link)
                if os.path.isdir(path):
                    os.rename(path, path + ".old")
                os.symlink("/not/mounted", path)
                self.refuse_start(world, path, "can not be read", "is a link to /not/mounted, which is not there")

    # ---- accepted

    def test_the_file_is_named_in_the_log(self):
        server = self.start(world=self.settings("// mine\n{\"version\": 1,}"))
        self.succeed(server.typescript("return 1"))
        server.wait_for_log(f"settings: {server.world.home}/.code-executor.json")

    def test_none_says_where_it_looked(self):
        server = self.start()
        server.request("ping")
        self.wait_until(lambda: "no settings file was found; looked at" in server.stderr(), server.stderr)
        self.assertIn(f"{server.world.home}/.config/code-executor/config.json", server.stderr())

    def test_python_can_be_switched_off(self):
        server = self.start(world=self.settings({"executors": {"python": {"enabled": False}}}))
        self.assertEqual([tool["name"] for tool in server.request("tools/list")["tools"]], ["run-typescript-code"])
        self.refuse(server.python("1"), "executors.python.enabled")
        self.succeed(server.typescript("return 1"))

    def test_a_variable_overrides(self):
        world = self.settings({"executors": {"python": {"enabled": False}}})
        self.succeed(self.start(world=world, env={"PYTHON_ENABLED": "true"}).python("1"))

    def test_typescript_can_be_switched_off(self):
        server = self.start(world=self.settings({"executors": {"typescript": {"enabled": False}}}))
        self.refuse(server.typescript("return 1"), "executors.typescript.enabled")
        self.succeed(server.python("1"))

    def test_the_times_of_run_python(self):
        server = self.start(env={"MCP_BRIDGE_TIMEOUT": "1", "MCP_BRIDGE_MAX_TIMEOUT": "2s", "CODE_EXECUTOR_SURFACE": "bridge"})
        (tool,) = server.request("tools/list")["tools"]
        timeout = tool["inputSchema"]["properties"]["timeout"]
        self.assertEqual((timeout["minimum"], timeout["default"], timeout["maximum"]), (1, 1, 2))
        self.assertIn("timed out after 1s", server.tool("run_python", {"code": "while True: pass"}).text)
        self.assertIn("from 1 to 2", server.tool("run_python", {"code": "1", "timeout": 3}).text)
        self.succeed(server.python("1", timeoutMs=3000))

    def test_the_memory_of_a_guest_is_its_heap_as_well(self):
        server = self.start(world=self.settings({"sandbox": {"memoryMb": 1024}}))
        half = "const all = []; for (let i = 0; i < 64; i++) all.push(new Array(1e6).fill(i)); return all.length"
        self.assertEqual(self.succeed(server.typescript(half)).result, 64)

    def test_interpreters_are_taken_from_it(self):
        world = self.settings({"executors": {"python": {"pythonPath": "./no-python"}, "typescript": {"denoPath": "./no-deno"}}})
        server = self.start(world=world, env={"DENO_PATH": ""})
        self.refuse(server.python("1"), f"{world.home}/no-python")
        self.refuse(server.typescript("return 1"), f"{world.home}/no-deno")

    def test_list_of_servers(self):
        world = self.settings({"mcpConfigPath": "servers/mine.json"})
        os.mkdir(os.path.join(world.home, "servers"))
        self.settings({"mcpServers": {"far": {"command": "true"}}}, name="servers/mine.json", world=world)
        self.assertIn("far", self.start(world=world).tool("list_servers").text)

    # ---- refused

    def test_broken_json(self):
        self.refuse_start(self.settings('{\n  "security": {'), ".code-executor.json", "line 2, column 16")

    def test_unknown_key(self):
        self.refuse_start(self.settings('{\n  "sandbox": {"isolatoin": "required"}\n}'),
                          "line 2, column 15", "sandbox.isolatoin", "did you mean 'isolation'?")

    def test_wrong_value(self):
        self.refuse_start(self.settings({"sandbox": {"isolation": "none"}}), "sandbox.isolation", "auto or required")

    def test_unset_variable(self):
        self.refuse_start(self.settings({"security": {"allowRead": ["env:UNSET_4711"]}}), "security.allowRead[0]", "UNSET_4711")

    def test_a_key_in_a_file_that_others_may_read(self):
        world = self.settings({"sampling": {"apiKeys": {"openai": "sk-very-secret-1"}}})
        os.chmod(os.path.join(world.home, ".code-executor.json"), 0o644)
        said = self.refuse_start(world, "'sampling.apiKeys.openai' is a key, and others may read this file: run `chmod 600 ")
        self.assertNotIn("very-secret", str(said))

    def test_wrong_variable(self):
        self.refuse_start(self.world(), "PYTHON_ENABLED must be true or false", env={"PYTHON_ENABLED": "maybe"})

    def test_named_file_that_is_not_there(self):
        self.refuse_start(self.settings({}), "/no/such.json", "CODE_EXECUTOR_CONFIG_PATH",
                          env={"CODE_EXECUTOR_CONFIG_PATH": "/no/such.json"})

    def test_each_kind_of_mistake_stops_the_start(self):
        for content, *words in (
                ("", "incomplete JSON"), ("[]", "expected an object of settings"), ('{"a": 1,\n "a": 2}', "line 2, column 2", "given twice"),
                ('{"runs": {"maxConcurrent": 0}}', "'runs.maxConcurrent' must be an integer from 1 to 1000, not 0"),
                ('{"security": {"dangerousPatterns": "none"}}', "'security.dangerousPatterns' must be block, warn or off"),
                ('{"security": {"allowedTools": "*"}}', "'security.allowedTools' must be a list"),
                ('{"security": {"defaultTimeoutMs": 9000, "maxTimeoutMs": 8000}}', "must not be above 'security.maxTimeoutMs'"),
                ('{"rateLimit": {}, "security": {"rateLimit": {}}}', "means the same as 'rateLimit'"),
                ('{"security.allowRead": []}', "'security.allowRead' is no setting"), ('{"log": {"level": "loud"}}', "log.level")):
            with self.subTest(content):
                self.refuse_start(self.settings(content), ".code-executor.json", *words)

    def test_wrong_variables_stop_the_start(self):
        for name, value in (("POOL_MAX_CONCURRENT", "many"), ("CODE_EXECUTOR_LOG_LEVEL", "loud"), ("ENABLE_AUDIT_LOG", "on"),
                            ("CODE_EXECUTOR_SKIP_DANGEROUS_PATTERNS", "yes")):
            with self.subTest(name):
                self.refuse_start(self.world(), name, f"not '{value}'", env={name: value})
