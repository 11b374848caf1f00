"""A client of `serve --http` on one connection that is kept: `request` returns as soon as the answer's last byte is here."""

import json
import re
import socket
import time

from support.mcp_client import ANSWER_SECONDS, REVISION, McpFailure

LISTENS = re.compile(rb"served at http://127\.0\.0\.1:(\d+)/mcp")


def port_of(server):
    """Of a server that was started with --http."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < deadline:
        if found := LISTENS.search(server.stderr().encode()):
            return int(found.group(1))
        time.sleep(0.005)
    raise McpFailure("the server does not say where it listens")


class HttpClient:
    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.session = ""
        self._last_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def initialize(self):
        return self.request("initialize", {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})

    def call_tool(self, name, arguments):
        return self.request("tools/call", {"name": name, "arguments": arguments})

    def request(self, method, params):
        self._last_id += 1
        status, head, body = self.post({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        if status != 200:
            raise McpFailure(f"{method} was answered with HTTP {status}: {body[:300]}")
        if found := re.search(rb"(?im)^mcp-session-id: (\S+)", head):
            self.session = found.group(1).decode()
        message = json.loads(body) if body.startswith(b"{") else json.loads(re.findall(rb"(?m)^data: (\{.*)$", body)[-1])
        if "result" not in message:
            raise McpFailure(f"{method} was answered with an error: {json.dumps(message.get('error'))}")
        return message["result"]

    def post(self, message):
        """Status, head and body of the answer, whatever it is."""
        body = json.dumps(message, separators=(",", ":")).encode()
        session = f"Mcp-Session-Id: {self.session}\r\n" if self.session else ""
        self._socket.sendall(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{session}"
                             f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        return self._read_answer()

    def _read_answer(self):
        head, rest = self._read_to(b"", b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        if length := re.search(rb"(?im)^content-length: (\d+)", head):
            while len(rest) < int(length.group(1)):
                rest += self._read()
            return status, head, rest
        body = b""
        while True:
            size, rest = self._read_to(rest, b"\r\n")
            count = int(size, 16)
            while len(rest) < count + 2:
                rest += self._read()
            body, rest = body + rest[:count], rest[count + 2:]
            if count == 0:
                return status, head, body

    def _read_to(self, text, mark):
        while mark not in text:
            text += self._read()
        return text.split(mark, 1)

    def _read(self):
        some = self._socket.recv(1 << 16)
        if not some:
            raise McpFailure("the connection was closed instead of an answer")
        return some
