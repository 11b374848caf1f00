"""`code-executor setup`: puts the program into clients' files, and undoes it."""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest

from support.client_files import FILES, PLAIN, SECRET
from support.config import child
from support.paths import SLOWNESS, binary
from support.setup_case import SetupCase
from support.terminal import shown_on_terminal
from support.users import as_nobody, require_another_user
from support.waiting import wait_until

FIVE = ("claude-code", "codex", "cursor", "goose", "zed")
NOTHING = {}


class AllClients(SetupCase):
    def test_is_put_in_once_and_undone_byte_for_byte(self):
        before = self.write()
        self.assertEqual(set(self.changes("--yes").values()), {"added"})
        after = self.files()
        self.assertEqual(set(after), set(before), "another file was made")
        for path, old in before.items():
            new = after[path]
            self.assertIn(binary().encode(), new)
            self.assertEqual(new.count(b"\r\n") == new.count(b"\n"), old.count(b"\r\n") == old.count(b"\n"), path)
            lines = new.splitlines()
            kept = [line for line in old.splitlines() if line in lines or line + b"," in lines]
            if len(old.splitlines()) > 1:
                self.assertEqual(kept, old.splitlines(), path)
        self.assertEqual(set(self.changes("--yes").values()), {"none"})
        self.assertEqual(self.files(), after, "the second time changed something")
        listed = json.loads(self.place.command("servers", "--json", env=self.env).stdout)
        self.assertEqual([server["name"] for server in listed["servers"]], ["other"])
        self.assertEqual(listed["problems"], [])
        self.setup_command("--undo")
        self.assertEqual(self.files(), before)
        self.assertIn("no set-up to undo", self.setup_command("--undo").stdout)

    def test_is_taken_out_again(self):
        before = self.write()
        self.setup_command("--yes")
        self.assertEqual(set(self.changes("--remove", "--yes").values()), {"removed"})
        self.assertEqual(self.files(), before)
        self.assertEqual(set(self.changes("--remove", "--yes").values()), {"none"})

    def test_makes_the_files_that_are_absent(self):
        self.setup_command("--yes", *(word for client in FILES for word in ("--client", client)))
        self.assertEqual(len(self.files()), len(FILES))
        for path in self.files():
            self.assertEqual(stat.S_IMODE((self.home / path).stat().st_mode), 0o600, path)
        self.assertEqual(set(self.changes("--dry-run").values()), {"none"})
        self.setup_command("--undo")
        self.assertEqual(sorted(path.name for path in self.home.iterdir()), [".code-executor"], "folders are left")

    def test_a_path_of_a_project_is_not_written(self):
        folder = self.home / "p/node_modules/.bin"
        folder.mkdir(parents=True)
        (folder / "code-executor").symlink_to(binary())
        told = self.setup_command("--dry-run", "--client", "cursor", env={"PATH": str(folder)}).stdout
        self.assertNotIn("node_modules", told)
        self.assertIn(os.path.realpath(binary()), told)

    def test_puts_servers_behind_it(self):
        before = self.write()
        told = self.document("--yes", "--behind")
        own = json.loads((self.home / ".config/code-executor/servers.json").read_text())["mcpServers"]
        self.assertEqual(own, {"other": {"command": "other-server", "args": ["--stdio"], "env": {"TOKEN": SECRET}}})
        for each in told["clients"]:
            self.assertEqual((each["moved"], each["staying"]), (["other"], []), each["client"])
            self.assertNotIn("other-server", pathlib.Path(each["file"]).read_text(), each["client"])
        listed = json.loads(self.place.command("servers", "--json", env=self.env).stdout)["servers"]
        self.assertEqual([(server["name"], server["client"]) for server in listed], [("other", "code-executor")])
        after = self.files()
        self.setup_command("--yes", "--behind")
        self.assertEqual(self.files(), after)
        self.assertIn("which no client reads", " ".join(self.setup_command("--yes", "--remove").stdout.split()))
        self.setup_command("--undo")
        self.setup_command("--undo")
        self.assertEqual(self.files(), before)

    def test_shows_and_writes_nothing(self):
        before = self.write(*FIVE)
        shown = self.setup_command("--dry-run", "--behind").stdout
        self.assertIn('+ [mcp_servers.code-executor]', shown)
        self.assertIn("behind code-executor: other", shown)
        refused = self.setup_command(code=2)
        self.assertIn("--yes writes it", refused.stderr)
        self.assertIn("Codex: code-executor is added", refused.stdout)
        self.assertEqual(self.files(), before)
        self.assertFalse((self.home / ".code-executor").exists())

    def test_takes_no_time(self):
        self.write(*FIVE)
        servers = {f"server-{i}": {"command": "server", "args": [str(i)]} for i in range(50)}
        (self.home / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=2))
        begin = time.monotonic()
        told = self.document("--yes", "--behind")
        self.assertLess(time.monotonic() - begin, 2 * SLOWNESS)
        self.assertEqual(max(len(each["moved"]) for each in told["clients"]), 50)


