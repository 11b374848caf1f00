"""An MCP client over the stdin and stdout of a process. One thread, no buffering of its own but the line being read, so
that it can measure: `request` returns as soon as the answer's last byte is here."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time

REVISION = "2025-11-25"
ANSWER_SECONDS = 60
# More than the server's own bound on its end.
END_SECONDS = 5
STDERR_QUOTE_BYTES = 2_000


class McpFailure(Exception):
    """The peer answered with an error, did not answer, or said what is not MCP."""


class McpClient:
    """Starts the process. As a context manager it also ends it, whatever happens in between."""

    def __init__(self, argv, env=None, cwd=None):
        self._stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr,
                                        env=env, cwd=cwd, bufsize=0, start_new_session=True)
        self._out = self.process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._buffer = b""
        self._last_id = 0
        self._answers = {}      # id -> message, not asked for yet
        self.answered_at = {}   # id -> time.perf_counter()
        self.last_line = b""    # of the last answer
        self.stray_bytes = 0    # on stdout, that are no JSON-RPC message

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- asking

    def initialize(self):
        result = self.request("initialize", {"protocolVersion": REVISION, "capabilities": {},
                                             "clientInfo": {"name": "code-executor-demo", "version": "1"}})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def request(self, method, params=None, seconds=ANSWER_SECONDS):
        """The result; an error raises McpFailure."""
        return self.answer(self.ask(method, params), seconds)

    def call_tool(self, name, arguments, seconds=ANSWER_SECONDS):
        """The whole tool result, failed or not."""
        return self.request("tools/call", {"name": name, "arguments": arguments}, seconds)

    def list_tools(self):
        """The results of tools/list, one per page."""
        pages = [self.request("tools/list", {})]
        while "nextCursor" in pages[-1]:
            pages.append(self.request("tools/list", {"cursor": pages[-1]["nextCursor"]}))
        return pages

    def ask(self, method, params=None):
        """Sends a request and does not wait; gives its id."""
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params or {}})
        return self._last_id

    def answer(self, request_id, seconds=ANSWER_SECONDS):
        deadline = time.monotonic() + seconds
        while request_id not in self._answers:
            self._read_some(deadline, request_id)
        message = self._answers.pop(request_id)
        if "result" not in message:
            raise McpFailure(f"request {request_id} was answered with an error: {json.dumps(message.get('error'))}")
        return message["result"]

    def read_for(self, seconds):
        """Reads for that time, so that `answered_at` is true of requests that nobody waits for yet."""
        end = time.perf_counter() + seconds
        while self._poll.poll(max(0, end - time.perf_counter()) * 1000):
            self._read_chunk("any request")

    def take_answers(self, seconds):
        """id -> message of all that has been answered, for one who has many requests open; waits that long at most for a first one."""
        if not self._answers and self._poll.poll(max(0, seconds) * 1000):
            self._read_chunk("any request")
        answers, self._answers = self._answers, {}
        for request_id in answers:
            self.answered_at.pop(request_id)
        return answers

    def stderr(self):
        self._stderr.seek(0)
        return self._stderr.read().decode("utf-8", "replace")

    # ---- reading and writing

    def _send(self, message):
        line = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        try:
            while line:
                line = line[self.process.stdin.write(line):]
        except BrokenPipeError:
            raise self._failure("does not read its stdin any more") from None

    def _read_some(self, deadline, waited_for):
        left = deadline - time.monotonic()
        if left <= 0 or not self._poll.poll(left * 1000):
            raise self._failure(f"did not answer request {waited_for} in time")
        self._read_chunk(f"request {waited_for}")

    def _read_chunk(self, waited_for):
        chunk = os.read(self._out, 1 << 20)
        if not chunk:
            raise self._failure(f"ended (exit code {self.process.wait()}) instead of answering {waited_for}")
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            self._take(line)

    def _take(self, line):
        try:
            message = json.loads(line)
            is_message = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
        except ValueError:
            is_message = False
        if not is_message:
            self.stray_bytes += len(line) + 1
        elif "method" not in message and "id" in message:
            self._answers[message["id"]] = message
            self.answered_at[message["id"]] = time.perf_counter()
            self.last_line = line

    def _failure(self, what):
        text = self.stderr()[-STDERR_QUOTE_BYTES:]
        return McpFailure(f"{' '.join(self.process.args)} {what}" + (f"\nits stderr ends with:\n{text}" if text else ""))

    # ---- ending

    def close(self):
        """Closes stdin, which asks the process to end, and waits. What does not end is killed with its group. Gives the
        exit code; the bytes that came after the last answer are counted as stray if they are no message."""
        if self.process.stdout.closed:
            return self.process.returncode
        try:
            self.process.stdin.close()
        except OSError:
            pass  # it has ended already
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self._drain()
        self.process.stdout.close()
        return self.process.returncode

    def _drain(self):
        while self._poll.poll(0):
            chunk = os.read(self._out, 1 << 20)
            if not chunk:
                break
            *lines, self._buffer = (self._buffer + chunk).split(b"\n")
            for line in lines:
                self._take(line)
        self.stray_bytes += len(self._buffer)
        self._buffer = b""
