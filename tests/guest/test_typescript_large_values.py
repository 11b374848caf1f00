"""Values of TypeScript programs that are too large, or nearly so, below the limit of memory that the server gives by default."""

import time
import unittest

import fake_host
import languages
from memory_limit import limited_command

TOO_LARGE = "The result is larger than a message can be (67108864 bytes)"
NO_MESSAGE = "the value takes more than a message can hold (67108864 bytes)"
# Far more than any of them takes, and far less than to go through all of a list of a hundred million.
SECONDS_MAX = 30

# name: (code, part of the message)
LARGE = {
    "nothing but length": ("return new Array(1e8)", TOO_LARGE),
    "inside": ("return { a: [new Array(4e9)] }", TOO_LARGE),
    "less length": ("return new Array(3e7)", TOO_LARGE),
    "bytes": ("return new Uint8Array(1e8)", TOO_LARGE),
    "text": ("return 'x'.repeat(2e8)", TOO_LARGE),
    "the same text many times": ("return new Array(20).fill('x'.repeat(2e7))", TOO_LARGE),
    "the same list many times": ("let a: unknown = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a", TOO_LARGE),
    "displayed": ("\ndisplay(new Array(1e8))", NO_MESSAGE),
    "sent": ("\nawait mcp.s.t({ a: new Array(1e8) })", "the arguments of s.t cannot be sent as JSON: " + NO_MESSAGE),
    "sent many times": (
        "\nlet a: unknown = [1]; for (let i = 0; i < 40; i++) a = [a, a]; await mcp.s.t({ a })",
        "the arguments of s.t cannot be sent as JSON: " + NO_MESSAGE,
    ),
    "thrown": ("throw new Array(1e8)", "a value that takes more than 262144 characters"),
    "message of an error": ("throw new Error('x'.repeat(5e7))", "xxx"),
    "text that is thrown": ("throw 'x'.repeat(7e7)", "xxx"),
}

# name: (code, what its result begins with, its length)
NEARLY = {
    "holes": ("return new Array(1e7)", None, 10**7),
    "texts": ("return Array.from({ length: 3e6 }, (_, i) => `item ${i}`)", "item 0", 3 * 10**6),
    "bytes": ("return new Uint8Array(2e7)", 0, 2 * 10**7),
}


class LargeValuesTest(languages.TypeScriptTest):
    command = staticmethod(limited_command)

    def run_program(self, code):
        with fake_host.Guest(self.command()) as guest:
            return guest.run(code)

    def test_they_are_refused_early(self):
        for name, (code, message) in LARGE.items():
            with self.subTest(name):
                begin = time.monotonic()
                error = self.run_program(code).error
                self.assertLess(time.monotonic() - begin, SECONDS_MAX)
                self.assertIsNotNone(error)
                self.assertIn(message, error["message"])
                if code[0] == "\n":
                    self.assertEqual(error["line"], 2)

    def test_what_a_message_can_hold(self):
        for name, (code, first, length) in NEARLY.items():
            with self.subTest(name):
                result = self.run_program(code).result
                self.assertEqual((result[0], len(result)), (first, length))

    def test_what_is_unreadable_in_the_middle(self):
        """Nothing of what was written of it before stays, however much that is."""
        code = "return [1, { a: Array(1e5).fill('x'), get b() { return { toJSON() { throw new Error('no') } } } }, { toJSON: () => new Proxy({ c: 1 }, { ownKeys() { throw new Error('keys') } }) }, 2]"
        result = self.run_program(code).result
        self.assertEqual((result[0], len(result[1]["a"]), result[1]["b"], result[2:]), (1, 10**5, "[Unreadable: no]", ["[Unreadable: keys]", 2]))


if __name__ == "__main__":
    unittest.main()
