"""What calls give to Python programs: dicts whose keys are attributes too; and what is said when they are used wrongly."""

import unittest

from fake_host import run_python, run_python_session

ISSUE = {"id": 7, "user": {"name": "a"}, "items": [{"name": "n"}], "labels": [[{"name": "deep"}]], "get": 1, "__await__": 2}

# name: (code, result); `r` is what the call has returned.
USES = {
    "attribute": ("r.id", 7),
    "attribute of an attribute": ("r.user.name", "a"),
    "in a list": ("r['items'][0].name", "n"),
    "in a list of a list": ("r.labels[0][0].name", "deep"),
    "methods stay methods": ("[len(r.items()), r.get('id'), list(r.keys())[0]]", [6, 7, "id"]),
    "default": ("[getattr(r, 'nope', 5), hasattr(r, 'id'), hasattr(r, 'nope')]", [5, True, False]),
    "kind": ("[isinstance(r, dict), type(r).__name__, type(r.user).__name__]", [True, "dict", "dict"]),
    "repr": ("repr(r.user)", "{'name': 'a'}"),
    "equality": ("[r.user == {'name': 'a'}, {'name': 'a'} == r.user, r.user != {}]", [True, True, True]),
    "json": ("import json\njson.dumps(r.user)", '{"name": "a"}'),
    "pickle": ("import pickle\np = pickle.loads(pickle.dumps(r))\n[p == r, type(p) is dict, type(p['user']) is dict]", [True, True, True]),
    "copies": (
        "import copy\n[c.user.name for c in (r.copy(), copy.copy(r), copy.deepcopy(r))] + [copy.deepcopy(r).user is r.user]",
        ["a", "a", "a", False],
    ),
    "unpacking": ("{**r.user, 'x': 1}", {"name": "a", "x": 1}),
    "change": ("r.user['name'] = 'b'\nr.user.name", "b"),
    "pattern": ("match r.user:\n    case {'name': name}:\n        found = name\nfound", "a"),
    "awaited": ("(await mcp.s.t()).user.name", "a"),
    "not awaited where others are": ("x = mcp.s.t()\ny = await mcp.s.t()\n[x.user.name, y.user.name]", ["a", "a"]),
    "awaited twice": ("x = mcp.s.t()\nx.id\n(await x).user.name", "a"),
    "gathered": ("import asyncio\n[x.user.name for x in await asyncio.gather(mcp.s.t(), mcp.s.t())]", ["a", "a"]),
}

# name: (code, message)
HINTS = {
    "no such key": ("r.nope", "'dict' object has no attribute 'nope'; its keys: id, user, items, labels, get, __await__"),
    "no attribute for Python's own names": ("r.__await__", "'dict' object has no attribute '__await__'; its keys: id, user"),
    "method that is subscripted": ("r.items[0].name", "not subscriptable (.items is the method of dict; a key of this name is read as ['items'])"),
    "method that is iterated": ("for x in r.items:\n    pass", "not iterable (.items is the method of dict"),
    "unwrapped": ("r.content[0].text", "; a call already returns the data, a dict with the keys id, user"),
    "unwrapped by keys": ("r['content'][0]['text']", "use it as it is, without .content[0].text"),
    "list": ("many = r['items']\nmany.content[0].text", "the data, a list of 1: use it"),
    "text": ("name = r.user.name\nname.content[0].text", "the data, a str of 1 characters: use it"),
    "coroutine": ("async def f():\n    return r\nf()['id']", "`await` is missing"),
    "attribute of a coroutine": ("async def f():\n    return r\nf().id", "`await` is missing"),
    "package": ("import pandas_of_nobody", "executors.python.venv"),
    "relative path": ("open('data.csv')", "permissions.read"),
    "folder that is not there": ("open('/home/nobody-here/data.csv')", "permissions.read"),
    "memory": ("bytearray(1 << 60)", "out of memory (the memory of a program is limited"),
}
WITHOUT_HINT = {
    "file that is missing": ("open('/tmp/nothing')", "No such file or directory: '/tmp/nothing'"),
    "module of the package": ("import json.nothing", "No module named 'json.nothing'"),
    "other attribute": ("[].content", "'list' object has no attribute 'content'"),
}

