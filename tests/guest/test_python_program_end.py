"""When Python programs end: tasks, event loops and threads."""

import unittest

import languages
import program_end_cases
from fake_host import guest_python_version
from program_end_cases import answer

_WORK = "async def work(i):\n    r = await mcp.s.t(i=i)\n    await asyncio.sleep(0.01)\n    print(r['args']['i'])\n"

# Ways to run `main`.
_RUNS = {
    "await": "await main()",
    "asyncio.run": "asyncio.run(main())",
    "running loop": "asyncio.get_event_loop().run_until_complete(main())",
    "new loop": "asyncio.new_event_loop().run_until_complete(main())",
    "run_forever": "l = asyncio.new_event_loop(); l.create_task(main()); l.call_later(0.1, l.stop); l.run_forever()",
}
if guest_python_version() >= (3, 11):
    _RUNS["Runner"] = "asyncio.Runner().run(main())"


def _failing(run, then="pass"):
    """A program whose task `t` fails while `main` runs."""
    return (
        "import asyncio\nasync def bad():\n    raise ValueError('lost')\nasync def main():\n"
        f"    t = asyncio.create_task(bad())\n    loop = asyncio.get_running_loop()\n    {then}\n    await asyncio.sleep(0.02)\n"
        f"    del t\n{run}\n1"
    )


# name: (code, result, what was printed)
WORK = {
    "tasks beside await": (
        f"import asyncio\n{_WORK}for i in range(2):\n    asyncio.create_task(work(i))\nawait asyncio.sleep(0)\n'r'",
        "r",
        "0\n1\n",
    ),
    "ensure_future": (f"import asyncio\n{_WORK}asyncio.ensure_future(work(3))\n'r'", "r", "3\n"),
    "task of a task": (
        f"import asyncio\n{_WORK}async def outer():\n    asyncio.create_task(work(4))\nasyncio.create_task(outer())\n1",
        1,
        "4\n",
    ),
    "task of a call": ("import asyncio\nasyncio.create_task(mcp.s.t()).add_done_callback(lambda t: print('over'))\n1", 1, "over\n"),
    "gather": (f"import asyncio\n{_WORK}together = asyncio.gather(work(1), work(1))\n1", 1, "1\n1\n"),
    "timer of a timer": (
        "import asyncio\ndef tick(n):\n    print(n)\n    n and asyncio.get_running_loop().call_later(0.001, tick, n - 1)\ntick(2)\n1",
        1,
        "2\n1\n0\n",
    ),
    "timer that is cancelled": ("import asyncio\nasyncio.get_event_loop().call_later(60, print, 'x').cancel()\n1", 1, ""),
    "running loop": ("import asyncio\nasyncio.get_running_loop() is asyncio.get_event_loop()", True, ""),
    "a loop of its own": (
        "import asyncio\nasync def main():\n    return 5\nloop = asyncio.new_event_loop()\nr = loop.run_until_complete(main())\n"
        "loop.close()\nr",
        5,
        "",
    ),
    "the running loop, run": (
        "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    return 5\n"
        "asyncio.get_event_loop().run_until_complete(main())",
        5,
        "",
    ),
    "asyncio.run ends its own tasks": (
        "import asyncio\nasync def endless():\n    while True:\n        await asyncio.sleep(0.001)\n"
        "async def main():\n    asyncio.create_task(endless())\n    return 5\nasyncio.run(main())",
        5,
        "",
    ),
    "top-level return": (f"import asyncio\n{_WORK}asyncio.create_task(work(1))\nreturn 2", 2, "1\n"),
    "coroutine that is returned": ("async def main():\n    return 5\nreturn main()", 5, ""),
    **{
        f"errors that are handled, {name}": (
            _failing(run, "print(await asyncio.gather(t, return_exceptions=True))\n    try: await asyncio.create_task(bad())\n    except ValueError: pass"),
            1,
            "[ValueError('lost')]\n",
        )
        for name, run in _RUNS.items()
    },
    **{
        f"handler of its own, {name}": (
            _failing(run, "loop.set_exception_handler(lambda _, context: print(context['exception']))"),
            1,
            "lost\n",
        )
        for name, run in _RUNS.items()
    },
    "task that is left in asyncio.run": (
        "import asyncio\nasync def late():\n    await asyncio.sleep(9)\nasync def main():\n    asyncio.create_task(late())\n"
        "    await asyncio.sleep(0)\nasyncio.run(main())\n1",
        1,
        "",
    ),
    "failure of asyncio.run that is caught": (
        "import asyncio\nasync def main():\n    raise ValueError('lost')\ntry:\n    asyncio.run(main())\nexcept ValueError:\n    pass\n1",
        1,
        "",
    ),
    "call that was given up": (
        "import asyncio\ntry:\n    await asyncio.wait_for(mcp.s.slow(), 0.01)\nexcept asyncio.TimeoutError:\n    print('given up')\n1",
        1,
        "given up\n",
    ),
}

