"""The daily sync: `code-executor setup --sync`, what it writes for each scheduler, and the record that `sync-wrappers` keeps."""

import json
import os
import pathlib
import plistlib
import shlex
import shutil
import stat
import subprocess
import unittest

from support.config import child
from support.paths import binary
from support.setup_case import SetupCase

UNITS = ("code-executor-sync.service", "code-executor-sync.timer", "timers.target.d/code-executor-sync.conf")
HOSTILE = "a \"b' %h %% $HOME \\n <&> \u00e9\nnew"
# As `crontab` does it: -l, -r, a file, or `-` for stdin. The table lies in $HOME/.table.
CRONTAB = """#!/bin/sh
table="$HOME/.table"
echo "$@" >> "$HOME/.calls"
case "$1" in
-l) if [ -f "$table" ]; then /bin/cat "$table"; else echo "no crontab for you" >&2; exit 1; fi ;;
-r) /bin/rm "$table" ;;
-) /bin/cat > "$table" ;;
*) [ "$REFUSES" ] && { echo "You are not allowed to use this program" >&2; exit 1; }; /bin/cat "$1" > "$table" ;;
esac
"""
SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/.systemctl"
[ "$REFUSES" ] && { echo "Failed to connect to bus" >&2; exit 1; }
exit 0
"""
OTHER_JOBS = "# mine\n0 1 * * * echo \"50\\%\" > /dev/null\nMAILTO=me\n"


class SyncCase(SetupCase):
    def setUp(self):
        super().setUp()
        self.units = self.home / ".config/systemd/user"
        self.table = self.home / ".table"

    def program(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def has_systemd(self):
        runtime = pathlib.Path(self.place.root, "runtime")
        (runtime / "systemd").mkdir(parents=True)
        self.env["XDG_RUNTIME_DIR"] = str(runtime)
        self.program("systemctl", SYSTEMCTL)

    def sync(self, *words, code=0, env=None):
        return self.document(*words, code=code, env=env)["sync"]

    def told_systemd(self):
        path = self.home / ".systemctl"
        calls = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return calls

    def left(self):
        """Without what the stand-ins write."""
        return {path: text for path, text in self.files().items() if path not in (".calls", ".systemctl")}


class BySystemd(SyncCase):
    def test_is_off_unless_it_is_asked_for(self):
        self.has_systemd()
        self.program("crontab", CRONTAB)
        self.write("codex")
        self.assertEqual(self.sync("--yes"), {"by": None, "change": "none", "last": None})
        self.assertFalse(self.units.exists() or self.table.exists())
        self.assertEqual(self.told_systemd(), [])
        self.assertIn("Daily sync: off", self.setup_command("--dry-run").stdout)

    def test_is_written_once_taken_out_and_undone(self):
        self.has_systemd()
        before = self.write("codex")
        self.assertEqual(self.sync("--dry-run", "--sync", "daily")["change"], "added")
        self.assertEqual(self.files(), before)
        self.assertEqual(self.sync("--yes", "--sync", "daily"), {"by": "systemd", "change": "added", "last": None})
        self.assertEqual(self.told_systemd(), ["--user daemon-reload", "--user restart code-executor-sync.timer"])
        for unit in UNITS:
            self.assertEqual(stat.S_IMODE((self.units / unit).stat().st_mode), 0o600)
        after = self.left()
        self.assertEqual(self.sync("--yes", "--sync", "daily")["change"], "none")
        self.assertEqual([self.sync("--yes")["by"], self.left(), self.told_systemd()], ["systemd", after, []])
        self.assertEqual(self.sync("--yes", "--sync", "off"), {"by": None, "change": "removed", "last": None})
        self.assertEqual(self.told_systemd(), ["--user stop code-executor-sync.timer", "--user daemon-reload"])
        self.assertEqual([name for name in self.left() if "systemd" in name], [])
        self.setup_command("--undo")
        self.assertEqual(self.left(), after)
        self.assertEqual(self.told_systemd(), ["--user daemon-reload", "--user restart code-executor-sync.timer"])
        self.assertEqual(self.sync("--yes", "--remove")["change"], "removed")
        self.assertEqual(self.left(), before)
        for _ in range(2):
            self.setup_command("--undo")
        self.assertEqual(self.left(), before)
        self.assertFalse((self.home / ".config").exists(), "folders are left")

    def test_of_some_clients_alone_it_stays(self):
        self.has_systemd()
        self.write("codex", "cursor")
        self.setup_command("--yes", "--sync", "daily")
        self.assertEqual(self.sync("--yes", "--remove", "--client", "codex")["by"], "systemd")
        self.assertTrue((self.units / UNITS[1]).exists())

    def test_a_manager_that_does_not_answer(self):
        self.has_systemd()
        told = self.setup_command("--yes", "--sync", "daily", env={"REFUSES": "1"}).stdout
        self.assertIn("before your next login: systemctl: Failed to connect to bus", " ".join(told.split()))

    def test_a_file_of_the_user_is_in_the_way(self):
        self.has_systemd()
        self.units.mkdir(parents=True)
        (self.units / UNITS[1]).write_text("[Timer]\nOnCalendar=weekly\n")
        before = self.files()
        told = self.sync("--yes", "--sync", "daily", code=1)
        self.assertEqual([told["by"], told["change"]], [None, "failed"])
        self.assertIn("code-executor-sync.timer: is not a file that code-executor has written", told["problem"])
        self.assertEqual(self.left(), before)
        self.assertEqual(self.sync("--yes", "--sync", "off")["change"], "none")
        self.assertEqual(self.left(), before)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_systemd_reads_them(self):
        folder = pathlib.Path(self.place.cwd, HOSTILE)
        folder.mkdir()
        self.place.cwd = str(folder)
        self.setup_command("--yes", "--sync", "systemd", "--wrappers", HOSTILE)
        runtime = pathlib.Path(self.place.root, "run")
        runtime.mkdir()
        for unit in UNITS[:2]:
            done = subprocess.run(["systemd-analyze", "verify", "--user", str(self.units / unit)], capture_output=True, text=True, check=False,
                                  env={**os.environ, "HOME": self.place.home, "XDG_RUNTIME_DIR": str(runtime)})
            if "Failed to initialize manager" in done.stderr:
                self.skipTest("systemd-analyze does not work here: " + done.stderr)
            self.assertEqual([done.returncode, done.stderr], [0, ""])


class ByCron(SyncCase):
    def setUp(self):
        super().setUp()
        self.program("crontab", CRONTAB)

    def test_keeps_the_other_jobs(self):
        self.table.write_text(OTHER_JOBS)
        self.assertEqual(self.sync("--yes", "--sync", "daily")["by"], "cron")
        text = self.table.read_text()
        self.assertTrue(text.startswith(OTHER_JOBS))
        lines = text[len(OTHER_JOBS):].splitlines()
        self.assertEqual(len(lines), 3)
        self.assertEqual(lines[1], f"17 5 * * * /bin/sh '{self.home}/.code-executor/daily-sync.sh'")
        calls = (self.home / ".calls").read_text().count("new")
        self.assertEqual(self.sync("--yes", "--sync", "daily")["change"], "none")
        self.assertEqual([self.table.read_text(), (self.home / ".calls").read_text().count("new")], [text, calls])
        self.assertEqual(self.sync("--yes", "--remove")["change"], "removed")
        self.assertEqual(self.table.read_text(), OTHER_JOBS)
        self.assertFalse((self.home / ".code-executor/daily-sync.sh").exists())
        self.setup_command("--undo")
        self.assertEqual(self.table.read_text(), text)
        self.setup_command("--undo")
        self.assertEqual(self.table.read_text(), OTHER_JOBS)

    @unittest.skipUnless(shutil.which("crontab"), "cron is not installed")
    def test_cron_reads_it(self):
        self.setup_command("--yes", "--sync", "cron")
        done = subprocess.run(["crontab", "-T", str(self.table)], capture_output=True, text=True, check=False)
        if "invalid option" in done.stderr or "illegal option" in done.stderr:
            self.skipTest("this crontab has no check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_one_that_was_not_there_is_gone_again(self):
        self.setup_command("--yes", "--sync", "cron")
        self.assertTrue(self.table.exists())
        self.setup_command("--undo")
        self.assertFalse(self.table.exists())

    def test_jobs_that_came_since_stay_when_it_is_undone(self):
        self.table.write_text(OTHER_JOBS)
        self.setup_command("--yes", "--sync", "cron")
        self.table.write_text("@daily true\n" + self.table.read_text() + "@hourly true\n")
        self.assertEqual(json.loads(self.setup_command("--undo", "--json").stdout)["changedFiles"], ["crontab"])
        self.assertEqual(self.table.read_text(), "@daily true\n" + OTHER_JOBS + "@hourly true\n")

    def test_what_it_runs(self):
        """The script does what it says, whatever is in the paths."""
        folder = pathlib.Path(self.place.cwd, HOSTILE)
        folder.mkdir()
        self.place.cwd = str(folder)
        self.place.configure(user={"kid": child()})
        path = f"{self.bin}:/usr/bin:/bin"
        self.setup_command("--yes", "--sync", "cron", "--wrappers", "x", "--client", "codex", env={"PATH": path})
        self.assertFalse((folder / "x/wrappers/typescript/kid.ts").exists(), "its tools are not known yet")
        command = self.table.read_text().splitlines()[1].split(maxsplit=5)[5].replace("\\%", "%")
        self.assertEqual(shlex.split(command)[0], "/bin/sh")
        done = subprocess.run(["/bin/sh", "-c", command], env={"HOME": self.place.home, "PATH": "/usr/bin:/bin"}, cwd="/", capture_output=True,
                              text=True, check=False)
        self.assertEqual([done.returncode, done.stdout, done.stderr], [0, "", ""])
        self.assertTrue((folder / "x/wrappers/typescript/kid.ts").exists())
        last = self.sync("--dry-run")["last"]
        self.assertEqual([last["folder"], last["removed"]], [str(folder / "x"), 0])
        self.assertGreaterEqual(last["added"], 3)

    def test_a_program_that_refuses(self):
        self.table.write_text(OTHER_JOBS)
        told = self.setup_command("--yes", "--sync", "cron", code=1, env={"REFUSES": "1"}).stdout
        self.assertIn("crontab: can not be written: You are not allowed", " ".join(told.split()))
        self.assertEqual(self.table.read_text(), OTHER_JOBS)

    def test_a_script_that_can_not_be_written(self):
        self.table.write_text(OTHER_JOBS)
        (self.home / ".code-executor/daily-sync.sh").mkdir(parents=True)
        told = self.sync("--yes", "--sync", "cron", code=1)
        self.assertIn("daily-sync.sh", told["problem"])
        self.assertEqual(self.table.read_text(), OTHER_JOBS)

    def test_systemd_takes_its_place(self):
        self.table.write_text(OTHER_JOBS)
        self.setup_command("--yes", "--sync", "cron")
        self.assertEqual(self.sync("--yes", "--sync", "systemd")["by"], "systemd")
        self.assertEqual(self.table.read_text(), OTHER_JOBS)
        self.assertFalse((self.home / ".code-executor/daily-sync.sh").exists())

    def test_a_path_that_no_crontab_can_say(self):
        state = f"{self.place.root}/back\\slash"
        told = self.sync("--yes", "--sync", "cron", code=1, env={"CODE_EXECUTOR_STATE_DIR": state})
        self.assertIn("no way to say that in a crontab", told["problem"])
        percent = f"{self.place.root}/50%'"
        self.sync("--yes", "--sync", "cron", env={"CODE_EXECUTOR_STATE_DIR": percent})
        self.assertIn("/50\\%'\\''/daily-sync.sh'\n", self.table.read_text())


class ByLaunchd(SyncCase):
    def test_python_reads_the_list(self):
        folder = pathlib.Path(self.place.cwd, HOSTILE)
        folder.mkdir()
        self.place.cwd = str(folder)
        self.setup_command("--yes", "--sync", "launchd", "--wrappers", "x")
        path = self.home / "Library/LaunchAgents/code-executor.daily-sync.plist"
        read = plistlib.loads(path.read_bytes())
        self.assertEqual(read["ProgramArguments"], [os.path.realpath(binary()), "sync-wrappers", "--index", str(folder / "x")])
        self.assertEqual([read["WorkingDirectory"], read["StartCalendarInterval"]], [str(folder), {"Hour": 5, "Minute": 17}])
        self.assertEqual(read["EnvironmentVariables"]["PATH"], str(self.bin))
        self.assertEqual(read["Label"], path.stem)
        self.assertEqual(self.sync("--dry-run")["by"], "launchd")
        self.setup_command("--undo")
        self.assertFalse((self.home / "Library").exists())


class AtATerminal(SyncCase):
    """The questions behind that about the file of settings."""

    def setUp(self):
        super().setUp()
        self.program("crontab", CRONTAB)
        self.place.configure(user={"kid": child()})  # Claude Code's

    def ask(self, *answers, code=0):
        terminal = self.terminal()
        self.assertEqual(self.answer(terminal, "n\n", "n\n", *answers), code, terminal.shown)
        return " ".join(terminal.shown.split())

    def test_all_of_it(self):
        shown = self.ask("\n", "y\n", "y\n", "y\n", "y\n")
        self.assertIn("Daily sync: off", shown)
        self.assertIn("once a day, by cron? [y/N]", shown)
        self.assertIn("daily-sync.sh", self.table.read_text())
        self.assertTrue((self.home / ".code-executor/wrappers/typescript/kid.ts").exists())
        self.assertFalse((self.home / ".code-executor.json").exists())
        shown = self.ask("\n", "n\n", "n\n")
        self.assertRegex(shown, r"Daily sync: by cron; last sync 20.* UTC: 12 files added")
        self.assertNotIn("once a day", shown)
        terminal = self.terminal("--remove")
        self.assertEqual(self.answer(terminal, "\n", "\n"), 0, terminal.shown)
        self.assertIn("Take the daily sync out of cron? [Y/n]", terminal.shown)
        self.assertFalse(self.table.exists())

    def test_nothing_is_the_usual_answer(self):
        self.ask("\n", "n\n", "\n", "\n")
        self.assertFalse(self.table.exists() or (self.home / ".code-executor/wrappers").exists())

    def test_a_key_that_is_typed_is_refused_and_asked_for_again(self):
        shown = self.ask("sk-ant-api03-a1B2\n", "anthropic=env:NOT_SET\n", "anthropic=env:HOME\n", "n\n", "\n", "\n", "y\n")
        self.assertIn("a key is never written down", shown)
        self.assertIn("NOT_SET is not set here", shown)
        self.assertIn('"anthropic": "env:HOME"', (self.home / ".code-executor.json").read_text())


class Nowhere(SyncCase):
    def test_nothing_runs_jobs(self):
        told = self.sync("--yes", "--sync", "daily", code=1)
        self.assertIn("nothing runs jobs here", told["problem"])
        self.assertEqual(self.files(), {})

    def test_without_a_home(self):
        self.assertIn("HOME is not set", self.setup_command("--yes", "--sync", "daily", code=2, env={"HOME": ""}).stderr)
        self.assertIn("/proc/nowhere", self.setup_command("--yes", "--sync", "systemd", code=1, env={"HOME": "/proc/nowhere"}).stderr)

    def test_wrong_words(self):
        self.assertIn("off", self.setup_command("--sync", "weekly", code=2).stderr)
        self.setup_command("--sync", "daily", "--remove", code=2)


class Record(SyncCase):
    def setUp(self):
        super().setUp()
        self.place.configure(user={"kid": child()})
        self.env["PATH"] = os.environ["PATH"]
        self.path = self.home / ".code-executor/last-sync.json"

    def write_wrappers(self, *words, code=0):
        done = self.place.command("sync-wrappers", *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def last(self):
        last = self.sync("--dry-run")["last"]
        self.assertRegex(last.pop("time"), r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        return last

    def test_says_what_changed(self):
        told = self.write_wrappers("--index", ".").stdout
        self.assertRegex(told, r"kid: \d+ tools")
        here = os.path.realpath(self.place.cwd)
        self.assertEqual(self.last(), {"folder": here, "added": 12, "changed": 0, "removed": 0, "unchanged": 0})
        self.assertRegex(self.setup_command("--dry-run").stdout, r"Daily sync: off; last sync 20.* UTC: 12 files added, 0 changed, 0 removed")
        (pathlib.Path(here, "wrappers/python/kid.py")).unlink()
        with open(f"{here}/wrappers/typescript/kid.ts", "a", encoding="utf-8") as file:
            file.write("// mine\n")
        document = json.loads(self.write_wrappers("--index", ".", "--json").stdout)
        self.assertEqual(len(document["written"]), 2)
        self.assertEqual(self.last(), {"folder": here, "added": 1, "changed": 1, "removed": 0, "unchanged": 10})
        self.write_wrappers(".", "--dry-run")
        self.assertEqual(self.last()["added"], 1)
        self.place.configure(user={})
        self.write_wrappers(".")
        self.assertEqual(self.last(), {"folder": here, "added": 0, "changed": 1, "removed": 5, "unchanged": 6})
        self.assertRegex(self.place.command("doctor").stdout, r"last sync +20.*: 0 files added, 1 changed, 5 removed")

    def test_says_what_went_wrong(self):
        pathlib.Path(self.place.cwd, "file").write_text("")
        self.write_wrappers("file", code=1)
        self.assertIn("file", self.last()["error"])
        self.place.configure(user={"gone": {"command": "/nowhere/server"}})
        self.write_wrappers("--index", ".", code=1)
        self.assertIn("could not be read; `code-executor index` says why", self.last()["error"])

    def test_anything_may_be_in_it(self):
        self.path.parent.mkdir()
        for text in ("", "{", "[]", "{}", '{"time": "x"}', '{"time": -1}', '{"time": 1e300}', '{"time": 99999999999999}', "x" * 100_000, "\0"):
            self.path.write_text(text)
            self.assertIsNone(self.sync("--dry-run")["last"], text[:20])
        self.path.write_text(json.dumps({"time": 1, "folder": "\x1b[2J" + "x" * 10_000, "added": "7", "removed": -1, "error": ["x"]}))
        shown = self.setup_command("--dry-run").stdout
        self.assertIn("1970-01-01 00:00 UTC: nothing changed in", " ".join(shown.split()))
        self.path.unlink()
        os.mkfifo(self.path)
        self.assertIsNone(self.sync("--dry-run")["last"])


if __name__ == "__main__":
    unittest.main()