# What becomes of dicts whose keys are the same as texts: nothing of them is lost.
KEYS = {
    "{1: 'a', '1': 'b'}": {"1 (int)": "a", "1": "b"},
    r"{'\ud800': 1, '\ud801': 2}": {"\ufffd": 1, "\ufffd (str)": 2},
    "[{None: 1, 'null': 2}]": [{"null (NoneType)": 1, "null": 2}],
    "{True: 1, 'true': 2, 'True': 3}": {"true (bool)": 1, "true": 2, "True": 3},
    "{(1,): 1, '(1,)': 2, b'(1,)': 3}": {"(1,) (tuple)": 1, "(1,)": 2, "(1,) (bytes)": 3},
    "{1.0: 1, '1.0': 2, '1.0 (float)': 3}": {"1.0 (float 2)": 1, "1.0": 2, "1.0 (float)": 3},
    "{1: 'a', 2: 'b', (1,): 'c'}": {"1": "a", "2": "b", "(1,)": "c"},
}

_ROWS = (
    "import sqlite3\nc = sqlite3.connect(':memory:')\nc.row_factory = sqlite3.Row\n"
    "rows = lambda text: c.execute(text).fetchall()\n"
)
_FRAME = (
    "class Axis:\n    def __init__(self, is_unique):\n        self.is_unique = is_unique\n"
    "class Frame:\n    def __init__(self, is_unique):\n        self.axes = [Axis(True), Axis(is_unique)]\n"
    "    def to_dict(self, orient='dict'):\n        return {'orient': orient}\n"
)
# What is reached by keys, and is more than each key leads to. Code: result
KEYED = {
    f"{_ROWS}rows('select 1 as id, 2 as id, 3 as x, 4 as id')": [{"id": 1, "id (2)": 2, "x": 3, "id (3)": 4}],
    f"{_ROWS}rows('select 1 as id, 2 as x')": [{"id": 1, "x": 2}],
    f"{_ROWS}rows('select 1 as id, 2 as id, 3 as [id (2)]')": [{"id": 1, "id (3)": 2, "id (2)": 3}],
    "import xml.etree.ElementTree as E\nE.fromstring('<a><b>text</b></a>')": "<a><b>text</b></a>",
    "import xml.etree.ElementTree as E\nE.fromstring('<a><b>t1</b><b x=\"1\">t2</b></a>').findall('b')": ["<b>t1</b>", '<b x="1">t2</b>'],
    "import email\nemail.message_from_string('Subject: hi\\nX: 1\\nX: 2\\n\\nthe body')": "Subject: hi\nX: 1\nX: 2\n\nthe body",
    "import email\nemail.message_from_string('Subject: hi\\nX: 1\\nX: 2\\n\\n')": {"Subject": "hi", "X": "1", "X (2)": "2"},
    "import configparser\nc = configparser.ConfigParser()\nc.read_string('[a]\\nx=1')\nc": {"DEFAULT": {}, "a": {"x": "1"}},
    f"{_FRAME}[Frame(True), Frame(False)]": [{"orient": "dict"}, {"orient": "split"}],
}

_HUGE = "(10**5000 + 7)"
_DIGITS = "1" + "0" * 4999 + "7"
# Integers of more digits than Python writes. Code: result
HUGE = {
    f"{{'n': 1, 'f': {_HUGE}, 'other': [1, -{_HUGE}]}}": {"n": 1, "f": _DIGITS, "other": [1, "-" + _DIGITS]},
    _HUGE: _DIGITS,
    f"{{{_HUGE}}}": [_DIGITS],
    f"{{{_HUGE}: 1, 'x': 2}}": {_DIGITS: 1, "x": 2},
    f"{{({_HUGE}, 1): 1, 'x': 2}}": {"[Unreadable tuple: ValueError]": 1, "x": 2},
    f"import dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int\n    b: int\nA({_HUGE}, 1)": {"a": _DIGITS, "b": 1},
    "[-(10**600), 3 * 10**1799]": ["-1" + "0" * 600, "3" + "0" * 1799],
    "{'n': 1 << 600_000}": {"n": "0x1" + "0" * 150_000},
}
_DEEP = "x = [1]\nfor _ in range(90):\n    x = {'a': x}\n"


