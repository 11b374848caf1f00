"""The aliases that the guest makes are those of the host."""

import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sandbox/guest/python"))

import aliases

sys.path.pop(0)


class Aliases(unittest.TestCase):
    def test_are_those_of_the_table_that_the_host_is_tested_with(self):
        table = json.loads((ROOT / "subprojects/text/tests/aliases.json").read_text())
        self.assertGreaterEqual(len(table), 9)
        for row in table:
            with self.subTest(row["names"]):
                self.assertEqual(aliases.unique_aliases(row["names"]), row["snake"])

    def test_alone_a_tool_has_its_natural_alias(self):
        for name, alias in {"read-file": "read_file", "class": "class_", "2fa": "_2fa", "": "_", "a.b/c": "a_b_c", "var": "var_"}.items():
            self.assertEqual(aliases.alias_of(name), alias)


if __name__ == "__main__":
    unittest.main()
