"""The files of MCP clients, all at once: which are found, which entry counts, and what is never told."""

import json
import os
import subprocess
import sys

from support.case import Case, TRY_TYPESCRIPT
from support.config import child, with_mark
from support.installed import install
from support.paths import binary

SECRET = "s3cret-4711"


def toml_entry(name, entry):
    lines = [f"[mcp_servers.{name}]", f"command = {json.dumps(entry['command'])}", f"args = {json.dumps(entry['args'])}"]
    lines += [f"[mcp_servers.{name}.env]"] + [f"{key} = {json.dumps(value)}" for key, value in entry["env"].items()]
    return "\n".join(lines) + "\n"


class Clients(Case):
    """Ten clients. Each has a server of its own name, and one that they share."""

    # client as it is listed, file below home or project, and its key; in the order of precedence
    FILES = (
        ("Claude Code (project)", "project/.mcp.json", "mcpServers"),
        ("Cursor (project)", "project/.cursor/mcp.json", "mcpServers"),
        ("VS Code (project)", "project/.vscode/mcp.json", "servers"),
        ("Codex (project)", "project/.codex/config.toml", "mcp_servers"),
        ("opencode (project)", "project/opencode.json", "mcp"),
        ("Claude Code (user)", "home/.claude.json", "mcpServers"),
        ("Windsurf (user)", "home/.codeium/windsurf/mcp_config.json", "mcpServers"),
        ("Gemini CLI (user)", "home/.gemini/settings.json", "mcpServers"),
        ("Zed (user)", "home/.config/zed/settings.json", "context_servers"),
        ("Goose (user)", "home/.config/goose/config.yaml", "extensions"),
    )
    # How each writes the variable TOKEN_4711; nothing: it has no variables.
    REFERENCES = {"Claude": "${TOKEN_4711}", "Cursor": "${env:TOKEN_4711}", "VS": "${input:token-4711}", "opencode": "{env:TOKEN_4711}",
                  "Windsurf": "${file:TOKEN_FILE}", "Gemini": "$TOKEN_4711"}

    @staticmethod
    def own_name(client):
        return client.lower().replace(" ", "-").replace("(", "").replace(")", "")

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def entry(self, world, client):
        reference = self.REFERENCES.get(client.split()[0], "literal")
        return child(env={"WHO": client, "TOKEN": reference.replace("TOKEN_FILE", os.path.join(world.root, "token"))})

    def text_of(self, world, client, path, key):
        entry = self.entry(world, client)
        entries = with_mark({self.own_name(client): entry, "shared": entry}, world.mark)
        if path.endswith(".toml"):
            return "".join(toml_entry(name, e) for name, e in entries.items())
        if path.endswith(".yaml"): # JSON is YAML, so the entries may be written as such
            return f"{key}:\n" + "".join(f"  {json.dumps(name)}: {json.dumps({'cmd': e['command'], 'args': e['args'], 'envs': e['env']})}\n"
                                         for name, e in entries.items())
        if key == "mcp":
            entries = {name: {"type": "local", "command": [e["command"], *e["args"]], "environment": e["env"]} for name, e in entries.items()}
        return "// " + client + "\n" + json.dumps({"other": 1, key: entries})

    def everybody(self):
        world = self.world()
        for client, path, key in self.FILES:
            self.write(os.path.join(world.root, path), self.text_of(world, client, path, key))
        self.write(os.path.join(world.root, "token"), SECRET + "\n")
        return world.approve(*(self.own_name(client) for client, path, _ in self.FILES if path.startswith("project/")))

    def test_each_is_found_and_understood(self):
        server = self.start(world=self.everybody(), env={"TOKEN_4711": SECRET})
        names = [self.own_name(client) for client, _, _ in self.FILES]
        answer = self.succeed(server.typescript(
            f"const found = {{}}; for (const name of {json.dumps(names)}) {{ const env = await callMCPTool(name, 'env');"
            " found[name] = [env.WHO, env.TOKEN] } return found"))
        for client, _, _ in self.FILES:
            token = SECRET if client.split()[0] in self.REFERENCES else "literal"
            self.assertEqual(answer.result[self.own_name(client)], [client, token])

    def test_the_first_counts_and_says_what_it_hides(self):
        for first, (client, _, _) in enumerate(self.FILES):
            world = self.everybody()
            files = [os.path.realpath(os.path.join(world.root, path)) for _, path, _ in self.FILES]
            for file in files[:first]:
                os.remove(file)
            world.approve("shared")
            server = self.start(world=world, env={"TOKEN_4711": SECRET})
            self.assertEqual(self.succeed(server.typescript("return (await callMCPTool('shared', 'env')).WHO")).result, client)
            source = server.tool("list_servers").structured["sources"]["shared"]
            shadows = {"shadows": files[first + 1:]} if files[first + 1:] else {}
            self.assertEqual(source, {"file": files[first], "client": client, "state": "connected", **shadows})

    def listed(self, world, *arguments, env=None):
        done = subprocess.run([binary(), "servers", *arguments], env=world.environment(env or {}), cwd=world.cwd, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_secrets_are_told_to_nobody_but_the_server(self):
        world = self.everybody()
        plain = child("--token", SECRET, env={"TOKEN": SECRET})
        broken = {"command": "x", "env": {"TOKEN": [SECRET]}, "args": [{"token": SECRET}]}
        remote = {"url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": f"Bearer {SECRET}"}}
        self.write(os.path.join(world.home, "MCPs", "more.json"),
                   json.dumps({"mcpServers": with_mark({"plain": plain, "remote": remote}, world.mark) | {"broken": broken}}))
        self.write(os.path.join(world.cwd, ".kiro", "settings", "mcp.json"), f'{{"mcpServers": {{"x": {{"env": {{"TOKEN": "{SECRET}"')
        env = {"TOKEN_4711": SECRET, "CODE_EXECUTOR_LOG_LEVEL": "trace"}
        server = self.start(world=world, env=env)
        self.succeed(server.typescript("return (await callMCPTool('shared', 'env')).WHO"))
        self.refuse(server.typescript("return await callMCPTool('remote', 'x')"))
        self.assertIn("broken", server.tool("list_servers").text)
        told = (server.tool("list_servers").text + server.tool("health").text + server.stderr() + self.listed(world, env=env)
                + self.listed(world, "--json", env=env))
        self.assertNotIn(SECRET, told)

    def test_the_command_lists_what_the_tool_lists(self):
        world = self.everybody()
        self.write(os.path.join(world.home, "MCPs", "more.json"), json.dumps({"mcpServers": {
            "far": {"type": "ws", "url": "wss://example.com"}, "off": {**child(), "disabled": True}, "wrong": {"command": 5}}}))
        listed = json.loads(self.listed(world, "--json"))
        by_name = {entry["name"]: entry for entry in listed["servers"]}
        for client, path, _ in self.FILES:
            entry = by_name[self.own_name(client)]
            self.assertEqual((entry["client"], entry["status"]), (client, "available"))
            self.assertTrue(entry["file"].endswith(path))
            self.assertIn(entry["file"], listed["files"])
        self.assertEqual(len(by_name["shared"]["shadows"]), len(self.FILES) - 1)
        self.assertEqual(by_name["far"]["status"], "unusable")
        self.assertIn("WebSocket", by_name["far"]["reason"])
        self.assertEqual(by_name["off"]["status"], "disabled")
        self.assertRegex("\n".join(listed["problems"]), r"more\.json: line 1, column \d+: server 'wrong': 'command' must be a string")
        text = self.listed(world)
        for part in (*by_name, "hides the entry in", "can not be used: ", "disabled there", "problem: ", "13 servers in 11 files"):
            self.assertIn(part, text)
        self.assertNotIn("\x1b", text)

    def test_the_command_without_any_server(self):
        world = self.world()
        text = self.listed(world)
        for part in (".mcp.json", ".claude.json", ".codex/config.toml", "mcp-servers/*.json"):
            self.assertIn(part, text)
        listed = json.loads(self.listed(world, "--json"))
        self.assertEqual((listed["servers"], listed["files"], listed["problems"]), ([], [], []))
        self.assertIn(world.project_file, listed["searched"])

    def test_an_unknown_word_gets_the_command(self):
        world = self.world()
        done = subprocess.run([binary(), "servesr"], env=world.environment({}), cwd=world.cwd, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'servers'", done.stderr)

    def test_a_disabled_server_is_there_when_it_is_needed(self):
        server = self.start({"off": child(env={"WHO": "off"}, disabled=True)})
        self.assertTrue(server.tool("list_servers").structured["sources"]["off"]["disabled"])
        self.assertEqual(self.succeed(server.typescript("return (await callMCPTool('off', 'env')).WHO")).result, "off")

    def test_what_a_start_lacks_is_told(self):
        def call(env):
            world = self.world()
            entry = child(env={"KEY": "${input:api-key}"})
            self.write(os.path.join(world.cwd, ".vscode", "mcp.json"), json.dumps({"servers": with_mark({"kid": entry}, world.mark)}))
            world.approve("kid")
            code = TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('kid', 'env'))"
            return self.succeed(self.start(world=world, env=env).typescript(code)).result
        self.mcp_error(call({}), "server_start_failed", "api-key", "API_KEY", ".vscode/mcp.json")
        self.assertEqual(call({"API_KEY": SECRET})["value"]["KEY"], SECRET)

    def test_a_file_of_variables(self):
        world = self.world()
        self.write(os.path.join(world.cwd, ".env"), f"# tokens\nexport TOKEN='{SECRET}'\n")
        entry = {**child(), "envFile": "${workspaceFolder}/.env"}
        self.write(os.path.join(world.cwd, ".cursor", "mcp.json"), json.dumps({"mcpServers": with_mark({"kid": entry}, world.mark)}))
        world.approve("kid")
        answer = self.succeed(self.start(world=world).typescript("return (await callMCPTool('kid', 'env')).TOKEN"))
        self.assertEqual(answer.result, SECRET)

    def test_no_program_writes_a_file_of_variables(self):
        """A PATH in it would decide what is started: be it there or not, in a list that is read now or later."""
        world = self.world()
        file, absent = (os.path.join(world.cwd, name) for name in (".env", ".absent.env"))
        self.write(file, "A=1\n")
        for path, mode in ((world.root, 0o755), (world.cwd, 0o777), (file, 0o666)):  # a guest is the user nobody
            os.chmod(path, mode)
        token = os.path.join(world.cwd, "token")
        self.write(token, "t")
        os.chmod(token, 0o666)

        def with_file(name):
            return {**child(), "envFile": "${workspaceFolder}/" + name, "env": {"KEY": f"${{file:{token}}}"}}

        def configure(servers):
            self.write(os.path.join(world.home, ".cursor", "mcp.json"), json.dumps({"mcpServers": with_mark(servers, world.mark)}))
        configure({"kid": with_file(".absent.env")})
        self.write(os.path.join(world.home, ".code-executor.json"), json.dumps({"security": {"allowWrite": [world.cwd]}}))
        server = self.start(world=world)
        granted = {"permissions": {"write": [world.cwd]}}
        def runs(path):
            return ((server.python, f"open({path!r}, 'w').close()"), (server.typescript, f"await Deno.writeTextFile({path!r}, 'PATH=/tmp')"))
        for run, code in (*runs(absent), *runs(token)):
            self.refuse(run(code, **granted))
        self.wait_until(lambda: not os.path.exists(absent), "the end of the placeholder")
        configure({"kid": with_file(".absent.env"), "later": with_file(".env")})
        self.wait_until(lambda: "later" in server.tool("list_servers").structured["sources"], "the change")
        for run, code in runs(file):
            self.refuse(run(code, **granted))
            self.succeed(run(code.replace(".env", "other.txt"), **granted))
        with open(file, encoding="utf-8") as kept:
            self.assertEqual(kept.read(), "A=1\n")

    def test_no_program_writes_what_runs_programs(self):
        """Installed in a project, it would be replaced by one run and started for the next, outside of all walls."""
        world = self.world()
        installed = os.path.join(world.cwd, "tools", "bin")
        os.makedirs(installed)
        program = install(installed)
        for path in (world.root, world.cwd, os.path.dirname(installed), installed, os.path.join(installed, "guest-exec")):
            os.chmod(path, 0o777)  # a guest is the user nobody
        self.write(os.path.join(world.home, ".code-executor.json"), json.dumps({"security": {"allowWrite": [world.cwd]}}))
        server = self.start(world=world, argv=[program])
        self.assertIn("decides what is started", self.refuse(server.python("1", permissions={"write": [installed]})))
        exec_file, granted = os.path.join(installed, "guest-exec"), {"permissions": {"write": [world.cwd]}}
        for run, code in ((server.python, f"import os\nos.rename({exec_file!r}, {exec_file!r} + '.old')"), (server.python, f"open({exec_file!r}, 'ab').close()"),
                          (server.typescript, f"await Deno.remove({exec_file!r})"), (server.typescript, f"await Deno.writeTextFile({exec_file!r}, '')")):
            self.refuse(run(code, **granted))

    def test_no_program_writes_what_servers_are(self):
        """Their programs, the arguments that are files, and whatever comes first in PATH."""
        world = self.world()
        tools, environment = os.path.join(world.cwd, "tools"), os.path.join(world.cwd, ".venv", "bin")
        script, link, absent = os.path.join(tools, "server.py"), os.path.join(environment, "python3"), os.path.join(world.cwd, "bin", "npx")
        for folder in (tools, environment):
            os.makedirs(folder)
        self.write(script, "")
        os.symlink(sys.executable, link)
        for path in (world.root, world.cwd, tools, os.path.dirname(environment), environment, script):
            os.chmod(path, 0o777)  # a guest is the user nobody
        self.write(os.path.join(world.home, ".cursor", "mcp.json"),
                   json.dumps({"mcpServers": with_mark({"kid": {"command": link, "args": ["tools/server.py"]}}, world.mark)}))
        self.write(os.path.join(world.home, ".code-executor.json"), json.dumps({"security": {"allowWrite": [world.cwd]}}))
        server = self.start(world=world, env={"PATH": os.path.dirname(absent) + ":" + os.environ["PATH"]})
        granted = {"permissions": {"write": [world.cwd]}}
        for path in (script, link, absent):
            for run, code in ((server.python, f"import os\nos.makedirs(os.path.dirname({path!r}), exist_ok=True)\nopen({path!r}, 'a').close()"),
                              (server.python, f"import os\nos.rename(os.path.dirname({path!r}), {os.path.join(world.cwd, 'elsewhere')!r})"),
                              (server.python, f"import os\nos.remove({path!r})"),
                              (server.typescript, f"await Deno.mkdir({os.path.dirname(path)!r}, {{recursive: true}}); await Deno.writeTextFile({path!r}, '')"),
                              (server.typescript, f"await Deno.remove({path!r})")):
                self.refuse(run(code, **granted))
        self.succeed(server.python(f"open({os.path.join(tools, 'other.txt')!r}, 'w').close()", **granted))

    def test_ourselves_in_every_format(self):
        world = self.world()
        friend = os.path.join(world.root, "friend")
        os.symlink(binary(), friend)
        self.write(os.path.join(world.home, ".codex", "config.toml"), f"[mcp_servers.a]\ncommand = {json.dumps(friend)}\n")
        self.write(os.path.join(world.home, ".config", "goose", "config.yaml"), f"extensions:\n  b: {{cmd: {json.dumps(friend)}}}\n")
        self.write(os.path.join(world.cwd, "opencode.json"), json.dumps({"mcp": {"c": {"command": [friend, "serve"]}}}))
        self.write(os.path.join(world.cwd, ".cursor", "mcp.json"), json.dumps({"mcpServers": {"d": {"command": "${workspaceFolder}/../friend"}}}))
        self.write(os.path.join(world.cwd, "crush.json"), json.dumps({"mcp": {"e": {"command": "$FRIEND_4711"}}}))
        env = {"FRIEND_4711": friend}
        waiting = json.loads(self.listed(world, "--json", env=env))["servers"]
        self.assertEqual([(one["name"], one["status"]) for one in waiting], [("d", "needs approval"), ("e", "needs approval")])
        world.approve("d", "e") # now it may be looked at where their variables lead
        self.assertEqual(json.loads(self.listed(world, "--json", env=env))["servers"], [])

    def test_policy_that_is_wrong_does_not_open_the_next_entry(self):
        world = self.world(project={"kid": child(excludeTools="echo")}, user={"kid": child()})
        server = self.start(world=world)
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('kid', 'echo', {text: 'x'}))"))
        self.mcp_error(answer.result, "unknown_server", "kid")
        self.assertRegex(server.tool("list_servers").text, r"\.mcp\.json: line \d+, column \d+: server 'kid': 'excludeTools' must be a list")