def issue(_):
    return {"result": ISSUE}


class ResultsTest(unittest.TestCase):
    USES = USES
    HINTS = HINTS

    def test_uses(self):
        for name, (code, expected) in self.USES.items():
            with self.subTest(name):
                outcome = run_python(f"r = mcp.s.t()\n{code}", issue)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.result, expected)

    def test_keys_that_are_the_same_as_texts(self):
        for code, expected in KEYS.items():
            with self.subTest(code):
                outcome = run_python(f"display({code})\n{code}")
                self.assertEqual((outcome.result, outcome.displayed), (expected, [{"type": "json", "value": expected}]))

    def test_what_has_more_than_its_keys(self):
        for code, expected in KEYED.items():
            with self.subTest(code):
                self.assertEqual(run_python(code).result, expected)

    def test_an_object_that_has_every_attribute(self):
        for attribute in ("None", "1", "R()", "lambda: 1"):
            with self.subTest(attribute):
                code = f"class R:\n    def __getattr__(self, name): return {attribute}\n    def __repr__(self): return 'R()'\ndisplay(R())\n"
                self.assertEqual(run_python(f"{code}[R()]").result, ["R()"])
                self.assertEqual(run_python(f"{code}R()").result, "R()")

    def test_integers_that_Python_does_not_write(self):
        for code, expected in HUGE.items():
            with self.subTest(code):
                outcome = run_python(code)
                self.assertEqual(outcome.result, expected, outcome.error)

    def test_integers_that_Python_does_not_write_are_displayed(self):
        self.assertEqual(run_python(f"display({{'a': 1, 'b': {_HUGE}}})").displayed, [{"type": "json", "value": {"a": 1, "b": _DIGITS}}])

    def test_integers_that_Python_does_not_write_are_refused_in_arguments(self):
        for code in (f"mcp.s.t(a={_HUGE})", f"save_memory('k', [{_HUGE}])"):
            error = run_python(code).error
            self.assertIn("the number 1000000000000000000000000000000000000000", error["message"])

    def test_recursion_limits_of_programs(self):
        for limit in (60, 100, 250):
            with self.subTest(limit):
                code = f"{_DEEP}import sys\nsys.setrecursionlimit({limit})\ndisplay(x)\nx"
                outcome = run_python(code)
                expected = [1]
                for _ in range(90):
                    expected = {"a": expected}
                self.assertEqual((outcome.result, outcome.displayed), (expected, [{"type": "json", "value": expected}]), outcome.error)

    def test_a_session_keeps_its_recursion_limit(self):
        programs = ["import sys\nsys.setrecursionlimit(150)\n{'a': [{}]}", "sys.getrecursionlimit()"]
        self.assertEqual(run_python_session(*programs)[-1].result, 150)

    def test_hints(self):
        for name, (code, message) in self.HINTS.items():
            with self.subTest(name):
                error = run_python(f"r = mcp.s.t()\n{code}", issue).error
                self.assertIsNotNone(error)
                self.assertIn(message, error["message"])

    def test_errors_that_say_all(self):
        for name, (code, message) in WITHOUT_HINT.items():
            with self.subTest(name):
                error = run_python(code, issue).error
                self.assertTrue(error["message"].endswith(message), error)
                self.assertNotIn("permissions", error["message"])
                self.assertNotIn("venv", error["message"])
                self.assertNotIn("use it as it is", error["message"])

    def test_huge_keys_are_cut_in_messages(self):
        error = run_python("mcp.s.t().nope", lambda _: {"result": {"k" * 100_000: 1, **{str(i): i for i in range(1000)}}}).error
        self.assertLess(len(error["message"]), 600)
        self.assertIn("993 more", error["message"])


if __name__ == "__main__":
    unittest.main()
