"""When programs end: as they would on their own. Work that nobody awaits is waited for, and what fails in it fails the run."""

import json
import os

from support.case import Case, SharedServerCase
from support.config import child

TASKS = "import asyncio\nasync def work(i):\n    r = await mcp.kid.echo(text=str(i))\n    await asyncio.sleep(0.02)\n    print('did', i)\n"

# language, program, result, lines that were printed in any order
ENDS = [
    ("typescript", "[1, 2].forEach(async (i) => { await mcp.kid.echo({text: String(i)}); console.log(`did ${i}`) }); return 'over'",
     "over", ["did 1", "did 2"]),
    ("typescript", "mcp.kid.echo({text: '3'}).then(() => console.log('did 3'))", None, ["did 3"]),
    ("typescript", "setTimeout(() => console.log('timer'), 50); return 1", 1, ["timer"]),
    ("typescript", "setTimeout(() => console.log('never'), 60_000).unref(); return 1", 1, []),
    ("typescript", "let n = 0; const t = setInterval(() => { console.log(`tick ${++n}`); if (n === 2) clearInterval(t) }, 10); return 2",
     2, ["tick 1", "tick 2"]),
    ("typescript", "new Promise(() => {}); return 3", 3, []),
    ("typescript", "addEventListener('unhandledrejection', (e) => e.preventDefault()); Promise.reject(new Error('handled')); return 4", 4, []),
    ("typescript", "process.on('uncaughtException', () => console.log('handled')); setTimeout(() => { throw new Error('x') }); return 5",
     5, ["handled"]),
    ("python", f"{TASKS}for i in (1, 2):\n    asyncio.create_task(work(i))\n'over'", "over", ["did 1", "did 2"]),
    ("python", f"{TASKS}asyncio.ensure_future(work(4))\nawait asyncio.sleep(0)\n'over'", "over", ["did 4"]),
    ("python", "import asyncio\nasyncio.get_running_loop().call_later(0.05, print, 'timer')\n1", 1, ["timer"]),
    ("python", "import threading\nthreading.Timer(0.05, print, ['thread']).start()\n1", 1, ["thread"]),
    # Whether somebody can wake a thread is read from the box's own /proc.
    ("python", "import queue, threading\nthreading.Thread(target=queue.Queue().get).start()\n1", 1, []),
    ("python", "import threading\ne = threading.Event()\nthreading.Thread(target=lambda: (e.wait(), print('woken'))).start()\n"
     "timer = threading.Timer(0.2, e.set)\ntimer.daemon = True\ntimer.start()\n1", 1, ["woken"]),
    ("python", "import asyncio\nasync def main():\n    return 5\nasyncio.get_event_loop().run_until_complete(main())", 5, []),
]
# A forked process has no part in the channel; its parent's calls get their own answers, and its end is its own.
FORKS = """
import os, sys
pids = []
for k in range(3):
    pid = os.fork()
    if pid == 0:
        try:
            mcp.kid.echo(text=f"child {k}")
        except MCPError as error:
            sys.exit(3 if error.code == "forked_process" else 4)
        os._exit(5)
    pids.append(pid)
texts = [mcp.kid.echo(text=f"parent {k}") for k in range(20)]
[texts == [f"parent {k}" for k in range(20)], *(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids)]
"""
ENDS += [
    ("python", FORKS, [True, 3, 3, 3], []),
    ("python", "import os\nif os.fork() == 0:\n    raise ValueError('child')\nos.waitstatus_to_exitcode(os.wait()[1])", 1, []),
    ("python", "import sys\nsys.exit(256)", None, []),
    ("typescript", "Deno.exit(256)", None, []),
]

