"""Which servers there are: three files, their precedence, their mistakes, and what children inherit."""

import json
import os

from support.case import Case, TRY_TYPESCRIPT
from support.config import child
from support.paths import PYTHON, CHILD, binary

WHO = "return (await callMCPTool('kid', 'env')).WHO"


def kid(who):
    return {"kid": child(env={"WHO": who})}


class Sources(Case):
    def who(self, world):
        return self.succeed(self.start(world=world).typescript(WHO)).result

    def test_project_file(self):
        self.assertEqual(self.who(self.world(project=kid("project"))), "project")

    def test_user_file(self):
        self.assertEqual(self.who(self.world(user=kid("user"))), "user")

    def test_explicit_file(self):
        self.assertEqual(self.who(self.world(explicit=kid("explicit"))), "explicit")

    def test_project_beats_user(self):
        self.assertEqual(self.who(self.world(project=kid("project"), user=kid("user"))), "project")

    def test_explicit_beats_all(self):
        world = self.world(project=kid("project"), user=kid("user"), explicit=kid("explicit"))
        self.assertEqual(self.who(world), "explicit")

    def test_all_are_merged(self):
        world = self.world(project={"a": child()}, user={"b": child()}, explicit={"c": child()})
        answer = self.start(world=world).typescript(
            "return await Promise.all(['a', 'b', 'c'].map(name => callMCPTool(name, 'echo', {text: name})))")
        self.assertEqual(self.succeed(answer).result, ["a", "b", "c"])

    def test_list_servers_tells_source_and_shadows(self):
        world = self.world(project=kid("project"), user=kid("user"))
        listed = self.start(world=world).tool("list_servers").text
        self.assertIn(".mcp.json", listed)
        self.assertIn(".claude.json", listed)

    def test_none_at_all(self):
        server = self.start(world=self.world())
        self.assertEqual(self.succeed(server.typescript("return 1")).result, 1)
        self.assertIn(".mcp.json", server.tool("list_servers").text + server.stderr(), "it says where it looked")

    def test_other_settings_in_the_user_file_do_no_harm(self):
        text = json.dumps({"numStartups": 5, "projects": {}, "theme": "dark", "mcpServers": {}})
        self.succeed(self.start(world=self.world(user=text)).typescript("return 1"))

    def test_comments_and_trailing_commas(self):
        entry = json.dumps(child())
        world = self.world(project='// servers\n{"mcpServers": {"kid": %s, /* the end */ },}' % entry).approve("kid")
        self.succeed(self.start(world=world).typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))


def write_json(content, *path):
    os.makedirs(os.path.dirname(os.path.join(*path)), exist_ok=True)
    with open(os.path.join(*path), "w", encoding="utf-8") as file:
        json.dump(content, file)


