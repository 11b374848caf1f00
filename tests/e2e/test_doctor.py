"""`code-executor doctor`: what it finds, what it says to do, and its exit code."""

import glob
import json
import os
import subprocess
import time

from support.case import Case
from support.paths import SLOWNESS, binary
from support.server import World
from support.terminal import shown_on_terminal
from support.users import as_nobody, require_another_user, world_of_nobody

# It starts four guests, two of which have to be stopped.
DOCTOR_SECONDS = 5 * SLOWNESS


class DoctorCase(Case):
    def doctor(self, *arguments, world=None, env=None, command=None):
        world = world or self.world()
        self.addCleanup(world.remove)
        return subprocess.run([*(command or [binary()]), "doctor", *arguments], env=world.environment(env or {}), cwd=world.cwd,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)

    def checks(self, **options):
        """Checks by name, the whole document, the exit code."""
        ended = self.doctor("--json", **options)
        document = json.loads(ended.stdout)
        return {check["name"]: check for check in document["checks"]}, document, ended.returncode


class Healthy(DoctorCase):
    def test_everything_is_tried(self):
        started = time.monotonic()
        checks, document, code = self.checks()
        self.assertLess(time.monotonic() - started, DOCTOR_SECONDS)
        self.assertEqual(code, 0)
        self.assertTrue(document["canRun"])
        for name in ("bubblewrap", "guest-init", "user namespaces", "settings", "state folder", "TypeScript", "Python"):
            self.assertEqual(checks[name]["status"], "ok", checks[name])
        self.assertRegex(checks["bubblewrap"]["found"], r"\d+\.\d+")
        self.assertRegex(checks["TypeScript"]["found"], r"^deno 2\.\d+.* answered 1\+1 after \d+ ms")
        self.assertRegex(checks["Python"]["found"], r"^Python 3\.\d+.* answered 1\+1 after \d+ ms")
        self.assertIn("podman", checks)
        self.assertIn("docker", checks)

    def test_limits_are_exercised(self):
        checks, _, _ = self.checks()
        self.assertEqual(checks["memory limit"]["status"], "ok")
        self.assertRegex(checks["memory limit"]["found"], r"was ended after \d+ ms, at a limit of 96 MiB")
        self.assertEqual(checks["process limit"]["status"], "ok")
        self.assertRegex(checks["process limit"]["found"], r"got \d+ processes, at a limit of 16")

    def test_walls_are_those_of_health(self):
        _, document, _ = self.checks()
        health = self.start().tool("health").structured["isolation"]
        self.assertEqual(set(document["isolation"]["walls"]), set(health["walls"]))
        for name in ("memory", "processes", "network"):
            self.assertEqual(document["isolation"]["walls"][name], health["walls"][name])

    def test_leaves_nothing(self):
        world = World(trusts_project=False)
        self.addCleanup(world.remove)
        with subprocess.Popen([binary(), "doctor"], env=world.environment({}), cwd=world.cwd, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as doctor:
            self.assertEqual(doctor.wait(120), 0)
        # Other servers of other tests may begin and end meanwhile: a cgroup has the name of its process.
        self.assertEqual(glob.glob(f"/sys/fs/cgroup/**/code-executor-{doctor.pid}-*", recursive=True), [])
        self.assertEqual(os.listdir(world.home), [])

    def test_as_an_ordinary_user(self):
        require_another_user()
        checks, document, code = self.checks(world=world_of_nobody(project={}), command=as_nobody(binary()))
        self.assertEqual(code, 0)
        self.assertEqual(checks["cgroup memory"]["status"], "warning")
        self.assertIn("Delegate=yes", checks["cgroup memory"]["advice"])
        self.assertEqual(checks["memory limit"]["status"], "ok")
        self.assertIn("was ended", checks["memory limit"]["found"])
        self.assertIn("watcher", document["isolation"]["walls"]["memory"]["by"])


class Text(DoctorCase):
    def test_one_line_for_each_check_without_colours(self):
        ended = self.doctor()
        lines = ended.stdout.splitlines()
        self.assertGreater(len(lines), 10)
        for line in lines:
            self.assertRegex(line, r"^(ok|warning|missing) +\S|^ +-> ")
        self.assertNotIn("\033", ended.stdout)

    def test_colours_on_a_terminal(self):
        world = self.world()
        code, shown = shown_on_terminal([binary(), "doctor"], world.environment({}), world.cwd)
        self.assertEqual(code, 0)
        self.assertIn(b"\033[32mok", shown)
        for unwanted in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            _, shown = shown_on_terminal([binary(), "doctor"], world.environment(unwanted), world.cwd)
            self.assertNotIn(b"\033", shown, unwanted)


class Broken(DoctorCase):
    def test_no_language_is_exit_code_1(self):
        checks, document, code = self.checks(env={"DENO_PATH": "/nowhere/deno", "PYTHON_PATH": "/nowhere/python3"})
        self.assertEqual(code, 1)
        self.assertFalse(document["canRun"])
        self.assertEqual((checks["TypeScript"]["status"], checks["Python"]["status"]), ("missing", "missing"))
        self.assertIn("DENO_PATH", checks["TypeScript"]["found"])
        self.assertNotIn("memory limit", checks)

    def test_one_language_is_enough(self):
        checks, _, code = self.checks(env={"PYTHON_PATH": "/nowhere/python3"})
        self.assertEqual(code, 0)
        self.assertEqual(checks["Python"]["status"], "missing")
        self.assertEqual(checks["memory limit"]["status"], "ok")
        self.assertEqual(checks["process limit"]["status"], "warning", "not tried is not ok")

    def test_settings_that_do_not_load(self):
        world = self.world()
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            file.write('{"sandbox": {"memmoryMb": 1}}')
        checks, _, code = self.checks(world=world)
        self.assertEqual(checks["settings"]["status"], "missing")
        self.assertIn("memmoryMb", checks["settings"]["found"])
        self.assertEqual(checks["Python"]["status"], "ok", "the rest is looked at nevertheless")
        self.assertEqual(code, 1, "the server does not start like this")

    def test_servers_file_that_does_not_load(self):
        world = self.world(project="{ not json")
        checks, _, _ = self.checks(world=world)
        self.assertEqual(checks["MCP servers"]["status"], "warning")

    def test_unknown_word(self):
        ended = subprocess.run([binary(), "docter"], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("doctor", ended.stderr)