class WhatServersRunIsNotWritten(Case):
    """Of entries of the user, whose scripts lie in a folder that programs may write."""

    def attempt_to_write(self, entry, *names):
        """Which of these files of the project a program could write or make."""
        world = self.world(user={"kid": entry})
        script = os.path.join(world.cwd, "srv", "main.py")
        os.mkdir(os.path.dirname(script))
        with open(script, "w", encoding="utf-8") as file:
            file.write("pass")
        for path, mode in ((world.root, 0o755), (world.cwd, 0o777), (os.path.dirname(script), 0o777), (script, 0o666)):  # a guest is the user nobody
            os.chmod(path, mode)
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [world.cwd]}}, file)
        paths = [os.path.join(world.cwd, name) for name in names]
        code = f"done = []\nfor path in {paths!r}:\n  try:\n    open(path, 'a').write('x'); done.append(path)\n  except OSError: pass\ndone"
        written = self.succeed(self.start(world=world).python(code, permissions={"write": [world.cwd]})).result
        return [os.path.relpath(path, world.cwd) for path in written]

    def test_a_script_in_a_folder_that_the_entry_goes_to(self):
        for words in (["env", "-C", "srv", "python3", "main.py"], ["sh", "-c", "cd srv && exec python3 main.py"], ["uv", "--directory", "srv", "run", "main.py"]):
            with self.subTest(words):
                entry = {"command": words[0], "args": words[1:]}
                self.assertEqual(self.attempt_to_write(entry, "srv/main.py", "srv/other.py", "package.json"), ["srv/other.py", "package.json"])

    def test_the_package_that_npx_looks_at_first(self):
        self.assertEqual(self.attempt_to_write({"command": "npx", "args": ["-y", "name"]}, "package.json", ".npmrc", "fine.txt"), ["fine.txt"])
