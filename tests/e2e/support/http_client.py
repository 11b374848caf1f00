"""A server under test that serves over HTTP, and clients of it in both eras."""

import http.client
import json
import re
import signal
import socket
import time
from typing import NamedTuple

from support.mirrored_headers import coded
from support.paths import binary
from support.run import ToolAnswer
from support.server import NEWEST, Server
from support.waiting import PATIENCE_SECONDS

HOST = "127.0.0.1"
MODERN = "2026-07-28"
BOTH = "application/json, text/event-stream"
META = "io.modelcontextprotocol/"


class HttpServer(Server):
    """Nobody speaks on its stdin unless the test does, so a signal ends it."""

    def __init__(self, servers=None, *, address=f"{HOST}:0", verb="serve", target=(), **options):
        super().__init__(servers, argv=[binary(), verb, "--http", address, *target], revision=None, **options)
        told = re.compile(r"clients are served at https?://\S+:(\d+)/mcp")
        self.port = int(self.wait_for(lambda: told.search(self.stderr()), "port in the log").group(1))

    def _end_in_order(self):
        if self.process.poll() is not None:
            return super()._end_in_order()
        code, _ = self.end(signal.SIGTERM)
        return [] if code == 0 else [f"exit code {code} after SIGTERM: {self.stderr()[-3000:]}"]


class Event(NamedTuple):
    id: str       # "": none
    retry: str    # "": none
    data: str     # "": it says nothing

    def message(self):
        return json.loads(self.data)


def read_events(response):
    """The events of a stream, as they come. Comments are left out."""
    fields = {}
    while line := response.readline():
        name, _, value = line.decode("utf-8").rstrip("\r\n").partition(":")
        if line.strip():
            fields[name] = value.removeprefix(" ")
        elif set(fields) - {""}:
            yield Event(fields.get("id", ""), fields.get("retry", ""), fields.get("data", ""))
            fields = {}
        else:
            fields = {}


class Exchange:
    """A request on its way, and its answer, which is read when it is asked for."""

    def __init__(self, connection, message, is_alone):
        self.request_id = message.get("id") if isinstance(message, dict) else None
        self._connection = connection
        self._is_alone = is_alone
        self._response = None
        self._socket = connection.sock
        self.sent = time.monotonic()

    @property
    def response(self):
        if self._response is None:
            self._response = self._connection.getresponse()
        return self._response

    @property
    def status(self):
        return self.response.status

    @property
    def type(self):
        return self.header("Content-Type")

    def header(self, name):
        return self.response.getheader(name, "")

    def events(self):
        if self.type != "text/event-stream":
            raise AssertionError(f"no stream: {self.status} {self.type} {self.body()[:2000]}")
        return read_events(self.response)

    def body(self):
        return self.response.read()

    def messages(self):
        """All of them, up to the end of the answer."""
        if self.type == "text/event-stream":
            found = [event.message() for event in self.events() if event.data]
        else:
            text = self.body()
            found = [json.loads(text)] if text else []
        if self._is_alone:
            self.leave()
        return found

    def message(self):
        """The answer to the request, which is the last thing that is told."""
        found = self.messages()
        if not found:
            raise AssertionError(f"nothing was answered: {self.status}")
        return found[-1]

    def error(self):
        answer = self.message()
        if "error" not in answer:
            raise AssertionError(f"no error: {answer}")
        return answer["error"]

    def leave(self):
        """Closes the connection, whatever is still to come."""
        for part in (self._socket, self._response, self._connection):
            try:
                if part is self._socket and part is not None:
                    part.shutdown(socket.SHUT_RDWR)
                if part is not None:
                    part.close()
            except OSError:
                pass


