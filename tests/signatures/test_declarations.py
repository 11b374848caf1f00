"""What the generator makes of every schema there is goes through the compilers of both languages."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import compilers
import schemas

TOOLS_PER_FILE = 600


def declarations(tools):
    return [json.loads(line) for line in compilers.printed(tools).splitlines()]


def says_types(tool):
    parameters = tool.get("inputSchema", {}).get("properties", {}).values()
    return any(isinstance(one, dict) and set(one) - {"description"} for one in parameters)


class RealTools(unittest.TestCase):
    """All tools of the sets of the tool search."""

    @classmethod
    def setUpClass(cls):
        cls.tools = list(schemas.real_tools())
        cls.made = declarations(cls.tools)
        if not (schemas.BESIDE / "livemcp").is_dir():
            print(f"only the sets in the tree: none at {schemas.BESIDE}", file=sys.stderr)

    def test_there_are_thousands(self):
        self.assertGreater(len(self.tools), 4_000)
        self.assertEqual(len(self.made), len(self.tools))

    def test_typescript_compiles(self):
        compilers.check_typescript(self, [made["typescript"] for made in self.made], TOOLS_PER_FILE)

    def test_python_compiles(self):
        compilers.check_python(self, [made["python"] for made in self.made])

    def test_python_can_be_executed(self):
        compilers.execute_python(self, [made["python"] for made in self.made])

    def test_mypy_finds_nothing(self):
        compilers.check_mypy(self, [made["python"] for made in self.made])

    def test_what_is_known_is_not_unknown(self):
        """Four of five tools describe all that they take."""
        made = [made for tool, made in zip(self.tools, self.made) if says_types(tool)]
        if len(made) < 1_000:
            self.skipTest(f"the sets in the tree have names and descriptions only; none at {schemas.BESIDE}")
        vague = sum("unknown" in one["typescript"].rpartition("): Promise<")[0] for one in made)
        self.assertLess(vague / len(made), 0.2)


class Suite(unittest.TestCase):
    """The schemas of the JSON Schema suite: nothing that tools would write, but all that is allowed."""

    @classmethod
    def setUpClass(cls):
        cls.made = declarations(schemas.suite_tools())

    def test_typescript_compiles(self):
        compilers.check_typescript(self, [made["typescript"] for made in self.made], TOOLS_PER_FILE)

    def test_python_compiles(self):
        compilers.check_python(self, [made["python"] for made in self.made])

    def test_python_can_be_executed(self):
        compilers.execute_python(self, [made["python"] for made in self.made])

    def test_mypy_finds_nothing(self):
        compilers.check_mypy(self, [made["python"] for made in self.made])


class Modules(unittest.TestCase):
    """All tools as if they were of one server: names must not clash."""

    @classmethod
    def setUpClass(cls):
        cls.tools = [*schemas.real_tools(), *schemas.suite_tools()]

    def test_of_typescript_compiles(self):
        module = compilers.printed(self.tools, "typescript", "many tools")
        self.assertIn("export declare const manyTools: ManyToolsTools;", module)
        compilers.deno_check(self, [module])

    def test_of_python_compiles(self):
        module = compilers.printed(self.tools, "python", "many tools")
        compile(module, "many_tools.pyi", "exec")

    @unittest.skipUnless(importlib.util.find_spec("mypy") or compilers.mypy(), "mypy is not installed")
    def test_of_python_satisfies_mypy(self):
        compilers.run_mypy(self, {"many_tools.pyi": compilers.printed(self.tools, "python", "many tools")})


class OddNames(unittest.TestCase):
    """Tools whose names mean something to Python, or to a checker."""

    @classmethod
    def setUpClass(cls):
        names = ["__getattr__", "__all__", "__path__", "__dir__", "__", "_", "_x", "str", "Any", "reveal_type", "__slots__"]
        taking = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
        cls.tools = [{"name": name, "inputSchema": taking} for name in names]

    def test_a_signature_of_each(self):
        made = [made["python"] for made in declarations(self.tools)]
        compilers.execute_python(self, made)
        compilers.check_mypy(self, made)

    def test_a_module_of_all(self):
        module = compilers.printed(self.tools, "python", "odd")
        self.assertIn("async def _x(", module)
        self.assertNotIn("def __", module)
        compile(module, "odd.pyi", "exec")
        compilers.check_mypy(self, [module])


if __name__ == "__main__":
    unittest.main()
