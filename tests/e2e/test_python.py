"""Programs in Python: results, print, errors with their place."""

from support.case import SharedServerCase


class Results(SharedServerCase):
    def test_value_of_the_last_expression(self):
        for code, value in (("1 + 1", 2), ("x = 20\nx + 1", 21), ("'text'", "text"), ("[1, 'two', None]", [1, "two", None]),
                            ("{'a': {'b': [True]}}", {"a": {"b": [True]}}), ("(1, 2)", [1, 2]), ("0", 0), ("''", ""),
                            ("False", False), ("2.5", 2.5)):
            with self.subTest(code):
                self.assertEqual(self.succeed(self.python(code)).result, value)

    def test_no_last_expression_is_no_result(self):
        for code in ("x = 1", "None", "import math", "# nothing"):
            with self.subTest(code):
                self.assertIsNone(self.succeed(self.python(code)).result)

    def test_values_that_json_does_not_know(self):
        for code in ("{1, 2}", "b'bytes'", "float('nan')", "float('inf')", "object()", "lambda: 1", "1 + 2j",
                     "ring = []\nring.append(ring)\nring", "{(1, 2): 3}"):
            with self.subTest(code):
                # A value or a clear error, but an answer in order.
                answer = self.python(code)
                if answer.is_error:
                    self.assertTrue(answer.error)

    def test_a_big_integer_keeps_its_digits(self):
        self.assertIn("123456789012345678901234567890", self.python("123456789012345678901234567890").text)

    def test_await_at_the_top(self):
        answer = self.succeed(self.python("import asyncio\nawait asyncio.sleep(0)\nawait asyncio.sleep(0, 'slept')"))
        self.assertEqual(answer.result, "slept")

    def test_asyncio_run(self):
        answer = self.succeed(self.python(
            "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    return 'ran'\nasyncio.run(main())"))
        self.assertEqual(answer.result, "ran")

    def test_functions_classes_and_imports(self):
        answer = self.succeed(self.python("""
import json, math, re, datetime, collections
from dataclasses import dataclass

@dataclass
class Point:
    x: int
    y: int = 0

def total(points):
    return sum(p.x for p in points)

{"total": total([Point(1), Point(2)]), "root": math.isqrt(17), "found": re.compile("a+").search("baab").group(),
 "parsed": json.loads('[1]'), "day": datetime.date(2020, 2, 29).isoformat(), "most": collections.Counter("aab")["a"]}
"""))
        self.assertEqual(answer.result, {"total": 3, "root": 4, "found": "aa", "parsed": [1], "day": "2020-02-29", "most": 2})

    def test_names_are_seen_in_functions_and_comprehensions(self):
        self.assertEqual(self.succeed(self.python("n = 3\ndef f():\n    return [n * i for i in range(n)]\nf()")).result,
                         [0, 3, 6])

    def test_main_guard(self):
        answer = self.succeed(self.python("if __name__ == '__main__':\n    print('main')"))
        self.assertIn("main", answer.output)


class Print(SharedServerCase):
    def test_lines_in_order(self):
        answer = self.succeed(self.python("print('one')\nprint('two', 2, sep='-')\nprint('three', end='')"))
        self.assertEqual(answer.output.strip().split("\n"), ["one", "two-2", "three"])

    def test_stderr_is_not_lost(self):
        self.assertIn("bad news", self.succeed(self.python("import sys\nprint('bad news', file=sys.stderr)")).text)

    def test_unicode(self):
        self.assertIn("\u65e5\u672c \U0001f600 \u00e9", self.succeed(
            self.python("print('\u65e5\u672c \U0001f600 \u00e9')")).output)

    def test_raw_write(self):
        self.assertIn("raw", self.succeed(self.python("import os\n_ = os.write(1, b'raw\\n')")).output)

    def test_output_before_an_error_is_kept(self):
        answer = self.python("print('so far')\nraise ValueError('no further')")
        self.refuse(answer, "no further")
        self.assertIn("so far", answer.output)

    def test_stdin_is_empty(self):
        self.assertEqual(self.succeed(self.python("import sys\nsys.stdin.read()")).result, "")


class Errors(SharedServerCase):
    # What no user has written.
    OUR_FRAMES = ("/usr/", "/tmp/", "guest.py", "bootstrap", "asyncio/", "exec(")

    def error(self, code):
        error = self.refuse(self.python(code))
        for frame in self.OUR_FRAMES:
            self.assertNotIn(frame, error)
        return error

    def test_class_message_line_and_column(self):
        error = self.error("x = 1\n\nif x:\n    raise TypeError('boom')")
        self.assertIn("TypeError", error)
        self.assertIn("boom", error)
        self.assert_position(error, 4, 5)

    def test_error_of_the_runtime(self):
        error = self.error("x = 0\nvalue = 1 / x")
        self.assertIn("ZeroDivisionError", error)
        self.assert_position(error, 2, 9)

    def test_error_in_a_function(self):
        error = self.error("def f():\n    raise KeyError('deep')\n\nf()")
        self.assertIn("KeyError", error)
        self.assert_position(error, 2, 5)

    def test_unknown_name(self):
        error = self.error("no_such_name")
        self.assertIn("no_such_name", error)
        self.assert_position(error, 1, 1)

    def test_error_in_the_standard_library_names_the_users_line(self):
        error = self.refuse(self.python("import json\n\njson.loads('{')"))
        self.assertIn("JSONDecodeError", error)
        self.assertRegex(error, r"\bline 3\b|(?<!\d)3:\d")

    def test_syntax_error(self):
        error = self.error("ok = 1\ndef f(:\n    pass")
        self.assertIn("SyntaxError", error)
        self.assertRegex(error, r"\bline 2\b|(?<!\d)2:\d")

    def test_wrong_indentation(self):
        self.assertIn("IndentationError", self.error("if True:\nprint('x')"))

    def test_error_in_awaited_code(self):
        error = self.error("async def f():\n    raise LookupError('awaited')\n\nawait f()")
        self.assertIn("awaited", error)
        self.assert_position(error, 2, 5)

    def test_exit(self):
        for code in ("import sys\nsys.exit(3)", "raise SystemExit('message')", "import os\nos._exit(7)"):
            with self.subTest(code):
                self.refuse(self.python(code))

    def test_exit_0_is_success(self):
        answer = self.succeed(self.python("import sys\nprint('done')\nsys.exit(0)"))
        self.assertIn("done", answer.output)

    def test_endless_recursion(self):
        self.assertIn("RecursionError", self.error("def f():\n    return f()\nf()"))

    def test_keyboard_interrupt(self):
        self.refuse(self.python("raise KeyboardInterrupt"))
