"""What programs print, and what reaches the host whatever a program breaks, in both languages."""

from fake_host import Guest
from languages import Both


class OutputTests:
    # name: (code, characters)
    LARGE = {"print": (Both("print('x' * 3_000_000)", "console.log('x'.repeat(3_000_000))"), 3_000_001)}

    def test_streams(self):
        code = Both(
            "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.stdout.buffer.write(b'raw')",
            "console.log('log'); console.info('info'); console.debug('debug');console.warn('warn'); console.error('error')",
        )
        outcome = self.run_program(code)
        expected = Both(("out\nraw", "err\n"), ("log\ninfo\ndebug\n", "warn\nerror\n"))
        self.assertEqual((outcome.stdout, outcome.stderr), self.own(expected))

    def test_large_output_comes_before_done(self):
        for name, (code, size) in self.own(self.LARGE).items():
            with self.subTest(name):
                self.assertEqual(len(self.run_program(code).stdout), size)


# name: code
HOSTILE = {
    "JSON replaced": Both("import json\njson.dumps = json.loads = None\n'end'", "JSON.parse = null; JSON.stringify = null; return ['end']"),
    "no streams": Both(
        "import sys\ndel sys.stdout\nsys.stderr = None\n'end'", "globalThis.process = null; globalThis.console = null; return ['end']"
    ),
}


class HostileProgramTests:
    """Whatever a program breaks, the host hears of its end."""

    PROGRAMS = HOSTILE

    def test_done_arrives(self):
        # A list, because JavaScript walks it by functions that a program can replace.
        result = self.own(Both("end", ["end"]))
        for name, code in self.own(self.PROGRAMS).items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertEqual(outcome.done, {"type": "done", "result": result}, outcome)

    def test_deep_values_are_cut(self):
        code = Both(
            "x = []\nfor i in range(100_000):\n    x = [x]\nx",
            "let x: unknown = []; for (let i = 0; i < 100_000; i++) x = [x]; return x",
        )
        self.assertIn("[Depth limit]", str(self.run_program(code).result))

    def test_result_beyond_a_frame(self):
        error = self.run_program(Both("'x' * (65 << 20)", "return 'x'.repeat(65 * 1024 * 1024)")).error
        self.assertEqual(error["name"], self.own(Both("ValueError", "RangeError")))


class ChannelTests:
    def exit_status(self, data):
        with Guest(self.command()) as guest:
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
        with self.guest() as guest:
            guest.send({"type": "run", "code": self.own(Both("1", "return 1"))})
            self.assertEqual(guest.receive(), {"type": "done", "result": 1})
            guest.socket.shutdown(1)
            self.assertEqual(guest.process.wait(30), 70)

    def test_frames_in_pieces(self):
        with self.guest() as guest:
            body = self.own(Both(b'{"type":"run","code":"21 * 2"}', b'{"type":"run","code":"return 21 * 2"}'))
            for byte in len(body).to_bytes(4, "big") + body:
                guest.socket.sendall(bytes([byte]))
            self.assertEqual(guest.receive()["result"], 42)
