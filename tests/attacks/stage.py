"""The stage on which attacks are played: a server, secrets and listeners of the host around it, a neighbour beside it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))

from support.installed import install  # noqa: E402
from support.paths import binary, deno  # noqa: E402
from support.server import Server, WITHOUT_PATTERN_CHECK, World  # noqa: E402

NEIGHBOUR_TYPESCRIPT = "const state = globalThis.neighbour ??= {count: 0}; state.count++; return state.count"
ORDINARY_USER = 61_234  # an id that owns nothing


class Listener:
    """A socket of the host that nobody may reach."""

    def __init__(self, family, address):
        self.visitors = 0
        self._socket = socket.socket(family)
        self._socket.bind(address)
        self._socket.listen()
        self.address = self._socket.getsockname()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while True:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return
            self.visitors += 1

    def close(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class Stage:
    """`as_user`: the server runs as an ordinary user (needs root). `env`, `settings`: of the server."""

    def __init__(self, as_user=False, env=None, wrapper=(), settings=None):
        self.secret = "secret-" + uuid.uuid4().hex
        self.abstract = "abstract-" + uuid.uuid4().hex
        self.world = World().configure(project={})
        os.chmod(self.world.root, 0o755)
        Path(self.world.home, ".code-executor.json").write_text(json.dumps(settings or {}), encoding="utf-8")
        self.secret_file = os.path.join(self.world.root, "secret.txt")
        Path(self.secret_file).write_text(self.secret, encoding="utf-8")
        self.listeners = {
            "port": Listener(socket.AF_INET, ("127.0.0.1", 0)),
            "abstract": Listener(socket.AF_UNIX, "\0" + self.abstract),
            "socket": Listener(socket.AF_UNIX, os.path.join(self.world.root, "socket")),
        }
        os.chmod(os.path.join(self.world.root, "socket"), 0o777)
        self.bystander = subprocess.Popen(["sleep", "3600"])
        self._copy = None
        argv = [*wrapper, *self._command(as_user)]
        self.server = Server(world=self.world, argv=argv, env={"HOST_SECRET": self.secret, **WITHOUT_PATTERN_CHECK, **(env or {})})
        self.neighbour_count = 0
        try:
            self.meet_neighbour()
        except BaseException:
            self.close()  # a server that is left behind keeps the tests from ending
            raise

    def _command(self, as_user):
        if not as_user:
            return [binary()]
        # An ordinary user may not be able to walk to the build folder, and owns its home.
        self._copy = tempfile.mkdtemp(prefix="code-executor-copy-")
        os.chmod(self._copy, 0o755)
        program = install(self._copy)
        subprocess.run(["chown", "-R", f"{ORDINARY_USER}:{ORDINARY_USER}", self.world.home, self.world.cwd], check=True)
        subprocess.run(["chmod", "-R", "a+rX", self._copy], check=True)
        self.deno = os.path.join(self._copy, "deno")
        drop = ["setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups", "--inh-caps=-all"]
        return [*drop, "env", f"DENO_PATH={self.deno}", program]

    def words(self):
        return {
            "secret": self.secret_file,
            "port": str(self.listeners["port"].address[1]),
            "abstract": self.abstract,
            "socket": os.path.join(self.world.root, "socket"),
            "host": str(self.bystander.pid),
            "server": str(self.server.process.pid),
        }

    def meet_neighbour(self):
        """A session beside the attacks: its state must live through all of them."""
        answer = self.server.typescript(NEIGHBOUR_TYPESCRIPT, session="neighbour")
        self.neighbour_count += 1
        if answer.result != self.neighbour_count:
            raise AssertionError(f"the neighbour was harmed: {answer.text}")

    def damage(self, answer):
        """What the last attack did that it should not have; empty: nothing."""
        found = []
        if self.secret in str(answer.raw):
            found.append("the secret was seen")
        found += [f"somebody reached the host's {name}" for name, listener in self.listeners.items() if listener.visitors]
        if self.bystander.poll() is not None:
            found.append("a process of the host was killed")
        if Path(self.secret_file).read_text(encoding="utf-8") != self.secret:
            found.append("a file of the host was changed")
        if self.server.process.poll() is not None:
            return [*found, f"the server has ended: {self.server.stderr()[-2000:]}"]
        try:
            self.meet_neighbour()
        except AssertionError as error:
            found.append(str(error))
        return found

    def close(self):
        try:
            self.server.stop()
        finally:
            self.bystander.kill()
            self.bystander.wait()
            for listener in self.listeners.values():
                listener.close()
            if self._copy:
                shutil.rmtree(self._copy, ignore_errors=True)
            shutil.rmtree(self.world.root, ignore_errors=True)


def deno_is_there():
    return deno() is not None
