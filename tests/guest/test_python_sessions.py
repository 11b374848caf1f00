"""Programs that follow each other in one Python guest: its modules, event loops, threads and signals."""

import pathlib
import tempfile
import time
import unittest

import languages
import sessions_cases
from fake_host import TIMEOUT_SECONDS, echo, guest_python_version

# name: the programs of a session, and the result of the last.
SESSIONS = {
    "after sys.exit": (["import sys\na = 1\nsys.exit(3)", "a"], 1),
    "after exit in a coroutine": (
        ["import asyncio, sys\na = 1\nasync def f():\n    sys.exit(3)\nawait f()", "await asyncio.sleep(0)\na"],
        1,
    ),
    "after exit in a task": (
        [
            "import asyncio, sys\na = [1]\nasync def f():\n    sys.exit(3)\n"
            "try:\n    await asyncio.create_task(f())\nfinally:\n    a.append(2)",
            "await asyncio.sleep(0.01)\na",
        ],
        [1, 2],
    ),
    "the module __main__": (["x = 1", "import sys\nsys.modules['__main__'].x"], 1),
    "pickle of an earlier class": (["class A:\n    x = 1", "import pickle\npickle.loads(pickle.dumps(A())).x"], 1),
    "servers by name": (["mcp_one.t(a=1)", "mcp_two.t(a=2)['server']"], "two"),
    "modules of mcp": (["from mcp.servers.s import t", "t(a=1)['tool']"], "t"),
    "recursion limit": (["import sys\nsys.setrecursionlimit(80)", "1 + 1"], 2),
    "exception hook of threads": (
        [
            "import threading\nseen = []\nthreading.excepthook = lambda details: seen.append(str(details.exc_value))",
            "t = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\nseen",
        ],
        ["division by zero"],
    ),
    "task": (
        [
            "import asyncio\nseen = []\nasync def work():\n    for i in range(3):\n        seen.append(i)\n"
            "        await asyncio.sleep(0)\ntask = asyncio.create_task(work())\nawait asyncio.sleep(0)",
            "await task\nseen",
        ],
        [0, 1, 2],
    ),
    "a program ends when its tasks have ended": (
        [
            "import asyncio\nseen = []\nasync def work():\n    await asyncio.sleep(0.001)\n    seen.append(1)\n"
            "task = asyncio.create_task(work())\nawait asyncio.sleep(0)",
            "seen",
        ],
        [1],
    ),
    "tasks of a program that failed do not go on": (
        [
            "import asyncio\nseen = []\nasync def work():\n    while True:\n        await asyncio.sleep(0.001)\n"
            "        seen.append(1)\ntask = asyncio.create_task(work())\nawait asyncio.sleep(0)\n1 / 0",
            "count = len(seen)\nawait asyncio.sleep(0.02)\n[len(seen) - count, task.cancelled()]",
        ],
        [0, True],
    ),
    "timers of a program that failed do not go on": (
        [
            "import asyncio\nseen = []\nasyncio.get_running_loop().call_later(0.005, seen.append, 1)\n1 / 0",
            "await asyncio.sleep(0.02)\nseen",
        ],
        [],
    ),
    "queue and lock": (
        [
            "import asyncio\nqueue = asyncio.Queue()\nlock = asyncio.Lock()\nasync def consume():\n"
            "    async with lock:\n"
            "        return await queue.get()\ntask = asyncio.create_task(consume())\nawait asyncio.sleep(0)",
            "async def locked():\n    return lock.locked()\nbefore = await locked()\n"
            "await queue.put(5)\n[before, await task, lock.locked()]",
        ],
        [True, 5, False],
    ),
    "function that needs a loop, where nothing else tells": (
        ["import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 1", "await f()"],
        1,
    ),
    "asyncio.run after top-level await": (
        ["import asyncio\nawait asyncio.sleep(0)", "async def f():\n    return 1\nasyncio.run(f())", "await f()"],
        1,
    ),
    "loop that was closed": (
        [
            "import asyncio\nawait asyncio.sleep(0)",
            "asyncio.get_event_loop_policy().get_event_loop().close()",
            "await asyncio.sleep(0, 5)",
        ],
        5,
    ),
    "a call that was awaited before": (
        ["call = mcp.s.t(i=1)\nx = await call", "y = await call\n[x['args'], x == y]"],
        [{"i": 1}, True],
    ),
    "helper that was gathered before": (
        [
            "import asyncio\ndef get(i):\n    return mcp.s.t(i=i)\nawait asyncio.gather(*[get(i) for i in range(2)])",
            "get(3)['args']['i']",
        ],
        3,
    ),
    "thread that calls": (
        [
            "import threading\nseen = []\ndef work():\n    for i in range(20):\n"
            "        seen.append(mcp.s.t(i=i)['args']['i'])\n"
            "thread = threading.Thread(target=work)\nthread.start()",
            "thread.join()\nseen == list(range(20))",
        ],
        True,
    ),
}
if guest_python_version() >= (3, 14):
    del SESSIONS["loop that was closed"]  # policies are deprecated