class HttpClient:
    """Requests as they are given. `ask` is on a connection of its own, `exchange` on that of the client."""

    def __init__(self, server, token=None, fields=None):
        self.port = server.port
        self.token = token
        self.fields = fields or {}  # of every request
        self._connection = self._connect()
        self._asked = []  # on connections of their own
        self._last_id = 0

    def _connect(self):
        return http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE_SECONDS)

    def close(self):
        for each in self._asked:
            each.leave()
        self._connection.close()

    def headers(self, message):
        """Of a request with that message; None: it has none."""
        out = {"Accept": BOTH, **self.fields}
        if message is not None:
            out["Content-Type"] = "application/json"
        if self.token:
            out["Authorization"] = f"Bearer {self.token}"
        return out

    def ask(self, method, message=None, *, own_connection=True, headers=None, path="/mcp"):
        """An HTTP request; its answer is not waited for. A header that is None is left out."""
        connection = self._connect() if own_connection else self._connection
        fields = {**self.headers(message), **(headers or {})}
        body = json.dumps(message) if isinstance(message, (dict, list)) else message
        try:
            connection.request(method, path, body, {name: value for name, value in fields.items() if value is not None})
        except BrokenPipeError:
            pass  # it was answered before it was read, and that answer counts
        asked = Exchange(connection, message, own_connection)
        if own_connection:
            self._asked.append(asked)
        return asked

    def post(self, message, **options):
        return self.ask("POST", message, **options)

    def request_of(self, method, params=None, request_id=None):
        if request_id is None:
            self._last_id += 1
            request_id = self._last_id
        return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}

    def begin(self, method, params=None, *, request_id=None, **options):
        return self.post(self.request_of(method, params, request_id), **options)

    def call(self, method, params=None, **options):
        """The result, on the client's own connection."""
        answer = self.begin(method, params, own_connection=False, **options).message()
        if "result" not in answer:
            raise AssertionError(f"{method} was answered with an error: {answer}")
        return answer["result"]

    def status_of(self, method, **options):
        """Of an answer that is not looked at."""
        asked = self.begin(method, **options)
        try:
            return asked.status
        finally:
            asked.leave()

    def begin_run(self, name, code, meta=None, **parameters):
        params = {"name": name, "arguments": {"code": code, **parameters}}
        return self.begin("tools/call", {**params, "_meta": meta} if meta else params)

    def tool(self, name, arguments=None):
        sent = time.monotonic()
        result = self.call("tools/call", {"name": name, "arguments": arguments or {}})
        return ToolAnswer(result, time.monotonic() - sent)

    def typescript(self, code, **parameters):
        return self.tool("run-typescript-code", {"code": code, **parameters})

    def python(self, code, **parameters):
        return self.tool("run-python-code", {"code": code, **parameters})


class LegacyClient(HttpClient):
    """With a session, which begins here."""

    def __init__(self, server, *, revision=NEWEST, name="http tests", capabilities=None, **options):
        super().__init__(server, **options)
        self.revision = revision
        self.session = None
        opened = self.begin("initialize", {"protocolVersion": revision, "capabilities": capabilities or {},
                                           "clientInfo": {"name": name, "version": "1"}}, own_connection=False)
        self.opening = opened.message()
        self.session = opened.header("Mcp-Session-Id")
        if "result" in self.opening:
            self.notify("notifications/initialized")

    def headers(self, message):
        out = super().headers(message)
        if self.session:
            out["Mcp-Session-Id"] = self.session
            out["MCP-Protocol-Version"] = self.revision
        return out

    def notify(self, method, **params):
        told = self.post({"jsonrpc": "2.0", "method": method, "params": params}, own_connection=False)
        told.body()
        return told.status

    def listen(self, **headers):
        """The stream of what belongs to no request, or one that is come back to."""
        return self.ask("GET", headers=headers)

    def come_back(self, event_id):
        return self.listen(**{"Last-Event-ID": event_id})

    def delete(self):
        return self.ask("DELETE")


class ModernClient(HttpClient):
    """Each request says all there is to know."""

    def request_of(self, method, params=None, request_id=None):
        request = super().request_of(method, params, request_id)
        given = request["params"].get("_meta", {})
        envelope = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {},
                    f"{META}clientInfo": {"name": "http tests", "version": "1"}}
        return {**request, "params": {**request["params"], "_meta": {**envelope, **given}}}

    def headers(self, message):
        out = super().headers(message)
        if isinstance(message, dict):
            out.update({"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]})
            named = message.get("params", {})
            if name := named.get("name") or named.get("uri"):
                out["Mcp-Name"] = coded(name)
        return out


def talk(port, request, *, seconds=PATIENCE_SECONDS):
    """Sends these bytes, and gives all that comes until the server closes."""
    with socket.create_connection((HOST, port), timeout=seconds) as connection:
        connection.sendall(request)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return received


def status_of(answer):
    """Of the first answer in these bytes."""
    return int(answer.split(b" ", 2)[1])
