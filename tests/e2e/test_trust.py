"""Files of a project are nobody's word: nothing of them starts before the user has approved it, and no program can write them."""

import json
import os
import sys

from support.case import Case, TRY_PYTHON, TRY_TYPESCRIPT
from support.config import child, journal_in, with_mark
from support.paths import ROOT, binary
from support.server import Server, World

CALL = "callMCPTool('kid', 'echo', {text: 'x'})"
CALL_PYTHON = "call_mcp_tool('kid', 'echo', {'text': 'x'})"
NO_NAMESPACES = [sys.executable, str(ROOT / "tests" / "e2e" / "support" / "no_namespaces.py"), binary()]


class TrustCase(Case):
    def repository(self, servers, **files):
        """A world whose project comes from somebody else."""
        world = World(trusts_project=False)
        self.addCleanup(world.remove)
        return world.configure(project=servers, **files)

    def attempt(self, server):
        return self.succeed(server.typescript(TRY_TYPESCRIPT + f"return await attempt(() => {CALL})")).result

    def attempt_in_python(self, server):
        return self.succeed(server.python(TRY_PYTHON + f"attempt(lambda: {CALL_PYTHON})")).result

    def state(self, server, name="kid"):
        return server.tool("list_servers").structured["sources"][name]["state"]


class Approval(TrustCase):
    def test_nothing_starts_and_everybody_says_how_to_approve(self):
        world = World(trusts_project=False)
        self.addCleanup(world.remove)
        journal = journal_in(world.root)
        world.configure(project={"kid": child(journal=journal, eager=True)})
        server = self.start(world=world, env={"CONNECTED_SERVERS": "kid"})
        command = "code-executor trust --server kid"
        for error in (self.attempt(server), self.attempt_in_python(server)):
            self.mcp_error(error, "needs_approval", "needs your approval", command, world.project_file)
        listed = server.tool("list_servers").structured
        self.assertEqual(listed["sources"]["kid"]["state"], "needs approval")
        self.assertIn(command, listed["errors"]["kid"])
        health = {s["name"]: s for s in server.tool("health").json()["servers"]["list"]}["kid"]
        self.assertEqual(health["status"], "needs approval")
        self.assertIn(command, health["lastError"])
        for arguments in ({"query": "kid"}, {"query": "what can the kid do"}):
            self.assertIn(command, server.tool("search_tools", arguments).text)
        self.assertIn(command, server.tool("search_tools", {"query": "echo", "server": "kid"}).text)
        self.assertIn(command, server.tool("get_tool_signature", {"server": "kid", "tool": "echo"}).text)
        told = json.loads(world.command("servers", "--json").stdout)["servers"][0]
        self.assertEqual((told["status"], told["approve"]), ("needs approval", command))
        self.assertIn(command, world.command("servers").stdout)
        indexed = world.command("index")
        self.assertIn(command, indexed.stderr)
        self.assertEqual(journal.events("started"), [], "it was started")

    def test_an_approval_counts_at_once_and_a_change_asks_again(self):
        world = self.repository({"kid": child("--name", "one")})
        server = self.start(world=world)
        self.mcp_error(self.attempt(server), "needs_approval")
        world.approve("kid")
        self.wait_until(lambda: self.attempt(server).get("value") == "x", "the approval")
        world.configure(project={"kid": child("--name", "two")})
        self.wait_until(lambda: self.state(server) == "needs approval", "the change")
        self.mcp_error(self.attempt(server), "needs_approval", "is not what you have approved")
        world.approve("kid")
        self.wait_until(lambda: self.attempt(server).get("value") == "x", "the second approval")
        server.end("eof")
        again = self.start(world=world)
        self.assertEqual(self.attempt(again), {"value": "x"}, "it outlives the server")

    def test_what_would_be_run_is_shown_as_it_is_written(self):
        world = self.repository(json.dumps({"mcpServers": {"kid": {
            "command": "run\u001b[2K", "args": ["a b", "\u202enohtyp"], "env": {"TOKEN": "${SECRET_4711}"}, "cwd": "/w"}}}))
        shown = world.command("trust", "--server", "kid", "--show", env={"SECRET_4711": "s3cret"})
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        for part in ("needs approval", "command: run\\u{1b}[2K", "argument: a b", "argument: \\u{202e}nohtyp", "variable: TOKEN=${SECRET_4711}",
                     "folder: /w", world.project_file):
            self.assertIn(part, shown.stdout)
        self.assertNotIn("s3cret", shown.stdout)
        self.assertFalse(os.path.exists(os.path.join(world.home, ".code-executor", "approved-servers.json")), "showing approves nothing")
        self.assertEqual(json.loads(world.command("trust", "--server", "kid", "--show", "--json").stdout)["approved"], False)
        self.assertEqual(json.loads(world.command("trust", "--server", "kid", "--json").stdout)["approved"], True)
        self.assertIn("nothing to approve", world.command("trust", "--server", "kid").stdout)

    def test_wrong_words(self):
        world = self.repository({"kid": child()})
        unknown = world.command("trust", "--server", "kidd")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("did you mean 'kid'?", unknown.stderr)
        self.assertEqual(world.command("trust").returncode, 2)
        self.assertEqual(world.command("trust", "kid", "--server", "kid").returncode, 2)

    def test_a_no_in_the_client_counts(self):
        world = self.repository({"kid": child(eager=True)})
        world.write_client_settings(enableAllProjectMcpServers=True, disabledMcpjsonServers=["kid"])
        server = self.start(world=world)
        self.mcp_error(self.attempt(server), "needs_approval", "you have rejected it in Claude Code", "code-executor trust --server kid")
        self.assertEqual(self.state(server), "rejected")

    def test_a_yes_in_the_client_counts(self):
        world = self.repository({"kid": child(), "other": child()})
        world.write_client_settings(enabledMcpjsonServers=["kid"])
        server = self.start(world=world)
        self.assertEqual(self.attempt(server), {"value": "x"})
        self.assertEqual(self.state(server, "other"), "needs approval")

    def test_a_yes_in_the_client_is_about_what_that_client_reads(self):
        """It has approved the name of a harmless command: what only we would read beside it starts nothing."""
        world = World(trusts_project=False)
        self.addCleanup(world.remove)
        journal = journal_in(world.root)
        world.configure(project={"kid": {**child(), "transport": child(journal=journal, eager=True)}})
        world.write_client_settings(enabledMcpjsonServers=["kid"])
        server = self.start(world=world)
        self.mcp_error(self.attempt(server), "needs_approval", "code-executor trust --server kid")
        self.assertIn("'transport' is nothing that Claude Code reads", str(server.tool("list_servers").structured["problems"]))
        self.assertIn("'transport' is nothing that Claude Code reads", world.command("servers").stdout)
        self.assertEqual(journal.events("started"), [])
        world.approve("kid")
        self.wait_until(lambda: self.attempt(server).get("value") == "x", "the approval")

    def test_the_project_hides_nothing_of_the_user(self):
        world = self.repository({"kid": child("--refuse")}, user={"kid": child()})
        server = self.start(world=world)
        self.assertEqual(self.attempt(server), {"value": "x"})
        source = server.tool("list_servers").structured["sources"]["kid"]
        self.assertEqual((source["file"], source["shadows"]), (world.user_file, [world.project_file]))
        self.assertIn("needs approval", world.command("servers").stdout)
        world.approve("kid")
        self.wait_until(lambda: server.tool("list_servers").structured["sources"]["kid"]["file"] == world.project_file, "the approval")

    def test_a_file_that_appears_starts_nothing(self):
        world = self.repository({})
        journal = journal_in(world.root)
        server = self.start(world=world)
        self.succeed(server.typescript("return 1"))
        world.configure(project={"kid": child(journal=journal, eager=True)})
        self.wait_until(lambda: "kid" in server.tool("list_servers").structured["sources"], "the file")
        self.mcp_error(self.attempt(server), "needs_approval")
        self.assertEqual(journal.events("started"), [])

    def test_what_is_written_while_we_run_is_not_approved_by_its_name(self):
        """A program may have written it: the client has only said that it trusts the name."""
        world = self.repository({"kid": child()})
        world.write_client_settings(enableAllProjectMcpServers=True)
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [world.cwd]}}, file)
        journal = journal_in(world.root)
        server = self.start(world=world)
        self.assertEqual(self.attempt(server), {"value": "x"})
        world.configure(project={"kid": child(journal=journal, eager=True), "new": child(journal=journal, eager=True)})
        self.wait_until(lambda: "new" in server.tool("list_servers").structured["sources"], "the change")
        self.mcp_error(self.attempt(server), "needs_approval", "code-executor trust --server kid")
        self.assertEqual(self.state(server, "new"), "needs approval")
        self.assertEqual(journal.events("started"), [])


