"""What a program must not see: network, the host's files, its environment, its processes, and other programs."""

import os
import socket
import threading
import time

from support.case import Case
from support.config import child
from support.server import FORKED, Server, STARTED, WITHOUT_PATTERN_CHECK, World

SECRET = "host-secret-4f1d"
TOKEN_NAME = "OPENAI_API_KEY"


class IsolationCase(Case):
    """One server per class, with secrets all around it."""

    guests = STARTED

    @classmethod
    def setUpClass(cls):
        cls.hidden_world = World().configure(project={"kid": child(env={"CHILD_TOKEN": SECRET})})
        for folder in (cls.hidden_world.home, cls.hidden_world.cwd):
            with open(os.path.join(folder, "secret.txt"), "w", encoding="utf-8") as file:
                file.write(SECRET)
        cls.server = Server(world=cls.hidden_world, env={TOKEN_NAME: SECRET, **WITHOUT_PATTERN_CHECK, **cls.guests})
        cls.addClassCleanup(cls.server.stop)
        if cls.guests is FORKED:
            cls.server.wait_for_forked_guests()

    def secret_files(self):
        world = self.hidden_world
        return [os.path.join(world.home, "secret.txt"), os.path.join(world.cwd, "secret.txt"), world.project_file]

    def assert_no_secret(self, answer):
        self.assertNotIn(SECRET, str(answer.raw))


class Files(IsolationCase):
    def test_python_reads_no_host_file(self):
        for path in [*self.secret_files(), "/etc/shadow", "/root/.bashrc", f"/proc/{os.getpid()}/environ"]:
            with self.subTest(path):
                answer = self.server.python(f"open({path!r}).read()")
                self.refuse(answer)
                self.assert_no_secret(answer)

    def test_typescript_reads_no_host_file(self):
        for path in [*self.secret_files(), "/etc/shadow", "/root/.bashrc", f"/proc/{os.getpid()}/environ"]:
            with self.subTest(path):
                answer = self.server.typescript(f"return await Deno.readTextFile({path!r})")
                self.refuse(answer)
                self.assert_no_secret(answer)

    def test_passwd_is_not_the_hosts(self):
        with open("/etc/passwd", encoding="utf-8") as file:
            host = file.read()
        for answer in (self.server.python("open('/etc/passwd').read()"),
                       self.server.typescript("return await Deno.readTextFile('/etc/passwd')")):
            self.assertNotEqual(answer.result, host)

    def test_folders_of_the_host_are_not_there(self):
        for folder in (self.hidden_world.home, self.hidden_world.cwd, "/home", "/root", "/mnt"):
            with self.subTest(folder):
                answer = self.succeed(self.server.python(
                    f"import os\nos.listdir({folder!r}) if os.path.isdir({folder!r}) else []"))
                self.assertEqual(answer.result, [])

    def test_nothing_can_be_written_outside_temp(self):
        for folder in ("/usr", "/etc", "/", "/usr/lib"):
            with self.subTest(folder):
                self.refuse(self.server.python(
                    f"import pathlib\npathlib.Path({folder!r}, 'left-by-guest').write_text('x')"))
                self.assertFalse(os.path.exists(os.path.join(folder, "left-by-guest")))

    def test_temp_is_its_own(self):
        self.succeed(self.server.python("import pathlib\npathlib.Path('/tmp/left-by-guest-4711').write_text('x')"))
        self.assertFalse(os.path.exists("/tmp/left-by-guest-4711"))
        later = self.succeed(self.server.python("import os\nos.path.exists('/tmp/left-by-guest-4711')"))
        self.assertIs(later.result, False)

    def test_temp_of_the_host_is_not_there(self):
        listed = self.succeed(self.server.python("import os\nos.listdir('/tmp')")).result
        self.assertFalse(set(listed) & set(os.listdir("/tmp")) - {".", ".."})


