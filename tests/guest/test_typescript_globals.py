"""What programs are checked against is the API that they find."""

import json
import re
import subprocess
import unittest

from fake_host import GUESTS, deno_path, run_typescript

DECLARED = re.compile(r"^  (?:const|function|class) (\w+)", re.MULTILINE)
NAMES = "Object.getOwnPropertyNames(globalThis)"


def names_of_deno():
    done = subprocess.run([deno_path(), "eval", "--no-config", f"console.log(JSON.stringify({NAMES}))"], stdout=subprocess.PIPE, check=True)
    return set(json.loads(done.stdout))


class Globals(unittest.TestCase):
    def test_what_is_installed_is_declared(self):
        declared = set(DECLARED.findall((GUESTS / "typescript/globals.d.ts").read_text()))
        ours = set(run_typescript(f"return {NAMES}").result) - names_of_deno()
        self.assertIn("callMCPTool", ours)
        self.assertEqual(ours - declared, set())

    def test_what_is_declared_is_installed(self):
        declared = set(DECLARED.findall((GUESTS / "typescript/globals.d.ts").read_text()))
        self.assertEqual(declared - set(run_typescript(f"return {NAMES}").result), set())


if __name__ == "__main__":
    unittest.main()