class WrittenMeanwhile(TrustCase):
    """In a folder that programs may be granted for writing: nobody knows who has written it."""

    def test_an_entry_in_a_file_of_the_user_waits_for_approval(self):
        world = self.world(user={"old": child()})
        journal = journal_in(world.root)
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [world.home]}}, file)
        server = self.start(world=world)
        world.configure(user={"old": child(), "new": child(journal=journal, eager=True)})
        self.wait_until(lambda: "new" in server.tool("list_servers").structured["sources"], "the new entry")
        self.assertEqual((self.state(server, "old"), self.state(server, "new")), ("idle", "needs approval"))
        world.approve("new")
        self.wait_until(lambda: self.state(server, "new") != "needs approval", "what the user has approved")
        self.wait_until(lambda: journal.events("started"), "the start")

    def test_elsewhere_it_counts_at_once(self):
        world = self.world(user={"old": child()})
        server = self.start(world=world)
        world.configure(user={"old": child(), "new": child()})
        self.wait_until(lambda: "new" in server.tool("list_servers").structured["sources"], "the new entry")
        self.assertEqual(self.state(server, "new"), "idle")


class SwitchedOff(TrustCase):
    def setUp(self):
        super().setUp()
        self.place = self.world()
        self.journal = journal_in(self.place.root)
        self.place.configure(user={"kid": child(journal=self.journal, eager=True, disabled=True)})

    def test_is_not_started_on_our_own(self):
        server = self.start(world=self.place)
        self.assertIn("is switched off in Claude Code", server.tool("search_tools", {"query": "what does the kid do"}).text)
        self.assertEqual(self.journal.events("started"), [])
        self.assertIn("echo", server.tool("search_tools", {"query": "echo", "server": "kid"}).text)
        self.assertEqual(len(self.journal.events("started")), 1)

    def test_is_started_when_it_is_called(self):
        server = self.start(world=self.place)
        self.assertEqual(self.attempt(server), {"value": "x"})

    def test_is_started_when_the_user_says_so(self):
        self.start(world=self.place, env={"CONNECTED_SERVERS": "kid"})
        self.wait_until(lambda: len(self.journal.events("started")) == 1, "the start")