class Bad(SetupCase):
    def test_each_broken_file_stays_and_the_others_go_on(self):
        self.write()
        for client, (path, text) in FILES.items():
            broken = text.encode()[:-40] + b"\n{[broken\n"
            (self.home / path).write_bytes(broken)
            clients = {each["client"]: each for each in self.document("--dry-run", code=1)["clients"]}
            problem = clients.pop(client)["problem"]
            self.assertRegex(problem, rf"^{self.home / path}: .*line \d+, column \d+")
            self.assertEqual({each["change"] for each in clients.values()}, {"added"}, client)
            (self.home / path).write_bytes(text.encode())
        for path, text in FILES.values():
            (self.home / path).write_bytes(text.encode()[:-40] + b"\n{[broken\n")
        before = self.files()
        self.assertEqual(set(self.changes("--yes", "--behind", code=1).values()), {"failed"})
        self.assertEqual(self.files(), before)

    def test_what_is_no_file_of_text(self):
        self.write("zed")
        for client, content in (("cursor", b"\xff\xfe{\0}\0"), ("codex", b"a = \"\0\""), ("gemini", b"{\"\xff\": 1}")):
            path = self.home / FILES[client][0]
            path.parent.mkdir(parents=True)
            path.write_bytes(content)
        (self.home / ".qwen/settings.json").mkdir(parents=True)
        (self.home / ".lmstudio").mkdir()
        os.mkfifo(self.home / ".lmstudio/mcp.json")
        changes = self.changes("--yes", code=1)
        self.assertEqual(changes.pop("zed"), "added")
        self.assertEqual(changes, dict.fromkeys(("cursor", "codex", "gemini", "qwen", "lm-studio"), "failed"))

    @unittest.skipIf(os.geteuid() != 0, "only root can write into the homes of others")
    def test_root_leaves_the_homes_of_others(self):
        before = self.write("codex")
        os.chown(self.home, 65534, 65534)
        for words in (("--yes",), ("--undo",)):
            self.assertIn("HOME is of another user; run setup as that user", self.setup_command(*words, code=1).stderr)
        self.assertEqual(self.files(), before)
        self.assertFalse((self.home / ".code-executor/setup").exists())

    def test_links_are_followed_and_kept(self):
        self.write("cursor")
        real = self.home / "dotfiles" / "cursor.json"
        real.parent.mkdir()
        (self.home / ".cursor/mcp.json").rename(real)
        real.chmod(0o640)
        before = real.read_bytes()
        (self.home / ".cursor/mcp.json").symlink_to("../dotfiles/cursor.json")
        (self.home / ".codex").mkdir()
        (self.home / ".codex/config.toml").symlink_to("/nowhere/config.toml")
        self.assertEqual(self.changes("--yes", code=1), {"cursor": "added", "codex": "failed"})
        self.assertTrue((self.home / ".cursor/mcp.json").is_symlink())
        self.assertIn(b"code-executor", real.read_bytes())
        self.assertEqual(stat.S_IMODE(real.stat().st_mode), 0o640)
        self.setup_command("--undo")
        self.assertEqual(real.read_bytes(), before)
        self.assertEqual(sorted(path.name for path in real.parent.iterdir()), ["cursor.json"])

    def test_a_file_with_two_names_is_left(self):
        before = self.write("codex", "cursor")
        os.link(self.home / ".cursor/mcp.json", self.home / "same.json")
        self.assertEqual(self.changes("--yes", code=1), {"codex": "added", "cursor": "failed"})
        self.assertIn("has 2 names (hard links)", " ".join(self.setup_command("--dry-run", code=1).stdout.split()))
        self.assertEqual((self.home / "same.json").read_bytes(), before[".cursor/mcp.json"])

    def test_an_entry_with_options_alone_is_ours(self):
        self.write("cursor")
        entry = {"mcpServers": {"mine": {"command": str(binary()), "args": ["--http", "127.0.0.1:3333"]}}}
        (self.home / ".cursor/mcp.json").write_text(json.dumps(entry))
        self.assertEqual(self.changes("--yes"), {"cursor": "none"})
        self.assertEqual(self.changes("--yes", "--remove"), {"cursor": "removed"})

    def test_a_home_that_is_not_there(self):
        nowhere = {"HOME": "/proc/nowhere"}
        self.assertIn("no client was found", self.setup_command("--dry-run", code=1, env=nowhere).stderr)
        self.assertIn("/proc/nowhere", self.setup_command("--yes", "--client", "codex", code=1, env=nowhere).stderr)
        self.assertIn("HOME is not set", self.setup_command("--yes", code=2, env={"HOME": ""}).stderr)

    def test_a_home_that_is_read_only(self):
        require_another_user()
        before = self.write(*FIVE)
        for folder in [self.home, *(path for path in self.home.rglob("*") if path.is_dir())]:
            folder.chmod(0o555)
        os.chmod(self.place.root, 0o755)
        state = os.path.join(self.place.root, "state")
        os.mkdir(state)
        os.chown(state, 65534, 65534)

        def refused(env):
            done = subprocess.run(as_nobody(binary(), "setup", "--yes", "--behind", "--sync", "systemd"), env=self.place.environment({"PATH": "/usr/bin:/bin", **env}),
                                  cwd=self.place.cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertEqual(self.files(), before)
            return done
        self.assertIn("Permission denied", refused(NOTHING).stderr)
        told = refused({"CODE_EXECUTOR_STATE_DIR": state}).stdout
        self.assertIn("not written: ", told)
        self.assertNotIn("next login", told, "there is nothing to tell the scheduler")

    def test_a_full_disk(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("mounts a small disk")
        script = f"""
import os, pathlib, subprocess, sys
home, state, files = "{self.home}", "{self.place.root}/state", {{}}
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "small", home], check=True)
text = {PLAIN!r}
for name in (".cursor/mcp.json", ".gemini/settings.json"):
    path = pathlib.Path(home, name)
    path.parent.mkdir()
    path.write_text(text)
    files[path] = text
with open(home + "/fill", "wb", buffering=0) as fill:
    try:
        while fill.write(b"x" * 4096): pass
    except OSError: pass
for place in (home + "/.code-executor", state):
    done = subprocess.run(["{binary()}", "setup", "--yes", "--behind"], env={{**os.environ, "CODE_EXECUTOR_STATE_DIR": place}},
                          capture_output=True, text=True)
    print(done.returncode, done.stdout, done.stderr)
    assert all(path.read_text() == text for path, text in files.items())
    left = sorted(str(path.relative_to(home)) for path in pathlib.Path(home).rglob("*") if path.is_file())
    assert [name for name in left if ".code-executor/" not in name] == [".cursor/mcp.json", ".gemini/settings.json", "fill"], left
"""
        done = subprocess.run(["unshare", "-m", sys.executable, "-c", script], env=self.place.environment({"PATH": os.environ["PATH"]}),
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("No space left on device"), 2, done.stdout)

    def test_undo_of_files_that_have_changed_since(self):
        before = self.write(*FIVE)
        self.setup_command("--yes", "--behind")
        after = self.files()
        path = self.home / ".codex/config.toml"
        path.write_bytes(path.read_bytes().replace(b"tool_timeout_sec = 330", b"tool_timeout_sec = 20"))
        refused = self.setup_command("--undo", code=1).stderr
        self.assertIn(f"{path}: has been changed since, and can not be undone: the entry 'code-executor' has been changed since", refused)
        self.assertEqual(self.files(), {**after, ".codex/config.toml": path.read_bytes()})
        path.write_bytes(after[".codex/config.toml"] + b"\n[more]\na = 1\n")
        told = json.loads(self.setup_command("--undo", "--json").stdout)
        self.assertEqual(told["changedFiles"], [str(path)])
        undone = self.files()
        text = undone.pop(".codex/config.toml").decode()
        self.assertEqual(undone, {name: content for name, content in before.items() if name != ".codex/config.toml"})
        self.assertIn("[more]\na = 1\n", text)
        self.assertIn("[mcp_servers.other.env]", text)
        self.assertNotIn("\n[mcp_servers.code-executor]", text)

    def test_wrong_words(self):
        self.assertIn("did you mean 'codex'?", self.setup_command("--client", "codexx", code=2).stderr)
        self.setup_command("--undo", "--remove", code=2)
        self.setup_command("--behind", "--remove", code=2)

    def test_programs_do_not_write_what_is_run_every_day(self):
        self.setup_command("--yes", "--sync", "systemd")
        unit = self.home / ".config/systemd/user/code-executor-sync.service"
        before = unit.read_bytes()
        for path in (pathlib.Path(self.place.root), self.home, *unit.relative_to(self.home).parents, unit):  # guests of root are nobody
            (self.home / path).chmod(0o777)
        (self.home / ".code-executor.json").write_text(json.dumps({"security": {"allowWrite": [str(self.home)]}}))
        code = f"""
open({str(self.home / 'other')!r}, 'w').close()
try:
    open({str(unit)!r}, 'a').write('#')
except OSError as error:
    print('refused:', error.strerror)"""
        done = self.place.command("run", "--python", "--write", str(self.home), "-e", code)
        self.assertIn("refused: Read-only file system", done.stderr)
        self.assertTrue((self.home / "other").exists())
        self.assertEqual(unit.read_bytes(), before)

    def test_no_file_of_the_project_is_written(self):
        project = pathlib.Path(self.place.cwd)
        for name in (".mcp.json", ".cursor/mcp.json", ".codex/config.toml"):
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text("{}" if name.endswith("json") else "")
        self.write("cursor")
        self.assertEqual(self.changes("--yes", "--behind"), {"cursor": "added"})
        self.assertEqual((project / ".cursor/mcp.json").read_text(), "{}")


class AtOnce(SetupCase):
    def test_two_exclude_each_other(self):
        self.write(*FIVE)
        command = [binary(), "setup", "--yes", "--behind", "--json"]
        both = [subprocess.Popen(command, env=self.place.environment(self.env), cwd=self.place.cwd, stdout=subprocess.PIPE, text=True)
                for _ in range(2)]
        told = [json.loads(process.communicate()[0]) for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0])
        self.assertEqual(sorted(each["written"] for each in told), [False, True])
        self.setup_command("--undo")

    def test_one_that_was_killed_blocks_nobody(self):
        self.write(*FIVE)
        (self.bin / "crontab").write_text("#!/bin/sh\necho > \"$HOME/.asked\"\nexec /bin/sleep 600\n")
        (self.bin / "crontab").chmod(0o755)
        held = subprocess.Popen([binary(), "setup", "--yes"], env=self.place.environment(self.env), cwd=self.place.cwd, stdout=subprocess.DEVNULL)
        lock, asked = self.home / ".code-executor/setup/lock", self.home / ".asked"
        wait_until(lambda: lock.exists() and asked.exists(), "a lock")
        self.assertIn("another `code-executor setup` has not ended yet", self.setup_command("--yes", code=1).stderr)
        held.send_signal(signal.SIGKILL)
        held.wait()
        (self.bin / "crontab").unlink()
        self.assertTrue(lock.exists(), "it had no time to remove it")
        self.assertEqual(set(self.changes("--yes").values()), {"added"})
        self.assertFalse(lock.exists())
        lock.write_text("1234567\n")
        self.assertEqual(set(self.changes("--yes").values()), {"none"})

    def test_many_servers_go_behind_it_at_once(self):
        self.write("codex", "cursor")
        servers = {f"server-{i}": {"command": "server", "args": [str(i)]} for i in range(1000)}
        (self.home / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=2))
        (self.home / ".codex/config.toml").write_text("mcp_servers = {one = {command = 'x'}, two = {command = 'y'}}\n")
        before = self.files()
        begin = time.monotonic()
        told = {each["client"]: each for each in self.document("--yes", "--behind")["clients"]}
        self.assertLess(time.monotonic() - begin, 5 * SLOWNESS)
        self.assertEqual([len(told[client]["moved"]) for client in ("cursor", "codex")], [1000, 2])
        self.assertRegex((self.home / ".codex/config.toml").read_text(), r"^mcp_servers = \{code-executor = \{command = .*\}\}\n$")
        self.setup_command("--undo")
        self.assertEqual(self.files(), before)

    def test_a_client_that_runs_is_to_be_restarted(self):
        self.write("codex", "zed")
        script = self.bin / "codex"
        shutil.copy(sys.executable, self.bin / "node")
        script.write_text("import time\ntime.sleep(600)\n")
        client = subprocess.Popen([str(self.bin / "node"), str(script)])
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        shown = self.setup_command("--yes").stdout
        self.assertIn(f"Codex runs now (process {client.pid}): restart it", " ".join(shown.split()))
        self.assertNotIn("Zed runs now", shown)


