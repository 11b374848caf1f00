"""The server under test: the built binary, in a world of its own."""

import functools
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

from support import processes
from support.config import write_servers
from support.paths import binary, deno
from support.peer import Peer
from support.run import ToolAnswer
from support.schema import problems
from support.waiting import PATIENCE_SECONDS, wait_until

NEWEST = "2025-11-25"
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", NEWEST)
SHAPE_A = {"run-typescript-code", "run-python-code", "executeTypescript", "executePython"}

# What the server may take to end, whatever its children and guests do.
END_SECONDS = 2.0

MARK = "CODE_EXECUTOR_E2E_MARK"
# Settings for the way in which guests are made: each for itself, or, after the first ones, by a template.
STARTED = {"CODE_EXECUTOR_POOL_SIZE": "0"}
FORKED = {}
# A template has more arguments than a guest that is started.
IS_FORKED = "import sys\nany(text.startswith('landlock=') for text in sys.orig_argv)"
# For programs that attack: the sandbox has to hold them, not the look at their text that comes before.
WITHOUT_PATTERN_CHECK = {"CODE_EXECUTOR_SKIP_DANGEROUS_PATTERNS": "true"}


class World:
    """A fresh home and a fresh current folder, with the configuration in them.

    `trusts_project`: its user has told Claude Code to use all servers of the project's `.mcp.json`, so they need no approval."""

    def __init__(self, trusts_project=True):
        self.root = tempfile.mkdtemp(prefix="code-executor-e2e-")
        self.home = os.path.join(self.root, "home")
        self.cwd = os.path.join(self.root, "project")
        os.mkdir(self.home)
        os.mkdir(self.cwd)
        self.mark = {MARK: uuid.uuid4().hex}
        self.explicit = None
        if trusts_project:
            self.write_client_settings(enableAllProjectMcpServers=True)

    def write_client_settings(self, **settings):
        """The user's own settings of Claude Code."""
        os.makedirs(os.path.join(self.home, ".claude"), exist_ok=True)
        with open(os.path.join(self.home, ".claude", "settings.json"), "w", encoding="utf-8") as file:
            json.dump(settings, file)

    def command(self, *words, env=None):
        """What a person types in the project's folder."""
        return subprocess.run([binary(), *words], env=self.environment(env or {}), cwd=self.cwd, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE_SECONDS, check=False)

    def approve(self, *servers):
        for server in servers:
            done = self.command("trust", "--server", server)
            if done.returncode != 0:
                raise AssertionError(done.stderr)
        return self

    @property
    def project_file(self):
        return os.path.join(self.cwd, ".mcp.json")

    @property
    def user_file(self):
        return os.path.join(self.home, ".claude.json")

    def configure(self, project=None, user=None, explicit=None):
        """Each a dict of server entries, or the text of the file. `explicit`: the file of MCP_CONFIG_PATH."""
        if project is not None:
            write_servers(self.project_file, project, self.mark)
        if user is not None:
            write_servers(self.user_file, user, self.mark)
        if explicit is not None:
            self.explicit = os.path.join(self.root, "explicit", "servers.json")
            write_servers(self.explicit, explicit, self.mark)
        return self

    def environment(self, extra):
        env = {"PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8", **self.mark}
        if deno():
            env["DENO_PATH"] = deno()
        if self.explicit:
            env["MCP_CONFIG_PATH"] = self.explicit
        # Options of the sanitizers, and the switches of the suite itself.
        env.update({name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")})
        return {**env, **extra}

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)


@functools.cache
def schemas_of_shape_a():
    """Listed for programs only."""
    server = Server(env={"CODE_EXECUTOR_RESULTS": "structured"})
    try:
        return [tool["outputSchema"] for tool in server.request("tools/list")["tools"] if tool["name"] in SHAPE_A]
    finally:
        server.stop()


class Server(Peer):
    """`servers` are those of the project file, unless `world` is configured already."""

    def __init__(self, servers=None, *, world=None, env=None, revision=NEWEST, argv=None, client="end-to-end tests"):
        self.client = client
        self.world = world or World().configure(project=servers or {})
        self.revision = revision
        self._family = {}
        self._has_ended = False
        super().__init__(argv or [binary()], self.world.environment(env or {}), self.world.cwd)
        if revision:
            self.initialize(revision)

    def capabilities(self):
        """What the client declares."""
        return {}

    def initialize(self, revision=NEWEST):
        result = self.request("initialize", {
            "protocolVersion": revision,
            "capabilities": self.capabilities(),
            "clientInfo": {"name": self.client, "version": "1"},
        })
        self.notify("notifications/initialized")
        return result

    # ---- tools

    def ask_tool(self, name, arguments, meta=None):
        params = {"name": name, "arguments": arguments}
        return self.ask("tools/call", {**params, "_meta": meta} if meta else params)

    def tool_answer(self, name, request_id, sent, seconds=PATIENCE_SECONDS):
        answered = self.answer(request_id, seconds)
        if "result" not in answered.message:
            raise AssertionError(f"{name} was answered with an error: {answered.message}")
        answer = ToolAnswer(answered.message["result"], answered.time - sent)
        if name in SHAPE_A:
            self._check_shape_a(answer)
        return answer

    def tool(self, name, arguments=None, seconds=PATIENCE_SECONDS, meta=None):
        """Calls one of the server's own tools. Every report of shape A is held against the listed schema."""
        sent = time.monotonic()
        return self.tool_answer(name, self.ask_tool(name, arguments or {}, meta), sent, seconds)

    def typescript(self, code, **parameters):
        return self.tool("run-typescript-code", {"code": code, **parameters})

    def python(self, code, **parameters):
        return self.tool("run-python-code", {"code": code, **parameters})

    def wait_for_forked_guests(self):
        """From then on all ordinary guests are made by templates."""
        wait_until(self._has_templates, "both templates of guests")

    def _has_templates(self):
        are_ready = all(pool["template"] == "ready" for pool in self.tool("health").structured["pools"])
        self.typescript("return 1")  # after which the pool looks for what it needs
        return self.python(IS_FORKED).result is True and are_ready

    def _check_shape_a(self, answer):
        if not answer.structured:
            if self.revision in REVISIONS[2:] or "_meta" in answer.raw:
                raise AssertionError(f"no report: {answer.text[:2000]}")
            return
        found = [problem for schema in schemas_of_shape_a() for problem in problems(answer.structured, schema)]
        if found:
            raise AssertionError(f"the report is not valid: {found}\n{json.dumps(answer.structured)[:2000]}")
        if answer.structured["success"] == answer.is_error:
            raise AssertionError(f"success and isError contradict each other: {answer.raw}")

    # ---- processes

    def family(self):
        """Every process seen below the server so far, also those whose parent has died since."""
        found = processes.descendants(self.process.pid) + processes.marked(self.world.mark[MARK])
        self._family.update({process.identity(): process for process in found if process.pid != os.getpid()})
        return list(self._family.values())

    def leftovers(self):
        return processes.alive(self.family())

    def expect_no_leftovers(self, seconds=5):
        def describe():
            return f"end of {[process.describe() for process in self.leftovers()]}"
        wait_until(lambda: not self.leftovers(), describe, seconds)

    # ---- ending

    def end(self, how):
        """`how`: "eof" or a signal. Gives the exit code and the seconds it took; None: it did not end."""
        self.family()
        started = time.monotonic()
        if how == "eof":
            self.close_stdin()
        else:
            self.process.send_signal(how)
        code = self.wait_end(PATIENCE_SECONDS)
        self._has_ended = True
        return code, time.monotonic() - started

    def stop(self):
        """For the end of every test: ends the server, and complains about all that should not be."""
        try:
            complaints = self._complaints()
        finally:
            self._clear_away()
        if complaints:
            raise AssertionError("\n".join(complaints))

    def _complaints(self):
        complaints = []
        if not self._has_ended:
            complaints += self._end_in_order()
        if self.stray_lines:
            complaints.append(f"stdout carried what is not the protocol: {self.stray_lines[:5]}")
        try:
            self.expect_no_leftovers()
        except AssertionError as error:
            complaints.append(f"processes are left: {error}")
        return complaints

    def _end_in_order(self):
        if self.process.poll() is not None:
            return [f"the server had ended before its client left ({self.exit_code()}): {self.stderr()[-3000:]}"]
        code, _ = self.end("eof")
        return [] if code == 0 else [f"exit code {code} at the end of stdin: {self.stderr()[-3000:]}"]

    def _clear_away(self):
        processes.kill(self.leftovers())
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        self.world.remove()
