"""Python in containers of podman: `executors.python.runtime: container`."""

import errno
import json
import os
import signal
import tarfile
import tempfile
import time
import unittest

from support import containers
from support.case import Case
from support.config import child
from support.paths import SLOWNESS
from support.server import Server, WITHOUT_PATTERN_CHECK, World

PROBLEM = containers.problem()
SECRET = "host-secret-8c2e"
MEMORY_MIB = 64
PROCESSES = 40
AT_ONCE = 10
# The start of the container is part of it, which takes a second where all cores are busy.
TIMEOUT_MS = 4_000
# An engine takes a tenth of a second to remove a container that has ended.
TIMEOUT_ALLOWANCE_SECONDS = 0.2 * SLOWNESS

# Forks until that fails and says how often it worked; the processes end with the container.
FORK_ALL = """
import os, time
started = 0
try:
    while started < 400:
        if os.fork() == 0:
            time.sleep(60)
        started += 1
except BlockingIOError:
    pass
"""


def world(waiting=0, **files):
    """`waiting`: containers that are started ahead of need; they would be in the way of counting."""
    made = World().configure(**files)
    with open(os.path.join(made.home, ".code-executor.json"), "w", encoding="utf-8") as file:
        json.dump({"executors": {"python": {"runtime": "container"}}, "sandbox": {"pool": {"size": waiting}}}, file)
    return made


def environment(**variables):
    return {**containers.environment(), "MCP_BRIDGE_RUNTIME": containers.TOOL, "MCP_BRIDGE_IMAGE": containers.image(),
            **WITHOUT_PATTERN_CHECK, **variables}


@unittest.skipIf(PROBLEM, PROBLEM)
class ContainerCase(Case):
    """A server per test that changes something, one per class for the others."""

    def start(self, servers=None, waiting=0, **variables):
        server = Server(world=world(waiting, project=servers or {"kid": child()}), env=environment(**variables))
        self.addCleanup(server.stop)
        return server

    def expect_no_containers(self, server):
        self.wait_until(lambda: not containers.of_server(server), "removal of all containers")


class SharedContainerCase(ContainerCase):
    server = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server(world=world(project={"kid": child(env={"CHILD_TOKEN": SECRET})}),
                            env=environment(OPENAI_API_KEY=SECRET, http_proxy=f"http://user:{SECRET}@localhost:1"))
        cls.addClassCleanup(cls.server.stop)

    def python(self, code, **parameters):
        return self.server.python(code, **parameters)


class Programs(SharedContainerCase):
    def test_result_and_output(self):
        answer = self.succeed(self.python("import sys\nprint('out')\nprint('err', file=sys.stderr)\n[1, {'a': None}]"))
        self.assertEqual(answer.result, [1, {"a": None}])
        self.assertIn("out\n", answer.output)
        self.assertIn("err", answer.output)

    def test_output_is_complete_when_the_run_is_done(self):
        for _ in range(3):
            answer = self.succeed(self.python("import os\nos.write(1, b'x' * 10_000)\nprint('last')"))
            self.assertEqual(answer.output, "x" * 10_000 + "last\n")

    def test_tool_calls(self):
        answer = self.succeed(self.python("[call_mcp_tool('kid', 'echo', {'text': str(i)}) for i in range(50)]"))
        self.assertEqual(answer.result, [str(i) for i in range(50)])
        self.assertEqual(answer.summary["mcp__kid__echo"]["successCount"], 50)

    def test_error_with_its_line(self):
        text = self.refuse(self.python("x = 1\nraise ValueError('boom')"), "ValueError", "boom")
        self.assert_position(text, 2, 1)
        self.assertNotIn("/guest/", text)

    def test_exit_code(self):
        self.refuse(self.python("import os\nos._exit(3)"), "exit code 3")

    def test_end_by_a_signal(self):
        self.refuse(self.python("import os\nos.kill(os.getpid(), 9)"), "SIGKILL")

    def test_packages_of_the_image(self):
        answer = self.succeed(self.python(f"import {containers.IMAGE_PACKAGE} as p\np.where"))
        self.assertEqual(answer.result, "image")

    def test_many_at_once(self):
        sent = time.monotonic()
        requests = [self.server.ask_tool("run-python-code", {"code": f"import os\nprint({n})\n[{n}, os.listdir('/workspace')]"})
                    for n in range(AT_ONCE)]
        for number, request in enumerate(requests):
            answer = self.succeed(self.server.tool_answer("run-python-code", request, sent))
            self.assertEqual((answer.result, answer.output), ([number, []], f"{number}\n"))
        self.expect_no_containers(self.server)