class Clients(Case):
    """Files of clients that are found by themselves."""

    def test_newer_entries_of_cline(self):
        world = self.world()
        write_json({"mcpServers": {"kid": {"transport": {"type": "stdio", **child(env={"WHO": "cline"})}, "timeout": 60}}},
                   world.home, ".cline/data/settings/cline_mcp_settings.json")
        self.assertEqual(self.succeed(self.start(world=world).typescript(WHO)).result, "cline")

    def test_files_of_the_user(self):
        for path in (".copilot/mcp-config.json", ".mcporter/mcporter.json"):
            with self.subTest(path):
                world = self.world()
                write_json({"mcpServers": kid(path)}, world.home, path)
                self.assertEqual(self.succeed(self.start(world=world).typescript(WHO)).result, path)

    def test_files_of_a_project_need_approval(self):
        for path in (".github/mcp.json", "config/mcporter.json"):
            with self.subTest(path):
                world = self.world()
                write_json({"mcpServers": kid(path)}, world.cwd, path)
                server = self.start(world=world)
                answer = self.succeed(server.typescript(TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('kid', 'env'))"))
                self.mcp_error(answer.result, "needs_approval", "code-executor trust --server kid", path)
                world.approve("kid")
                self.wait_until(lambda: server.tool("list_servers").structured["sources"]["kid"]["state"] != "needs approval", "the approval")
                self.assertEqual(self.succeed(server.typescript(WHO)).result, path)

    def test_of_folders_that_programs_write_to_only_the_file_is_kept(self):
        world = self.world()
        for folder in (".github/workflows", "config"):
            os.makedirs(os.path.join(world.cwd, folder))
        for folder in (world.root, world.cwd, *(os.path.join(world.cwd, name) for name in (".github", ".github/workflows", "config"))):
            os.chmod(folder, 0o777)
        write_json({"security": {"allowWrite": [world.cwd]}}, world.home, ".code-executor.json")
        wanted = [".github/workflows/ci.yml", ".github/mcp.json", "config/app.json", "config/mcporter.json"]
        code = ("written = []\nfor name in %r:\n  try:\n    open(name, 'w').write('{}')\n    written.append(name)\n"
                "  except OSError: pass\nwritten" % [os.path.join(world.cwd, name) for name in wanted])
        answer = self.succeed(self.start(world=world).python(code, permissions={"write": [world.cwd]}))
        self.assertEqual(answer.result, [os.path.join(world.cwd, name) for name in (wanted[0], wanted[2])])
        self.wait_until(lambda: [name for name in wanted if os.path.exists(os.path.join(world.cwd, name))] == [wanted[0], wanted[2]],
                        "the end of the placeholders")


class Mistakes(Case):
    """A broken file or entry is reported, with its place; the rest is used."""

    def assert_reported(self, server, *words):
        for told in (server.tool("list_servers").text, server.tool("health").text, server.stderr()):
            for word in words:
                self.assertIn(word, told)

    def test_broken_files(self):
        for text in ('{"mcpServers": {', "", "not json", "[]", "5", '{"mcpServers": []}', '{"mcpServers": 5}', "\x00\xff"):
            with self.subTest(text):
                server = self.start(world=self.world(project=text, user=kid("user")))
                self.assertEqual(self.succeed(server.typescript(WHO)).result, "user")
                self.assert_reported(server, ".mcp.json")

    def test_syntax_error_with_its_line(self):
        server = self.start(world=self.world(project='{\n  "mcpServers": {\n    "kid": {"command" "x"}\n  }\n}'))
        self.assertRegex(server.tool("list_servers").text, r"\bline 3\b|\.mcp\.json:3\b")

    def test_explicit_file_that_is_not_there(self):
        server = self.start(world=self.world(user=kid("user")), env={"MCP_CONFIG_PATH": "/no/such/servers.json"})
        self.assertEqual(self.succeed(server.typescript(WHO)).result, "user")
        self.assert_reported(server, "/no/such/servers.json")

    def test_no_server_at_all(self):
        server = self.start(env={"MCP_CONFIG_PATH": "/no/such/servers.json"})
        self.assertIn("`health` says which files were read", server.typescript("return await callMCPTool('a', 'b')").text)
        self.assert_reported(server, "/no/such/servers.json")

    def test_file_that_is_a_folder(self):
        world = self.world(user=kid("user"))
        os.mkdir(world.project_file)
        server = self.start(world=world)
        self.assertEqual(self.succeed(server.typescript(WHO)).result, "user")

    def test_broken_entries(self):
        entries = (
            (5, []), ("node", []), ([], []), (None, []), ({}, ["command"]),
            ({"command": 5}, ["command", "string"]), ({"command": ""}, ["command"]), ({"command": ["node"]}, ["command"]),
            ({"command": "node", "args": "x"}, ["args"]), ({"command": "node", "args": [5]}, ["args"]),
            ({"command": "node", "env": []}, ["env"]), ({"command": "node", "env": {"A": {}}}, ["env", "A"]),
            ({"command": "node", "cwd": 5}, ["cwd"]),
        )
        for entry, words in entries:
            with self.subTest(entry):
                server = self.start(world=self.world(project={"broken-entry": entry, **kid("fine")}))
                self.assertEqual(self.succeed(server.typescript(WHO)).result, "fine")
                self.assertIn("broken-entry", server.tool("list_servers").text)
                for word in words:
                    self.assertIn(word, server.tool("list_servers").text)

    def test_calling_a_broken_entry(self):
        server = self.start(world=self.world(project={"broken-entry": {"command": 5}}))
        answer = self.succeed(server.typescript(
            TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('broken-entry', 'echo'))"))
        self.mcp_error(answer.result, ("server_start_failed", "server_unavailable", "unknown_server"), "broken-entry")

    def test_a_remote_server_is_named_not_dropped(self):
        server = self.start(world=self.world(project={"remote": {"url": "https://example.com/mcp"}, **kid("fine")}))
        self.assertEqual(self.succeed(server.typescript(WHO)).result, "fine")
        self.assertIn("remote", server.tool("list_servers").text)


class SelfReference(Case):
    def assert_skipped(self, entry, **options):
        server = self.start({"friend": entry, **kid("fine")}, **options)
        answer = self.succeed(server.typescript(
            TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('friend', 'echo', {text: 'x'}))"))
        self.mcp_error(answer.result, ("unknown_server", "server_unavailable", "server_start_failed"), "friend")
        self.assertEqual(self.succeed(server.typescript(WHO)).result, "fine")

    def test_by_its_path(self):
        self.assert_skipped({"command": binary()})

    def test_with_arguments(self):
        self.assert_skipped({"command": binary(), "args": ["serve"]})

    def test_by_a_symlink(self):
        link = os.path.join(self.world().root, "somebody-else")
        os.symlink(binary(), link)
        self.assert_skipped({"command": link})

    def test_found_on_the_path(self):
        folder = self.world().root
        os.symlink(binary(), os.path.join(folder, "my-executor"))
        self.assert_skipped({"command": "my-executor"}, env={"PATH": f"{folder}:{os.environ['PATH']}"})

    def test_behind_what_only_starts_it(self):
        """As far as the words say it. What they do not say is seen when it runs: test_trust.Nested."""
        own = binary()
        wrapped = {
            "nice": ["nice", "-n", "5", own], "nohup": ["nohup", own], "setsid": ["setsid", "-w", own], "timeout": ["timeout", "-k", "5", "1h", own],
            "env": ["env", "X=1", own], "cleared": ["env", "-i", own], "xvfb-run": ["xvfb-run", "-a", own], "sh": ["sh", "-c", f"exec '{own}' 2>>/tmp/log"],
            "bash": ["bash", "-lc", f"cd / && {own} serve"], "npx": ["npx", "code-executor"], "npx latest": ["npx", "-y", "code-executor@latest"],
            "container": ["docker", "run", "-i", "--rm", "-e", "A=b", "code-executor:latest"], "both": ["nice", "bash", "-lc", f"timeout 5 {own}"],
        }
        entries = {name: {"command": words[0], "args": words[1:]} for name, words in wrapped.items()}
        world = self.world(project=entries, user={f"user {name}": entry for name, entry in entries.items()} | kid("fine"))
        listed = json.loads(world.command("servers", "--json").stdout)["servers"]
        self.assertEqual([server["name"] for server in listed], ["kid"])

    def test_the_same_before_another_program(self):
        entry = child()
        for words in (["env", "WHO=wrapped"], ["timeout", "60", "env", "WHO=wrapped"], ["sh", "-c", "WHO=wrapped exec \"$@\"", "sh"]):
            with self.subTest(words):
                server = self.start({"kid": {"command": words[0], "args": [*words[1:], entry["command"], *entry["args"]]}})
                self.assertEqual(self.succeed(server.typescript(WHO)).result, "wrapped")

    def test_a_server_that_is_only_called_so(self):
        server = self.start({"code-executor": child()})
        answer = server.typescript("return await callMCPTool('code-executor', 'echo', {text: 'not us'})")
        self.assertEqual(self.succeed(answer).result, "not us")


class Environment(Case):
    SECRETS = {"OPENAI_API_KEY": "sk-secret", "GITHUB_TOKEN": "ghp-secret", "AWS_SECRET_ACCESS_KEY": "aws-secret"}

    def child_env(self, entry, env=None):
        server = self.start({"kid": entry}, env=env)
        return self.succeed(server.typescript("return await callMCPTool('kid', 'env')")).result, server

    def test_is_minimal(self):
        env, server = self.child_env(child(), env=self.SECRETS)
        self.assertFalse(set(env) & set(self.SECRETS))
        self.assertNotIn("secret", json.dumps(env))
        self.assertEqual((env["HOME"], env["PATH"]), (server.world.home, os.environ["PATH"]))

    def test_of_the_entry_is_passed(self):
        env, _ = self.child_env(child(env={"API_URL": "https://example.com/?a=b c", "EMPTY": ""}))
        self.assertEqual((env["API_URL"], env["EMPTY"]), ("https://example.com/?a=b c", ""))

    def test_of_the_entry_beats_the_inherited(self):
        env, _ = self.child_env(child(env={"LANG": "de_DE.UTF-8"}))
        self.assertEqual(env["LANG"], "de_DE.UTF-8")

    def test_variables_are_expanded(self):
        env, _ = self.child_env(child(env={"TOKEN": "${OPENAI_API_KEY}", "OTHER": "${UNSET_4711:-fallback}",
                                           "BOTH": "a-${OPENAI_API_KEY}-${UNSET_4711:-b}", "PLAIN": "$OPENAI_API_KEY"}),
                                env=self.SECRETS)
        self.assertEqual((env["TOKEN"], env["OTHER"], env["BOTH"], env["PLAIN"]),
                         ("sk-secret", "fallback", "a-sk-secret-b", "$OPENAI_API_KEY"))

    def test_variables_in_command_and_arguments(self):
        entry = {"command": "${INTERPRETER}", "args": [*PYTHON[1:], "${CHILD_SCRIPT}", "--name", "${UNSET_4711:-x y}"]}
        env, _ = self.child_env(entry, env={"INTERPRETER": PYTHON[0], "CHILD_SCRIPT": str(CHILD)})
        self.assertIn("HOME", env)

    def test_no_shell_is_involved(self):
        env, _ = self.child_env(child("--name", "$(touch pwned); `touch pwned` | & * ' \" \\"))
        self.assertIn("HOME", env)

    def test_folder(self):
        folder = self.world().root
        world = self.world(project={"there": child(cwd=folder), "here": child()}).approve("there")
        server = self.start(world=world)
        answer = self.succeed(server.typescript(
            "return [(await callMCPTool('there', 'pid')).cwd, (await callMCPTool('here', 'pid')).cwd]"))
        self.assertEqual(answer.result, [os.path.realpath(folder), os.path.realpath(server.world.cwd)])

    def test_secrets_are_not_told(self):
        server = self.start({"kid": child(env={"TOKEN": "entry-secret"}),
                             "bad": child("--refuse", env={"TOKEN": "entry-secret"})})
        self.refuse(server.typescript("await callMCPTool('bad', 'echo', {text: 'x'})"))
        told = server.tool("list_servers").text + server.tool("health").text + server.stderr()
        self.assertNotIn("entry-secret", told)
