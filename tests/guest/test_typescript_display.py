"""`display` of the TypeScript guest."""

import unittest

import display_cases
import languages
from display_cases import JPEG, PNG, bytes_code, json, media, text

# arguments of display: blocks
DISPLAYED = {
    "new Error('x')": [json({"name": "Error", "message": "x"})],
    "{ type: 'text', text: 'a' }": [text("a")],
    bytes_code(JPEG) + ".buffer": [media(JPEG, "image/jpeg")],
    bytes_code(b"xx" + PNG) + ".subarray(2)": [media(PNG, "image/png")],
    bytes_code(b"RIFF1234"): [json(list(b"RIFF1234"))],
    "{ type: 'image', data: 'iVBORw0KGgo\\n' }": [media(PNG[:8], "image/png")],
    "{ type: 'audio', data: 'T2dnUw==' }": [media(b"OggS", "audio/ogg")],
    "[{ type: 'text', text: 'a' }, { type: 'image', data: '/9j/4A==' }]": [text("a"), media(JPEG, "image/jpeg")],
    "[{ type: 'text', text: 'a' }]": [json([{"type": "text", "text": "a"}])],
    f"new Blob([{bytes_code(PNG)}])": [media(PNG, "image/png")],
    "new Blob(['x'], { type: 'image/x-own' })": [media(b"x", "image/x-own")],
    "new Blob(['x'], { type: 'text/plain' })": [json({"type": "text/plain", "size": 1})],
}


class DisplayTest(display_cases.DisplayTests, languages.TypeScriptTest):
    DISPLAYED = {
        **display_cases.DISPLAYED,
        **{arguments: (f"await display({arguments})", blocks) for arguments, blocks in DISPLAYED.items()},
    }
    REFUSED = {
        **display_cases.REFUSED,
        "more than a message holds": ("display('x'.repeat(64 * 1024 * 1024))", "RangeError: 67108"),
    }

    def test_order(self):
        code = (
            "display(1); const blob = display(new Blob([new Uint8Array(1_000_000)], { type: 'image/a' })); display(2);\n"
            "display(new Blob(['x'], { type: 'image/b' }), 3); await blob; display(4)"
        )
        outcome = self.run_program(code)
        shown = [block.get("value", block.get("mimeType")) for block in outcome.displayed]
        self.assertEqual(shown, [1, "image/a", 2, "image/b", 3, 4])

    def test_what_it_returns(self):
        code = "const values = [display(1), display(new Blob(['x']))]; return values.map((v) => Object.prototype.toString.call(v))"
        self.assertEqual(self.run_program(code).result, ["[object Undefined]", "[object Promise]"])

    def test_value_of_the_moment(self):
        outcome = self.run_program("const a = [1]; display(new Blob(['x'])); display(a); a.push(2); return a")
        self.assertEqual(outcome.displayed[1], json([1]))

    def test_after_broken_builtins(self):
        code = (
            "JSON.stringify = null; Uint8Array.prototype.toBase64 = null; Array.prototype[Symbol.iterator] = null;\n"
            f"display({bytes_code(PNG)}); display({{ a: 1 }}); return 1"
        )
        self.assertEqual(self.run_program(code).displayed, [media(PNG, "image/png"), json({"a": 1})])

    def test_between_runs_nothing_is_displayed(self):
        with self.guest() as guest:
            guest.program("setTimeout(() => display('late'), 5)", keep=True)
            self.assertIsNone(guest.process.poll())
            outcome = guest.program("await new Promise((r) => setTimeout(r, 30)); display('own')", keep=True)
            self.assertIn(text("own"), outcome.displayed)


if __name__ == "__main__":
    unittest.main()