class SessionsTest(sessions_cases.SessionsTests, languages.PythonTest):
    SESSIONS = {**sessions_cases.SESSIONS, **SESSIONS}

    def test_programs_that_are_not_kept_share_nothing(self):
        with self.guest() as guest:
            guest.program("x = 1\nimport builtins\nbuiltins.y = 2")
            seen = "[name in globals() or hasattr(__builtins__, name) for name in ('x', 'y', 'z')]"
            self.assertEqual(guest.program(seen).result, [False, False, False])
            guest.program("z = 3", keep=True)
            self.assertEqual(guest.program(seen).result, [False, False, False])
            self.assertEqual(guest.program("import sys\n[z, sys.modules['__main__'].z]", keep=True).result, [3, 3])

    def test_output_comes_before_each_done(self):
        with self.guest() as guest:
            for text in ("one", "two"):
                guest.program(f"print({text!r}, end='.')", keep=True)
            guest.finish()
            self.assertEqual(guest.output("stdout"), "one.two.")

    def test_late_reply_of_an_earlier_program(self):
        """It is for a call that the program has given up; the next program gets its own."""
        with self.guest() as guest:
            code = (
                "import asyncio\ntry:\n    await asyncio.wait_for(mcp.s.late(), 0.01)\n"
                "except asyncio.TimeoutError:\n    pass"
            )
            open_request = guest.program(code, lambda request: None, keep=True).requests[0]
            guest.reply(open_request, {"result": "late"})
            self.assertEqual(guest.program("mcp.s.t()['tool']", keep=True).result, "t")

    def test_task_that_nobody_awaits_keeps_its_result_for_the_next_program(self):
        with self.guest() as guest:
            guest.program("import asyncio\ntask = asyncio.create_task(mcp.s.t(i=1))", keep=True)
            self.assertEqual(guest.program("(await task)['args']", keep=True).result, {"i": 1})

    def test_signal_handler_that_fires_between_programs(self):
        with self.guest() as guest:
            code = (
                "import os, signal, threading, time\ndef stop(*_):\n    print('fired')\n    raise ValueError\n"
                "signal.signal(signal.SIGALRM, stop)\n"
                "def late():\n    time.sleep(0.05)\n    os.kill(os.getpid(), signal.SIGALRM)\n"
                "threading.Thread(target=late, daemon=True).start()\nx = 1"
            )
            self.assertIsNone(guest.program(code, keep=True).error)
            deadline = time.monotonic() + TIMEOUT_SECONDS
            while not guest.output("stdout") and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(guest.program("x", keep=True).result, 1)

    def test_timer_of_signals_ends_no_later_program(self):
        arm = "import signal\nsignal.signal(signal.{0}, lambda *_: exit(0))\nsignal.setitimer(signal.{1}, 0.1)"
        busy = "import time\nend = time.monotonic() + 0.4\nwhile time.monotonic() < end:\n    pass\n'done'"
        for names in (("SIGALRM", "ITIMER_REAL"), ("SIGPROF", "ITIMER_PROF")):
            with self.subTest(names):
                self.assertEqual(self.run_session(arm.format(*names), busy)[-1].result, "done")

    def test_program_that_is_queued_behind_another(self):
        with self.guest() as guest:
            for code in ("x = 1", "x += 1", "x"):
                guest.send({"type": "run", "code": code, "keep": True})
            self.assertEqual(
                [guest.receive() for _ in range(3)], [{"type": "done"}, {"type": "done"}, {"type": "done", "result": 2}]
            )

    def test_program_that_arrives_while_a_thread_waits_for_its_reply(self):
        with self.guest() as guest:
            started = (
                "import threading, time\nt = threading.Thread(target=lambda: mcp.s.t())\nt.start()\ntime.sleep(0.05)"
            )
            guest.send({"type": "run", "code": started, "keep": True})
            thread_call = guest.receive()
            guest.send({"type": "run", "code": "1 + 1", "keep": True})
            guest.reply(thread_call, echo(thread_call))
            self.assertEqual([guest.receive(), guest.receive()], [{"type": "done"}, {"type": "done", "result": 2}])
            self.assertEqual(guest.program("t.join()\n'on'", keep=True).result, "on")


