"""A machine without namespaces: a container of Docker as it is by default. TypeScript runs between other walls."""

import json
import os
import shutil
import sys
import unittest

from support.case import Case
from support.paths import ROOT, binary
from support.server import Server, WITHOUT_PATTERN_CHECK, World

NO_NAMESPACES = [sys.executable, str(ROOT / "tests" / "e2e" / "support" / "no_namespaces.py"), binary()]
SECRET = "host-secret-7be2"


class FallbackCase(Case):
    settings = {}

    @classmethod
    def setUpClass(cls):
        world = World().configure(project={})
        for folder in (world.home, world.cwd):
            with open(os.path.join(folder, "secret.txt"), "w", encoding="utf-8") as file:
                file.write(SECRET)
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump(cls.settings, file)
        cls.server = Server(world=world, argv=NO_NAMESPACES, env=WITHOUT_PATTERN_CHECK)
        cls.addClassCleanup(cls.server.stop)

    def guest(self):
        """The Deno process that waits for the next run."""
        def waiting():
            return [p for p in self.server.family() if p.name.startswith("deno") and os.path.exists(f"/proc/{p.pid}")]
        self.wait_until(waiting, "a guest")
        return waiting()[-1]

    def isolation(self):
        return self.server.tool("health").json()["isolation"]


class Fallback(FallbackCase):
    def test_typescript_runs(self):
        answer = self.succeed(self.server.typescript("enum A { B = 40 }; const x: number = await Promise.resolve(2); return A.B + x"))
        self.assertEqual(answer.result, 42)

    def test_the_server_comes_before_programs(self):
        difference = os.getpriority(os.PRIO_PROCESS, self.guest().pid) - os.getpriority(os.PRIO_PROCESS, self.server.process.pid)
        self.assertEqual(difference, 5)

    def test_runs_are_apart(self):
        self.succeed(self.server.typescript("(globalThis as any).leak = 1"))
        self.assertIs(self.succeed(self.server.typescript("return 'leak' in globalThis")).result, False)

    def test_reads_no_file_of_the_host(self):
        world = self.server.world
        for path in (f"{world.home}/secret.txt", f"{world.cwd}/secret.txt", "/etc/passwd", "/proc/self/environ", "/proc/1/cmdline"):
            with self.subTest(path):
                answer = self.server.typescript(f"return await Deno.readTextFile({path!r})")
                self.refuse(answer)
                self.assertNotIn(SECRET, str(answer.raw))

    def test_writes_nowhere(self):
        for folder in ("/tmp", "/dev/shm", self.server.world.cwd):
            with self.subTest(folder):
                path = os.path.join(folder, "left-by-guest")
                self.refuse(self.server.typescript(f"await Deno.writeTextFile({path!r}, 'x')"))
                self.assertFalse(os.path.exists(path))

    def test_has_no_network(self):
        for code in ("await fetch('http://127.0.0.1:9/')", "await Deno.connect({port: 9})", "Deno.listen({port: 0})"):
            with self.subTest(code):
                self.refuse(self.server.typescript(code))

    def test_starts_nothing(self):
        self.refuse(self.server.typescript("return (await new Deno.Command('/bin/true').output()).code"))

    def test_a_guest_is_walled_in_by_the_kernel(self):
        guest = self.guest()
        with open(f"/proc/{guest.pid}/status", encoding="utf-8") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(status["Seccomp"], "2")
        self.assertEqual(int(status["Seccomp_filters"]), 2, "that of these tests, and ours")
        self.assertEqual(int(status["CapEff"], 16), 0)
        self.assertNotEqual(status["Uid"].split()[1], "0")
        with open(f"/proc/{guest.pid}/environ", encoding="utf-8") as file:
            self.assertNotIn(self.server.world.home, file.read())
        self.assertEqual(os.readlink(f"/proc/{guest.pid}/cwd"), "/")

    def test_guests_die_with_the_server(self):
        server = Server(argv=NO_NAMESPACES)
        self.addCleanup(server.stop)
        self.succeed(server.typescript("return 1"))
        server.end(9)
        server.expect_no_leftovers()

    def test_a_timeout_ends_a_guest(self):
        answer = self.server.typescript("for (;;);", timeoutMs=1000)
        self.refuse(answer)
        self.assertEqual(self.succeed(self.server.typescript("return 1")).result, 1)

    def test_python_runs_in_pyodide(self):
        answer = self.succeed(self.server.python("import sys\nsys.platform", session="one"))
        self.assertEqual(answer.result, "emscripten")
        self.refuse(self.server.python(f"open('{self.server.world.home}/secret.txt').read()", session="one"), "FileNotFoundError")
        self.refuse(self.server.python("import socket\nsocket.create_connection(('127.0.0.1', 80))", session="one"))

    def test_is_told_once_and_in_health(self):
        for _ in range(3):
            self.succeed(self.server.typescript("return 1"))
        found = self.isolation()
        self.assertEqual(found["mode"], "bare")
        self.assertTrue(all(found["walls"][name]["holds"] for name in ("system calls", "landlock")), found["walls"])
        self.assertIn("bubblewrap could not build a sandbox", found["reason"])
        self.server.wait_for_log("without namespaces")

    def test_network_can_not_be_granted(self):
        answer = self.server.typescript("return 1", permissions={"net": ["example.com"]})
        self.refuse(answer)