class AtATerminal(SetupCase):
    def test_asks_and_writes(self):
        before = self.write("codex", "cursor")
        terminal = self.terminal()
        self.assertEqual(self.answer(terminal, "\n", "n\n", "n\n", "\n", "\n", "n\n", "\n", "\n"), 0, terminal.shown)
        self.assertIn("CODE-EXECUTOR", terminal.shown)
        after = self.files()
        self.assertEqual(after[".cursor/mcp.json"], before[".cursor/mcp.json"])
        self.assertNotEqual(after[".codex/config.toml"], before[".codex/config.toml"])
        self.assertNotIn("\x1b", terminal.shown)

    def test_nothing_is_written_before_the_last_answer(self):
        before = self.write("codex", "cursor")
        yes = ["y\n", "y\n", "y\n", "y\n", "y\n", "\n", "n\n", "y\n"]
        for ending, code in (("\x03", -signal.SIGINT), ("\x04", 1)):
            for asked in range(len(yes) + 1):
                terminal = self.terminal()
                self.assertEqual(self.answer(terminal, *yes[:asked], ending), code, terminal.shown)
                self.assertEqual(self.files(), before, f"{ending!r} at question {asked + 1}")
                self.assertFalse((self.home / ".code-executor/setup").exists(), f"{ending!r} at question {asked + 1}")
        terminal = self.terminal()
        self.assertEqual(self.answer(terminal, *yes, "n\n"), 1)
        self.assertEqual(self.files(), before)
        terminal = self.terminal()
        self.assertEqual(self.answer(terminal, *yes, "maybe\n", "y\n"), 0, terminal.shown)
        self.assertIn("other", self.files()[".config/code-executor/servers.json"].decode())
        self.assertIn("// Settings of code-executor", self.files()[".code-executor.json"].decode())
        self.assertIn("the settings are right", self.place.command("config", "check").stdout)
        self.setup_command("--undo")
        self.assertEqual(self.files(), before)

    def test_fits_into_forty_columns(self):
        self.write("codex", "cursor")
        terminal = self.terminal(columns=40)
        self.assertEqual(self.answer(terminal, "\n", "y\n", "\n", "y\n", "y\n", "n\n", "n\n", "n\n", "n\n"), 1, terminal.shown)
        words = [line for line in terminal.shown.splitlines() if " " in line.strip() and not line.strip().startswith(("+", "~", "/"))]
        self.assertEqual([line for line in words if len(line.rstrip()) > 40], [])

    def test_approves_servers_of_the_project_and_reads_tools(self):
        self.write("cursor")
        (self.home / ".cursor/mcp.json").write_text("{}")
        self.place.configure(project={"kid": child(), "no": child()})
        terminal = self.terminal()
        self.assertEqual(self.answer(terminal, "n\n", "n\n", "n\n", "y\n", "n\n", "y\n"), 0, terminal.shown)
        self.assertIn("a file of this project", " ".join(terminal.shown.split()))
        listed = json.loads(self.place.command("servers", "--json", env=self.env).stdout)["servers"]
        self.assertEqual({each["name"]: each["status"] for each in listed}, {"kid": "available", "no": "needs approval"})
        terminal = self.terminal()
        self.assertEqual(self.answer(terminal, "\n", "\n", "\n", "\n", "\n", "\n", "\n"), 0, terminal.shown)
        self.assertRegex(terminal.shown, r"kid: \d+ tools")

    def test_undo_asks(self):
        self.write("codex")
        self.setup_command("--yes")
        after = self.files()
        terminal = self.terminal("--undo")
        self.assertEqual(self.answer(terminal, "n\n"), 1)
        self.assertEqual(self.files(), after)

    def test_output_that_nobody_sees(self):
        self.write("codex")
        code, _ = shown_on_terminal([binary(), "setup"], self.place.environment(self.env), self.place.cwd)
        self.assertEqual(code, 2, "stdin is no terminal")


if __name__ == "__main__":
    unittest.main()