class Walls(SharedContainerCase):
    def test_nothing_of_the_host(self):
        answer = self.succeed(self.python("""
import os
environments = []
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        environments.append(open(f'/proc/{pid}/environ').read())
    except OSError:
        pass
[dict(os.environ), environments, sorted(os.listdir('/')), open('/proc/self/status').read()]
"""))
        self.assertNotIn(SECRET, str(answer.raw))
        variables, _, root, status = answer.result
        self.assertNotIn("CODE_EXECUTOR_TOKEN", variables)
        self.assertEqual(set(root) - {"bin", "lib", "lib64", "usr", "etc", "proc", "sys", "dev", "run", "tmp", ".dockerenv"},
                         {"guest", "ipc", "workspace"})
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        self.assertEqual(fields["Uid"].split(), ["65534"] * 4)
        self.assertEqual([int(fields[name], 16) for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")], [0] * 4)
        self.assertEqual((fields["NoNewPrivs"], fields["Seccomp"]), ("1", "2"))

    def test_writes_only_to_its_own_folders(self):
        for folder in ("/", "/usr", "/guest/python", "/ipc", "/var/tmp", "/etc", "/run"):
            with self.subTest(folder):
                self.refuse(self.python(f"open('{folder}/left-by-guest', 'w')"))
        for folder in ("/tmp", "/workspace"):
            self.succeed(self.python(f"open('{folder}/left-by-guest', 'w').write('x')"))
            later = self.succeed(self.python(f"import os\nos.listdir('{folder}')"))
            self.assertEqual(later.result, [])

    def test_works_in_its_workspace(self):
        self.assertEqual(self.succeed(self.python("import os\nos.getcwd()")).result, "/workspace")

    def test_no_network(self):
        names = self.succeed(self.python("import os\nos.listdir('/sys/class/net')")).result
        self.assertEqual(names, ["lo"])

    def test_only_its_own_descriptors(self):
        answer = self.succeed(self.python("import os\n[os.readlink(f'/proc/self/fd/{n}') for n in range(4)]"))
        self.assertEqual([name.partition(":")[0] for name in answer.result], ["/dev/null", "pipe", "pipe", "socket"])

    def test_the_socket_serves_once(self):
        self.refuse(self.python("import socket\nsocket.socket(socket.AF_UNIX).connect('/ipc/channel')"), "ConnectionRefusedError")

    def test_process_1_can_not_be_ended(self):
        answer = self.succeed(self.python("import os\nfor n in (1, 2, 9, 15, 19):\n    os.kill(1, n)\nos.getppid()"))
        self.assertEqual(answer.result, 1)

    def test_temporary_space_is_bounded(self):
        self.refuse(self.python("with open('/tmp/x', 'wb') as f:\n    for _ in range(65):\n        f.write(bytes(1 << 20))"),
                    "No space left")


class Limits(ContainerCase):
    def test_memory_of_a_process(self):
        server = self.start(MCP_BRIDGE_MEMORY=f"{MEMORY_MIB}m")
        self.refuse(server.python(f"x = bytearray({MEMORY_MIB * 2} << 20)"), "MemoryError")
        self.succeed(server.python("1"))

    def test_memory_of_a_container(self):
        server = self.start(MCP_BRIDGE_MEMORY=f"{MEMORY_MIB}m")
        # Shared memory: the limit of one process does not see it.
        text = self.refuse(server.python("import mmap\narea = mmap.mmap(-1, 1 << 30)\nfor _ in range(1 << 10):\n    area.write(bytes(1 << 20))"))
        self.assertIn(f"memory limit of {MEMORY_MIB} MiB", text)
        self.assertNotIn("looks", text, "it is known, not guessed")
        self.succeed(server.python("1"))

    def test_health_tells_what_holds(self):
        server = self.start(MCP_BRIDGE_PIDS=str(PROCESSES))
        self.succeed(server.python("1"))
        found = server.tool("health").structured["isolation"]["python"]
        self.assertEqual(found["mode"], "container")
        self.assertIn(containers.image(), found["reason"])
        self.assertTrue(found["walls"]["memory"]["holds"])
        self.assertEqual(found["walls"]["processes"]["limit"], str(PROCESSES))

    def test_processes_of_one_container(self):
        server = self.start(MCP_BRIDGE_PIDS=str(PROCESSES))
        answer = self.succeed(server.python(FORK_ALL + "started"))
        self.assertLessEqual(answer.result, PROCESSES)
        self.expect_no_containers(server)

    def test_processes_do_not_count_for_the_neighbour(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)}, MCP_BRIDGE_PIDS=str(PROCESSES))
        bomb = server.ask_tool("run-python-code", {"code": FORK_ALL + "call_mcp_tool('kid', 'hang', {})"})
        journal.wait("call", tool="hang")
        self.succeed(server.python("import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()"))
        server.notify("notifications/cancelled", requestId=bomb)
        self.expect_no_containers(server)


