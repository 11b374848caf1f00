"""The memory and the processes of one guest together: by a cgroup where there is one, by the watcher elsewhere."""

import glob
import os
import signal
import time
import unittest

from support.case import Case, SharedServerCase
from support.paths import SLOWNESS
from support.users import require_another_user, server_of_nobody

REACHED = "memory limit of 512 MiB (sandbox.memoryMb) reached"

# Many processes, each below the limit of one, together above.
MANY_PROCESSES = """
import os, time
for _ in range(10):
    if os.fork() == 0:
        mine = b'x' * 100_000_000
        time.sleep(60)
        os._exit(0)
time.sleep(60)
"""
# What the limit of one process does not count.
SHARED_MEMORY = """
import mmap
block = b'x' * (1 << 20)
area = mmap.mmap(-1, 2 << 30)
for _ in range(2048):
    area.write(block)
"""
# The main process lives on, and waits for what has died.
CHILD_ABOVE = f"""
import os, time
if os.fork() == 0:
    {SHARED_MEMORY.strip().replace(chr(10), chr(10) + '    ')}
time.sleep(60)
"""


def folders_of(server):
    """The cgroup folders of a server, in every hierarchy."""
    return glob.glob(f"/sys/fs/cgroup/**/code-executor-{server.process.pid}-*", recursive=True)


def guests_of(server):
    return [guest for folder in folders_of(server) for guest in glob.glob(f"{folder}/guest-*")]


class Bombs:
    """Of both rungs."""

    def tearDown(self):
        self.assertEqual(self.server.request("ping"), {})

    def walls(self):
        return self.server.tool("health").structured["isolation"]["walls"]

    def bomb_next_to_a_neighbour(self, run, code):
        """Gives the error of the bomb."""
        sent = time.monotonic()
        neighbour = self.server.ask_tool("run-python-code", {"code": """
import time
kept = ['unharmed'] * 1000
time.sleep(1.2)
len(kept)
""", "timeoutMs": 60_000})
        error = self.refuse(run(code, timeoutMs=50_000))
        self.assertNotIn("timed out", error)
        answer = self.succeed(self.server.tool_answer("run-python-code", neighbour, sent, 60))
        self.assertEqual(answer.result, 1000)
        return error

    def test_of_many_processes(self):
        self.assertIn(REACHED, self.bomb_next_to_a_neighbour(self.python, MANY_PROCESSES))

    def test_shared(self):
        self.assertIn(REACHED, self.bomb_next_to_a_neighbour(self.python, SHARED_MEMORY))

    def test_of_a_child_that_is_waited_for(self):
        self.assertIn(REACHED, self.bomb_next_to_a_neighbour(self.python, CHILD_ABOVE))

    def test_of_one_python(self):
        error = self.bomb_next_to_a_neighbour(self.python, "all = []\nwhile True:\n    all.append(b'x' * 10_000_000)")
        self.assertIn("memory", error.lower())

    def test_heap_of_typescript(self):
        error = self.bomb_next_to_a_neighbour(
            self.typescript, "const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()))")
        self.assertIn("memory", error.lower())

    def test_buffers_of_typescript(self):
        self.bomb_next_to_a_neighbour(
            self.typescript,
            "const all = []; for (let i = 0; i < 200; i++) all.push(new Uint8Array(2 ** 24).fill(1)); return all.length")

    def test_webassembly(self):
        self.bomb_next_to_a_neighbour(
            self.typescript,
            "const all = []; for (let i = 0; i < 40; i++) { const m = new WebAssembly.Memory({initial: 1024, maximum: 1024});"
            " new Uint8Array(m.buffer).fill(1); all.push(m) } return all.length")

    def test_processes(self):
        answer = self.succeed(self.python("""
import os, time
born = 0
try:
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        born += 1
except OSError:
    pass
born
""", timeoutMs=40_000))
        self.assertGreater(answer.result, 20)
        self.assertLess(answer.result, 64)
        self.assertEqual(self.succeed(self.python("'alive'")).result, "alive")

    def test_much_below_the_limit_is_no_problem(self):
        answer = self.succeed(self.python("""
import os
block = b'x' * 300_000_000
children = []
for _ in range(4):  # they share it
    pid = os.fork()
    if pid == 0:
        import time
        time.sleep(0.5)
        os._exit(len(block) % 7)
    children.append(pid)
[os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
""", timeoutMs=40_000))
        self.assertEqual(answer.result, [300_000_000 % 7] * 4)


