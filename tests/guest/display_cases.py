"""What `display` makes of values, in both languages."""

import base64

from languages import Both

PNG = b"\x89PNG\r\n\x1a\n...."
PNG_TEXT = base64.b64encode(PNG).decode()
JPEG = b"\xff\xd8\xff\xe0"
# Not longer than what they are known by.
GIF = b"GIF89a"
WEBP = b"RIFF1234WEBP"
WAV = b"RIFF1234WAVE"


def text(value):
    return {"type": "text", "text": value}


def json(value):
    return {"type": "json", "value": value}


def media(data, mime_type):
    return {"type": mime_type.partition("/")[0], "data": base64.b64encode(data).decode(), "mimeType": mime_type}


IMAGE = media(PNG, "image/png")


def bytes_code(data):
    """Bytes in TypeScript."""
    return f"new Uint8Array([{','.join(map(str, data))}])"


def shown(python, typescript):
    """A program in each language that displays this value."""
    return Both(f"display({python})", f"await display({typescript})")


# name: (code, blocks)
DISPLAYED = {
    "nothing": (shown("", ""), []),
    "text": (shown("'a'", "'a'"), [text("a")]),
    "empty text": (shown("''", "''"), [text("")]),
    "several values in order": (
        Both("display('a', 1)\ndisplay(None)", "await display('a', 1, null, undefined, [true])"),
        Both([text("a"), json(1), json(None)], [text("a"), json(1), json(None), json(None), json([True])]),
    ),
    "data": (
        shown("{'a': (1, {2})}, [True], 1.5", "{ a: new Map([['b', 1n]]) }"),
        Both([json({"a": [1, [2]]}), json([True]), json(1.5)], [json({"a": {"b": "1"}})]),
    ),
    "png": (shown(repr(PNG), bytes_code(PNG)), [IMAGE]),
    "jpeg": (shown(repr(JPEG), bytes_code(JPEG)), [media(JPEG, "image/jpeg")]),
    "gif": (shown(f"bytearray({GIF!r})", bytes_code(GIF)), [media(GIF, "image/gif")]),
    "webp": (shown(repr(WEBP), bytes_code(WEBP)), [media(WEBP, "image/webp")]),
    "longer webp": (shown(repr(WEBP + b"VP8 "), bytes_code(WEBP + b"VP8 ")), [media(WEBP + b"VP8 ", "image/webp")]),
    "wav": (shown(repr(WAV), bytes_code(WAV)), [media(WAV, "audio/wav")]),
    "image of bytes": (shown(f"{{'type': 'image', 'data': {PNG!r}}}", f"{{ type: 'image', data: {bytes_code(PNG)} }}"), [IMAGE]),
    "image of bytes, with its type": (
        shown(
            "{'type': 'image', 'data': b'<svg/>', 'mimeType': 'image/svg+xml'}",
            f"{{ type: 'image', data: {bytes_code(b'<svg/>')}, mimeType: 'image/svg+xml' }}",
        ),
        [media(b"<svg/>", "image/svg+xml")],
    ),
    "image of base64": (shown(f"{IMAGE!r}", f"{IMAGE!r}"), [IMAGE]),
    "data url": (
        shown(
            f"{{'type': 'image', 'data': 'data:image/png;base64,{PNG_TEXT}'}}, {{'type': 'image', 'data': 'data:image/x-icon;base64,AAAB'}}",
            f"{{ type: 'image', data: 'data:image/png;base64,{PNG_TEXT}' }}, {{ type: 'image', data: 'data:image/x-icon;base64,AAAB' }}",
        ),
        [IMAGE, media(b"\0\0\1", "image/x-icon")],
    ),
    "base64 in lines, unpadded": (
        shown(
            "{'type': 'audio', 'data': 'aGVs\\nbG8', 'mimeType': 'audio/wav'}",
            "{ type: 'audio', data: 'aGVs\\nbG8', mimeType: 'audio/wav' }",
        ),
        [media(b"hello", "audio/wav")],
    ),
    "content blocks": (
        shown(f"[{{'type': 'text', 'text': 'a'}}, {IMAGE!r}]", f"[{{ type: 'text', text: 'a' }}, {IMAGE!r}]"),
        [text("a"), IMAGE],
    ),
    "what only looks like a block": (
        shown("{'type': 'image'}, {'type': 'other', 'data': 1}", "{ type: 'image' }, { type: 'other', data: 1 }"),
        [json({"type": "image"}), json({"type": "other", "data": 1})],
    ),
}


def image_with(fields):
    return f"display({{ {fields} }})"


_NO_BYTES = Both(
    "ValueError: display: the data of an image must be bytes or base64",
    "TypeError: display: the data of an image must be bytes or base64 text",
)
_NO_TYPE = Both(
    "ValueError: display: an image needs a mimeType such as 'image/png'",
    'TypeError: display: an image needs a mimeType such as "image/png"',
)
# name: (code, how its error begins); quoted keys are the same in both languages.
REFUSED = {
    "image that is no base64": (image_with("'type': 'image', 'data': '%%', 'mimeType': 'image/png'"), _NO_BYTES),
    "image of a number": (
        image_with("'type': 'image', 'data': 5, 'mimeType': 'image/png'"),
        Both(f"{_NO_BYTES.python}, not int", _NO_BYTES.typescript),
    ),
    "image without a type": (image_with("'type': 'image', 'data': 'aGVsbG8='"), _NO_TYPE),
    "image of another type": (image_with("'type': 'image', 'data': 'aGVsbG8=', 'mimeType': 'text/html'"), _NO_TYPE),
    "audio of the type of an image": (
        image_with("'type': 'audio', 'data': 'aGVsbG8=', 'mimeType': 'image/png'"),
        Both("ValueError: display: an audio needs a mimeType", "TypeError: display: an audio needs a mimeType"),
    ),
}


class DisplayTests:
    DISPLAYED = DISPLAYED
    REFUSED = REFUSED

    def test_displayed(self):
        for name, (code, blocks) in self.own(self.DISPLAYED).items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.displayed, blocks)

    def test_refused(self):
        for name, (code, expected) in self.own(self.REFUSED).items():
            with self.subTest(name):
                # The error is raised there and then: what follows is not displayed.
                outcome = self.run_program(f"\n{code}\ndisplay('after')")
                self.assertEqual(outcome.error["line"], 2)
                self.assertEqual(f"{outcome.error['name']}: {outcome.error['message']}"[: len(expected)], expected)
                self.assertEqual(outcome.displayed, [])
