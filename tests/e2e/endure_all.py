"""What only time shows. A suite of its own (tests/run.py), because it takes minutes and mostly waits; the measures are those of bench/, with
bounds for a sanitized server on a machine that does other things as well."""

import os
import re
import subprocess
import sys
import unittest

from support.case import Case
from support.config import child
from support.paths import ROOT, SLOWNESS, binary, deno
from support.waiting import PATIENCE_SECONDS

SOAK_SECONDS, SOAK_WARM_UP_SECONDS = 60, 20
# Runs a second, in both languages: what a sanitized server does on half a core.
SOAK_RATE = 10 if SLOWNESS == 1 else 3
# AddressSanitizer keeps what was freed for a while (256 MB), so that memory says little; a leak of a run's size would still be above.
SOAK_MEMORY_MB = 8 if SLOWNESS == 1 else 300
KILLS = 15
RELOADS = 100
RUNS_OPEN_MAX = 8
END_SECONDS = 240


class Endurance(Case):
    def run_bench(self, *command):
        environment = {"CODE_EXECUTOR": binary(), **({"DENO_PATH": deno()} if deno() else {})}
        done = subprocess.run([sys.executable, *map(str, command)], env={**os.environ, **environment}, capture_output=True, text=True,
                              timeout=END_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-5000:] + done.stderr[-2000:])
        return done.stdout

    def test_under_load_nothing_grows_and_every_run_is_answered(self):
        said = self.run_bench(ROOT / "bench/soak.py", SOAK_SECONDS, "--warm-up", SOAK_WARM_UP_SECONDS, "--rate", SOAK_RATE,
                              "--memory-mb", SOAK_MEMORY_MB, "--answer-seconds", PATIENCE_SECONDS * 2)
        answered = [int(number) for number in re.findall(r"(\d+) runs answered", said)]
        self.assertEqual(len(answered), 2, said)
        self.assertGreaterEqual(sum(answered), SOAK_SECONDS * SOAK_RATE * 0.9, said)

    def test_killed_at_random_moments_it_starts_again_and_nothing_is_lost_or_left(self):
        self.assertIn(f"killed {KILLS} times: 0 problems", self.run_bench(ROOT / "bench/kills.py", KILLS))

    def test_reloaded_a_hundred_times_under_load_no_run_is_lost(self):
        world = self.world(project={"kid": child(), "round-0": child()})
        server = self.start(world=world)
        code = "return await callMCPTool('mcp__kid__echo', {text: 'x'})"
        asked = []
        for number in range(1, RELOADS + 1):
            asked.append(server.ask_tool("run-typescript-code", {"code": code, "timeoutMs": 60_000}))
            world.configure(project={"kid": child("--name", str(number // 2)), f"round-{number}": child("--name", str(number))})
            if number % 5 == 0:
                self.wait_until(lambda: f"round-{number}" in server.tool("list_servers").structured["sources"], f"the servers of round {number}")
            if len(asked) == RUNS_OPEN_MAX:
                self.expect_echo(server, asked.pop(0))
        for request in asked:
            self.expect_echo(server, request)
        self.assertEqual(sorted(server.tool("list_servers").structured["sources"]), ["kid", f"round-{RELOADS}"])

    def expect_echo(self, server, request):
        self.assertEqual(self.succeed(server.tool_answer("run-typescript-code", request, 0, PATIENCE_SECONDS * 2)).result, "x")


if __name__ == "__main__":
    unittest.main()
