"""A JSON-RPC client of a process, over its stdin and stdout."""

import json
import subprocess
import threading
import time
from typing import NamedTuple

from support.waiting import PATIENCE_SECONDS

STDERR_QUOTE_CHARS = 3_000
# So that pings do not keep busy what they measure.
PING_PAUSE_SECONDS = 0.005


class Received(NamedTuple):
    time: float  # monotonic
    message: object
    line: bytes


class Peer:
    def __init__(self, argv, env, cwd):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=env, cwd=cwd, start_new_session=True)
        self.received = []      # every JSON text on stdout, in order
        self.stray_lines = []   # everything else on stdout
        self._stderr = []
        self._answers = {}      # JSON text of the id -> answers not asked for yet
        self._last_id = 0
        self._stdout_open = True
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_stdout, self._read_stderr)]
        for reader in self._readers:
            reader.start()

    # ---- reading

    def _read_stdout(self):
        for line in self.process.stdout:
            self._before_line()
            with self._changed:
                self._take(line)
                self._changed.notify_all()
        with self._changed:
            self._stdout_open = False
            self._changed.notify_all()

    def _before_line(self):
        """May wait: the next line is read only then."""

    def _take(self, line):
        try:
            message = json.loads(line.decode("utf-8"))
        except ValueError:
            self.stray_lines.append(line)
            return
        received = Received(time.monotonic(), message, line)
        self.received.append(received)
        if isinstance(message, list):
            self._answers.setdefault("batch", []).append(received)
        elif isinstance(message, dict) and "method" not in message:
            self._answers.setdefault(json.dumps(message.get("id")), []).append(received)

    def _read_stderr(self):
        for line in self.process.stderr:
            with self._changed:
                self._stderr.append(line.decode("utf-8", "replace"))
                self._changed.notify_all()

    def stderr(self):
        """What has been read of it so far: an answer on stdout does not say that this has everything told before it."""
        return "".join(self._stderr)

    def wait_for_log(self, text, times=1):
        """Waits until `text` stands on stderr, and exactly so often."""
        self.wait_for(lambda: self.stderr().count(text) >= times, f"{text!r} on stderr")
        if (found := self.stderr().count(text)) != times:
            raise AssertionError(f"{text!r} stands {found} times on stderr, not {times}:\n{self.stderr()[-STDERR_QUOTE_CHARS:]}")

    def notifications(self, method):
        with self._changed:
            return [entry for entry in self.received
                    if isinstance(entry.message, dict) and entry.message.get("method") == method]

    def wait_for(self, condition, what, seconds=PATIENCE_SECONDS):
        """The first true value of `condition()`, which is looked at whenever something has arrived."""
        with self._changed:
            self._changed.wait_for(lambda: condition() or not self._stdout_open, seconds)
            value = condition()
        if value:
            return value
        why = f"not within {seconds} s" if self._stdout_open else f"the process has ended ({self.exit_code()})"
        raise AssertionError(f"no {what}: {why}\nstderr: {self.stderr()[-STDERR_QUOTE_CHARS:]}")

    # ---- writing

    def send_line(self, line):
        with self._writing:
            self.process.stdin.write(line if line.endswith(b"\n") else line + b"\n")
            self.process.stdin.flush()

    def send(self, message):
        self.send_line(json.dumps(message).encode())

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    # ---- asking

    def ask(self, method, params=None, request_id=None):
        """Sends a request; gives its id."""
        if request_id is None:
            self._last_id += 1
            request_id = self._last_id
        message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return request_id

    def answer(self, request_id, seconds=PATIENCE_SECONDS):
        """The whole answer to that request, with the time of its arrival."""
        return self.first_answer(request_id, seconds=seconds)

    def first_answer(self, *ids, seconds=PATIENCE_SECONDS):
        """The answer to whichever of these requests is answered first."""
        def answered():
            return next((key for key in map(json.dumps, ids) if self._answers.get(key)), None)
        return self._pop(self.wait_for(answered, f"answer to request {' or '.join(map(repr, ids))}", seconds))

    def anonymous_answer(self, seconds=PATIENCE_SECONDS):
        """An answer with id null."""
        return self.answer(None, seconds).message

    def batch_answer(self, seconds=PATIENCE_SECONDS):
        self.wait_for(lambda: self._answers.get("batch"), "batch of answers", seconds)
        return self._pop("batch").message

    def _pop(self, key):
        with self._changed:
            return self._answers[key].pop(0)

    def has_answer(self, request_id):
        with self._changed:
            return bool(self._answers.get(json.dumps(request_id)))

    def slowest_ping_until(self, request_id):
        """Seconds, of pings one after the other until that request is answered."""
        slowest = 0
        while not self.has_answer(request_id):
            asked = time.monotonic()
            self.request("ping")
            slowest = max(slowest, time.monotonic() - asked)
            time.sleep(PING_PAUSE_SECONDS)
        return slowest

    def exchange(self, method, params=None, seconds=PATIENCE_SECONDS):
        """The whole answer to a request sent now."""
        return self.answer(self.ask(method, params), seconds).message

    def request(self, method, params=None, seconds=PATIENCE_SECONDS):
        """The result of a request sent now, which must not be an error."""
        answer = self.exchange(method, params, seconds)
        if "result" not in answer:
            raise AssertionError(f"{method} was answered with an error: {answer}")
        return answer["result"]

    # ---- ending

    def close_stdin(self):
        with self._writing:
            self.process.stdin.close()

    def wait_end(self, seconds):
        """Exit code, after everything the process has written was read. None: it still runs."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        for reader in self._readers:
            reader.join(5)
        return self.process.returncode

    def exit_code(self):
        return self.wait_end(1)
