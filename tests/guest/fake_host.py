"""The host's end of the control channel: starts a guest without any sandbox and answers its requests from a script."""

import atexit
import contextlib
import functools
import glob
import json
import os
import pathlib
import select
import shlex
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUESTS = ROOT / "sandbox" / "guest"
CONTROL_FD = 3
# In a command: the port of the loopback network to which the guest connects. Without it, descriptor 3 is the channel.
CHANNEL_PORT = "{port}"
# Far above what any guest needs, so that a slow machine fails no test.
TIMEOUT_SECONDS = 60
_POLL_SECONDS = 0.02

DENO_FLAGS = [
    "--quiet",
    "--no-config",
    "--no-lock",
    "--no-prompt",
    "--no-remote",
    "--no-npm",
    "--no-code-cache",
]
# As the server gives them.
PYODIDE_V8_FLAGS = (
    "--disallow-code-generation-from-strings,--max-old-space-size=128,"
    "--stack-size=4000,--wasm-stack-switching-stack-size=4000"
)


def deno_path():
    """The Deno to test with, or None."""
    if os.environ.get("DENO_PATH"):
        return os.environ["DENO_PATH"]
    found = glob.glob(str(ROOT / "packaging/npm/node_modules/@deno/*/deno"))
    return found[0] if found else None


def typescript_command(flags=()):
    """As in a box."""
    channel = [] if "--allow-net" in flags else [f"--allow-net=127.0.0.1:{CHANNEL_PORT}"]
    return [*typescript_command_by_descriptor([*flags, *channel]), CHANNEL_PORT]


def typescript_command_by_descriptor(flags=()):
    """As where there are no namespaces."""
    return [deno_path(), "run", *DENO_FLAGS, *flags, _typescript_guest()]


@functools.lru_cache(maxsize=None)
def _typescript_guest():
    """One file of all its modules, as the build makes it. Not in /tmp, which a box has for itself."""
    folder = tempfile.TemporaryDirectory(dir="/var/tmp")
    atexit.register(folder.cleanup)
    made = os.path.join(folder.name, "typescript-guest.js")
    bundler = next(ROOT.glob("packaging/npm/node_modules/@esbuild/*/bin/esbuild"))
    flags = ["--bundle", "--format=esm", "--target=esnext", "--log-level=warning", f"--outfile={made}"]
    subprocess.run([bundler, *flags, GUESTS / "typescript" / "main.ts"], check=True, timeout=TIMEOUT_SECONDS)
    return made


def pyodide_folder():
    """The Pyodide to test with."""
    return os.environ.get("PYODIDE_PATH") or str(ROOT / "packaging/npm/node_modules/pyodide")


def pyodide_command(script, *arguments, write=None):
    """Runs a script of the Pyodide guest; it may read what it needs, and write to one folder at most."""
    readable = [os.path.realpath(pyodide_folder()), str(GUESTS), *(os.path.dirname(path) for path in arguments)]
    permissions = [f"--allow-read={','.join(readable)}"] + ([f"--allow-write={write}"] if write else [])
    flags = [*DENO_FLAGS, f"--v8-flags={PYODIDE_V8_FLAGS}", *permissions]
    return [deno_path(), "run", *flags, str(GUESTS / "pyodide" / script), readable[0], str(GUESTS), *arguments]


