"""When Python programs end whose threads wait for each other, or for something that wakes them."""

import os
import tempfile
import unittest

import languages
from fake_host import Guest, python_command

_NOTE = "[the program has returned, but the run goes on"

# A thread that waits without an end, and is no daemon.
_WAITER = "import threading\nwoken = threading.Event()\nthreading.Thread(target=lambda: (woken.wait(), print('woken'))).start()\n"

# What wakes it once the test has written to the FIFO `{0}`, some time after the program has returned. Name: code
WAKERS = {
    "daemon": "threading.Thread(target=lambda: (open('{0}').read(), woken.set()), daemon=True).start()\n1",
    "daemon that feeds a queue": (
        "import queue\nitems = queue.Queue()\ndef take():\n    while (item := items.get()) is not None:\n        print('took', item)\n    woken.set()\n"
        "def feed():\n    for item in (*open('{0}').read().split(), None):\n        items.put(item)\n"
        "threading.Thread(target=feed, daemon=True).start()\nthreading.Thread(target=take).start()\n1"
    ),
    "pool of daemons": (
        "from multiprocessing.pool import ThreadPool\npool = ThreadPool(1)\n"
        "done = pool.apply_async(lambda: (open('{0}').read(), woken.set()))\n1"
    ),
    "thread that threading does not know": (
        "import _thread\n_thread.start_new_thread(lambda: (open('{0}').read(), woken.set()), ())\n1"
    ),
    "process that writes to a pipe": (
        "import os\nread, write = os.pipe()\npid = os.fork()\nif pid == 0:\n    open('{0}').read()\n    os.write(write, b'x')\n    os._exit(0)\n"
        "threading.Thread(target=lambda: (os.read(read, 1), woken.set()), daemon=True).start()\n1"
    ),
    "process that sends a signal": (
        "import os, signal\nsignal.signal(signal.SIGUSR1, lambda *_: woken.set())\npid = os.fork()\n"
        "if pid == 0:\n    open('{0}').read()\n    os.kill(os.getppid(), signal.SIGUSR1)\n    os._exit(0)\n1"
    ),
    "task": (
        "import asyncio\nasync def wake():\n    await asyncio.to_thread(lambda: open('{0}').read())\n    woken.set()\nasyncio.create_task(wake())\n1"
    ),
    "work of a pool that waits": (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\nlate = threading.Event()\n"
        "pool.submit(lambda: (late.wait(), woken.set()))\n"
        "threading.Thread(target=lambda: (open('{0}').read(), late.set()), daemon=True).start()\n1"
    ),
}
# The same by time. Name: code
TIMERS = {
    "timer that is a daemon": "timer = threading.Timer(0.2, woken.set)\ntimer.daemon = True\ntimer.start()\n1",
    "timer of signals": (
        "import signal\nsignal.signal(signal.SIGALRM, lambda *_: woken.set())\nsignal.setitimer(signal.ITIMER_REAL, 0.2)\n1"
    ),
}

# Threads that are woken before the program has returned, but have to wait for the interpreter, which none gives away by itself.
# Name: code, which prints `woken` at last
_HOLD = "import sys, threading\nsys.setswitchinterval(60)\n"
RACES = {
    "event": f"{_HOLD}e = threading.Event()\nthreading.Thread(target=lambda: (e.wait(), print('woken'))).start()\ne.set()\n1",
    "chain of events": (
        f"{_HOLD}N = 20\nevents = [threading.Event() for _ in range(N + 1)]\ndef pass_on(i):\n    events[i].wait()\n    events[i + 1].set()\n"
        "    if i == N - 1:\n        print('woken')\n"
        "for i in range(N):\n    threading.Thread(target=pass_on, args=[i]).start()\nevents[0].set()\n1"
    ),
    "queues": (
        f"{_HOLD}import queue\na, b = queue.Queue(), queue.Queue()\ndef first():\n    while (x := a.get()) is not None:\n        b.put(x)\n    b.put(None)\n"
        "def second():\n    while b.get() is not None:\n        pass\n    print('woken')\n"
        "for work in (first, second):\n    threading.Thread(target=work).start()\nfor x in (1, 2, None):\n    a.put(x)\n1"
    ),
    "barrier": (
        f"{_HOLD}b, n = threading.Barrier(3), []\ndef meet():\n    b.wait()\n    n.append(1)\n    if len(n) == 3:\n        print('woken')\n"
        "for _ in range(3):\n    threading.Thread(target=meet).start()\n1"
    ),
    "work of pools": (
        f"{_HOLD}from concurrent.futures import ThreadPoolExecutor\npools = [ThreadPoolExecutor(1) for _ in range(3)]\ndef step(n):\n"
        "    if n == 0:\n        print('woken')\n    else:\n        pools[n % 3].submit(step, n - 1)\npools[0].submit(step, 30)\n1"
    ),
}
_RACES_RUNS = 5