_POOL = "import time\nfrom concurrent.futures import ProcessPoolExecutor\npool = ProcessPoolExecutor(2)\ndef f(i):\n    return i * i\n"
_LATE = "def late(i):\n    time.sleep(0.1)\n    print('late\\n', end='', flush=True)\n"

# Where there are threads and processes.
THREADS = {
    "thread": (
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.03), print('thread'))).start()\n1", 1, "thread\n"
    ),
    "timer of threading": ("import threading\nthreading.Timer(0.02, print, ['timer']).start()\n1", 1, "timer\n"),
    "pool": (
        "import time\nfrom concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\n"
        "for i in range(3):\n    pool.submit(lambda: (time.sleep(0.02), print('pool\\n', end='')))\n1",
        1,
        "pool\npool\npool\n",
    ),
    "executor of the loop": (
        "import asyncio, time\nasyncio.get_running_loop().run_in_executor(None, lambda: (time.sleep(0.02), print('done')))\n1",
        1,
        "done\n",
    ),
    "thread that waits for the loop": (
        "import asyncio, threading\nasync def f():\n    await asyncio.sleep(0.01)\n    return 3\nloop = asyncio.get_running_loop()\n"
        "threading.Thread(target=lambda: print(asyncio.run_coroutine_threadsafe(f(), loop).result())).start()\n1",
        1,
        "3\n",
    ),
    "thread that waits for what nobody does": (
        "import queue, threading\nthreading.Thread(target=queue.Queue().get).start()\n1", 1, ""
    ),
    "pool of processes that is not shut down": (f"{_POOL}list(pool.map(f, range(4)))", [0, 1, 4, 9], ""),
    "pool of processes without work": (f"{_POOL}1", 1, ""),
    "pool of processes whose work nobody fetches": (
        f"{_POOL}{_LATE}for i in range(3):\n    pool.submit(late, i)\n1", 1, "late\nlate\nlate\n"
    ),
    "pool of processes of the loop": (
        f"import asyncio\n{_POOL}loop = asyncio.get_running_loop()\n"
        "await asyncio.gather(*[loop.run_in_executor(pool, f, i) for i in range(3)])",
        [0, 1, 4],
        "",
    ),
    "pool of processes of the loop, whose work nobody awaits": (
        f"import asyncio\n{_POOL}{_LATE}loop = asyncio.get_running_loop()\nfuture = loop.run_in_executor(pool, late, 1)\n1",
        1,
        "late\n",
    ),
    "process that nobody joins": (
        f"import multiprocessing, time\n{_LATE}multiprocessing.get_context('fork').Process(target=late, args=[1]).start()\n1",
        1,
        "late\n",
    ),
    "process that is a daemon": (
        "import multiprocessing, time\n"
        "multiprocessing.get_context('fork').Process(target=time.sleep, args=[1], daemon=True).start()\n1",
        1,
        "",
    ),
    # Last: what waits in vain is waited for as long as another thread sleeps.
    "thread that nobody waits for": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=[60], daemon=True).start()\n1", 1, ""
    ),
}

# Ways to hold a future that fails, after `bad`, a coroutine function, and `Box`, a class. Name: code
_HELD = {
    "gather in a dict": "d = {'g': asyncio.gather(bad(), bad())}",
    "task that is made by its class": "l = [asyncio.Task(bad())]",
    "shield in an object": "box = Box()\nbox.s = asyncio.shield(bad())",
    "gather in a class": "class Holder:\n    g = asyncio.gather(bad())",
    "future that nothing but itself holds": "task = asyncio.Task(bad())\ntask.add_done_callback(lambda _, l=[task]: 1)\nl = [task]\nl.append(l)\ndel l, task",
    "future of its own": "l = [asyncio.Future()]\nl[0].set_exception(ValueError('lost'))",
}
# The same where there are threads, after `worse`, a function.
_HELD_OF_THREADS = {
    "futures of an executor": "l = [asyncio.get_running_loop().run_in_executor(None, worse) for _ in range(3)]",
    "future of a pool": (
        "from concurrent.futures import ThreadPoolExecutor\nex = ThreadPoolExecutor(1)\nl = [asyncio.wrap_future(ex.submit(worse))]"
    ),
}
_BEFORE_HELD = (
    "import asyncio\nclass Box:\n    pass\nasync def bad():\n    raise ValueError('lost')\ndef worse():\n    raise ValueError('lost')\n"
)


def held(ways):
    """Programs that hold failed futures, by name."""
    return {
        **{name: f"{_BEFORE_HELD}{code}\n1" for name, code in ways.items()},
        **{
            f"{name}, asyncio.run": (
                f"{_BEFORE_HELD}kept = []\nasync def main():\n    "
                + code.replace("\n", "\n    ")
                + "\n    kept.append(locals())\n    await asyncio.sleep(0.05)\nasyncio.run(main())\n1"
            )
            for name, code in ways.items()
        },
    }


HELD = held(_HELD)
HELD_OF_THREADS = held(_HELD_OF_THREADS)

