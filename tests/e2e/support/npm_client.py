"""The client of tests/children/npm/client.mjs, and the tools of the inspector, as tests like to use them."""

import json
import subprocess

from support.npm import NODE, program
from support.paths import PACKAGES
from support.peer import Peer
from support.run import ToolAnswer
from support.waiting import PATIENCE_SECONDS

INSPECTOR = PACKAGES / "@modelcontextprotocol" / "inspector" / "clients"
# Kit and era that it is told: what it speaks with a server of both eras.
KITS = {"sdk1 legacy": "2025-11-25", "v2 legacy": "2025-11-25", "v2 auto": "2026-07-28", "v2 modern": "2026-07-28"}
LEGACY = ("sdk1 legacy", "v2 legacy")


class NpmClient(Peer):
    """`kit`: a key of KITS. `complaints` are what the SDK has against us, beside the errors of requests."""

    def __init__(self, world, kit, *options, env=None):
        name, era = kit.split()
        argv = program("client", "--kit", name, "--era", era, *options)
        super().__init__(argv, world.environment(env or {}), world.cwd)

    def begin_call(self, call, name, arguments):
        """`call`: by that name it can be aborted, and its progress is told."""
        return self.ask("callTool", {"call": call, "progress": True, "name": name, "arguments": arguments})

    def finish_call(self, asked):
        answer = self.answer(asked).message
        if "result" not in answer:
            raise AssertionError(f"the call was answered with an error: {answer}\n{self.complaints()}")
        return ToolAnswer(answer["result"], 0)

    def typescript(self, code, **parameters):
        return self.finish_call(self.begin_call("typescript", "run-typescript-code", {"code": code, **parameters}))

    def python(self, code, **parameters):
        return self.finish_call(self.begin_call("python", "run-python-code", {"code": code, **parameters}))

    def error_of(self, method, params=None):
        answer = self.exchange(method, params)
        if "error" not in answer:
            raise AssertionError(f"{method} was expected to fail: {answer}")
        return answer["error"]["message"]

    def progress_of(self, call):
        told = [each.message["params"] for each in self.notifications("progress")]
        return [each for each in told if each["call"] == call]

    def complaints(self):
        """Of what we do wrong. The SDK looks at a notification after the answer that has come with it in one piece, and does not know its token then."""
        told = [each.message["params"]["message"] for each in self.notifications("complaint")]
        return [each for each in told if "progress notification for an unknown token" not in each]

    def leave(self):
        """Exit code, after it has closed its connection."""
        if self.process.poll() is None:
            self.close_stdin()
        try:
            return self.wait_end(PATIENCE_SECONDS)
        finally:
            self.process.kill()
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                stream.close()


def inspect(world, tool, *words, env=None):
    """`tool`: the program of the inspector. What it prints is JSON."""
    argv = [NODE, str(INSPECTOR / tool), *words]
    return subprocess.run(argv, env=world.environment(env or {}), cwd=world.cwd, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)


def printed(done):
    """The JSON of a program that has ended well."""
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}: {done.stdout[-1000:]}{done.stderr[-3000:]}")
    return json.loads(done.stdout)