@functools.lru_cache(maxsize=None)
def _pyodide_snapshot():
    """The path of the memory snapshot of the Pyodide guest, which is made once for all tests."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    snapshot = os.path.join(folder.name, "pyodide.snapshot")
    command = pyodide_command("make_snapshot.ts", snapshot, write=folder.name)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS)
    return snapshot


# Set while the tests of the Python guest run in Pyodide.
python_snapshot = None


def use_pyodide():
    """For `setUpModule`: Python guests are Pyodide until `use_cpython`."""
    global python_snapshot
    python_snapshot = _pyodide_snapshot()


def use_cpython():
    global python_snapshot
    python_snapshot = None


def python_command(interpreter=None):
    if python_snapshot and not interpreter:
        return pyodide_command("main.ts", python_snapshot)
    interpreter = interpreter or os.environ.get("PYTHON_PATH") or "/usr/bin/python3"
    return [interpreter, "-I", "-S", "-u", str(GUESTS / "python" / "main.py")]


def guest_python_version():
    """(major, minor) of the interpreter that the Python guest is tested with."""
    code = "import sys; print(*sys.version_info[:2])"
    text = subprocess.run([python_command()[0], "-c", code], stdout=subprocess.PIPE, check=True).stdout
    return tuple(int(number) for number in text.split())


class Outcome:
    """How a run ended: the done frame, what was printed until then, and the requests and blocks that were sent."""

    def __init__(self, done, requests, displayed):
        self.done = done
        self.requests = requests
        self.displayed = displayed
        self.stdout = self.stderr = None

    @property
    def result(self):
        return self.done.get("result")

    @property
    def error(self):
        return self.done.get("error")

    def __repr__(self):
        return f"done={self.done!r} stdout={self.stdout!r} stderr={self.stderr!r}"


class Guest:
    """A guest process with its pipes drained. Use as a context manager."""

    def __init__(self, command, environment=None):
        self.started_at = time.perf_counter()
        self.begun = 0
        environment = {"HOME": "/tmp", "NO_COLOR": "1", "DENO_DIR": "/tmp/.deno-guest-tests", "DENO_NO_UPDATE_CHECK": "1", **(environment or {})}
        if command[-1] == CHANNEL_PORT:
            self._start_and_accept(command, environment)
        else:
            self._start_with_descriptor(command, environment)
        self.socket.settimeout(TIMEOUT_SECONDS)
        self._send_lock = threading.Lock()
        self._output = {"stdout": [], "stderr": []}
        self._drains = [
            threading.Thread(target=self._drain, args=(name,), daemon=True) for name in self._output
        ]
        for drain in self._drains:
            drain.start()

    def _start_with_descriptor(self, command, environment):
        self.socket, guest_end = socket.socketpair()
        with guest_end:
            # The shell puts the socket on descriptor 3 whatever number it has here.
            number = guest_end.fileno()
            moved = "" if number == CONTROL_FD else f" {CONTROL_FD}<&{number} {number}<&-"
            script = f"exec {shlex.join(command)}{moved}"
            self._start(["/bin/sh", "-c", script], environment, [guest_end.fileno()])

    def _start_and_accept(self, command, environment):
        with socket.create_server(("127.0.0.1", 0), backlog=1) as listener:
            port = str(listener.getsockname()[1])
            self._start([part.replace(CHANNEL_PORT, port) for part in command], environment)
            ended = os.pidfd_open(self.process.pid)
            try:
                ready, _, _ = select.select([listener, ended], [], [], TIMEOUT_SECONDS)
            finally:
                os.close(ended)
            if listener not in ready:
                self.process.kill()
                raise ConnectionError(f"the guest did not connect: {self.process.communicate()[1].decode()}")
            self.socket, _ = listener.accept()
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _start(self, command, environment, descriptors=()):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=descriptors,
            env=environment,
            cwd="/tmp",
            start_new_session=True,
        )

    def _kill(self):
        """With what it has forked, as the end of a box does: whoever lives on holds the pipes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._kill()
        self.process.wait()
        self.socket.close()
        for drain in self._drains:
            drain.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def send(self, *messages):
        """All in one write, so that they arrive together."""
        bodies = [json.dumps(message).encode() for message in messages]
        with self._send_lock:
            self.socket.sendall(b"".join(struct.pack(">I", len(body)) + body for body in bodies))

    def receive(self):
        """The next message. That a program of a session has begun is only counted."""
        while True:
            message = self.receive_begun()
            if message is not None:
                return message

    def receive_begun(self):
        """The same, but None for that."""
        (length,) = struct.unpack(">I", self._read(4))
        message = json.loads(self._read(length))
        if message != {"type": "begun"}:
            return message
        self.begun += 1
        return None

    def _read(self, size):
        data = bytearray()
        while len(data) < size:
            part = self.socket.recv(min(size - len(data), 1 << 20))
            if not part:
                raise EOFError(f"the guest closed the channel; stderr: {self.output('stderr')}")
            data += part
        return bytes(data)

    def _drain(self, name):
        pipe = getattr(self.process, name)
        while data := os.read(pipe.fileno(), 1 << 16):
            self._output[name].append(data)

    def output(self, name):
        return b"".join(self._output[name]).decode(errors="replace")

    def wait_for_output(self, name, text):
        """Returns once this has been printed. A guest that sends something first fails."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while text not in self.output(name):
            ready, _, _ = select.select([self.socket], [], [], _POLL_SECONDS)
            if ready:
                message = self.receive_begun()
                assert message is None, f"{message} instead of {text}"
            assert time.monotonic() < deadline, f"no {text}: {self.output(name)}"

    def run(self, code, answer=None):
        """Runs a program to its done frame. `answer(request)` gives the fields of each reply, or None for no reply."""
        self.expect_ready()
        outcome = self.program(code, answer)
        self.finish(outcome)
        return outcome

    def expect_ready(self):
        ready = self.receive()
        assert ready == {"type": "ready"}, ready

    def warm_up(self):
        self.send({"type": "warm_up"})
        warm = self.receive()
        assert warm == {"type": "warm"}, warm

    def program(self, code, answer=None, keep=False):
        """Runs one of several programs of the same guest, which goes on; what was printed is known at the end only."""
        self.send({"type": "run", "code": code, **({"keep": True} if keep else {})})
        requests = []
        displayed = []
        begun_before = self.begun
        while (message := self.receive())["type"] != "done":
            if message["type"] == "display":
                displayed.append(message["block"])
                continue
            assert message["type"] == "request", message
            requests.append(message)
            reply = (answer or echo)(message)
            if reply is not None:
                self.reply(message, reply)
        assert self.begun - begun_before == (1 if keep else 0), f"begun {self.begun - begun_before} times"
        return Outcome(message, requests, displayed)

    def finish(self, outcome=None):
        """Ends the guest; fills in what all its programs printed."""
        self._kill()
        for drain in self._drains:
            drain.join()
        if outcome:
            outcome.stdout, outcome.stderr = self.output("stdout"), self.output("stderr")

    def reply(self, request, fields):
        self.send({"type": "reply", "id": request["id"], **fields})


def echo(request):
    """Answers every request with what it asked."""
    return {"result": {"method": request["method"], **request["params"]}}


def together(guest, count, order=list, answer=echo):
    """An `answer` that holds requests back until there are `count`, and replies to all of them in this order."""
    held = []

    def hold(request):
        held.append(request)
        if len(held) == count:
            for late in order(held):
                guest.reply(late, answer(late))

    return hold


def run_typescript(code, answer=None):
    with Guest(typescript_command()) as guest:
        return guest.run(code, answer)


class GuestForMany:
    """One Python guest for many programs, one after the other. What they print is not known. Use as a context manager;
    until its end `run_python` takes this guest."""

    def __enter__(self):
        global _guest_for_many
        _guest_for_many = self
        self._guest = None
        return self

    def __exit__(self, *_):
        global _guest_for_many
        _guest_for_many = None
        self._end()

    @contextlib.contextmanager
    def unused(self):
        """Meanwhile `run_python` starts a guest for each program."""
        global _guest_for_many
        _guest_for_many = None
        try:
            yield
        finally:
            _guest_for_many = self

    def run(self, code, answer):
        if self._guest is None:
            self._guest = Guest(python_command())
            self._guest.expect_ready()
        try:
            return self._guest.program(code, answer)
        except BaseException:
            self._end()  # It is of no use to the next program.
            raise

    def _end(self):
        if self._guest:
            self._guest.__exit__()
        self._guest = None


_guest_for_many = None


def run_python(code, answer=None, interpreter=None, environment=None):
    if _guest_for_many and not interpreter and not environment:
        return _guest_for_many.run(code, answer)
    with Guest(python_command(interpreter), environment) as guest:
        return guest.run(code, answer)


def run_session(command, programs, answer=None, keep=True):
    """Runs programs in one guest; returns their outcomes, the last with all that was printed."""
    with Guest(command) as guest:
        guest.expect_ready()
        outcomes = [guest.program(code, answer, keep) for code in programs]
        guest.finish(outcomes[-1])
        return outcomes


def run_python_session(*programs, answer=None):
    return run_session(python_command(), programs, answer)