# name: (code, name, message, line)
FAILURES = {
    "task that a variable holds": (
        "import asyncio\nasync def bad():\n    raise ValueError('lost')\ntask = asyncio.create_task(bad())\nawait asyncio.sleep(0.01)\n1",
        "ValueError",
        "lost",
        3,
    ),
    "gather": (
        "import asyncio\nasync def bad():\n    raise ValueError('lost')\ntogether = asyncio.gather(bad(), bad())\n1",
        "ValueError",
        "lost",
        3,
    ),
    "timer beside a task": (
        "import asyncio\nasyncio.create_task(asyncio.sleep(60))\nasyncio.get_running_loop().call_later(0.01, lambda: 1 / 0)\n1",
        "ZeroDivisionError",
        "division by zero",
        3,
    ),
    **{f"task, {name}": (_failing(run), "ValueError", "lost", 3) for name, run in _RUNS.items()},
    **{f"task that is held, {name}": (_failing(run, "global kept; kept = [t]"), "ValueError", "lost", 3) for name, run in _RUNS.items()},
    **{f"timer, {name}": (_failing(run, "t.cancel(); loop.call_later(0, lambda: 1 / 0)"), "ZeroDivisionError", "division by zero", 7) for name, run in _RUNS.items()},
    **{f"callback, {name}": (_failing(run, "t.cancel(); loop.call_soon(lambda: 1 / 0)"), "ZeroDivisionError", "division by zero", 7) for name, run in _RUNS.items()},
    "gather of a call in asyncio.run": (
        "import asyncio\nasync def main():\n    asyncio.gather(mcp.s.bad())\n    await asyncio.sleep(0.05)\nasyncio.run(main())",
        "MCPError",
        "no such tool",
        None,
    ),
    "default handler that a handler calls": (
        _failing("asyncio.run(main())", "loop.set_exception_handler(lambda loop, context: loop.default_exception_handler(context))"),
        "ValueError",
        "lost",
        3,
    ),
    "exit in a task": (
        "import asyncio, sys\nasync def leave():\n    sys.exit(3)\nasyncio.create_task(leave())\n1",
        "SystemExit",
        "Program exited with code 3",
        None,
    ),
    "coroutines in the result": (
        "async def f():\n    pass\n[f(), f()]",
        "TypeError",
        "the result holds what has not been awaited, not its value: `await` is missing before a call "
        "(for a list of them: `await asyncio.gather(*list)`)",
        None,
    ),
}


class ProgramEndTest(program_end_cases.ProgramEndTests, languages.PythonTest):
    WORK = {**program_end_cases.WORK, **WORK, **THREADS}
    FAILURES = {**program_end_cases.FAILURES, **FAILURES}
    HELD = {**HELD, **HELD_OF_THREADS}

    def test_failures_that_are_held(self):
        """They fail the program that has made them, and no later one."""
        for name, code in self.HELD.items():
            with self.subTest(name):
                error = self.run_program(code, answer).error
                self.assertIsNotNone(error)
                self.assertEqual((error["name"], error["message"]), ("ValueError", "lost"), error)
            with self.subTest(name, session=True):
                forget = "import gc\nl = d = box = Holder = kept = None\ngc.collect()\nmcp.s.t()\n2"
                first, second, third = self.run_session(code, forget, "3", answer=answer)
                self.assertIsNotNone(first.error, first)
                self.assertEqual((first.error["message"], second.error, third.error), ("lost", None, None))

    def test_what_a_program_before_has_left_fails_no_later_one(self):
        left = (
            "import asyncio\nasync def late():\n    await event.wait()\n    raise ValueError('lost')\nevent = asyncio.Event()\n"
            "l = [asyncio.create_task(late()), asyncio.gather(late())]\n1"
        )
        programs = (left, "event.set()\nawait asyncio.sleep(0.01)\n2", "l = None\nimport gc\ngc.collect()\n3")
        outcomes = self.run_session(*programs, answer=answer)
        self.assertEqual([(each.error, each.result) for each in outcomes], [(None, 1), (None, 2), (None, 3)])
        self.assertEqual(outcomes[-1].stderr.count("ValueError: lost"), 2)

    def test_what_a_failed_program_has_left_to_threads_fails_no_later_one(self):
        left = (
            "import asyncio, time\ndef late():\n    time.sleep(0.1)\n    raise ValueError('lost')\n"
            "l = [asyncio.get_running_loop().run_in_executor(None, late)]\nraise TypeError('own')"
        )
        first, second, third = self.run_session(left, "await asyncio.sleep(0.2)\n2", "l = None\n3", answer=answer)
        self.assertEqual((first.error["message"], second.error, third.error), ("own", None, None))
        self.assertEqual(third.stderr.count("ValueError: lost"), 1)

    def test_warm(self):
        for name in ("functions that are not awaited", "timer", "running loop", "result that grows"):
            code, result, printed = self.own(self.WORK[name])
            with self.subTest(name), self.guest() as guest:
                guest.warm_up()
                outcome = guest.program(code, answer)
                guest.finish(outcome)
                self.assertEqual((outcome.error, outcome.result, outcome.stdout), (None, result, printed))


if __name__ == "__main__":
    unittest.main()
