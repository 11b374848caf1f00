"""How a TypeScript guest gets ready: warm-up, and the cache that Deno has of it."""

import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import languages
import start_cases
from fake_host import TIMEOUT_SECONDS, Guest, typescript_command_by_descriptor

DATABASES = ("dep_analysis_cache_v2", "node_analysis_cache_v2", "v8_code_cache_v2")


class WarmUpTest(start_cases.WarmUpTests, languages.TypeScriptTest):
    def test_leaves_no_trace(self):
        code = (
            # Deno itself leaves the one name behind that is left out here.
            "const seen = Object.getOwnPropertyNames(globalThis).filter((name) => name !== 'nodeBootstrap').sort();\n"
            "await mcp.s.t(); display(1); console.log('own');\n"
            "try { throw new Error('x') } catch (e) { return [seen, e.stack.split('\\n')[1]] }"
        )
        outcomes = []
        for warm in (False, True):
            with self.guest() as guest:
                if warm:
                    guest.warm_up()
                outcomes.append(guest.program(code))
                guest.finish(outcomes[-1])
        cold, warm = outcomes
        self.assertIsNone(cold.error, cold)
        self.assertEqual(cold.done, warm.done)
        self.assertEqual([request["id"] for request in warm.requests], [1])
        self.assertEqual((warm.stdout, warm.stderr), ("own\n", ""))

    def test_a_program_is_told_of_its_end(self):
        listeners = "addEventListener('unload', () => console.log('unload')); addEventListener('beforeunload', () => console.log('before'));"
        with self.guest() as guest:
            guest.warm_up()
            outcome = guest.program(f"{listeners} setTimeout(() => console.log('timer'), 20); return 7")
            guest.finish(outcome)
        self.assertEqual((outcome.error, outcome.result, outcome.stderr), (None, 7, ""))
        self.assertEqual(outcome.stdout, "timer\nbefore\nunload\n")

    def test_errors_that_nobody_handles_are_those_of_the_program(self):
        with self.guest() as guest:
            guest.warm_up()
            error = guest.program("Promise.reject(new TypeError('mine')); return 7").error
        self.assertEqual((error["name"], error["message"], error["line"]), ("TypeError", "mine", 1))

    def test_frames_of_earlier_programs(self):
        with self.guest() as guest:
            guest.warm_up()
            guest.program("let x = 1; function fail() { throw new Error('x') }", keep=True)
            error = guest.program("x++; fail()", keep=True).error
            self.assertIn("fail (code.ts#1:1:", error["stack"])


class CacheTest(languages.TypeScriptTest):
    """The folder that sandbox/runtimes/deno_cache.cpp has filled once per machine."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def prepare(self):
        command = [word for word in typescript_command_by_descriptor() if word != "--no-code-cache"]
        environment = {"HOME": "/tmp", "NO_COLOR": "1", "DENO_DIR": str(self.folder)}
        for _ in range(2):
            done = subprocess.run(
                [*command, "prepare"],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                timeout=TIMEOUT_SECONDS,
            )
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        return command

    def rows(self, database, query):
        copy = self.folder.parent / f"{self.folder.name}-copy"
        shutil.copytree(self.folder, copy, symlinks=True)
        try:
            connection = sqlite3.connect(copy / database)
            try:
                return [row[0] for row in connection.execute(query)]
            finally:
                connection.close()
        finally:
            shutil.rmtree(copy)

    def content(self):
        return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def test_what_is_in_it(self):
        self.prepare()
        modules = self.rows("v8_code_cache_v2", "SELECT specifier FROM codecache")
        self.assertTrue(any(name.endswith("/typescript-guest.js") for name in modules), modules)
        self.assertTrue(any(name.startswith("ext:deno_node/") for name in modules), modules)
        self.assertFalse([name for name in modules if name.startswith("blob:")])
        for name in DATABASES:
            # Without its statistics SQLite wants to write, and fails where the folder is read-only.
            self.assertEqual(
                self.rows(name, "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"), [1], name
            )
            for part in ("", "-wal", "-shm"):
                self.assertTrue((self.folder / f"{name}{part}").exists(), name + part)

    @unittest.skipIf(shutil.which("bwrap") is None, "there is no bubblewrap to make a folder read-only with")
    def test_a_guest_reads_it_and_writes_elsewhere(self):
        command = self.prepare()
        before = self.content()
        own = "/tmp/.deno-own"
        links = []
        for name in (*DATABASES, "gen/file", "node_compat_bin"):
            links += ["--symlink", f"{self.folder}/{name}", f"{own}/{name}"]
        box = [
            "bwrap",
            "--die-with-parent",
            "--ro-bind",
            "/",
            "/",
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--tmpfs",
            "/tmp",
        ]
        box += ["--ro-bind", str(self.folder), str(self.folder), *links, "--setenv", "DENO_DIR", own]
        with Guest([*box, *command]) as guest:
            if guest.process.poll() == 1:
                self.skipTest("bubblewrap may make no box here")
            guest.expect_ready()
            self.assertEqual(guest.program("return 1 + 1").result, 2)
            self.assertEqual(guest.program("enum E { A = 3 }\nreturn E.A").result, 3)
            self.assertEqual(guest.program("import { join } from 'node:path'; return join('a', 'b')").result, "a/b")
        self.assertEqual(self.content(), before)


if __name__ == "__main__":
    unittest.main()
