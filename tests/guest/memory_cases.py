"""What programs remember, in both languages."""

from languages import Both


class Store:
    """The host's memory. `conflicts`: so many saves find that another program was faster, which saved `theirs`."""

    def __init__(self, conflicts=0, theirs="theirs"):
        self.items = {}
        self.conflicts = conflicts
        self.theirs = theirs

    def __call__(self, request):
        return {"result": getattr(self, request["method"])(**request["params"])}

    def memory_save(self, key, value, metadata=None, if_version=None):
        if self.conflicts and if_version is not None:
            self.conflicts -= 1
            self.memory_save(key, self.theirs, self.items.get(key, {}).get("metadata"))
        version = self.items.get(key, {}).get("version", 0)
        if if_version not in (None, version):
            return {"saved": False, "version": version}
        self.items[key] = {
            "key": key,
            "value": value,
            "metadata": metadata,
            "version": version + 1,
            "created_at": "c",
            "updated_at": "u",
        }
        return {"saved": True, "version": version + 1}

    def memory_load(self, key):
        return self.items.get(key)

    def memory_delete(self, key):
        return self.items.pop(key, None) is not None

    def memory_list(self):
        return [{name: value for name, value in item.items() if name != "value"} for item in self.items.values()]


# name: (code, result)
PROGRAMS = {
    "save and load": (
        Both(
            "[save_memory('k', {'a': [1, None, 'x', 1.5, True]}), load_memory('k')]",
            "return [typeof await memory.save('k', { a: [1, null, 'x', 1.5, true] }), await memory.load('k')]",
        ),
        [Both("Memory 'k' saved.", "undefined"), {"a": [1, None, "x", 1.5, True]}],
    ),
    "load nothing": (
        Both("repr(load_memory('k'))", "return String(await memory.load('k'))"),
        Both("None", "undefined"),
    ),
    "nothing is a value": (
        Both("save_memory('k', None)\n[load_memory('k', default=5)]", "await memory.save('k', undefined); return [await memory.load('k')]"),
        [None],
    ),
    "delete": (
        Both(
            "save_memory('k', 1)\n[delete_memory('k'), await delete_memory('k'), list_memories()]",
            "await memory.save('k', 1); return [await memory.delete('k'), await memory.delete('k'), await memory.list()]",
        ),
        [Both("Memory 'k' deleted.", True), Both("Memory 'k' not found.", False), []],
    ),
    "delete one of several": (
        Both(
            "save_memory('k', 1)\nsave_memory('n', 2)\nfirst = list_memories()\ndelete_memory('k')\n"
            "[[item['key'] for item in items] for items in (first, list_memories())]",
            "await memory.save('k', 1); await memory.save('n', 2); const first = await memory.list(); await memory.delete('k');\n"
            "return [first, await memory.list()].map((items) => items.map((item) => item.key))",
        ),
        [["k", "n"], ["n"]],
    ),
    "list": (
        Both(
            "save_memory('k', 1, metadata={'m': 2})\nlist_memories()",
            "await memory.save('k', 1, { metadata: { m: 2 } }); return await memory.list()",
        ),
        [{"key": "k", "metadata": {"m": 2}, "version": 1, "created_at": "c", "updated_at": "u"}],
    ),
    "update": (
        Both(
            "save_memory('k', 1, metadata={'m': 2})\n[update_memory('k', lambda v: v + 1), load_memory('k'), list_memories()[0]['metadata']]",
            "await memory.save('k', 1, { metadata: { m: 2 } });\n"
            "return [await memory.update('k', (v) => v + 1), await memory.load('k'), (await memory.list())[0].metadata]",
        ),
        [2, 2, {"m": 2}],
    ),
    "update of nothing": (
        Both(
            "[update_memory('k', lambda v: v is None), load_memory('k')]",
            "return [await memory.update('k', (v) => v === undefined), await memory.load('k')]",
        ),
        [True, True],
    ),
    "at once": (
        Both(
            "import asyncio\nawait asyncio.gather(save_memory('a', 1), save_memory('b', 2))\n[load_memory('a'), load_memory('b')]",
            "await Promise.all([memory.save('a', 1), memory.save('b', 2)]); return [await memory.load('a'), await memory.load('b')]",
        ),
        [1, 2],
    ),
}
SAVE = Both("save_memory('k', 'first')\n", "await memory.save('k', 'first');\n")
# Puts the value into a list; gives what it has seen.
CHANGE = Both(
    "seen = []\ndef change(v):\n    seen.append(v)\n    return [v]\n[update_memory('k', change), seen]",
    "const seen = []; const value = await memory.update('k', (v) => { seen.push(v); return [v] }); return [value, seen]",
)


class MemoryTests:
    PROGRAMS = PROGRAMS

    def test_programs(self):
        for name, (code, expected) in self.own(self.PROGRAMS).items():
            with self.subTest(name):
                outcome = self.run_program(code, Store())
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.result, expected)

    def test_requests(self):
        code = Both(
            "save_memory('k', 1)\nsave_memory('k', 2, metadata={'m': 1})",
            "await memory.save('k', 1); await memory.save('k', 2, { metadata: { m: 1 } })",
        )
        outcome = self.run_program(code, Store())
        self.assertEqual(
            [(request["method"], request["params"]) for request in outcome.requests],
            [
                ("memory_save", {"key": "k", "value": 1}),
                ("memory_save", {"key": "k", "value": 2, "metadata": {"m": 1}}),
            ],
        )

    def test_update_when_others_are_faster(self):
        for begin, first in ((Both("", ""), None), (SAVE, "first")):
            with self.subTest(first=first):
                store = Store(conflicts=3)
                outcome = self.run_program(self.own(begin) + self.own(CHANGE), store)
                self.assertEqual(outcome.result, [["theirs"], [first, "theirs", "theirs", "theirs"]], outcome)
                self.assertEqual(store.items["k"]["value"], ["theirs"])

    def test_update_gives_up(self):
        code = Both("\nupdate_memory('k', lambda v: 1)", "\nawait memory.update('k', () => 1)")
        outcome = self.run_program(code, Store(conflicts=1000))
        self.assertEqual((outcome.error["name"], outcome.error["code"], outcome.error["line"]), ("MCPError", "conflict", 2))
        self.assertGreater(len(outcome.requests), 100, "it has tried for seconds")

    def test_errors_of_the_host(self):
        failing = {"error": {"code": "too_large", "message": "the value is too large"}}
        error = self.run_program(Both("\nsave_memory('k', 1)", "\nawait memory.save('k', 1)"), lambda _: failing).error
        self.assertEqual(
            (error["name"], error["code"], error["message"], error["line"]), ("MCPError", "too_large", "the value is too large", 2)
        )
