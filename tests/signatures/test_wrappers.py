"""The files for editors of all schemas there are: every tool as if it were of one server."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import compilers
import schemas


class Wrappers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tools = [*schemas.real_tools(), *schemas.suite_tools()]
        cls.typescript = compilers.printed(cls.tools, "wrapper", "many tools")

    def test_typescript_compiles(self):
        self.assertIn("export { tools as manyTools };", self.typescript)
        compilers.deno_check(self, [self.typescript])

    def test_the_same_tools_give_the_same_bytes(self):
        self.assertEqual(compilers.printed(self.tools, "wrapper", "many tools"), self.typescript)


if __name__ == "__main__":
    unittest.main()