class Ends(ContainerCase):
    WAYS = {"busy": "while True: pass", "asleep": "import time\ntime.sleep(99)",
            "with a tree of processes": "import subprocess, time\nsubprocess.Popen(['sh', '-c', 'while :; do :; done'])\ntime.sleep(99)",
            "with process 1 stopped by a tracer": "import ctypes, time\nctypes.CDLL(None).ptrace(16, 1, 0, 0)\ntime.sleep(99)"}

    def test_timeout_kills_and_removes(self):
        server = self.start()
        self.succeed(server.python("1"))
        for name, code in self.WAYS.items():
            with self.subTest(name):
                answer = server.python(f"print('before')\n{code}", timeoutMs=TIMEOUT_MS)
                self.refuse(answer, "timed out")
                self.assertEqual(answer.output, "before\n")
                self.assertLess(answer.seconds, TIMEOUT_MS / 1000 + TIMEOUT_ALLOWANCE_SECONDS)
                self.expect_no_containers(server)

    def hanging(self, server, journal):
        request = server.ask_tool("run-python-code", {"code": "call_mcp_tool('kid', 'hang', {})"})
        journal.wait("call", tool="hang")
        self.assertEqual(len(containers.of_server(server)), 1)
        return request

    def test_cancellation_removes(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        request = self.hanging(server, journal)
        server.notify("notifications/cancelled", requestId=request)
        self.expect_no_containers(server)

    def test_end_of_the_server_removes(self):
        for how in ("eof", signal.SIGTERM, signal.SIGKILL):
            with self.subTest(how):
                journal = self.journal(f"journal-{how}")
                server = self.start({"kid": child(journal=journal)})
                self.hanging(server, journal)
                server.end(how)
                self.expect_no_containers(server)
                server.expect_no_leftovers()

    def test_end_of_the_server_in_the_middle_of_a_start(self):
        server = self.start()
        self.succeed(server.python("1"))
        for _ in range(5):
            server.ask_tool("run-python-code", {"code": "import time; time.sleep(60)"})
        self.wait_until(lambda: containers.of_server(server), "a container")
        server.end(signal.SIGKILL)
        # What was being created then is removed by the next server.
        self.succeed(self.start().python("1"))
        self.expect_no_containers(server)

    def test_containers_of_the_dead_are_removed_at_the_next_start(self):
        space = os.readlink("/proc/self/ns/pid").strip("pid:[]")
        with open(f"/proc/{os.getpid()}/stat", encoding="utf-8") as file:
            alive = f"{space}-{os.getpid()}-{file.read().rpartition(')')[2].split()[19]}"
        dead = f"{space}-{os.getpid()}-1"
        for owner in (dead, alive, "1-1-1"):
            name = f"code-executor-test-{owner}"
            containers.run("create", "--name", name, "--label", f"code-executor.owner={owner}", containers.image(), "true")
            self.addCleanup(containers.attempt, "rm", "--force", name)
        self.succeed(self.start().python("1"))
        self.assertEqual(containers.ours(dead), [])
        self.assertEqual(len(containers.ours(alive)), 1)
        self.assertEqual(len(containers.ours("1-1-1")), 1, "of another pid namespace nothing is known")

    def test_no_socket_is_left(self):
        server = self.start()
        self.succeed(server.python("1"))
        self.expect_no_containers(server)
        folder = os.path.join(server.world.home, ".code-executor", "containers")
        self.wait_until(lambda: not [name for owner in os.listdir(folder) for name in os.listdir(os.path.join(folder, owner))],
                        "removal of the folders of all sockets")
        server.end("eof")
        self.assertEqual(os.listdir(folder), [])


# What a program can try on another process of its user. Each gives the number of its error, or 0 if it was let in.
REACH_INTO_PROCESS_1 = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def called(number, *arguments):
    done = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in arguments])
    return 0 if done >= 0 else ctypes.get_errno()
