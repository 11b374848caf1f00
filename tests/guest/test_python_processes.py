"""Processes that Python programs fork: they have no part in the channel to the host, and end as Python ends them."""

import time
import unittest

from fake_host import Guest, python_command, run_python

_IN_CHILD = """import os, sys, asyncio, threading, time
def in_child(function):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = f'got {function()!r}'
        except BaseException as error:
            said = f'{type(error).__name__} {getattr(error, "code", "")}'
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    return os.read(reading, 1000).decode()
"""
_REFUSED = "MCPError forked_process"

# What a child asks of the host. name: expression
REQUESTS = {
    "call": "call_mcp_tool('mcp__s__t', {'i': 1})",
    "call by a proxy": "mcp.s.t(i=1)",
    "search": "search_tools('x')",
    "discovery": "discover_mcp_tools()",
    "schema": "get_tool_schema('mcp__s__t')",
    "servers": "list_servers()",
    "resources": "list_mcp_resources('s')",
    "memory": "save_memory('k', 1)",
    "memory that is read": "load_memory('k')",
    "memory that is changed": "update_memory('k', lambda value: 1)",
    "model": "llm.ask('x')",
    "output": "read_output('out_1')",
    "question": "ask_user('Sure?')",
    "approval": "approve(['mcp__s__t x 2'])",
    "display": "display('text')",
    "runtime": "runtime.list_tools('s')",
    "loop of its own": "asyncio.run(asyncio.wait_for(asyncio.to_thread(lambda: mcp.s.t(i=1)), 5))",
}

# name: (code of the child, its exit code, what is on stderr)
ENDS = {
    "end": ("pass", 0, ""),
    "exit": ("sys.exit()", 0, ""),
    "exit with a code": ("sys.exit(3)", 3, ""),
    "exit with a code of more than a byte": ("sys.exit(259)", 3, ""),
    "exit with a message": ("sys.exit('bye')", 1, "bye\n"),
    "return": ("return 7", 0, ""),
    "error": (
        "raise ValueError('lost')",
        1,
        'Traceback (most recent call last):\n  File "<code>", line 5, in <module>\n    raise ValueError(\'lost\')\nValueError: lost\n',
    ),
    "exit function": ("import atexit; atexit.register(print, 'own', file=sys.stderr)", 0, "own\n"),
    "thread": ("threading.Timer(0.05, print, ['late'], {'file': sys.stderr}).start()", 0, "late\n"),
    "buffer": ("sys.stderr = open(2, 'w', buffering=1 << 16, closefd=False); sys.stderr.write('kept')", 0, "kept"),
}
_FORK = "import atexit, os, sys, threading\natexit.register(print, 'of the parent')\npid = os.fork()\nif pid == 0:\n    {0}\n"
_WAIT = "pid and os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])"


def echo_i(request):
    return {"result": request["params"].get("args", {}).get("i")}