class ConfigurationIsNotWritten(TrustCase):
    """With a write grant on the project, or above it."""

    FILES = (".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".claude/settings.local.json", ".code-executor.json", "opencode.json",
             "mcp-servers/evil.json", ".codex/config.toml", "node_modules/.bin/mcp-server", ".npmrc", ".opencode/plugin/evil.js", ".github/hooks/evil.json",
             ".hg/hgrc", ".kilocode/mcp.json", ".trae/mcp.json", ".envrc", ".aider.conf.yml", ".git/config", "HEAD")

    languages = ("typescript", "python")

    def setUp(self):
        super().setUp()
        self.place = self.repository('{"mcpServers": {}}')
        os.makedirs(os.path.join(self.place.cwd, ".vscode"))
        os.chmod(self.place.root, 0o777)
        for folder in (self.place.cwd, os.path.join(self.place.cwd, ".vscode"), self.place.home):
            os.chmod(folder, 0o777)
        os.chmod(self.place.project_file, 0o666)
        with open(os.path.join(self.place.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowRead": [self.place.root], "allowWrite": [self.place.root], "dangerousPatterns": "off"}}, file)
        self.before = self.tree()
        self.server = self.start(world=self.place)

    def tree(self):
        """Of the project: all names."""
        return sorted(os.path.join(folder, name) for folder, folders, files in os.walk(self.place.cwd) for name in folders + files)

    def write_all(self, language, granted, read):
        paths = [os.path.join(self.place.cwd, name) for name in self.FILES] + [
            os.path.join(self.place.home, name) for name in (".claude.json", ".cursor/mcp.json", ".code-executor/approved-servers.json")]
        if language == "typescript":
            code = ("const done = []; for (const path of %s) { try { await Deno.mkdir(path.replace(/\\/[^/]*$/, ''), {recursive: true}) } catch {}"
                    " for (const how of [() => Deno.writeTextFile(path, '{\"mcpServers\": {}}'), () => Deno.remove(path),"
                    " async () => { await Deno.writeTextFile(%r, '{}'); await Deno.rename(%r, path) }])"
                    " try { await how(); done.push(path) } catch {} }; await Deno.writeTextFile(%r, 'x'); return done")
        else:
            code = ("import os\ndone = []\nfor path in %s:\n  try: os.makedirs(os.path.dirname(path), exist_ok=True)\n  except OSError: pass\n"
                    "  def write(): open(path, 'w').write('{\"mcpServers\": {}}')\n  def remove(): os.remove(path)\n"
                    "  def rename():\n    open(%r, 'w').write('{}'); os.rename(%r, path)\n"
                    "  for how in (write, remove, rename):\n    try:\n      how(); done.append(path)\n    except OSError: pass\n"
                    "open(%r, 'w').write('x')\ndone")
        spare, fine = os.path.join(self.place.cwd, "spare"), os.path.join(self.place.cwd, "fine.txt")
        answer = getattr(self.server, language)(code % (json.dumps(paths), spare, spare, fine), permissions={"write": granted, "read": read})
        done = self.succeed(answer).result # a guest has a /tmp of its own, so what was not granted may be written there
        self.assertEqual([path for path in done if any(path.startswith(folder + "/") for folder in granted)], [])
        os.remove(fine)
        if os.path.exists(spare):
            os.remove(spare)

    def test_neither_what_is_there_nor_what_is_not(self):
        for language in self.languages:
            for granted in ([self.place.cwd], [self.place.root]):
                for read in ([], [self.place.project_file, os.path.join(self.place.cwd, ".vscode")]):
                    with self.subTest(f"{language} {granted} {read}"):
                        self.write_all(language, granted, read)
                self.wait_until(lambda: self.tree() == self.before, lambda: f"{self.tree()} to be {self.before}")
        self.assertNotIn("evil", self.server.tool("list_servers").text)
        for name in (".claude.json", ".cursor", ".code-executor/approved-servers.json"):
            path = os.path.join(self.place.home, name) # a placeholder goes with its guest
            self.wait_until(lambda: not os.path.exists(path), f"{path} not to be there")

    def test_they_can_not_be_granted_themselves(self):
        for path in (self.place.project_file, os.path.join(self.place.cwd, ".vscode")):
            for language in self.languages:
                self.refuse(getattr(self.server, language)("1", permissions={"write": [path]}), "permissions.write", "decides what is started")

    def test_the_project_can_not_be_moved_away(self):
        other = os.path.join(self.place.root, "moved")
        for language, code in (("typescript", f"await Deno.rename({self.place.cwd!r}, {other!r})"),
                               ("python", f"import os\nos.rename({self.place.cwd!r}, {other!r})")):
            if language in self.languages:
                self.refuse(getattr(self.server, language)(code, permissions={"write": [self.place.root]}))
        self.assertFalse(os.path.exists(other))

    def test_nor_can_the_folder_of_a_file(self):
        """Also not by a run that is granted the file for reading as well, or a folder further in for writing."""
        folder = os.path.join(self.place.home, ".codeium")
        inner = os.path.join(folder, "windsurf")
        file = os.path.join(inner, "mcp_config.json")
        os.makedirs(inner)
        for each in (folder, inner):
            os.chmod(each, 0o777)
        with open(file, "w", encoding="utf-8") as there:
            there.write('{"mcpServers": {}}')
        for language, code in (("typescript", f"await Deno.rename({folder!r}, {folder + '2'!r})"),
                               ("python", f"import os\nos.rename({folder!r}, {folder + '2'!r})")):
            for more, read in (([], []), ([], [file]), ([], [folder]), ([inner], []), ([inner], [folder])):
                with self.subTest(f"{language} {more} {read}"):
                    self.refuse(getattr(self.server, language)(code, permissions={"write": [self.place.home, *more], "read": read}))
                    self.assertTrue(os.path.exists(file))

    def test_what_runs_made_is_gone_after_they_were_killed(self):
        for language, code in (("typescript", "for (;;);"), ("python", "while True: pass")):
            if language in self.languages:
                self.refuse(getattr(self.server, language)(code, permissions={"write": [self.place.cwd]}, timeoutMs=2000), "timed out")
        self.wait_until(lambda: self.tree() == self.before, lambda: f"{self.tree()} to be {self.before}")


class ConfigurationIsNotWrittenWithoutNamespaces(TrustCase):
    """Landlock knows no exceptions from what it allows, and Deno refuses by the path that a program gives: a link is another one."""

    def setUp(self):
        super().setUp()
        self.place = self.repository('{"mcpServers": {}}')
        self.inner = os.path.join(self.place.cwd, "src")
        os.mkdir(self.inner)
        for folder in (self.place.root, self.place.cwd, self.inner):
            os.chmod(folder, 0o777)
        with open(os.path.join(self.place.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowRead": [self.place.root], "allowWrite": [self.place.root]}}, file)
        self.server = self.start(world=self.place, argv=NO_NAMESPACES)

    def test_no_folder_that_holds_any_can_be_granted(self):
        before = sorted(os.listdir(self.place.cwd))
        for granted in (self.place.cwd, self.place.root):
            self.refuse(self.server.typescript("return 1", permissions={"write": [granted]}), "without namespaces", "name a folder inside of it")
        self.assertEqual(sorted(os.listdir(self.place.cwd)), before)

    def test_one_inside_can(self):
        file = os.path.join(self.inner, "a.txt")
        self.succeed(self.server.typescript(f"await Deno.writeTextFile({file!r}, 'x'); return 1", permissions={"write": [self.inner]}))
        self.assertTrue(os.path.exists(file))


class SettingsOfTheProject(TrustCase):
    def start_with(self, settings, own=None):
        world = self.repository({"kid": child()})
        for folder, content in ((world.cwd, settings), (world.home, own)):
            if content is not None:
                with open(os.path.join(folder, ".code-executor.json"), "w", encoding="utf-8") as file:
                    json.dump(content, file)
        return world

    def test_narrow(self):
        server = self.start(world=self.start_with({"executors": {"python": {"enabled": False}}, "security": {"maxTimeoutMs": 2000}}))
        self.refuse(server.python("1"), "executors.python.enabled")
        self.refuse(server.typescript("return 1", timeoutMs=3000), "security.maxTimeoutMs")

    def test_do_not_open(self):
        world = self.start_with({"security": {"allowRead": ["/"], "allowWrite": ["/"], "allowNetwork": True, "dangerousPatterns": "off"}})
        server = self.start(world=world)
        self.refuse(server.python("1", permissions={"read": ["/etc/hostname"]}), "security.allowRead names no folder")
        self.refuse(server.typescript("return eval('1')"), "eval")

    def test_folders_have_to_be_in_both(self):
        world = self.start_with({"security": {"allowRead": ["in"]}})
        for name in ("in", "out"):
            os.mkdir(os.path.join(world.cwd, name))
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowRead": [world.cwd]}}, file)
        os.chmod(world.root, 0o755)
        server = self.start(world=world)
        self.succeed(server.python("1", permissions={"read": [os.path.join(world.cwd, "in")]}))
        self.refuse(server.python("1", permissions={"read": [os.path.join(world.cwd, "out")]}), "in the settings of the project")

    def test_what_they_can_not_say_stops_the_start(self):
        world = self.start_with({"mcpConfigPath": "evil.json"})
        done = world.command()
        self.assertEqual(done.returncode, 2)
        for part in (os.path.join(world.cwd, ".code-executor.json") + ":1", "'mcpConfigPath'", "move it there, or remove it"):
            self.assertIn(part, done.stderr)


class Nested(TrustCase):
    """A server of ours behind something that is not ours."""

    def test_runs_nothing(self):
        inner = World()
        self.addCleanup(inner.remove)
        inner.configure(user={"secret": child()})
        script = os.path.join(inner.root, "start")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"exec env -i HOME={inner.home} PATH={os.environ['PATH']} {binary()}\n")
        behind = {
            "interpreter": {"command": sys.executable, "args": ["-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])", binary()],
                            "env": {"HOME": inner.home}},
            "shell": {"command": "bash", "args": ["-lc", f"run={binary()}; HOME={inner.home} exec \"$run\""]},
            "alternative": {"command": "bash", "args": ["-lc", f"false || HOME={inner.home} exec {binary()}"]},
            "cleared": {"command": "sh", "args": [script]},
        }
        world = self.world(user=behind)
        server = self.start(world=world)
        call = "callMCPTool(name, 'run-typescript-code', {code: \"return await callMCPTool('secret', 'echo', {text: 'out'})\"})"
        for name in behind:
            with self.subTest(name):
                answer = server.typescript(f"const name = {name!r};" + TRY_TYPESCRIPT + f"return await attempt(() => {call})",
                                           allowedTools=[f"mcp__{name}__run-typescript-code"])
                self.mcp_error(self.succeed(answer).result, "server_start_failed", "is this program")

    def test_starts_nothing_for_a_search(self):
        server = self.start({"kid": child()}, env={"CODE_EXECUTOR_OUTER": "1"})
        self.refuse(server.typescript("return 1"), "does nothing for a program of code-executor")
        for tool, arguments in (("search_tools", {"query": "kid"}), ("list_servers", {}), ("get_tool_signature", {"server": "kid", "tool": "echo"})):
            self.assertIn("does nothing for a program of code-executor", server.tool(tool, arguments).text)
        self.assertIn("healthy", server.tool("health").text)

    def test_starts_no_server_of_its_own(self):
        """Else one that starts us again, by a shell, would have us start without end."""
        journal = self.journal()
        world = self.world(user={"kid": child(journal=journal, eager=True)})
        server = self.start(world=world, env={"CODE_EXECUTOR_OUTER": "1", "CONNECTED_SERVERS": "kid"})
        self.assertIn("healthy", server.tool("health").text)
        world.configure(user={"kid": child(journal=journal, eager=True), "more": child(journal=journal, eager=True)})
        self.wait_until(lambda: "configuration: read again" in server.stderr(), "the reading of the change")
        server.stop()
        self.assertEqual(journal.events(), [])

    def test_of_a_client_is_not_nested(self):
        server = self.start({"kid": child()})
        self.assertEqual(self.attempt(server), {"value": "x"})