class Environment(IsolationCase):
    def test_python(self):
        answer = self.succeed(self.server.python("import os\ndict(os.environ)"))
        self.assertNotIn(TOKEN_NAME, answer.result)
        self.assert_no_secret(answer)

    def test_typescript(self):
        answer = self.server.typescript("return Deno.env.toObject()")
        self.assert_no_secret(answer)

    def test_of_no_process_it_can_see(self):
        answer = self.succeed(self.server.python("""
import os
seen = []
for pid in filter(str.isdigit, os.listdir('/proc') if os.path.isdir('/proc') else []):
    for name in ('environ', 'cmdline'):
        try:
            seen.append(open(f'/proc/{pid}/{name}').read())
        except OSError:
            pass
seen
"""))
        self.assert_no_secret(answer)
        self.assertNotIn(self.hidden_world.home, str(answer.result))

    def test_processes_of_the_host_are_not_there(self):
        answer = self.succeed(self.server.python(
            "import os\nlen([p for p in os.listdir('/proc') if p.isdigit()]) if os.path.isdir('/proc') else 0"))
        self.assertLess(answer.result, 10)

    def test_processes_of_the_host_cannot_be_signalled(self):
        self.refuse(self.server.python(f"import os, signal\nos.kill({self.server.process.pid}, signal.SIGKILL)"))
        self.assertEqual(self.server.request("ping"), {})

    def test_no_privileges(self):
        status = self.succeed(self.server.python("open('/proc/self/status').read()")).result
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        self.assertEqual(int(fields["CapEff"], 16), 0, "a guest must hold no capability")
        self.assertEqual(fields["NoNewPrivs"], "1")