# Programs that leave something in the buffer of the file `{0}`, and what is there then.
BUFFERS = {
    "text": ("f = open('{0}', 'w')\nf.write('abc')", b"abc"),
    "csv": ("import csv\nout = csv.writer(open('{0}', 'w'))\nout.writerows([[1, 2]])", b"1,2\r\n"),
    "bytes": ("f = open('{0}', 'wb')\nf.write(b'abc')", b"abc"),
    "a variable of a function": ("import csv\ndef f():\n    f.out = csv.writer(open('{0}', 'w'))\n    f.out.writerow([1])\nf()", b"1\r\n"),
    "failed": ("f = open('{0}', 'w')\nf.write('abc')\n1 / 0", b"abc"),
    "left": ("f = open('{0}', 'w')\nf.write('abc')\nexit()", b"abc"),
}


class BuffersTest(languages.PythonTest):
    def test_files_have_what_was_written_after_each_program(self):
        for name, (code, expected) in BUFFERS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder, self.guest() as guest:
                path = pathlib.Path(folder, "f")
                guest.program(code.format(path), keep=True)
                self.assertEqual(path.read_bytes(), expected)

    def test_files_stay_open(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "f")
            self.run_session(f"f = open('{path}', 'w')\nf.write('a')", "f.write('b')")
            self.assertEqual(path.read_bytes(), b"ab")

    def test_pipes_that_are_full_hold_nothing_up(self):
        code = (
            "import os\nr, w = os.pipe()\nos.set_blocking(w, False)\ntry:\n    while True:\n        os.write(w, bytes(4096))\n"
            "except BlockingIOError:\n    pass\nos.set_blocking(w, True)\nf = open(w, 'wb')\nf.write(b'x')\n1"
        )
        self.assertEqual([outcome.result for outcome in self.run_session(code, "2")], [1, 2])


