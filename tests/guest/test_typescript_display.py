"""`display` of the TypeScript guest."""

import base64
import unittest

from fake_host import Guest, deno_path, run_typescript, typescript_command

PNG = b"\x89PNG\r\n\x1a\n" + b"rest"
JPEG = b"\xff\xd8\xff\xe0"


def bytes_code(data):
    return f"new Uint8Array([{','.join(map(str, data))}])"


def image(data, mime_type):
    return {"type": mime_type.split("/")[0], "data": base64.b64encode(data).decode(), "mimeType": mime_type}


def text(value):
    return {"type": "text", "text": value}


def json_block(value):
    return {"type": "json", "value": value}


# arguments of display: blocks
SHOWN = {
    "'text'": [text("text")],
    "''": [text("")],
    "{ a: new Map([['b', 1n]]) }": [json_block({"a": {"b": "1"}})],
    "1, null, undefined, [true]": [json_block(1), json_block(None), json_block(None), json_block([True])],
    "": [],
    "new Error('x')": [json_block({"name": "Error", "message": "x"})],
    "{ type: 'text', text: 'a' }": [text("a")],
    "{ type: 'other', data: 1 }": [json_block({"type": "other", "data": 1})],
    bytes_code(PNG): [image(PNG, "image/png")],
    bytes_code(JPEG) + ".buffer": [image(JPEG, "image/jpeg")],
    bytes_code(b"xx" + PNG) + ".subarray(2)": [image(PNG, "image/png")],
    bytes_code(b"GIF89a"): [image(b"GIF89a", "image/gif")],
    bytes_code(b"RIFF1234WEBPVP8 "): [image(b"RIFF1234WEBPVP8 ", "image/webp")],
    bytes_code(b"RIFF1234WAVE"): [image(b"RIFF1234WAVE", "audio/wav")],
    bytes_code(b"RIFF1234"): [json_block(list(b"RIFF1234"))],
    f"{{ type: 'image', data: {bytes_code(PNG)} }}": [image(PNG, "image/png")],
    f"{{ type: 'image', data: {bytes_code(b'<svg/>')}, mimeType: 'image/svg+xml' }}": [
        image(b"<svg/>", "image/svg+xml")
    ],
    "{ type: 'image', data: 'iVBORw0KGgo\\n' }": [image(PNG[:8], "image/png")],
    "{ type: 'image', data: 'data:image/x-icon;base64,AAAB' }": [image(b"\0\0\1", "image/x-icon")],
    "{ type: 'audio', data: 'T2dnUw==' }": [image(b"OggS", "audio/ogg")],
    "[{ type: 'text', text: 'a' }, { type: 'image', data: '/9j/4A==' }]": [text("a"), image(JPEG, "image/jpeg")],
    "[{ type: 'text', text: 'a' }]": [json_block([{"type": "text", "text": "a"}])],
    f"new Blob([{bytes_code(PNG)}])": [image(PNG, "image/png")],
    "new Blob(['x'], { type: 'image/x-own' })": [image(b"x", "image/x-own")],
    "new Blob(['x'], { type: 'text/plain' })": [json_block({"type": "text/plain", "size": 1})],
}

# argument of display: how its error begins
REFUSED = {
    "{ type: 'image', data: '!' }": "TypeError: display: the data of an image must be bytes or base64 text",
    "{ type: 'image', data: 5 }": "TypeError: display: the data of an image must be bytes or base64 text",
    "{ type: 'image', data: 'AAAA' }": 'TypeError: display: an image needs a mimeType such as "image/png"',
    "{ type: 'image', data: 'AAAA', mimeType: 'text/html' }": "TypeError: display: an image needs a mimeType",
    "{ type: 'audio', data: 'AAAA', mimeType: 'image/png' }": "TypeError: display: an audio needs a mimeType",
    "'x'.repeat(64 * 1024 * 1024)": "RangeError: 67108",
}


@unittest.skipIf(deno_path() is None, "there is no Deno to run it with")
class DisplayTest(unittest.TestCase):
    def test_shown(self):
        for arguments, blocks in SHOWN.items():
            with self.subTest(arguments):
                outcome = run_typescript(f"await display({arguments})")
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.displayed, blocks)

    def test_refused(self):
        for argument, expected in REFUSED.items():
            with self.subTest(argument):
                outcome = run_typescript(f"try {{ display({argument}) }} catch (e) {{ return String(e) }}")
                self.assertTrue(outcome.result.startswith(expected), outcome)
                self.assertEqual(outcome.displayed, [])

    def test_order(self):
        code = (
            "display(1); const blob = display(new Blob([new Uint8Array(1_000_000)], { type: 'image/a' })); display(2);\n"
            "display(new Blob(['x'], { type: 'image/b' }), 3); await blob; display(4)"
        )
        outcome = run_typescript(code)
        shown = [block.get("value", block.get("mimeType")) for block in outcome.displayed]
        self.assertEqual(shown, [1, "image/a", 2, "image/b", 3, 4])

    def test_what_it_returns(self):
        code = "const values = [display(1), display(new Blob(['x']))]; return values.map((v) => Object.prototype.toString.call(v))"
        self.assertEqual(run_typescript(code).result, ["[object Undefined]", "[object Promise]"])

    def test_value_of_the_moment(self):
        outcome = run_typescript("const a = [1]; display(new Blob(['x'])); display(a); a.push(2); return a")
        self.assertEqual(outcome.displayed[1], json_block([1]))

    def test_after_broken_builtins(self):
        code = (
            "JSON.stringify = null; Uint8Array.prototype.toBase64 = null; Array.prototype[Symbol.iterator] = null;\n"
            f"display({bytes_code(PNG)}); display({{ a: 1 }}); return 1"
        )
        self.assertEqual(run_typescript(code).displayed, [image(PNG, "image/png"), json_block({"a": 1})])

    def test_between_runs_nothing_is_displayed(self):
        with Guest(typescript_command()) as guest:
            guest.expect_ready()
            guest.program("setTimeout(() => display('late'), 5)", keep=True)
            self.assertIsNone(guest.process.poll())
            outcome = guest.program("await new Promise((r) => setTimeout(r, 30)); display('own')", keep=True)
            self.assertIn(text("own"), outcome.displayed)


if __name__ == "__main__":
    unittest.main()
