"""What TypeScript programs remember, where `memory` has ways of its own."""

import unittest

import languages
import memory_cases
from memory_cases import Store


class MemoryTest(memory_cases.MemoryTests, languages.TypeScriptTest):
    def run_with(self, store, code):
        outcome = self.run_program(code, store)
        self.assertIsNone(outcome.error, outcome)
        return outcome

    def test_update_by_functions_of_all_kinds(self):
        store = Store()
        code = (
            "const add = (n: number = 0) => n + 1;\n"
            "return [await memory.update('k', add), await memory.update('k', async (n: number) => n + 1)]"
        )
        self.assertEqual(self.run_with(store, code).result, [1, 2])
        self.assertEqual(store.items["k"]["version"], 2)

    def test_options_are_an_object_or_not_given(self):
        store = Store()
        wrong = ["5", "'x'", "[]", "true", "() => 1"]
        code = (
            "await memory.save('a', 1, null); await memory.save('b', 1, undefined); await memory.save('c', 1, {});\n"
            f"const said = []; for (const options of [{', '.join(wrong)}])\n"
            "  await memory.save('d', 1, options).catch((e) => said.push(`${e.name} ${e.code} ${e.message}`));\n"
            "return said"
        )
        said = self.run_with(store, code).result
        got = ["the number 5", "the string \"x\"", "an array", "the boolean true", "the function () => 1"]
        message = "MCPError invalid_argument the options of memory.save must be an object such as {metadata: {}}, got "
        self.assertEqual(said, [message + each for each in got])
        self.assertEqual(list(store.items), ["a", "b", "c"])

    def test_own_variable_of_that_name(self):
        self.assertEqual(self.run_program("const memory = 1; return memory").result, 1)


if __name__ == "__main__":
    unittest.main()
