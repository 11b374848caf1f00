"""What `display` makes of values."""

import base64
import os
import unittest

from fake_host import python_command, run_python, run_python_session

PNG = b"\x89PNG\r\n\x1a\n...."
PNG_TEXT = base64.b64encode(PNG).decode()
IMAGE = {"type": "image", "data": PNG_TEXT, "mimeType": "image/png"}


def text(value):
    return {"type": "text", "text": value}


def json(value):
    return {"type": "json", "value": value}


def media(data, mime_type):
    return {"type": mime_type.partition("/")[0], "data": base64.b64encode(data).decode(), "mimeType": mime_type}


def with_method(name, result):
    return f"class A:\n    def {name}(self):\n        return {result!r}\ndisplay(A())"


# name: (code, blocks)
DISPLAYED = {
    "nothing": ("display()", []),
    "text": ("display('a')", [text("a")]),
    "several values in order": ("display('a', 1)\ndisplay(None)", [text("a"), json(1), json(None)]),
    "data": ("display({'a': (1, {2})}, [True], 1.5)", [json({"a": [1, [2]]}), json([True]), json(1.5)]),
    "dates in data": ("import datetime\ndisplay({'d': datetime.date(2020, 1, 2)})", [json({"d": "2020-01-02"})]),
    "object": ("class A:\n    def __repr__(self):\n        return '<A>'\ndisplay(A())", [text("<A>")]),
    "class": ("class A:\n    def _repr_png_(self):\n        return 1 / 0\ndisplay(A)", [text("<class '__main__.A'>")]),
    "what a tool gave": ("display(mcp.s.t())", [json({"method": "call", "server": "s", "tool": "t", "args": {}})]),
    "awaited": ("await display('a')", [text("a")]),
    "png": (f"display({PNG!r})", [IMAGE]),
    "jpeg": (r"display(b'\xff\xd8\xff1')", [media(b"\xff\xd8\xff1", "image/jpeg")]),
    "gif": ("display(bytearray(b'GIF89a1'))", [media(b"GIF89a1", "image/gif")]),
    "webp": ("display(b'RIFF1234WEBP')", [media(b"RIFF1234WEBP", "image/webp")]),
    "wav": ("display(b'RIFF1234WAVE')", [media(b"RIFF1234WAVE", "audio/wav")]),
    "bytes of text": ("display(b'abc')", [text("abc")]),
    "other bytes": (r"display(b'\xff\xfe')", [text("<2 bytes that are no image and no text>")]),
    "image dict": (f"display({IMAGE!r})", [IMAGE]),
    "image dict of bytes": (f"display({{'type': 'image', 'data': {PNG!r}}})", [IMAGE]),
    "data url": (f"display({{'type': 'image', 'data': 'data:image/png;base64,{PNG_TEXT}'}})", [IMAGE]),
    "base64 in lines, unpadded": (
        "display({'type': 'audio', 'data': 'aGVs\\nbG8', 'mime_type': 'audio/wav'})",
        [media(b"hello", "audio/wav")],
    ),
    "content blocks": (f"display([{{'type': 'text', 'text': 'a'}}, {IMAGE!r}])", [text("a"), IMAGE]),
    "dict that only looks like a block": ("display({'type': 'image'})", [json({"type": "image"})]),
    "_repr_png_": (with_method("_repr_png_", PNG), [IMAGE]),
    "_repr_png_ with metadata": (with_method("_repr_png_", (PNG, {"width": 1})), [IMAGE]),
    "_repr_png_ in base64": (with_method("_repr_png_", PNG_TEXT), [IMAGE]),
    "_repr_jpeg_": (with_method("_repr_jpeg_", b"\xff\xd8\xff1"), [media(b"\xff\xd8\xff1", "image/jpeg")]),
    "_repr_json_": (with_method("_repr_json_", {"a": 1}), [json({"a": 1})]),
    "_repr_html_": (with_method("_repr_html_", "<b>a</b>"), [text("<b>a</b>")]),
    "_repr_markdown_": (with_method("_repr_markdown_", "**a**"), [text("**a**")]),
    "to_string before _repr_html_": (
        "class Table:\n    _repr_html_ = lambda self: '<table>'\n"
        "    to_string = lambda self: 'a | b'\ndisplay(Table())",
        [text("a | b")],
    ),
    "long table": (
        "class Table:\n    __len__ = lambda self: 10_000\n    to_string = lambda self: 'all'\n"
        "    __repr__ = lambda self: 'short'\ndisplay(Table())",
        [text("short")],
    ),
    "a form that fails": (
        "class A:\n    def _repr_png_(self):\n        return 1 / 0\n"
        "    def _repr_markdown_(self):\n        return 'm'\ndisplay(A())",
        [text("m")],
    ),
    "a form that is empty": (
        "class A:\n    def _repr_png_(self):\n        return None\n    def __repr__(self):\n"
        "        return '<A>'\ndisplay(A())",
        [text("<A>")],
    ),
    "savefig": (
        f"class Figure:\n    def savefig(self, file, **_):\n        file.write({PNG!r})\ndisplay(Figure())",
        [IMAGE],
    ),
    "in a thread": (
        "import threading\nt = threading.Thread(target=lambda: display('a'))\nt.start()\nt.join()",
        [text("a")],
    ),
    "in a helper function": ("show = display\ndef f(x):\n    show(x)\nf('a')", [text("a")]),
}