_BEFORE_LEFT = (
    "import threading, time\nseen = []\ngo, stop = threading.Event(), threading.Event()\ndef work(i=1):\n    go.wait()\n    try:\n"
    "        seen.append(mcp.s.t(i=i)['args']['i'])\n    except MCPError as e:\n        seen.append([e.code, str(e)[:36]])\n    stop.set()\n"
)
_POOL_LEFT = "from {0} import {1}\npool = {1}(1)\npool.{2}(work)\n"
# What programs leave that calls when the next one says `go`; some fail, so that it is not waited for.
LEFT = {
    "daemon": "threading.Thread(target=work, daemon=True).start()\n1",
    "thread": "threading.Thread(target=work).start()\n1 / 0",
    "thread that threading does not know": "import _thread\n_thread.start_new_thread(work, ())\n1",
    "thread of a thread": (
        "def start():\n    go.wait()\n    threading.Thread(target=work, daemon=True).start()\nthreading.Thread(target=start, daemon=True).start()\n1"
    ),
    "timer of a timer": (
        "def tick():\n    go.wait()\n    t = threading.Timer(0.01, work)\n    t.daemon = True\n    t.start()\n"
        "t = threading.Timer(0, tick)\nt.daemon = True\nt.start()\n1"
    ),
    "work of an executor": _POOL_LEFT.format("concurrent.futures", "ThreadPoolExecutor", "submit") + "1 / 0",
    "work of an executor in its queue": _POOL_LEFT.format("concurrent.futures", "ThreadPoolExecutor", "submit").replace(
        "pool.submit(", "pool.submit(go.wait)\npool.submit("
    ) + "1 / 0",
    "work of a pool": _POOL_LEFT.format("multiprocessing.pool", "ThreadPool", "apply_async") + "time.sleep(0.05)\n1",
    "work of a pool in its queue": _POOL_LEFT.format("multiprocessing.pool", "ThreadPool", "apply_async").replace(
        "pool.apply_async(", "pool.apply_async(go.wait)\npool.apply_async("
    ) + "1",
}
# What the next program does in threads that it finds or makes. Name: (the program before, this one)
NEW_WORK = {
    "thread": ("threading.Thread(target=stop.wait, daemon=True).start()", "t = threading.Thread(target=work)\nt.start()\nt.join()"),
    "thread that threading does not know": (
        "threading.Thread(target=go.wait, daemon=True).start()", "import _thread\n_thread.start_new_thread(work, ())\nstop.wait()"
    ),
    "executor": ("threading.Thread(target=stop.wait, daemon=True).start()", "import asyncio\nawait asyncio.to_thread(work)"),
    "older executor": (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\npool.submit(int).result()", "pool.submit(work).result()"
    ),
    "executor without threads yet": (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2, initializer=list_servers)\n"
        "threading.Thread(target=stop.wait, daemon=True).start()",
        "pool.submit(work).result()",
    ),
    "older pool": ("from multiprocessing.pool import ThreadPool\npool = ThreadPool(1)\npool.apply(int)", "pool.map(work, [1])"),
    "task of an older program": (
        "import asyncio\nevent = asyncio.Event()\nasync def wait():\n    await event.wait()\n    work()\ntask = asyncio.create_task(wait())\n"
        "await asyncio.sleep(0)\nthreading.Thread(target=stop.wait, daemon=True).start()",
        "event.set()\nawait task",
    ),
}


class LeftThreadsTest(languages.PythonTest):
    def test_what_they_ask_for_is_not_asked_for_by_the_next_program(self):
        for name, code in LEFT.items():
            with self.subTest(name), self.guest() as guest:
                guest.program(_BEFORE_LEFT + code, keep=True)
                outcome = guest.program("go.set()\nstop.wait(10)\n[*seen, mcp.s.t(i=2)['args']['i']]", keep=True)
                self.assertEqual(outcome.result, [["cancelled", "the run that this belongs to is over"], 2], outcome.error)
                self.assertEqual(len(outcome.requests), 1)

    def test_what_the_next_program_does_in_threads_is_its_own(self):
        for name, (before, code) in NEW_WORK.items():
            with self.subTest(name):
                outcomes = self.run_session(_BEFORE_LEFT + before, f"go.set()\n{code}\nseen")
                self.assertEqual(outcomes[-1].result, [1], outcomes)

    def test_a_thread_that_never_stops_to_ask_gets_no_request_through(self):
        code = (
            "import threading\ndef work():\n    while True:\n        try:\n            mcp.s.t()\n"
            "        except MCPError:\n            pass\nthreading.Thread(target=work, daemon=True).start()\n"
        )
        over = {"error": {"code": "cancelled", "message": "over"}}
        with self.guest() as guest:
            guest.program(code, keep=True)
            for _ in range(5):
                guest.send({"type": "run", "code": "import time\ntime.sleep(0.03)", "keep": True})
                while (message := guest.receive_begun()) is not None and message["type"] != "done":
                    guest.reply(message, over)  # Between the programs.
                while (message := guest.receive_begun()) is None or message["type"] != "done":
                    self.assertIsNone(message)

    def test_what_they_display_between_programs_is_of_the_next(self):
        code = (
            "import threading\ndef work():\n    go.wait()\n    display('late')\n    print('shown')\ngo = threading.Event()\n"
            "threading.Thread(target=work, daemon=True).start()\nt = threading.Timer(0.1, go.set)\nt.daemon = True\nt.start()"
        )
        with self.guest() as guest:
            self.assertEqual(guest.program(code, keep=True).displayed, [])
            guest.wait_for_output("stdout", "shown")
            outcome = guest.program("display('own')", keep=True)
            self.assertEqual([block["text"] for block in outcome.displayed], ["late", "own"])
            self.assertEqual(guest.program("1", keep=True).displayed, [])

    def test_what_they_display_between_programs_is_bounded(self):
        for shown, kept in (("'x'", 100), ("'x' * (5 << 20)", 3)):
            code = (
                "import threading, time\ndef work():\n    time.sleep(0.1)\n    try:\n        while True:\n"
                f"            display({shown})\n    except MCPError as e:\n        print(e.code, e)\n"
                "threading.Thread(target=work, daemon=True).start()"
            )
            with self.subTest(kept), self.guest() as guest:
                self.assertEqual(guest.program(code, keep=True).displayed, [])
                guest.wait_for_output("stdout", "limit_exceeded display: between two runs of a session, 100 blocks of 16 MiB in all")
                self.assertEqual(len(guest.program("1", keep=True).displayed), kept)


