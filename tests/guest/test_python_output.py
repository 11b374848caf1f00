"""What Python programs print, and what reaches the host whatever a program breaks."""

import unittest

from fake_host import Guest, python_command, run_python


class OutputTest(unittest.TestCase):
    def test_streams(self):
        outcome = run_python("import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.stdout.buffer.write(b'raw')")
        self.assertEqual((outcome.stdout, outcome.stderr), ("out\nraw", "err\n"))

    def test_unfinished_line_is_flushed(self):
        self.assertEqual(run_python("print('a', end='')").stdout, "a")

    def test_lines_arrive_while_the_program_runs(self):
        with Guest(python_command()) as guest:
            answered = guest.run("print('early')\nmcp.s.t()", lambda _: {"result": 1})
            self.assertEqual(answered.stdout, "early\n")

    def test_text_that_utf8_cannot_hold(self):
        self.assertEqual(run_python(r"print('a\ud800')").stdout, "a\\ud800\n")

    def test_programs_and_descriptors(self):
        code = "import os, subprocess\nos.write(1, b'fd\\n')\nsubprocess.run(['echo', 'sub'])\nprint('last')"
        self.assertEqual(run_python(code).stdout, "fd\nsub\nlast\n")

    def test_large_output_comes_before_done(self):
        self.assertEqual(len(run_python("print('x' * 3_000_000)").stdout), 3_000_001)

    def test_stray_errors_do_not_end_the_program(self):
        outcome = run_python("import threading\nt = threading.Thread(target=lambda: 1/0)\nt.start()\nt.join()\n'on'")
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
        error = run_python(code).error
        self.assertEqual((error["name"], error["message"], error["line"]), ("ValueError", "lost", 3))

    def test_printing_a_traceback_shows_the_source(self):
        outcome = run_python("import traceback\ntry:\n    1 / 0\nexcept Exception:\n    traceback.print_exc()")
        self.assertIn("    1 / 0\n", outcome.stderr)


class HostileProgramTest(unittest.TestCase):
    """Whatever a program breaks, the host hears of its end."""

    PROGRAMS = {
        "closed stdout": "import sys\nsys.stdout.close()\nsys.stderr.close()\n'end'",
        "closed descriptors": "import os\nos.close(1)\nos.close(2)\n'end'",
        "no streams": "import sys\ndel sys.stdout\nsys.stderr = None\n'end'",
        "builtins removed": (
            "import builtins\nfor name in ('print', 'len', 'isinstance', 'getattr', 'type', 'str', 'dict'):\n"
            "    delattr(builtins, name)\n'end'"
        ),
        "json replaced": "import json\njson.dumps = json.loads = None\n'end'",
        "modules cleared": "import sys\nsys.modules.clear()\n'end'",
        "modules cleared, call after": "import sys\nsys.modules.clear()\nmcp.s.t()\n'end'",
        "posix emptied": "import posix\nposix.fsync = None\n'end'",
        "excepthook replaced": "import sys\nsys.excepthook = None\nsys.unraisablehook = None\n'end'",
        "forked child": "import os\nif os.fork() == 0:\n    raise ValueError('child')\nos.wait()\n'end'",
        "exit handler": "import atexit\natexit.register(lambda: 1/0)\n'end'",
        "threads left running": "import threading\nthreading.Thread(target=threading.Event().wait).start()\n'end'",
        "recursion limit": "import sys\nsys.setrecursionlimit(60)\n'end'",
    }

    def test_done_arrives(self):
        for name, code in self.PROGRAMS.items():
            with self.subTest(name):
                outcome = run_python(code)
                self.assertEqual(outcome.done, {"type": "done", "result": "end"}, outcome)

    def test_deep_values_are_cut(self):
        outcome = run_python("x = []\nfor i in range(100_000):\n    x = [x]\nx")
        self.assertIn("[Depth limit]", str(outcome.result))

    def test_result_beyond_a_frame(self):
        error = run_python("'x' * (65 << 20)").error
        self.assertEqual(error["name"], "ValueError")


class ChannelTest(unittest.TestCase):
    def exit_status(self, data):
        with Guest(python_command()) as guest:
            self.assertEqual(guest.receive(), {"type": "ready"})
            if data:
                guest.socket.sendall(data)
            guest.socket.shutdown(1)
            return guest.process.wait(30)

    def test_end_of_channel(self):
        self.assertEqual(self.exit_status(b""), 70)

    def test_broken_frames(self):
        for data in (b"\0\0\0\3abc", b"\xff\xff\xff\xff", b"\0\0\0\2[]", b"\0\0\0\4\xff\xff\xff\xff"):
            with self.subTest(data=data):
                self.assertEqual(self.exit_status(data), 70)

    def test_end_of_channel_after_done(self):
        with Guest(python_command()) as guest:
            guest.receive()
            guest.send({"type": "run", "code": "1"})
            self.assertEqual(guest.receive(), {"type": "done", "result": 1})
            guest.socket.shutdown(1)
            self.assertEqual(guest.process.wait(30), 70)

    def test_frames_in_pieces(self):
        with Guest(python_command()) as guest:
            guest.receive()
            body = b'{"type":"run","code":"21 * 2"}'
            for byte in len(body).to_bytes(4, "big") + body:
                guest.socket.sendall(bytes([byte]))
            self.assertEqual(guest.receive()["result"], 42)


if __name__ == "__main__":
    unittest.main()
