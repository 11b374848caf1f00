"""`docs/examples/run.py`: one command, and every agent has said something."""

import os
import subprocess
import sys
import unittest

from support.paths import ROOT, SLOWNESS, binary, deno

AGENTS = ["reviewer", "security analyst", "refactoring expert", "test author", "documentation author"]
EXAMPLE_SECONDS = 30 * SLOWNESS


class ExamplesTest(unittest.TestCase):
    def example(self, *arguments):
        kept = {name: value for name, value in os.environ.items() if name == "PATH" or name.endswith("SAN_OPTIONS")}
        env = {**kept, "CODE_EXECUTOR": binary(), "DENO_PATH": deno() or "", "LANG": "C.UTF-8"}
        return subprocess.run([sys.executable, str(ROOT / "docs" / "examples" / "run.py"), *arguments], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=EXAMPLE_SECONDS, check=False)

    def check(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        titles = [line.removeprefix("== ") for line in done.stdout.splitlines() if line.startswith("== ")]
        self.assertEqual(titles, [*AGENTS, "metrics"])
        # What the later agents got has the answers of the earlier ones in it.
        self.assertRegex(done.stdout, r"test author\nYou said: Write three [\s\S]*?You said: Rewrite this code")
        self.assertRegex(done.stdout, r"\n5 rounds, \d+ tokens; 0 rounds and \d+ tokens left")

    def test_five_agents_in_typescript(self):
        self.check(self.example())

    def test_five_agents_in_python(self):
        self.check(self.example("--python"))

    def test_without_a_key_there_is_an_error_that_says_so(self):
        done = self.example("--real")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("ANTHROPIC_API_KEY", done.stdout)
        self.assertIn("\n0 rounds, ", done.stdout)

    def test_unknown_words_are_an_error(self):
        done = self.example("--fast")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("docs/examples/run.py [--python] [--real]", done.stderr)
