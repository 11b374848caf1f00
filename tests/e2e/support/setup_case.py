"""What tests of `code-executor setup` share: a home folder with clients' files, and no client of this machine."""

import json
import pathlib
import shutil
import time

from support.case import Case
from support.client_files import FILES, SECRET
from support.paths import binary
from support.server import World
from support.terminal import Terminal


class SetupCase(Case):
    def setUp(self):
        super().setUp()
        self.place = World(trusts_project=False)
        self.addCleanup(self.place.remove)
        self.home = pathlib.Path(self.place.home)
        self.bin = pathlib.Path(self.place.root, "bin")
        self.bin.mkdir()
        self.env = {"PATH": str(self.bin)}  # no client that happens to be on this machine

    def write(self, *clients):
        """Their files; the bytes of each, by path."""
        for client in clients or FILES:
            path, text = FILES[client]
            (self.home / path).parent.mkdir(parents=True, exist_ok=True)
            (self.home / path).write_bytes(text.encode())
        return self.files()

    def files(self):
        """All below the home folder but for our state."""
        return {str(path.relative_to(self.home)): path.read_bytes() for path in sorted(self.home.rglob("*"))
                if path.is_file() and not path.relative_to(self.home).parts[0] == ".code-executor"}

    def setup_command(self, *words, code=0, env=None):
        done = self.place.command("setup", *words, env={**self.env, **(env or {})})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        return done

    def document(self, *words, code=0, env=None):
        return json.loads(self.setup_command(*words, "--json", code=code, env=env).stdout)

    def changes(self, *words, code=0):
        return {each["client"]: each["change"] for each in self.document(*words, code=code)["clients"]}

    def terminal(self, *words, columns=None):
        command = [binary(), "setup", *words]
        if columns:
            command = ["/bin/sh", "-c", f'{shutil.which("stty")} cols {columns}; exec "$@"', "sh", *command]
        env = self.place.environment({**self.env, "NO_COLOR": "1"})
        return Terminal([shutil.which("setsid"), "--ctty", *command], env, self.place.cwd)

    def answer(self, terminal, *answers):
        for i, answer in enumerate(answers):
            end = time.monotonic() + 60
            while terminal.shown.count("\n> ") <= i and time.monotonic() < end:
                seen = len(terminal.shown)
                terminal.wait_for(terminal.shown + "> ", 0.05)
                if len(terminal.shown) == seen:
                    time.sleep(0.01)
            terminal.type(answer)
        return terminal.end()
