"""Whose failures those of event loops are: the program's, asyncio's own, or another thread's; and classes that answer oddly."""

import unittest

import languages
from fake_host import echo

_RESET = (
    "import asyncio, socket, struct\nkept = []\nasync def main():\n    lost = asyncio.Event()\n    async def handle(reader, writer):\n"
    "        kept.append((reader, writer))\n        try:\n            while await reader.read(100):\n                pass\n"
    "        except ConnectionResetError:\n            print('reset')\n        writer.close()\n        {0}\n        lost.set()\n"
    "    server = await asyncio.start_server(handle, '127.0.0.1', 0)\n    client = socket.create_connection(server.sockets[0].getsockname())\n"
    "    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))\n    client.close()\n"
    "    await lost.wait()\n    server.close()\n    return 1\n"
)
_WAIT_CLOSED = "try: await writer.wait_closed()\n        except ConnectionResetError: print('closed')"

# Futures of asyncio's own, which it would look at itself. Name: (code, what is printed)
OF_ASYNCIO = {
    "connection": (_RESET.format("pass") + "await main()", "reset\n"),
    "connection, asyncio.run": (_RESET.format("pass") + "asyncio.run(main())", "reset\n"),
    "connection that nothing holds": (_RESET.format("kept.clear()") + "import gc\nr = asyncio.run(main())\ngc.collect()\nr", "reset\n"),
    "connection whose end is awaited": (_RESET.format(_WAIT_CLOSED) + "await main()", "reset\nclosed\n"),
    "input of a process": (
        "import asyncio, sys\nprocess = await asyncio.create_subprocess_exec(sys.executable, '-c', 'import os; os.close(0)', stdin=asyncio.subprocess.PIPE)\n"
        "try:\n    while True:\n        process.stdin.write(bytes(100000))\n        await process.stdin.drain()\n"
        "except (BrokenPipeError, ConnectionResetError):\n    print('broken')\nawait process.wait()\n1",
        "broken\n",
    ),
}

_ODD_CLASSES = (
    "import asyncio\nclass Odd(type):\n    def __eq__(self, other):\n        return self is other\nclass A(metaclass=Odd):\n    pass\n"
    "class Worse(type):\n    def __hash__(self):\n        raise RuntimeError('mine')\n    __eq__ = lambda *_: 1 / 0\nclass B(metaclass=Worse):\n    pass\n"
    "class C:\n    @property\n    def __class__(self):\n        raise RuntimeError('mine')\nkept = [A(), B()]\n"
)
_ODD_FUTURE = (
    "import asyncio\nclass Odd(asyncio.{0}Future):\n    def done(self):\n        raise RuntimeError('mine')\n"
    "    exception = get_loop = result = done\nkept = Odd(loop=asyncio.get_running_loop())\n"
)

# What classes and futures of a program may be without a failure. Name: code
ODD = {
    "metaclass": f"{_ODD_CLASSES}1",
    "metaclass, asyncio.run": f"{_ODD_CLASSES}async def main():\n    return 1\nasyncio.run(main())",
    "metaclass, in what is awaited": (
        f"{_ODD_CLASSES}class D(metaclass=Worse):\n    def __await__(self):\n        return (yield from asyncio.sleep(0, 1).__await__())\n"
        "await D()"
    ),
    "future": f"{_ODD_FUTURE.format('')}1",
    "future in Python": f"{_ODD_FUTURE.format('futures._Py')}1",
    "future that cannot be read at all": (
        _ODD_FUTURE.format("futures._Py") + "def read(self, name):\n    raise RuntimeError('mine')\nOdd.__getattribute__ = read\n1"
    ),
}

_IN_THREAD = (
    "import asyncio, threading\nasync def bad():\n    raise ValueError('lost')\nasync def main():\n    global kept\n"
    "    kept = asyncio.create_task(bad())\n    await asyncio.wait([kept])\n"
    "thread = threading.Thread(target=lambda: {0})\nthread.start()\nthread.join()\n"
)


class LoopErrorsTest(languages.PythonTest):
    def test_futures_that_asyncio_looks_at_itself(self):
        for name, (code, printed) in OF_ASYNCIO.items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertEqual((outcome.error, outcome.result, outcome.stdout, outcome.stderr), (None, 1, printed, ""))
            with self.subTest(name, session=True):
                outcomes = self.run_session(code, "kept = process = None\nimport gc\ngc.collect()\n2")
                self.assertEqual([(each.error, each.result) for each in outcomes], [(None, 1), (None, 2)])

    def test_classes_that_answer_oddly(self):
        for name, code in ODD.items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertEqual((outcome.error, outcome.result), (None, 1))
            with self.subTest(name, session=True):
                outcomes = self.run_session(code, "2", "import asyncio\nawait asyncio.sleep(0)\n3")
                self.assertEqual([(each.error, each.result) for each in outcomes], [(None, 1), (None, 2), (None, 3)])

    def test_values_of_classes_that_answer_oddly(self):
        outcome = self.run_program(f"{_ODD_CLASSES}A.__repr__ = B.__repr__ = lambda _: 'odd'\n[A(), B(), C()]")
        self.assertIsNone(outcome.error)
        self.assertEqual(outcome.result[:2], ["odd", "odd"])

    def test_arguments_of_classes_that_answer_oddly(self):
        isoformat = "A.isoformat = B.isoformat = lambda _: 'odd'\n"
        for value in ("A()", "B()", "[A()]", "{'a': B()}"):
            with self.subTest(value):
                outcome = self.run_program(f"{_ODD_CLASSES}{isoformat}mcp.s.t(value={value})['args']", echo)
                self.assertIsNone(outcome.error)
                self.assertIn("odd", str(outcome.result))

    def test_odd_futures_that_fail(self):
        """They are failures like others, and no later program's."""
        for kind in ("", "futures._Py"):
            code = f"{_ODD_FUTURE.format(kind)}kept.set_exception(ValueError('lost'))\n1"
            with self.subTest(kind):
                first, second = self.run_session(code, "2")
                self.assertEqual((first.error["message"], second.error, second.result), ("lost", None, 2))

    def test_failures_in_loops_of_other_threads(self):
        """They are told, whether or not the program holds them until its end."""
        for run in ("asyncio.run(main())", "asyncio.new_event_loop().run_until_complete(main())"):
            for then in ("1", "del kept\n1"):
                with self.subTest(run, then=then):
                    outcome = self.run_program(_IN_THREAD.format(run) + then)
                    self.assertEqual((outcome.error, outcome.result), (None, 1))
                    self.assertEqual(outcome.stderr.count("ValueError: lost"), 1)

    def test_failure_in_a_loop_that_the_program_runs_again(self):
        code = _IN_THREAD.format("loop.run_until_complete(asyncio.sleep(0))").replace("thread =", "loop = asyncio.new_event_loop()\nthread =")
        self.assertEqual(self.run_program(f"{code}loop.run_until_complete(main())\n1").error["message"], "lost")


if __name__ == "__main__":
    unittest.main()