# language, program, words of the error, line (None: no place in the program)
FAILURES = [
    ("typescript", "\nPromise.reject(new RangeError('nobody cares')); return 1", ["RangeError", "nobody cares"], 2),
    ("typescript", "\nsetTimeout(() => { throw new TypeError('in a timer') }, 10); return 1", ["TypeError", "in a timer"], 2),
    ("typescript", "\n[1].forEach(async () => { await mcp.kid.nosuch() }); return 1", ["MCPError", "nosuch"], 2),
    ("typescript", "await new Promise(() => {})", ["nothing can settle"], None),
    ("python", "import asyncio\nasync def bad():\n    raise ValueError('nobody cares')\nasyncio.create_task(bad())\n1",
     ["ValueError", "nobody cares"], 3),
    ("python", "import asyncio\nasyncio.get_running_loop().call_later(0.01, lambda: 1 / 0)\n1", ["ZeroDivisionError"], 2),
    ("python", "import asyncio\nasyncio.create_task(mcp.kid.nosuch())\n1", ["MCPError", "nosuch"], None),
]
FAILURES += [
    ("python", "import asyncio\nasync def bad():\n    raise ValueError('nobody cares')\nasync def main():\n    asyncio.create_task(bad())\n"
     "    await asyncio.sleep(0.05)\nasyncio.run(main())", ["ValueError", "nobody cares"], 3),
    # Not `map`: it cancels what is left, for which CPython before 3.11.4 may wait for ever (gh-94440).
    ("python", "from concurrent.futures import ProcessPoolExecutor\ndef work(i):\n    return mcp.kid.echo(text=str(i))\n"
     "with ProcessPoolExecutor(2) as pool:\n    futures = [pool.submit(work, i) for i in range(4)]\n    futures[0].result()",
     ["MCPError", "forked from the program"], 6),
    ("python", "\nmcp.kid.echo(text={'a': [object()]})", ["the arguments of kid.echo", "text.a[0]: an object"], 2),
    ("typescript", "\nawait mcp.kid.echo({ text: { a: [() => 1] } })", ["the arguments of kid.echo", "text.a[0] is a function"], 2),
]
# language, program, words of the error
MISSING_AWAITS = [
    ("typescript", "const r = mcp.kid.echo({text: '1'}); return r.content", ["`await` is missing", "content"]),
    ("typescript", "return {r: mcp.kid.echo({text: '1'})}", ["`await` is missing"]),
    ("typescript", "return [1, 2].map(async (n) => await mcp.kid.echo({text: String(n)}))", ["`await` is missing", "Promise.all"]),
    ("python", "async def f():\n    return {}\nf()['id']", ["`await` is missing"]),
    ("python", "async def f():\n    return {}\n[f(), f()]", ["`await` is missing", "asyncio.gather"]),
]
# language, program that never ends, what its output says of it
ENDLESS = [
    ("typescript", "console.log('begun'); setInterval(() => {}, 20); return 1", ["begun", "1 timer", "clearInterval"]),
    ("python",
     "import asyncio\nasync def beat():\n    while True:\n        await asyncio.sleep(0.02)\nprint('begun')\nasyncio.create_task(beat())\n1",
     ["begun", "1 task (beat)"]),
]

# language, program that ends itself while calls are open, what is told of them
# Of a call that goes on at its server.
FAILED_BESIDE = (
    ("typescript", "await Promise.all([mcp.kid.sleep({ms: 5000}), mcp.kid.fail({message: 'no'})])"),
    ("typescript", "mcp.kid.sleep({ms: 5000}); await new Promise(done => setTimeout(done, 50)); process.exit(1)"),
    ("python", "import asyncio\nawait asyncio.gather(mcp.kid.sleep(ms=5000), mcp.kid.fail(message='no'))"),
    ("python", "import asyncio, sys\ntask = asyncio.ensure_future(mcp.kid.sleep(ms=5000))\nawait asyncio.sleep(0.05)\nsys.exit(1)"),
)
GIVEN_UP = [
    ("typescript", "callMCPTool('kid', 'sleep', {ms: 2000}); process.exit(0)", "1 call was"),
    ("python",
     "import asyncio, sys\nasync def f():\n    await mcp.kid.sleep(ms=2000)\nt = [asyncio.create_task(f()) for i in range(3)]\n"
     "await asyncio.sleep(0.05)\nsys.exit(0)",
     "3 calls were"),
]