# Threads that wait for what nobody does. Name: code
IN_VAIN = {
    "queue": "import queue, threading\nthreading.Thread(target=queue.Queue().get).start()\n1",
    "threads that wait for each other": (
        "import threading\na, b = threading.Event(), threading.Event()\n"
        "for first, then in ((a, b), (b, a)):\n    threading.Thread(target=lambda f=first, t=then: (f.wait(), t.set())).start()\n1"
    ),
    "beside a daemon that waits, too": (
        "import queue, threading\nfor daemon in (False, True):\n    threading.Thread(target=queue.Queue().get, daemon=daemon).start()\n1"
    ),
    "beside an idle pool": (
        "import queue, threading\nfrom concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\n"
        "pool.submit(len, '').result()\nthreading.Thread(target=queue.Queue().get).start()\n1"
    ),
    "beside a process that has ended": (
        "import os, queue, threading\npid = os.fork()\nif pid == 0:\n    os._exit(0)\nos.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)\n"
        "threading.Thread(target=queue.Queue().get).start()\n1"
    ),
    "beside a task that waits": (
        "import asyncio, queue, threading\nthreading.Thread(target=queue.Queue().get).start()\n"
        "task = asyncio.create_task(asyncio.Event().wait())\n1"
    ),
    "in a pool": (
        "import threading\nfrom concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\n"
        "pool.submit(threading.Event().wait)\n1"
    ),
}


class ThreadEndTest(languages.PythonTest):
    def test_threads_that_are_woken_after_the_program_has_returned(self):
        for name, code in WAKERS.items():
            for keep in (False, True):
                with self.subTest(name, session=keep), tempfile.TemporaryDirectory() as folder:
                    fifo = os.path.join(folder, "fifo")
                    os.mkfifo(fifo)
                    self.assertEqual(self._ended_after_note(_WAITER + code.format(fifo), keep, fifo)[-6:], "woken\n")

    def _ended_after_note(self, code, keep, fifo):
        """What it has printed. The FIFO is written to only once the run says that it goes on."""
        with Guest(python_command()) as guest:
            guest.expect_ready()
            guest.send({"type": "run", "code": code, **({"keep": True} if keep else {})})
            guest.wait_for_output("stderr", _NOTE)
            with open(fifo, "w") as file:
                file.write("1 2")
            self.assertEqual(guest.receive(), {"type": "done", "result": 1})
            guest.finish()
            return guest.output("stdout")

    def test_threads_that_a_timer_wakes(self):
        for name, code in TIMERS.items():
            with self.subTest(name):
                outcome = self.run_program(_WAITER + code)
                self.assertEqual((outcome.error, outcome.result, outcome.stdout), (None, 1, "woken\n"))

    def test_threads_that_were_woken_and_have_not_run_yet(self):
        for name, code in RACES.items():
            with self.subTest(name):
                outcomes = self.run_session(*[code] * _RACES_RUNS, keep=False)
                self.assertEqual([(each.error, each.result) for each in outcomes], [(None, 1)] * _RACES_RUNS)
                self.assertEqual(outcomes[-1].stdout, "woken\n" * _RACES_RUNS)

    def test_threads_that_wait_in_vain(self):
        for name, code in IN_VAIN.items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertEqual((outcome.error, outcome.result, outcome.stderr), (None, 1, ""))
            with self.subTest(name, session=True):
                first, second = self.run_session(code, "2")
                self.assertEqual([(each.error, each.result) for each in (first, second)], [(None, 1), (None, 2)])

    def test_what_a_program_before_has_left_to_wait(self):
        """It is not waited for again, whatever else goes on."""
        left = "import threading\nfrom concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\npool.submit(threading.Event().wait)\n1"
        beside = "threading.Thread(target=__import__('time').sleep, args=[600], daemon=True).start()\n2"
        first, second = self.run_session(left, beside)
        self.assertEqual([(each.error, each.result) for each in (first, second)], [(None, 1), (None, 2)])


if __name__ == "__main__":
    unittest.main()