class ForkedProcessTest(unittest.TestCase):
    def test_requests_are_refused_and_nothing_is_sent(self):
        for name, expression in REQUESTS.items():
            with self.subTest(name):
                code = f"{_IN_CHILD}[in_child(lambda: {expression}), mcp.s.t(i=5), mcp.s.t(i=6)]"
                outcome = run_python(code, echo_i)
                self.assertEqual((outcome.error, outcome.result), (None, [_REFUSED, 5, 6]), outcome)
                self.assertEqual(([request["id"] for request in outcome.requests], outcome.displayed), ([1, 2], []))

    def test_error_says_what_to_do(self):
        code = (
            "from concurrent.futures import ProcessPoolExecutor\ndef f(i):\n    return mcp.s.t(i=i)\n"
            "with ProcessPoolExecutor(2) as pool:\n    list(pool.map(f, range(4)))"
        )
        outcome = run_python(code, echo_i)
        self.assertEqual((outcome.error["name"], outcome.error["code"], outcome.requests), ("MCPError", "forked_process", []))
        self.assertIn("call them in the program or in its threads, and hand the results to processes", outcome.error["message"])

    def test_processes_that_only_compute(self):
        code = (
            "import multiprocessing\nfrom concurrent.futures import ProcessPoolExecutor\ndef f(x):\n    return x * 2\n"
            "with ProcessPoolExecutor(2) as pool:\n    a = list(pool.map(f, [mcp.s.t(i=i) for i in range(3)]))\n"
            "with multiprocessing.get_context('fork').Pool(2) as pool:\n    b = pool.map(f, [1, 2])\n[a, b, mcp.s.t(i=9)]"
        )
        self.assertEqual(run_python(code, echo_i).result, [[0, 2, 4], [2, 4], 9])

    def test_fork_while_others_wait_for_replies(self):
        """The child must not hang on locks of threads that it does not have, nor take a reply."""
        code = (
            f"{_IN_CHILD}done = []\ndef work(k):\n    done.append([mcp.s.t(i=k * 100 + i) for i in range(100)])\n"
            "threads = [threading.Thread(target=work, args=[k]) for k in range(4)]\n[t.start() for t in threads]\n"
            "said = {in_child(lambda: mcp.s.t(i=1)) for _ in range(20)}\n[t.join() for t in threads]\n"
            "[list(said), sorted(sum(done, [])) == list(range(400)), all(x == sorted(x) for x in done)]"
        )
        outcome = run_python(code, echo_i)
        self.assertEqual((outcome.error, outcome.result), (None, [[_REFUSED], True, True]))

    def test_fork_in_a_task_while_others_await_replies(self):
        code = (
            f"{_IN_CHILD}async def main():\n    calls = [asyncio.ensure_future(mcp.s.t(i=i)) for i in range(5)]\n"
            "    await asyncio.sleep(0)\n    said = in_child(lambda: mcp.s.t(i=1))\n"
            "    return [said, await asyncio.gather(*calls)]\nawait main()"
        )
        self.assertEqual(run_python(code, echo_i).result, [_REFUSED, [0, 1, 2, 3, 4]])

    def test_child_that_goes_on_in_the_loop_of_its_parent(self):
        """It learns that the reply will not come; the parent gets it."""
        code = (
            "import asyncio, os\nasync def fork():\n    os.fork()\nasync def main():\n    pid = os.getpid()\n"
            "    call = asyncio.ensure_future(mcp.s.t(i=1))\n    await asyncio.sleep(0)\n    await fork()\n    try:\n"
            "        return await call\n    except MCPError as e:\n        print(e.code, os.getpid() != pid, flush=True)\n"
            "        os._exit(4)\nr = await main()\n[r, os.waitstatus_to_exitcode(os.wait()[1]), mcp.s.t(i=2)]"
        )
        with Guest(python_command()) as guest:

            def answer(request):
                time.sleep(0.2)
                return echo_i(request)

            outcome = guest.run(code, answer)
            self.assertEqual((outcome.error, outcome.result, outcome.stdout), (None, [1, 4, 2], "forked_process True\n"))

    def test_child_of_a_signal_handler_that_interrupts_the_wait_for_a_reply(self):
        code = (
            "import os, signal\ndef fork(*_):\n    global pid\n    pid = os.fork()\nsignal.signal(signal.SIGALRM, fork)\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.1)\n"
            f"try:\n    r = mcp.s.t(i=1)\nexcept MCPError as e:\n    os._exit(4 if e.code == 'forked_process' else 5)\n[r, {_WAIT}, mcp.s.t(i=2)]"
        )

        def answer(request):
            time.sleep(0.3)
            return echo_i(request)

        outcome = run_python(code, answer)
        self.assertEqual((outcome.error, outcome.result), (None, [1, 4, 2]))

    def test_child_of_a_signal_handler_that_interrupts_the_wait_of_the_loop(self):
        """It shares nothing that it would wait for with its parent, which takes the reply while the child sleeps."""
        code = (
            "import asyncio, os, signal, time\npids = []\ndef fork(*_):\n    pid = os.fork()\n    if pid:\n        pids.append(pid)\n"
            "    else:\n        time.sleep(0.3)\nsignal.signal(signal.SIGALRM, fork)\nsignal.setitimer(signal.ITIMER_REAL, 0.1)\n"
            "me = os.getpid()\ntry:\n    r = await asyncio.gather(mcp.s.t(i=1))\nexcept MCPError as e:\n"
            "    os._exit(4 if e.code == 'forked_process' and os.getpid() != me else 5)\n"
            "for _ in range(100):\n    ended, status = os.waitpid(pids[0], os.WNOHANG)\n    if ended:\n        break\n    time.sleep(0.02)\n"
            "else:\n    os.kill(pids[0], 9)\n[r, ended and os.waitstatus_to_exitcode(status), await mcp.s.t(i=2)]"
        )

        def answer(request):
            time.sleep(0.2)
            return echo_i(request)

        outcome = run_python(code, answer)
        self.assertEqual((outcome.error, outcome.result), (None, [[1], 4, 2]))

    def test_channel_ends_with_the_program_although_children_live(self):
        with Guest(python_command()) as guest:
            guest.expect_ready()
            guest.send({"type": "run", "code": "import os, time\nif os.fork() == 0:\n    time.sleep(2)\n    os._exit(0)\nos._exit(3)"})
            self.assertEqual(guest.process.wait(30), 3)
            guest.socket.settimeout(1)
            self.assertEqual(guest.socket.recv(1), b"")

    def test_program_ends_although_children_live(self):
        with Guest(python_command()) as guest:
            guest.expect_ready()
            outcome = guest.program("import os, time\nif os.fork() == 0:\n    time.sleep(3)\n    os._exit(0)\n1")
            self.assertEqual(outcome.result, 1)
            self.assertLess(time.perf_counter() - guest.started_at, 3)

    def test_start_methods_that_find_no_program_are_refused(self):
        for code in (
            "with multiprocessing.get_context('{0}').Pool(2) as pool:\n    pool.map(f, [1])",
            "multiprocessing.set_start_method('{0}')\nmultiprocessing.Process(target=f, args=[1]).start()",
            "from concurrent.futures import ProcessPoolExecutor\n"
            "with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('{0}')) as pool:\n    list(pool.map(f, [1]))",
        ):
            for method in ("spawn", "forkserver"):
                with self.subTest(code.format(method)):
                    error = run_python(f"import multiprocessing\ndef f(x):\n    return x\n{code.format(method)}").error
                    self.assertEqual(error["name"], "RuntimeError", error)
                    self.assertIn("processes of the start methods 'spawn' and 'forkserver' cannot find", error["message"])

    def test_managers_need_no_unix_sockets(self):
        code = (
            "import multiprocessing, socket\nfrom multiprocessing.managers import BaseManager\ndel socket.AF_UNIX\n"
            "with multiprocessing.get_context('fork').Manager() as m:\n    d = m.dict()\n    d['a'] = m.list([1])\n"
            "    r = [type(m.address).__name__, list(d['a'])]\nr"
        )
        outcome = run_python(code)
        self.assertEqual((outcome.result, outcome.stderr), (["tuple", [1]], ""), outcome)

    def test_processes_that_are_left_are_told(self):
        sleep = "import subprocess\np = [subprocess.Popen(['sleep', '9']) for _ in range({})]\n"
        told = "still running when the program ended and {} ended: {} ("
        for code, note in {
            f"{sleep.format(1)}1": "1 process was " + told.format("was", "sleep"),
            f"{sleep.format(7)}1": "7 processes were " + told.format("were", "sleep, sleep, sleep, sleep, sleep and 2 more"),
            f"{sleep.format(1)}1 / 0": "1 process was " + told.format("was", "sleep"),
            f"{sleep.format(1)}exit()": "1 process was " + told.format("was", "sleep"),
            "import os, time\nif os.fork() == 0:\n    time.sleep(9)\n1": "1 process was still running",
        }.items():
            with self.subTest(code):
                outcome = run_python(code)
                self.assertEqual(outcome.stderr.count(note), 1, outcome)

    def test_processes_that_have_ended_are_not_told(self):
        for code in (
            "import os\nif os.fork() == 0:\n    os._exit(0)\n1",
            "import subprocess\np = subprocess.Popen(['sleep', '9'])\np.terminate()\n1",
            "import subprocess\nsubprocess.run(['true'])\n1",
            "import multiprocessing, time\nmultiprocessing.get_context('fork').Process(target=time.sleep, args=[9], daemon=True).start()\n1",
            "from multiprocessing import shared_memory\ns = shared_memory.SharedMemory(create=True, size=9)\ns.close()\ns.unlink()\n1",
            "from concurrent.futures import ProcessPoolExecutor\npool = ProcessPoolExecutor(2)\nlist(pool.map(abs, [1]))\n1",
        ):
            with self.subTest(code):
                outcome = run_python(code)
                self.assertEqual((outcome.result, outcome.stderr), (1, ""), outcome)

    def test_ends_of_children(self):
        for name, (code, status, stderr) in ENDS.items():
            with self.subTest(name):
                outcome = run_python(f"{_FORK.format(code)}{_WAIT}")
                self.assertEqual((outcome.error, outcome.result, outcome.stderr), (None, status, stderr), outcome)
                self.assertEqual(outcome.stdout, "of the parent\n")

    def test_end_of_a_child_that_awaits(self):
        code = f"import asyncio, os, sys\nawait asyncio.sleep(0)\npid = os.fork()\nif pid == 0:\n    sys.exit(3)\n{_WAIT}"
        outcome = run_python(code)
        self.assertEqual((outcome.error, outcome.result), (None, 3))

    def test_task_that_fails_in_a_child(self):
        """A child has no run that could fail; it says so, as Python does."""
        code = (
            "import asyncio, os, multiprocessing\nasync def bad():\n    raise ValueError('lost')\nasync def main():\n"
            "    asyncio.create_task(bad())\n    await asyncio.sleep(0.01)\ndef child():\n    asyncio.run(main())\n"
            "process = multiprocessing.get_context('fork').Process(target=child)\nprocess.start()\nprocess.join()\n"
            f"pid = os.fork()\nif pid == 0:\n    child()\n    os._exit(0)\n[process.exitcode, {_WAIT}]"
        )
        outcome = run_python(code)
        self.assertEqual((outcome.error, outcome.result), (None, [0, 0]))
        self.assertEqual(outcome.stderr.count('File "<code>", line 3, in bad\n'), 2)

    def test_child_that_is_forked_at_the_end(self):
        code = (
            "import atexit, os\ndef fork():\n    pid = os.fork()\n"
            "    if pid:\n        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\natexit.register(fork)\n1"
        )
        outcome = run_python(code)
        self.assertEqual((outcome.error, outcome.result, outcome.stdout, outcome.stderr), (None, 1, "0\n", ""))

    def test_session_waits_for_processes_of_its_last_program_only(self):
        process = "import multiprocessing, time\nmultiprocessing.get_context('fork').Process(target=time.sleep, args=[{}]).start()\n"
        with Guest(python_command()) as guest:
            guest.expect_ready()
            failed = guest.program(f"{process.format(1.5)}raise ValueError('x')", keep=True)
            started_at = time.perf_counter()
            second = guest.program(f"{process.format(0.2)}2", keep=True)
            self.assertEqual((failed.error["message"], second.result), ("x", 2))
            self.assertGreater(time.perf_counter() - started_at, 0.2)
            self.assertLess(time.perf_counter() - started_at, 1.2)

    def test_what_was_printed_before_is_printed_once(self):
        outcome = run_python("import os\nprint('a', end='')\nif os.fork():\n    os.wait()\nprint('b', end='')")
        self.assertEqual(outcome.stdout, "abb")

    def test_sessions(self):
        """A child ends with its program; the next program is the parent's alone."""
        with Guest(python_command()) as guest:
            guest.expect_ready()
            first = guest.program("import os\npid = os.fork()\nif pid == 0: raise ValueError('child')\n1", echo_i, keep=True)
            second = guest.program(f"[{_WAIT}, mcp.s.t(i=3)]", echo_i, keep=True)
            guest.finish(second)
            self.assertEqual((first.result, second.result), (1, [1, 3]))
            self.assertIn('File "<code>", line 3', second.stderr)


if __name__ == "__main__":
    unittest.main()