class WantsCPython(FallbackCase):
    """Pyodide has neither the wanted version nor packages: it does not run in silence instead."""

    settings = {"executors": {"python": {"version": os.path.basename(os.path.realpath("/usr/bin/python3")).removeprefix("python")}}}

    def test_python_is_refused(self):
        self.refuse(self.server.python("1"), "namespaces only")
        self.succeed(self.server.typescript("return 1"))


class Required(FallbackCase):
    settings = {"sandbox": {"isolation": "required"}}

    def test_every_run_is_refused(self):
        for run in (self.server.typescript, self.server.python):
            self.refuse(run("1"), "sandbox.isolation", "required", "bubblewrap")

    def test_health_says_so(self):
        found = self.isolation()
        self.assertEqual(found["mode"], "none")
        self.assertIn("sandbox.isolation is `required`", found["reason"])

    def test_is_told_once(self):
        self.server.typescript("return 1")
        self.server.typescript("return 1")
        self.server.wait_for_log("no program can run")


SLOW_BUBBLEWRAP = """#!/bin/sh
while [ ! -e {gate} ]; do sleep 0.05; done
exec {bubblewrap} "$@"
"""


@unittest.skipUnless(shutil.which("bwrap"), "needs bubblewrap")
class OnABusyMachine(Case):
    """Bubblewrap takes longer than the server waits for its self test: that says nothing of the machine."""

    def test_no_weaker_walls_are_taken(self):
        world = World().configure(project={})
        os.chmod(world.root, 0o755)
        gate, program = os.path.join(world.root, "gate"), os.path.join(world.root, "bwrap")
        with open(program, "w", encoding="utf-8") as file:
            file.write(SLOW_BUBBLEWRAP.format(gate=gate, bubblewrap=shutil.which("bwrap")))
        os.chmod(program, 0o755)
        server = Server(world=world, env={"PATH": f"{world.root}:{os.environ['PATH']}"})
        self.addCleanup(server.stop)
        for run in (server.typescript, server.python):
            self.refuse(run("1"), "not known yet", "run the program again")
        found = server.tool("health").json()["isolation"]
        self.assertEqual(found["mode"], "untried")
        self.assertIn("has not ended after", found["reason"])
        with open(gate, "w", encoding="utf-8"):
            pass
        self.wait_until(lambda: server.tool("health").json()["isolation"]["mode"] == "namespaces", "the answer of the self test")
        self.assertEqual(self.succeed(server.typescript("return 42")).result, 42)
        self.assertEqual(self.succeed(server.python("42")).result, 42)
        self.assertNotIn("without namespaces", server.stderr())


class WithNamespaces(Case):
    def test_required_is_no_obstacle(self):
        world = World().configure(project={})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"sandbox": {"isolation": "required"}}, file)
        server = Server(world=world)
        self.addCleanup(server.stop)
        self.assertEqual(self.succeed(server.typescript("return 1")).result, 1)
        found = server.tool("health").json()["isolation"]
        self.assertEqual(found["mode"], "namespaces")
        self.assertNotIn("reason", found)