class Network(IsolationCase):
    def setUp(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.port = self.listener.getsockname()[1]
        self.visitors = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                self.visitors.append(self.listener.accept()[1])
        except OSError:
            pass  # The test is over.

    def assert_no_visit(self, answer):
        self.refuse(answer)
        self.assertEqual(self.visitors, [])

    def test_python(self):
        self.assert_no_visit(self.server.python(
            f"import socket\nsocket.create_connection(('127.0.0.1', {self.port}), timeout=2)"))

    def test_typescript_fetch(self):
        self.assert_no_visit(self.server.typescript(f"return await (await fetch('http://127.0.0.1:{self.port}/')).text()"))

    def test_typescript_connect(self):
        self.assert_no_visit(self.server.typescript(f"await Deno.connect({{hostname: '127.0.0.1', port: {self.port}}})"))

    def test_names_are_not_resolved(self):
        self.refuse(self.server.python("import socket\nsocket.getaddrinfo('example.com', 80)"))

    def test_abstract_unix_sockets(self):
        name = f"code-executor-test-{os.getpid()}"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("\0" + name)
            listener.listen()
            self.refuse(self.server.python(
                f"import socket\nsocket.socket(socket.AF_UNIX).connect('\\0{name}')"))

    def test_no_interface_but_loopback(self):
        names = self.succeed(self.server.python(
            "[line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line]")).result
        self.assertLessEqual(set(names), {"lo"})

    def test_remote_modules(self):
        self.refuse(self.server.typescript(f"const m = 'http://127.0.0.1:{self.port}/m.ts'; await import(m)"))
        self.assertEqual(self.visitors, [])


class Separation(IsolationCase):
    def test_python_globals_and_modules(self):
        self.succeed(self.server.python("import builtins, math\nbuiltins.leak = 1\nmath.leak = 1\nleak_too = 1"))
        answer = self.succeed(self.server.python(
            "import builtins, math\n[hasattr(builtins, 'leak'), hasattr(math, 'leak'), 'leak_too' in dir()]"))
        self.assertEqual(answer.result, [False, False, False])

    def test_typescript_globals_and_prototypes(self):
        self.succeed(self.server.typescript("(globalThis as any).leak = 1; (Array.prototype as any).leak = 1"))
        answer = self.succeed(self.server.typescript("return ['leak' in globalThis, 'leak' in []]"))
        self.assertEqual(answer.result, [False, False])

    def test_typescript_storage(self):
        self.server.typescript("localStorage.setItem('leak', '1')")
        answer = self.server.typescript("return localStorage.getItem('leak')")
        self.assertNotEqual(answer.result, "1")

    def test_outputs_of_runs_at_once_do_not_mix(self):
        sent = time.monotonic()
        runs = {}
        for number in range(8):
            name = ("run-typescript-code", "run-python-code")[number % 2]
            code = (f"for (let i = 0; i < 50; i++) {{ console.log('run {number}'); "
                    f"await callMCPTool('kid', 'echo', {{text: 'x'}}) }} return {number}",
                    f"for i in range(50):\n    print('run {number}')\n    call_mcp_tool('kid', 'echo', {{'text': 'x'}})\n{number}")
            runs[number] = name, self.server.ask_tool(name, {"code": code[number % 2]})
        for number, (name, request) in runs.items():
            answer = self.succeed(self.server.tool_answer(name, request, sent))
            self.assertEqual(answer.result, number)
            self.assertEqual(answer.output.split("\n")[:50], [f"run {number}"] * 50)
            self.assertEqual(answer.summary["mcp__kid__echo"]["callCount"], 50)


STANDARD_LIBRARY = """
import asyncio, concurrent.futures, ctypes, multiprocessing, os, signal, socket, sqlite3, subprocess, sys, tempfile, threading

def twice(x):
    return 2 * x

async def child():
    process = await asyncio.create_subprocess_exec(sys.executable, '-c', 'print(5)', stdout=-1)
    return int((await process.communicate())[0])

def threads():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return sum(pool.map(twice, range(10)))

def processes():
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context('fork').Process(target=lambda: theirs.send(os.getpid()))
    process.start()
    process.join()
    return ours.recv() == process.pid

def database():
    with tempfile.NamedTemporaryFile() as file, sqlite3.connect(file.name) as db:
        db.execute('create table t (x)')
        db.execute('insert into t values (3)')
        return db.execute('select x from t').fetchone()[0]

def loopback():
    with socket.create_server(('127.0.0.1', 0)) as server, socket.create_connection(server.getsockname()) as client:
        client.sendall(b'x')
        return server.accept()[0].recv(1).decode()

def signals():
    seen = []
    signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    return len(seen)

def files():
    os.mkfifo('/tmp/fifo')
    os.symlink('fifo', '/tmp/link')
    os.chmod('/tmp/fifo', 0o600)
    os.rename('/tmp/fifo', '/tmp/moved')
    return sorted(n for n in os.listdir('/tmp') if n in ('link', 'moved'))

[threads(), processes(), await child(), database(), loopback(), signals(), files(), ctypes.CDLL(None).getpid() == os.getpid(),
 subprocess.run([sys.executable, '-c', 'import os; os.kill(os.getpid(), 9)']).returncode]
"""


class Walls(IsolationCase):
    """What the kernel says about a guest, and what it refuses it."""

    def python(self, code):
        return self.succeed(self.server.python(code)).result

    def test_the_standard_library_works(self):
        self.assertEqual(self.python(STANDARD_LIBRARY), [90, True, 5, 3, "x", 1, ["link", "moved"], True, -9])

    def test_seccomp_and_no_privileges(self):
        status = self.python("open('/proc/self/status').read()")
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        self.assertEqual((fields["Seccomp"], fields["Seccomp_filters"], fields["NoNewPrivs"]), ("2", "1", "1"))
        for capabilities in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(fields[capabilities], 16), 0, capabilities)
        self.assertEqual(fields["Uid"].split(), ["65534"] * 4)

    def test_descriptors(self):
        """What it has not opened itself: a guest that has been warmed up has an event loop with a pair of sockets."""
        links = self.python("""
import gc, os, socket
gc.unfreeze()  # what a guest made before its program
own = {s.fileno() for s in gc.get_objects() if isinstance(s, socket.socket)}
[(int(n), os.readlink('/proc/self/fd/' + n)) for n in os.listdir('/proc/self/fd') if os.path.lexists('/proc/self/fd/' + n) and int(n) not in own - {3}]
""")
        by_number = dict(map(tuple, links))
        self.assertEqual(by_number[0], "/dev/null")
        self.assertRegex(by_number[3], r"^socket:")
        self.assertEqual([n for n in by_number if n > 3 and not by_number[n].startswith(("/proc/", "anon_inode:"))], [])

    def test_of_process_1_there_is_nothing_to_see(self):
        seen = self.python("""
import os
def look(name, how):
    try:
        return how('/proc/1/' + name) and 'seen'
    except OSError as e:
        return type(e).__name__
read = lambda path: open(path, 'rb').read()
{name: look(name, how) for names, how in (('environ maps mem auxv stack', read), ('exe root cwd', os.readlink), ('fd', os.listdir)) for name in names.split()}
""")
        self.assertEqual(set(seen.values()), {"PermissionError"}, seen)
        self.assertTrue(self.python("open('/proc/1/cmdline').read()").startswith("/runtime/guest-init\0"))

    def test_the_only_processes_are_its_own(self):
        self.assertEqual(self.python("import os\nsorted(int(p) for p in os.listdir('/proc') if p.isdigit())"), [1, 2])

    def test_process_1_can_not_be_harmed(self):
        for signal_number in (9, 15, 19):
            self.refuse(self.server.python(f"import os\nos.kill(1, {signal_number})"), "PermissionError")

    def test_orphans_are_reaped_and_end_with_the_program(self):
        left = self.python("""
import os, time
if os.fork() == 0:
    os.fork() or os._exit(0)
    os._exit(0)
os.wait()
deadline = time.monotonic() + 10
while len([p for p in os.listdir('/proc') if p.isdigit()]) > 2 and time.monotonic() < deadline:
    time.sleep(0.01)
[p for p in os.listdir('/proc') if p.isdigit()]
""")
        self.assertEqual(sorted(left), ["1", "2"])

    def test_mounts_show_no_path_of_the_host_but_of_runtimes(self):
        table = [line.split() for line in self.python("open('/proc/self/mountinfo').read()").splitlines()]
        self.assertNotIn(self.hidden_world.root, str(table))
        for _, _, _, _, point, options, *_ in table:
            self.assertIn("nosuid", options.split(","), point)
            if point not in ("/proc", "/tmp", "/dev/shm", "/dev/pts") and not point.startswith("/dev/"):
                self.assertIn("ro", options.split(","), point)

    def test_proc_can_not_be_written(self):
        for name in ("self/oom_score_adj", "self/coredump_filter", "sys/kernel/core_pattern", "self/mem"):
            with self.subTest(name):
                self.refuse(self.server.python(f"open('/proc/{name}', 'w')"), "PermissionError")

    def test_denied_system_calls(self):
        seen = self.python("""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def error(number, *arguments):
    ctypes.set_errno(0)
    return libc.syscall(number, *arguments) and ctypes.get_errno()
{'unshare': error(272, 0x10000000), 'ptrace': error(101, 0, 0, 0, 0), 'bpf': error(321, 0, 0, 0), 'keyctl': error(250, 0, 0),
 'io_uring_setup': error(425, 1, 0), 'userfaultfd': error(323, 0), 'clone3': error(435, 0, 0), 'mount': error(165, 0, 0, 0, 0, 0),
 'memfd_create': error(319, b'x', 0)} if os.uname().machine == 'x86_64' else {}
""")
        allowed = {1, 38}  # EPERM, ENOSYS
        self.assertTrue(set(seen.values()) <= allowed, seen)

    def test_descriptors_can_not_be_sent(self):
        """The kernel counts those that are on their way for all processes of a user, the server's too."""
        self.refuse(self.server.python("import socket\na, b = socket.socketpair()\nsocket.send_fds(a, [b'x'], [0])"), "PermissionError")

    def test_large_writes_of_asyncio(self):
        """From Python 3.12 on it prefers sendmsg() for what does not go at once."""
        self.assertEqual(self.python("""
import asyncio

async def main():
    received = asyncio.get_running_loop().create_future()

    async def take(reader, writer):
        received.set_result(len(await reader.read(-1)))
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.writelines([b"x" * 1_000_000] * 8)
    writer.close()
    count = await received
    server.close()
    return count

asyncio.run(main())
"""), 8_000_000)

    def test_raw_and_packet_sockets(self):
        for arguments in ("2, 3, 1", "10, 3, 58", "17, 3, 0", "40, 1, 0", "38, 5, 0", "16, 3, 0"):
            with self.subTest(arguments):
                self.refuse(self.server.python(f"import socket\nsocket.socket({arguments})"), "PermissionError")

    def test_no_core_reaches_a_program_of_the_host(self):
        self.assertEqual(self.python("import resource\nlist(resource.getrlimit(resource.RLIMIT_CORE))"), [1, 1])

    def test_a_file_over_the_limit_is_an_error_and_not_the_end(self):
        answer = self.server.python("import os\nos.pwrite(os.open('/tmp/x', os.O_WRONLY | os.O_CREAT), b'x', 1 << 40)")
        self.refuse(answer, "File too large")