_LEFT = (
    "import asyncio\nasync def bad():\n    raise ValueError('lost')\nasync def main():\n    global kept\n"
    "    kept = [asyncio.create_task(bad())]\n    await asyncio.sleep(0.01)\n{0}\n1 / 0"
)
# Programs that fail, and leave a task that has failed: the next program is not to blame.
LEFT_ERRORS = {
    "loop of its own": _LEFT.format("asyncio.run(main())"),
    "running loop": _LEFT.format("await main()"),
    "loop of its own, variable": _LEFT.format("asyncio.run(main())\nkept = kept[0]"),
    "running loop, variable": _LEFT.format("await main()\nkept = kept[0]"),
}


class SessionErrorsTest(languages.PythonTest):
    def last_error(self, *programs):
        return self.run_session(*programs)[-1].error

    def test_no_position_where_only_an_earlier_program_stands(self):
        error = self.last_error("async def f():\n    return 1 / 0\nc = f()", "c")
        self.assertEqual(error["name"], "ZeroDivisionError")
        self.assertNotIn("line", error)
        self.assertIn('File "<code 1>", line 2, in f\n    return 1 / 0', error["stack"])

    def test_stack_of_a_syntax_error(self):
        error = self.last_error("x = 1", "y = 1\nx = = 2")
        self.assertIn('File "<code>", line 2\n    x = = 2', error["stack"])

    def test_tracebacks_show_lines_of_all_programs(self):
        printing = "import traceback\ntry:\n    f()\nexcept Exception:\n    traceback.print_exc()"
        outcome = self.run_session("def f():\n    return 1 / 0", printing)[-1]
        self.assertIn('File "<code 1>", line 2, in f\n    return 1 / 0\n', outcome.stderr)
        self.assertIn('File "<code 2>", line 3, in <module>\n    f()\n', outcome.stderr)

    def test_errors_that_a_failed_program_has_left(self):
        for name, code in LEFT_ERRORS.items():
            with self.subTest(name):
                first, second = self.run_session(code, "2")
                self.assertEqual((first.error["name"], second.error, second.result), ("ZeroDivisionError", None, 2))
                self.assertEqual(second.stderr.count("ValueError: lost"), 1)

    def test_source_of_functions(self):
        code = "import inspect\ninspect.getsource(f)"
        self.assertEqual(self.run_session("def f():\n    return 1", code)[-1].result, "def f():\n    return 1\n")


if __name__ == "__main__":
    unittest.main()
