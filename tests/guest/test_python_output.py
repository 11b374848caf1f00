"""What Python programs print, their tracebacks too, and what they can break."""

import unittest

import languages
import output_cases
from fake_host import Guest


class OutputTest(output_cases.OutputTests, languages.PythonTest):
    def test_unfinished_line_is_flushed(self):
        self.assertEqual(self.run_program("print('a', end='')").stdout, "a")

    def test_lines_arrive_while_the_program_runs(self):
        with Guest(self.command()) as guest:
            answered = guest.run("print('early')\nmcp.s.t()", lambda _: {"result": 1})
            self.assertEqual(answered.stdout, "early\n")

    def test_text_that_utf8_cannot_hold(self):
        self.assertEqual(self.run_program(r"print('a\ud800')").stdout, "a\\ud800\n")

    def test_programs_and_descriptors(self):
        code = "import os, subprocess\nos.write(1, b'fd\\n')\nsubprocess.run(['echo', 'sub'])\nprint('last')"
        self.assertEqual(self.run_program(code).stdout, "fd\nsub\nlast\n")

    def test_stray_errors_do_not_end_the_program(self):
        outcome = self.run_program("import threading\nt = threading.Thread(target=lambda: 1/0)\nt.start()\nt.join()\n'on'")
        self.assertEqual(outcome.result, "on")
        self.assertIn("ZeroDivisionError", outcome.stderr)
        self.assertIn('File "<code>", line 2', outcome.stderr)
        self.assertNotIn("sandbox/guest", outcome.stderr)

    def test_errors_of_tasks(self):
        code = (
            "import asyncio\nasync def bad():\n    raise ValueError('lost')\nasync def main():\n"
            "    t = asyncio.create_task(bad())\n    await asyncio.sleep(0)\n    await asyncio.sleep(0)\n    del t\n"
            "    return 'on'\nawait main()"
        )
        error = self.run_program(code).error
        self.assertEqual((error["name"], error["message"], error["line"]), ("ValueError", "lost", 3))

    def test_printing_a_traceback_shows_the_source(self):
        outcome = self.run_program("import traceback\ntry:\n    1 / 0\nexcept Exception:\n    traceback.print_exc()")
        self.assertIn("    1 / 0\n", outcome.stderr)


class HostileProgramTest(output_cases.HostileProgramTests, languages.PythonTest):
    PROGRAMS = {
        **output_cases.HOSTILE,
        "closed stdout": "import sys\nsys.stdout.close()\nsys.stderr.close()\n'end'",
        "closed descriptors": "import os\nos.close(1)\nos.close(2)\n'end'",
        "builtins removed": (
            "import builtins\nfor name in ('print', 'len', 'isinstance', 'getattr', 'type', 'str', 'dict'):\n"
            "    delattr(builtins, name)\n'end'"
        ),
        "modules cleared": "import sys\nsys.modules.clear()\n'end'",
        "modules cleared, call after": "import sys\nsys.modules.clear()\nmcp.s.t()\n'end'",
        "posix emptied": "import posix\nposix.fsync = None\n'end'",
        "excepthook replaced": "import sys\nsys.excepthook = None\nsys.unraisablehook = None\n'end'",
        "forked child": "import os\nif os.fork() == 0:\n    raise ValueError('child')\nos.wait()\n'end'",
        "exit handler": "import atexit\natexit.register(lambda: 1/0)\n'end'",
        "threads left running": "import threading\nthreading.Thread(target=threading.Event().wait).start()\n'end'",
        "recursion limit": "import sys\nsys.setrecursionlimit(60)\n'end'",
    }


class ChannelTest(output_cases.ChannelTests, languages.PythonTest):
    pass


if __name__ == "__main__":
    unittest.main()