def opened(path, flags):
    try:
        os.close(os.open(path, flags))
        return 0
    except OSError as problem:
        return problem.errno
numbers = {"x86_64": (101, 311, 438), "aarch64": (117, 271, 438)}[os.uname().machine]
own = ctypes.create_string_buffer(8)
vector = (ctypes.c_ulong * 2)(ctypes.addressof(own), 8)
{
    "mem": opened("/proc/1/mem", os.O_RDWR), "maps": opened("/proc/1/maps", os.O_RDONLY),
    "environ": opened("/proc/1/environ", os.O_RDONLY), "oom_score_adj": opened("/proc/1/oom_score_adj", os.O_WRONLY),
    "ptrace": called(numbers[0], 16, 1, 0, 0),
    "process_vm_writev": called(numbers[1], 1, ctypes.addressof(vector), 1, ctypes.addressof(vector), 1, 0),
    "pidfd_getfd": called(numbers[2], os.pidfd_open(1), 0, 0),
}
"""

# As far as it is let: an endless loop in place of the function that process 1 ends with, and no limits of its own.
TAKE_PROCESS_1 = """
import ctypes, os, resource, time
def base(process):
    lines = [line.split() for line in open(f'/proc/{process}/maps')]
    return next(int(line[0].partition('-')[0], 16) for line in lines if len(line) > 5 and 'libc' in line[5] and line[2] == '00000000')
for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_NOFILE):
    resource.prlimit(1, kind, (0, 0))
try:
    end = ctypes.cast(ctypes.CDLL(None)._exit, ctypes.c_void_p).value - base('self') + base(1)
    memory = os.open('/proc/1/mem', os.O_RDWR)
    os.pwrite(memory, bytes([0xeb, 0xfe]) if os.uname().machine == 'x86_64' else bytes([0, 0, 0, 0x14]), end)
except OSError as problem:
    print(problem)
call_mcp_tool('kid', 'hang', {})
"""


class Process1(ContainerCase):
    """It ends the container, and is of the same user as the program in it."""

    def test_no_program_reaches_into_it(self):
        reached = self.succeed(self.start().python(REACH_INTO_PROCESS_1)).result
        self.assertEqual({name: error for name, error in reached.items() if error not in (errno.EACCES, errno.EPERM)}, {})

    def test_ends_with_its_server_whatever_a_program_did_to_it(self):
        for how in ("eof", signal.SIGKILL):
            with self.subTest(how):
                journal = self.journal(f"journal-{how}")
                server = self.start({"kid": child(journal=journal)})
                server.ask_tool("run-python-code", {"code": TAKE_PROCESS_1})
                journal.wait("call", tool="hang")
                server.end(how)
                self.expect_no_containers(server)

    @unittest.skipIf(containers.TOOL != "podman", "docker has no such limit")
    def test_is_killed_from_outside_when_its_time_is_over(self):
        server = self.start(waiting=1)

        def times():
            """In seconds. What looks at the engine before has less of it, and is gone at any moment."""
            names = containers.of_server(server)
            return [containers.attempt("inspect", "--format", "{{.Config.Timeout}}", name).stdout.strip() for name in names]

        self.wait_until(lambda: "86400" in times(), "a container with a day to live")


class Waiting(ContainerCase):
    def test_a_container_waits_for_its_run(self):
        server = self.start(waiting=1)
        for number in range(3):
            self.wait_until(lambda: containers.of_server(server), "a container before there is a run")
            answer = self.succeed(server.python(f"import os\nleft = os.listdir('/tmp')\nopen('/tmp/x', 'w')\n[{number}, left]"))
            self.assertEqual(answer.result, [number, []])
        server.end("eof")
        self.expect_no_containers(server)


class Engines(ContainerCase):
    def test_missing_image(self):
        answer = self.start(MCP_BRIDGE_IMAGE="localhost/no-such-image:1").python("1")
        self.refuse(answer, "localhost/no-such-image:1", f"{containers.TOOL} pull localhost/no-such-image:1")

    def test_image_without_python(self):
        name = "localhost/code-executor-e2e-empty:1"
        with tempfile.NamedTemporaryFile(suffix=".tar") as file:
            tarfile.open(file.name, "w").close()
            containers.run("import", file.name, name)
        self.addCleanup(containers.attempt, "rmi", "--force", name)
        self.refuse(self.start(MCP_BRIDGE_IMAGE=name).python("1"), "can not run a container of the image", name)