# name: (code, part of the message)
REFUSED = {
    "image that is no base64": ("display({'type': 'image', 'data': '%%', 'mimeType': 'image/png'})", "bytes or base64"),
    "image of a wrong length": (
        "display({'type': 'image', 'data': 'abcde', 'mimeType': 'image/png'})",
        "bytes or base64",
    ),
    "image of a number": ("display({'type': 'image', 'data': 5, 'mimeType': 'image/png'})", "not int"),
    "image without a type": ("display({'type': 'image', 'data': 'aGVsbG8='})", "mimeType"),
    "image of another type": ("display({'type': 'image', 'data': 'aGVsbG8=', 'mimeType': 'text/html'})", "mimeType"),
    "more than a message holds": ("display('x' * (65 << 20))", "more than a message can hold"),
}


class DisplayTest(unittest.TestCase):
    DISPLAYED = DISPLAYED

    def test_displayed(self):
        for name, (code, blocks) in self.DISPLAYED.items():
            with self.subTest(name):
                outcome = run_python(code)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.displayed, blocks)

    def test_refused(self):
        for name, (code, message) in REFUSED.items():
            with self.subTest(name):
                outcome = run_python(f"x = 1\n{code}")
                self.assertEqual((outcome.error["name"], outcome.error["line"]), ("ValueError", 2))
                self.assertIn(message, outcome.error["message"])
                self.assertEqual(outcome.displayed, [])

    def test_in_a_session(self):
        outcomes = run_python_session("def show():\n    display(x)\nx = 1", "show()", "x = 'a'\nshow()")
        self.assertEqual([outcome.displayed for outcome in outcomes], [[], [json(1)], [text("a")]])


# Where Debian puts its packages; the tests of libraries run where they are installed.
PACKAGES = "/usr/lib/python3/dist-packages"


def has(library):
    return os.path.isdir(f"{PACKAGES}/{library}") and python_command()[0] == "/usr/bin/python3"


class LibrariesTest(unittest.TestCase):
    ENVIRONMENT = {"CODE_EXECUTOR_SITE": PACKAGES, "MPLBACKEND": "Agg", "MPLCONFIGDIR": "/tmp"}

    def displayed(self, code):
        outcome = run_python(code, environment=self.ENVIRONMENT)
        self.assertIsNone(outcome.error, outcome)
        return outcome.displayed

    def assert_images(self, blocks, count):
        self.assertEqual([block["mimeType"] for block in blocks], ["image/png"] * count)
        for block in blocks:
            self.assertTrue(base64.b64decode(block["data"]).startswith(b"\x89PNG"))

    @unittest.skipUnless(has("matplotlib"), "needs matplotlib")
    def test_matplotlib(self):
        drawing = "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 2], [3, 4])\n"
        self.assert_images(self.displayed(drawing + "display(figure)"), 1)
        self.assert_images(self.displayed(drawing + "plt.figure()\nplt.show()\nplt.show(block=False)"), 2)
        self.assert_images(self.displayed(drawing + "figure.show()"), 1)
        self.assertEqual(self.displayed(drawing + "display(plt.get_backend().lower())"), [text("agg")])

    @unittest.skipUnless(has("PIL"), "needs Pillow")
    def test_pillow(self):
        for mode in ("RGB", "L", "CMYK"):
            with self.subTest(mode):
                self.assert_images(self.displayed(f"from PIL import Image\ndisplay(Image.new({mode!r}, (2, 2)))"), 1)

    @unittest.skipUnless(has("pandas"), "needs pandas")
    def test_pandas(self):
        blocks = self.displayed("import pandas\ndisplay(pandas.DataFrame({'a': [1, 2]}), pandas.Series([5]))")
        self.assertEqual(blocks, [text("   a\n0  1\n1  2"), text("0    5")])

    @unittest.skipUnless(has("numpy"), "needs numpy")
    def test_numpy(self):
        self.assertEqual(
            self.displayed("import numpy\ndisplay(numpy.array([[1, 2]]), numpy.int64(3))"), [json([[1, 2]]), json(3)]
        )


if __name__ == "__main__":
    unittest.main()
