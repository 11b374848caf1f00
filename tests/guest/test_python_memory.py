"""What Python programs remember: its functions, awaited or not, and what it refuses to save."""

import unittest

import languages
import memory_cases
from fake_host import run_python, run_python_session
from memory_cases import Store

# name: (code, result)
PROGRAMS = {
    "awaited": ("[await save_memory('k', [1]), await load_memory('k')]", ["Memory 'k' saved.", [1]]),
    "by mcp.runtime": (
        "from mcp.runtime import save_memory as s\n"
        "[s('k', 1), runtime.load_memory('k'), runtime.load_memory_sync('k')]",
        ["Memory 'k' saved.", 1, 1],
    ),
    "defaults": ("[load_memory('k'), load_memory('k', default=5), await load_memory('k', 6)]", [None, 5, 6]),
    "default that is no JSON": ("load_memory('k', default=print) is print", True),
    "None is a value": ("save_memory('k', None)\n[load_memory('k', default=5), memory_exists('k')]", [None, True]),
    "whether there is one": (
        "save_memory('k', 1)\n[delete_memory('k'), await delete_memory('k'), memory_exists('k')]",
        ["Memory 'k' deleted.", "Memory 'k' not found.", False],
    ),
    "info": (
        "save_memory('k', 1)\n[get_memory_info('k'), await get_memory_info('x')]",
        [{"key": "k", "value": 1, "metadata": None, "version": 1, "created_at": "c", "updated_at": "u"}, None],
    ),
    "update awaited": (
        "save_memory('k', {'n': 1})\nawait update_memory('k', lambda v: {**v, 'b': 2})",
        {"n": 1, "b": 2},
    ),
    "a result of a call": ("save_memory('k', load_memory('x', default={'a': 1}))\nload_memory('k')", {"a": 1}),
    "tuples become lists": ("save_memory('k', (1, (2,)))\nload_memory('k')", [1, [2]]),
    "in functions": (
        "def f():\n    save_memory('k', 1)\n    return load_memory('k')\nasync def g():\n"
        "    return await load_memory('k')\n[f(), await g()]",
        [1, 1],
    ),
}

# name: (code, error, part of its message)
ERRORS = {
    "empty key": ("save_memory('', 1)", "ValueError", "Memory key cannot be empty"),
    "blank key": ("await load_memory('  ')", "ValueError", "Memory key cannot be empty"),
    "key that is no text": ("delete_memory(5)", "TypeError", "Memory key must be a text, not int"),
    "date": (
        "import datetime\nsave_memory('k', {'a': [datetime.date(2020, 1, 2)]})",
        "TypeError",
        "value['a'][0] is a date",
    ),
    "set": ("save_memory('k', {1})", "TypeError", "value is a set"),
    "bytes": ("save_memory('k', b'x')", "TypeError", "value is a bytes"),
    "object": ("class A:\n    pass\nsave_memory('k', [A()])", "TypeError", "value[0] is an A"),
    "key of a dict": ("save_memory('k', {'a': {1: 2}})", "TypeError", "the key 1 in value['a'] is no text but"),
    "not a number": ("save_memory('k', float('nan'))", "TypeError", "the number nan"),
    "big integer": ("save_memory('k', 2 ** 64)", "TypeError", "which JSON cannot hold"),
    "half a surrogate pair": (r"save_memory('k', '\ud800')", "TypeError", "surrogate"),
    "cycle": ("d = []\nd.append(d)\nsave_memory('k', d)", "TypeError", "at most 100 levels"),
    "metadata": ("save_memory('k', 1, metadata=[1])", "TypeError", "metadata must be a dict, not list"),
    "date in metadata": (
        "import datetime\nsave_memory('k', 1, metadata={'d': datetime.date(2020, 1, 2)})",
        "TypeError",
        "metadata['d'] is a date",
    ),
    "update that returns nothing": (
        "save_memory('k', [1])\nupdate_memory('k', lambda v: v.append(2))",
        "TypeError",
        "returned None",
    ),
    "update that fails": ("update_memory('k', lambda v: v + 1)", "TypeError", "unsupported operand"),
}


class MemoryTest(memory_cases.MemoryTests, languages.PythonTest):
    PROGRAMS = {**memory_cases.PROGRAMS, **PROGRAMS}

    def test_errors(self):
        for name, (code, error, message) in ERRORS.items():
            with self.subTest(name):
                store = Store()
                outcome = run_python(code, store)
                self.assertEqual(outcome.error["name"], error, outcome)
                self.assertIn(message, outcome.error["message"])
                self.assertEqual(outcome.error["line"], code.count("\n") + 1)
                self.assertLessEqual([item["value"] for item in store.items.values()], [[1]])

    def test_overwritten_names_in_a_session(self):
        outcomes = run_python_session("def load_memory(key):\n    return 'mine'", "load_memory('k')")
        self.assertEqual(outcomes[-1].result, "mine")


if __name__ == "__main__":
    unittest.main()