class ProgramEnds(SharedServerCase):
    def run_program(self, language, code, **parameters):
        return getattr(self, language)(code, **parameters)

    def test_work_that_nobody_awaits(self):
        for session in ({}, {"session": "ends"}):
            for language, code, result, printed in ENDS:
                with self.subTest(code, **session):
                    # What a session declares by `let` and `const` it keeps; a block does not.
                    text = f"if (true) {{ {code} }}" if session and language == "typescript" else code
                    answer = self.succeed(self.run_program(language, text, **session))
                    self.assertEqual(answer.result, result)
                    self.assertEqual(sorted((answer.output or "").splitlines()) if printed else [], sorted(printed), answer.text)

    def test_what_nobody_handles_fails_the_run(self):
        for session in ({}, {"session": "fails"}):
            for language, code, words, line in FAILURES:
                with self.subTest(code, **session):
                    answer = self.run_program(language, code, **session)
                    self.refuse(answer, *words)
                    if line is not None:
                        self.assertRegex(answer.text, rf"(?i)\bline {line}\b|(?<!\d){line}:\d")

    def test_a_session_lives_on_after_such_a_failure(self):
        for language, first, then, code, result in (
            ("typescript", "var kept = 1", "setTimeout(() => { throw 1 }, 5)", "return kept", 1),
            ("python", "kept = 1", "import asyncio\nasyncio.get_running_loop().call_later(0.01, lambda: 1 / 0)", "kept", 1),
        ):
            with self.subTest(language):
                self.succeed(self.run_program(language, first, session="lives"))
                self.refuse(self.run_program(language, then, session="lives"))
                self.assertEqual(self.succeed(self.run_program(language, code, session="lives")).result, result)

    def test_what_a_failed_program_has_left_open_in_its_session_is_not_waited_for(self):
        for left in ("new BroadcastChannel('left')", "new EventSource('http://127.0.0.1:1/')"):
            with self.subTest(left):
                self.refuse(self.run_program("typescript", f"{left}; throw new Error('failed')", session="leaves"), "failed")
                answer = self.succeed(self.run_program("typescript", "setTimeout(() => console.log('late'), 1200); return 1", session="leaves"))
                self.assertEqual(answer.result, 1)
                self.assertIn("late", answer.text)
                self.assertIn("a program before this one has left open in the session is not waited for", answer.text)

    def test_missing_awaits(self):
        for language, code, words in MISSING_AWAITS:
            with self.subTest(code):
                self.refuse(self.run_program(language, code), *words)

    def test_calls_that_an_exit_gives_up_are_told(self):
        for language, code, words in GIVEN_UP:
            with self.subTest(code):
                answer = self.succeed(self.run_program(language, code))
                self.assertIn(f"{words} still open when the program ended", answer.text)
                self.assertRegex(answer.text, "(if it has got it|that they have got): mcp__kid__sleep")
        answer = self.succeed(self.typescript("await mcp.kid.sleep({ms: 1}); process.exit(0)"))
        self.assertNotIn("given up", answer.text)

    def test_calls_that_a_failure_gives_up_are_told(self):
        for language, code in FAILED_BESIDE:
            with self.subTest(code):
                text = self.refuse(self.run_program(language, code)) and self.run_program(language, code).text
                self.assertIn("1 call was still open when the program ended", text)
                self.assertIn("its server may carry it out, if it has got it: mcp__kid__sleep", text)

    def test_what_it_displays_is_no_open_work(self):
        for language, code in (("typescript", "for (let i = 0; i < 10_000; i++) display({a: i}); return 1"),
                               ("python", "for i in range(5_000):\n    display({'a': i})\n1")):
            with self.subTest(language):
                self.assertNotIn("still open", self.succeed(self.run_program(language, code)).text)

    def test_what_never_ends_is_ended_by_its_deadline(self):
        for language, code, words in ENDLESS:
            with self.subTest(language):
                answer = self.run_program(language, code, timeoutMs=4000)
                self.refuse(answer, "4000")
                for word in words:
                    self.assertIn(word, answer.output)


class ResultsInPython(SharedServerCase):
    def test_keys_are_attributes(self):
        answer = self.succeed(self.python(
            "r = mcp.kid.json_text()\n[r.answer, r.list[0], isinstance(r, dict), repr(r), list_servers()['servers'][0].name]"))
        self.assertEqual(answer.result, [42, 1, True, "{'answer': 42, 'list': [1, 2]}", "kid"])

    def test_results_that_are_unwrapped_again(self):
        for language, code in (("python", "r = mcp.kid.json_text(list=True)\nr.content[0].text"),
                               ("typescript", "const r = await mcp.kid.json_text({list: true});\nreturn r.content[0].text")):
            with self.subTest(language):
                self.refuse(getattr(self, language)(code), "already returns the data", "use it as it is, without .content[0].text")

    def test_what_is_not_there(self):
        for code, words in (("import pandas_of_nobody", ["executors.python.venv"]), ("open('/home/nobody/x.csv')", ["permissions.read"]),
                            ("x = bytearray(700_000_000)", ["512 MiB", "sandbox.memoryMb"])):
            with self.subTest(code):
                self.refuse(self.python(code), *words)


class ProgramEndsInPyodide(Case):
    """The same Python files on another interpreter, which has no threads or processes."""

    def test_ends_and_failures(self):
        world = self.world(project={"kid": child()})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"executors": {"python": {"runtime": "pyodide"}}}, file)
        server = self.start(world=world)
        for language, code, result, printed in ENDS:
            if language == "python" and not self.needs_more(code):
                with self.subTest(code):
                    answer = self.succeed(server.python(code, session="ends"))
                    self.assertEqual((answer.result, sorted((answer.output or "").split())), (result, sorted(" ".join(printed).split())))
        for language, code, words, _ in FAILURES:
            if language == "python" and not self.needs_more(code):
                with self.subTest(code):
                    self.refuse(server.python(code, session="fails"), *words)

    @staticmethod
    def needs_more(code):
        return any(word in code for word in ("threading", "os.fork", "ProcessPool"))