class ByCgroup(Bombs, SharedServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not folders_of(cls.server):
            raise unittest.SkipTest("this machine gives us no cgroups")

    def test_is_what_health_says(self):
        walls = self.walls()
        self.assertRegex(walls["memory"]["by"], r"^cgroup v[12]$")
        self.assertEqual(walls["memory"]["limit"], "512 MiB and 128 MiB of temp space")
        self.assertRegex(walls["processes"]["by"], r"^cgroup v[12]")

    def test_temp_space_counts(self):
        error = self.refuse(self.python("""
with open('/tmp/a', 'wb') as a:
    a.write(b'x' * 60_000_000)
with open('/dev/shm/b', 'wb') as b:
    b.write(b'x' * 60_000_000)
import mmap
area = mmap.mmap(-1, 600 << 20)
for _ in range(600):
    area.write(b'x' * (1 << 20))
""", timeoutMs=50_000))
        self.assertIn(REACHED, error)


class ByCgroupOfForked(ByCgroup):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.wait_for_forked_guests()


MANY_FILES = """
import os, time
made = 0
try:
    for i in range(300_000):
        os.close(os.open(f'{folder}/{i}', os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as problem:
    print(problem)
time.sleep(60)
"""


class ByWatcher(Bombs, SharedServerCase):
    @classmethod
    def setUpClass(cls):
        require_another_user()
        cls.server = server_of_nobody()
        cls.addClassCleanup(cls.server.stop)

    def test_is_what_health_says(self):
        walls = self.walls()
        self.assertIn("rlimit per process + watcher", walls["memory"]["by"])
        self.assertIn("no cgroup: ", walls["memory"]["by"])
        self.assertEqual(walls["memory"]["limit"], "512 MiB")
        self.assertIn("watcher", walls["temp files"]["by"])
        self.assertEqual(walls["temp files"]["limit"], "65536")
        self.assertEqual(folders_of(self.server), [])

    def test_many_files_without_content(self):
        for folder in ("/tmp", "/dev/shm"):
            with self.subTest(folder):
                error = self.bomb_next_to_a_neighbour(self.python, f"folder = {folder!r}{MANY_FILES}")
                self.assertIn("more than 65536 files in its temp space", error)

    def test_not_so_many_files_are_no_problem(self):
        answer = self.succeed(self.python("import time\nfor i in range(5_000):\n    open(f'/tmp/{i}', 'w').close()\ntime.sleep(0.5)\n'unharmed'"))
        self.assertEqual(answer.result, "unharmed")


class ByWatcherOfForked(ByWatcher):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.wait_for_forked_guests()


class Folders(Case):
    def server_with_cgroups(self):
        server = self.start()
        self.succeed(server.python("1"))
        if not guests_of(server):
            self.skipTest("this machine gives us no cgroups")
        return server

    def test_none_is_left_after_a_hundred_runs(self):
        server = self.server_with_cgroups()
        sent = time.monotonic()
        runs = [server.ask_tool("run-python-code", {"code": f"{n} * 2", "timeoutMs": 120_000}) for n in range(100)]
        for n, run in enumerate(runs):
            self.assertEqual(self.succeed(server.tool_answer("run-python-code", run, sent, 120)).result, n * 2)
        hierarchies, waiting = len(folders_of(server)), 10  # warm guests of both languages, and the spare process
        self.wait_until(lambda: len(guests_of(server)) <= hierarchies * waiting, lambda: f"end of {guests_of(server)}")
        folders = folders_of(server)
        server.end("eof")
        self.assertTrue(folders)
        self.assertEqual(folders_of(server), [])

    def test_what_a_killed_server_leaves_goes_at_the_next_start(self):
        server = self.server_with_cgroups()
        server.end(signal.SIGKILL)
        server.expect_no_leftovers()  # of processes; its folders, if not a server of another test has started since
        following = self.start()
        self.succeed(following.python("1"))
        self.assertEqual(folders_of(server), [])
        self.wait_until(lambda: guests_of(following), "guests of its own")

    def test_a_waiting_process_that_is_killed_costs_no_run(self):
        """As an OOM killer does, while it waits in its cgroup for a guest."""
        server = self.server_with_cgroups()

        def spares():
            return [process.pid for process in server.leftovers() if process.name.startswith("guest-exec")]
        self.wait_until(spares, "a process that waits")
        for pid in spares():
            os.kill(pid, signal.SIGKILL)
        self.wait_until(lambda: not spares(), "its end")
        for n in range(3):
            self.assertEqual(self.succeed(server.python(f"{n} + 1", session=f"s{n}")).result, n + 1)

    def test_a_living_server_keeps_its_own(self):
        server = self.server_with_cgroups()
        before = set(folders_of(server))
        self.start().request("ping")
        self.assertEqual(set(folders_of(server)), before)
        self.assertIn(REACHED, self.refuse(server.python(SHARED_MEMORY, timeoutMs=int(20_000 * SLOWNESS))))
