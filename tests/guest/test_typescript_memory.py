"""`memory` of the TypeScript guest."""

import unittest

from fake_host import deno_path, run_typescript


class Store:
    """What the host does with memory requests; `meddling` times another program changes a value just before a save."""

    def __init__(self, meddling=0):
        self.entries = {}
        self.meddling = meddling

    def answer(self, request):
        return {"result": getattr(self, request["method"])(**request["params"])}

    def memory_save(self, key, value, metadata=None, if_version=None):
        if if_version is not None and self.meddling > 0:
            self.meddling -= 1
            self.memory_save(key, "theirs")
        version = self.entries.get(key, {"version": 0})["version"]
        if if_version not in (None, version):
            return {"saved": False, "version": version}
        self.entries[key] = {"key": key, "value": value, "metadata": metadata, "version": version + 1}
        return {"saved": True, "version": version + 1}

    def memory_load(self, key):
        return self.entries.get(key)

    def memory_delete(self, key):
        return self.entries.pop(key, None) is not None

    def memory_list(self):
        return [{"key": key} for key in self.entries]


@unittest.skipIf(deno_path() is None, "there is no Deno to run it with")
class MemoryTest(unittest.TestCase):
    def run_with(self, store, code):
        outcome = run_typescript(code, store.answer)
        self.assertIsNone(outcome.error, outcome)
        return outcome

    def test_saving_and_loading(self):
        code = (
            "const nothing = await memory.load('k');\n"
            "const saved = await memory.save('k', { a: [1] }, { metadata: { by: 'me' } });\n"
            "await memory.save('n', undefined);\n"
            "return [typeof nothing, typeof saved, await memory.load('k'), await memory.load('n'), await memory.list(),\n"
            "  await memory.delete('k'), await memory.delete('k')]"
        )
        store = Store()
        result = self.run_with(store, code).result
        self.assertEqual(
            result,
            ["undefined", "undefined", {"a": [1]}, None, [{"key": "k"}, {"key": "n"}], True, False],
        )
        self.assertEqual(list(store.entries), ["n"])

    def test_requests(self):
        outcome = self.run_with(Store(), "await memory.save('k', 1); await memory.save('k', 2, { metadata: { m: 1 } })")
        self.assertEqual(
            [(request["method"], request["params"]) for request in outcome.requests],
            [
                ("memory_save", {"key": "k", "value": 1}),
                ("memory_save", {"key": "k", "value": 2, "metadata": {"m": 1}}),
            ],
        )

    def test_update(self):
        store = Store()
        code = (
            "const add = (n: number = 0) => n + 1;\n"
            "return [await memory.update('k', add), await memory.update('k', async (n: number) => n + 1)]"
        )
        self.assertEqual(self.run_with(store, code).result, [1, 2])
        self.assertEqual(store.entries["k"]["version"], 2)

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
        self.assertEqual(list(store.entries), ["a", "b", "c"])

    def test_update_keeps_metadata(self):
        store = Store()
        self.run_with(store, "await memory.save('k', 1, { metadata: { m: 1 } }); await memory.update('k', () => 2)")
        self.assertEqual((store.entries["k"]["value"], store.entries["k"]["metadata"]), (2, {"m": 1}))

    def test_update_tries_again(self):
        store = Store(meddling=3)
        code = "const seen = []; await memory.update('k', (v) => { seen.push(v); return 'mine' }); return seen"
        self.assertEqual(self.run_with(store, code).result, [None, "theirs", "theirs", "theirs"])
        self.assertEqual(store.entries["k"]["value"], "mine")

    def test_update_gives_up(self):
        outcome = run_typescript("\nawait memory.update('k', () => 1)", Store(meddling=1000).answer)
        self.assertEqual((outcome.error["name"], outcome.error["code"]), ("MCPError", "conflict"))
        self.assertEqual(outcome.error["line"], 2)

    def test_failures(self):
        refuse = {"error": {"code": "too_large", "message": "too large"}}
        error = run_typescript("\nawait memory.save('k', 1)", lambda _: refuse).error
        self.assertEqual((error["code"], error["line"]), ("too_large", 2))

    def test_own_variable_of_that_name(self):
        self.assertEqual(run_typescript("const memory = 1; return memory").result, 1)


if __name__ == "__main__":
    unittest.main()
