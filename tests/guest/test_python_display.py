"""What `display` makes of Python's own values."""

import base64
import os
import unittest

import display_cases
import languages
from display_cases import IMAGE, PNG, PNG_TEXT, json, media, text
from fake_host import python_command, run_python, run_python_session


def with_method(name, result):
    return f"class A:\n    def {name}(self):\n        return {result!r}\ndisplay(A())"


# name: (code, blocks)
DISPLAYED = {
    "dates in data": ("import datetime\ndisplay({'d': datetime.date(2020, 1, 2)})", [json({"d": "2020-01-02"})]),
    "object": ("class A:\n    def __repr__(self):\n        return '<A>'\ndisplay(A())", [text("<A>")]),
    "class": ("class A:\n    def _repr_png_(self):\n        return 1 / 0\ndisplay(A)", [text("<class '__main__.A'>")]),
    "what a tool gave": ("display(mcp.s.t())", [json({"method": "call", "server": "s", "tool": "t", "args": {}})]),
    "awaited": ("await display('a')", [text("a")]),
    "bytes of text": ("display(b'abc')", [text("abc")]),
    "other bytes": (r"display(b'\xff\xfe')", [text("<2 bytes that are no image and no text>")]),
    "the type by Python's way to write names": (
        "display({'type': 'audio', 'data': 'aGVs\\nbG8', 'mime_type': 'audio/wav'})",
        [media(b"hello", "audio/wav")],
    ),
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

# name: (code, how its error begins)
REFUSED = {
    "image of a wrong length": (
        "display({'type': 'image', 'data': 'abcde', 'mimeType': 'image/png'})",
        "ValueError: display: the data of an image must be bytes or base64",
    ),
    "more than a message holds": ("display('x' * (65 << 20))", "ValueError: 68157492 bytes are more than a message can hold"),
}


class DisplayTest(display_cases.DisplayTests, languages.PythonTest):
    DISPLAYED = {**display_cases.DISPLAYED, **DISPLAYED}
    REFUSED = {**display_cases.REFUSED, **REFUSED}

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
