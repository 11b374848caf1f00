"""When programs end, and what becomes of work that nobody awaits, in both languages."""

from fake_host import Guest, echo
from languages import Both

_BAD = "import asyncio\nasync def bad({0}):\n    raise ValueError({1})\n"

# name: (code, result, what was printed)
WORK = {
    "nothing": (Both("1", "return 1"), 1, ""),
    "functions that are not awaited": (
        Both(
            "import asyncio\nasync def work(i):\n    r = await mcp.s.t(i=i)\n    await asyncio.sleep(0.01)\n    print(r['args']['i'])\n"
            "for i in (1, 2):\n    asyncio.create_task(work(i))\n'r'",
            "[1, 2].forEach(async (i) => { const r = await mcp.s.t({ i }); console.log(r.args.i) }); return 'r'",
        ),
        "r",
        "1\n2\n",
    ),
    "call whose result is used later": (
        Both(
            "import asyncio\nasyncio.create_task(mcp.s.t(i=7)).add_done_callback(lambda t: print(t.result()['args']['i']))\n2",
            "mcp.s.t({ i: 7 }).then((r) => console.log(r.args.i)); return 2",
        ),
        2,
        "7\n",
    ),
    "timer": (
        Both(
            "import asyncio\nasyncio.get_running_loop().call_later(0.01, print, 'timer')\n1",
            "setTimeout(() => console.log('timer'), 20); return 1",
        ),
        1,
        "timer\n",
    ),
    "result that grows": (
        Both(
            "import asyncio\nseen = []\nasync def fill():\n    await asyncio.sleep(0.01)\n    seen.append(1)\nasyncio.create_task(fill())\nseen",
            "const seen = []; setTimeout(() => seen.push(1), 5); return seen",
        ),
        [1],
        "",
    ),
    "what waits for what nobody does": (
        Both(
            "import asyncio\nasync def wait():\n    await asyncio.Event().wait()\ntask = asyncio.create_task(wait())\n1",
            "new Promise(() => {}); return 1",
        ),
        1,
        "",
    ),
    "error that is caught later": (
        Both(
            _BAD.format("", "'x'") + "task = asyncio.create_task(bad())\nawait asyncio.sleep(0.01)\n"
            "try:\n    await task\nexcept ValueError as e:\n    caught = str(e)\ncaught",
            "const p = Promise.reject(new Error('x')); await new Promise((r) => setTimeout(r, 20));\n"
            "try { await p } catch (e) { return e.message }",
        ),
        "x",
        "",
    ),
}

# name: (code, name, message, line)
FAILURES = {
    "function that is not awaited": (
        Both(
            _BAD.format("", "'lost'") + "asyncio.create_task(bad())\n1",
            "(async () => {\nawait mcp.s.t();\nthrow new RangeError('lost') })(); return 1",
        ),
        Both("ValueError", "RangeError"),
        "lost",
        3,
    ),
    "timer": (
        Both(
            "import asyncio\nasyncio.get_running_loop().call_later(0.01, lambda: 1 / 0)\n1",
            "\nsetTimeout(() => { throw new TypeError('timer') }, 5); return 1",
        ),
        Both("ZeroDivisionError", "TypeError"),
        Both("division by zero", "timer"),
        2,
    ),
    "call": (Both("import asyncio\nasyncio.create_task(mcp.s.bad())\n1", "\nmcp.s.bad(); return 1"), "MCPError", "no such tool", Both(None, 2)),
}

# name: (code, requests, what is said on stderr when it goes on)
GOES_ON = {
    "what repeats": (
        Both(
            "import asyncio\nasync def beat():\n    while True:\n        await asyncio.sleep(0.1)\nasyncio.create_task(beat())",
            "setInterval(() => {}, 10); mcp.s.t(); return 1",
        ),
        Both(0, 1),
        Both("1 task (beat)", "1 call that nobody awaits and 1 timer (clearInterval ends an interval)"),
    ),
}


def answer(request):
    tool = request["params"].get("tool")
    if tool == "bad":
        return {"error": {"code": "tool_not_found", "message": "no such tool"}}
    return None if tool == "slow" else echo(request)


class ProgramEndTests:
    WORK = WORK
    FAILURES = FAILURES
    GOES_ON = GOES_ON

    def commands(self):
        return [self.command()]

    def in_a_session(self, code):
        """The code as one of several programs of a session, whose names must not clash."""
        return code

    def test_work_that_nobody_awaits(self):
        for name, (code, result, printed) in self.own(self.WORK).items():
            for command in self.commands():
                with self.subTest(name, command=command[-1]), Guest(command) as guest:
                    outcome = guest.run(code, answer)
                    self.assertIsNone(outcome.error, outcome)
                    self.assertEqual((outcome.result, outcome.stdout, outcome.stderr), (result, printed, ""))

    def test_what_is_to_be_done_at_the_end(self):
        code = self.own(
            Both(
                "import atexit\natexit.register(print, 'over')\natexit.register(lambda: print(mcp.s.t(i=1)['args']['i']))\nprint('on')\n1",
                "addEventListener('unload', () => console.log('1')); process.on('exit', () => console.log('over')); console.log('on'); return 1",
            )
        )
        outcome = self.run_program(code, answer)
        self.assertEqual((outcome.error, outcome.result, outcome.stdout), (None, 1, "on\n1\nover\n"))
        with self.guest() as guest:  # which goes on
            self.assertEqual(guest.program(code, answer, keep=True).result, 1)
            guest.finish()
            self.assertEqual(guest.output("stdout"), "on\n")

    def test_sessions(self):
        work = self.own(self.WORK)
        with self.guest() as guest:
            for name, (code, result, _) in work.items():
                with self.subTest(name):
                    outcome = guest.program(self.in_a_session(code), answer, keep=True)
                    self.assertEqual((outcome.error, outcome.result), (None, result))
            guest.finish()
            for name, (_, _, printed) in work.items():
                with self.subTest(name):
                    self.assertIn(printed, guest.output("stdout"))

    def test_failures(self):
        for name, (code, error_name, message, line) in self.own(self.FAILURES).items():
            with self.subTest(name):
                error = self.run_program(code, answer).error
                self.assertIsNotNone(error)
                self.assertEqual((error["name"], error["message"], error.get("line")), (error_name, message, line), error)

    def test_further_errors_are_told(self):
        code = Both(
            _BAD.format("i", "i") + "for i in ('first', 'second'):\n    asyncio.create_task(bad(i))",
            "Promise.reject(new Error('first'));\nPromise.reject(new Error('second')); return 1",
        )
        outcome = self.run_program(code)
        self.assertEqual(outcome.error["message"], "first")
        told = Both(
            r"\AUnhandled exception:\n(?s:.*)\nValueError: second\n\Z",
            r"\AUnhandled rejection: Error: second\n    at code\.ts:2:16\n\Z",
        )
        self.assertRegex(outcome.stderr, self.own(told))

    def test_what_goes_on_is_told_before_a_deadline_ends_it(self):
        for name, (code, requests, told) in self.own(self.GOES_ON).items():
            with self.subTest(name), self.guest() as guest:
                guest.send({"type": "run", "code": code})
                for _ in range(requests):
                    guest.receive()
                guest.socket.settimeout(2)
                self.assertRaises(TimeoutError, guest.receive)
                self.assertIn(told, guest.output("stderr"))
