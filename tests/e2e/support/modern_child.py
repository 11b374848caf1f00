"""An MCP server of revision 2026-07-28 over HTTP that lives in the test; also one of both eras, and older ones that meet a modern client.
What it knows and how strict it is: tests/children/modern_protocol.py, modern_catalogue.py."""

import json
import socket
import sys
import threading

from support import mirrored_headers
from support.http_child import event, HttpChild, Reply, rpc
from support.paths import CHILD, PYTHON

sys.path.insert(0, str(CHILD.parent))
from modern_catalogue import Catalogue, legacy_definitions, legacy_result  # noqa: E402
from modern_protocol import Cancelled, claim, Exchange, LEGACY_REVISIONS, ModernServer, Refusal, REVISION  # noqa: E402

JSON = {"Content-Type": "application/json"}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def modern_child(*flags, journal=None, **fields):
    """Entry of the one over stdio: tests/children/modern_child.py --help."""
    command, *options = PYTHON
    arguments = ["--journal", journal.path] if journal else []
    return {"command": command, "args": [*options, str(CHILD.parent / "modern_child.py"), *flags, *arguments], **fields}


def failure(code, text, request, data=None):
    return rpc(request, error={"code": code, "message": text, **({"data": data} if data else {})})


def json_reply(status, message):
    return Reply(status, JSON, json.dumps(message).encode())


# What older servers do to a modern request. None: nothing, ever.
LEGACY_WAYS = {
    "method_not_found": lambda request: json_reply(200, failure(-32601, "Method not found", request)),
    "method_not_found_400": lambda request: json_reply(400, failure(-32601, "Method not found", request)),
    "method_not_found_404": lambda request: json_reply(404, failure(-32601, "Method not found", request)),
    "no_session": lambda request: json_reply(400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Bad Request: Server not initialized"}}),
    "status_400": lambda request: Reply(400, {"Content-Type": "text/plain"}, b"Bad Request"),
    "status_404": lambda request: Reply(404),
    "status_405": lambda request: Reply(405),
    "status_500": lambda request: Reply(500),  # no evidence of an era
    "status_503": lambda request: Reply(503, {"Retry-After": "1"}),
    "html": lambda request: Reply(400, {"Content-Type": "text/html"}, b"<html>"),
    "supported_legacy": lambda request: json_reply(400, failure(-32022, "Unsupported protocol version", request,
                                                                {"supported": list(LEGACY_REVISIONS), "requested": claim(request)})),
    "silent": lambda request: None,
}


class HttpExchange(Exchange):
    def __init__(self, child, handler, seen):
        super().__init__(child.core, seen.message)
        self._seen, self._child, self._handler, self._writing, self._has_begun = seen, child, handler, threading.Lock(), False

    def tools(self):
        return self._child.tools_for(self._seen)

    def send(self, message):
        with self._writing:
            self._begin()
            self._unless_gone(self._child.write, event(message))

    def comment(self):
        with self._writing:
            self._begin()
            self._unless_gone(self._child.write, b":\r\n")

    def finish(self, message, status=200):
        """As JSON, if no notification has made a stream of it before."""
        with self._writing:
            if not self._has_begun and not (self._child.always_streams and status == 200):
                return self._unless_gone(self._child.send, json_reply(status, message))
            self._begin()
            return self._unless_gone(self._child.write, event(message))

    def _begin(self):
        if not self._has_begun:
            self._has_begun = True
            self._unless_gone(self._child.begin_stream, {"X-Accel-Buffering": "no"})

    def _unless_gone(self, write, what):
        try:
            write(self._handler, what)
        except (OSError, ValueError):  # the latter: what is told of changes by another thread, when this stream has just been closed
            self._handler.close_connection = True
            self.cancelled.set()

    def is_gone(self):
        """A client that gives up closes the connection."""
        try:
            return self._handler.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def cut(self):
        self.progress(1, 2, "half")
        self._handler.close_connection = True
        self._handler.connection.shutdown(socket.SHUT_RDWR)
        raise Cancelled("cut")


class ModernChild(HttpChild):
    """`era`: "modern", "dual" or "legacy". `on_discover`: of a legacy one, what it does to modern requests: LEGACY_WAYS.
    `always_streams`: every result comes as a stream of events. `how`: of ModernServer, and `with_sessions` and `path` of HttpChild.
    `catalogue`, `kind`: another one than the usual, and another ModernServer.

    `core.changed("tools")`, `core.updated(uri)`, `core.end_listening()`, `core.listeners()`; `catalogue.tools` may be changed."""

    def __init__(self, *, era="modern", on_discover="method_not_found", always_streams=False, bad_headers=False, with_sessions=True, path="/mcp",
                 catalogue=None, kind=ModernServer, **how):
        self.era, self.on_discover, self.always_streams = era, on_discover, always_streams
        self.journal, self._is_closed = [], threading.Event()
        self.catalogue = catalogue or Catalogue(bad_headers)
        self.core = self.catalogue.server = kind(self._record, self.catalogue, **how)
        super().__init__(with_sessions, path)
        self.answers = lambda request: rpc(request, result=legacy_result(self.catalogue, request["params"]))

    def _record(self, what, **details):
        self.journal.append({"event": what, **details})

    def events(self, name, **details):
        wanted = {"event": name, **details}
        return [each for each in self.journal if all(each.get(key) == value for key, value in wanted.items())]

    @property
    def deviations(self):
        """In words: what a client of this revision does not do."""
        return [each["text"] for each in self.events("deviation")]

    def close(self):
        self._is_closed.set()
        self.core.end_listening()
        super().close()

    def tools_for(self, seen):
        return self.catalogue.tool_definitions() if claim(seen.message) else legacy_definitions(self.catalogue)

    # ---- whom it is of

    def _handle(self, handler):
        try:
            super()._handle(handler)
        except (json.JSONDecodeError, UnicodeDecodeError):
            self._send_refusal(handler, Refusal(-32700, "Parse error", status=400, deviation="a body that is no JSON"), None)

    def _answer(self, handler, seen):
        is_modern = self._is_modern(seen)
        if self.era == "legacy" and is_modern:
            return self._answer_as_older(handler, seen)
        if self.era == "legacy" or (self.era == "dual" and not is_modern):
            return super()._answer(handler, seen)
        return self._answer_modern(handler, seen)

    @staticmethod
    def _is_modern(seen):
        is_old_header = seen.headers.get("mcp-protocol-version", LEGACY_REVISIONS[0]) in LEGACY_REVISIONS
        return claim(seen.message) is not None or not is_old_header or (isinstance(seen.message, dict) and seen.message.get("method") == "server/discover")

    def _answer_as_older(self, handler, seen):
        self._record("modern_request", method=seen.message.get("method"), way=self.on_discover)
        reply = LEGACY_WAYS[self.on_discover](seen.message)
        if reply is None:
            handler.close_connection = True
            return self._is_closed.wait()
        return self.send(handler, reply)

    # ---- of 2026-07-28

    def _answer_modern(self, handler, seen):
        try:
            self._check_http(seen)
            message = seen.message
            if self.core.check_shape(message) == "notification":
                self.core.deviation("a notification, which clients do not send over HTTP", method=message["method"])
                return self.send(handler, Reply(202))
            self._check_envelope(seen, message)
        except Refusal as refusal:
            return self._send_refusal(handler, refusal, seen.message)
        return self._carry_out(handler, HttpExchange(self, handler, seen), message)

    def _carry_out(self, handler, exchange, message):
        try:
            result = self.core.result_of(exchange)
        except Refusal as refusal:
            self.core.refused(refusal, message)
            answer, code = rpc(message, error=refusal.error()), refusal.status
        except Cancelled as cancelled:
            handler.close_connection = True
            return self._record("cancelled", id=exchange.id, how=str(cancelled) or "closed")
        else:
            answer, code = rpc(message, result=result), 200
        exchange.finish(answer, code)
        return exchange.cancelled.is_set() and self._record("cancelled", id=exchange.id, how="closed")

    def _send_refusal(self, handler, refusal, message):
        self.core.refused(refusal, message)
        request_id = message.get("id") if isinstance(message, dict) else None
        self.send(handler, json_reply(refusal.status, {"jsonrpc": "2.0", "id": request_id, "error": refusal.error()}))

    def _check_http(self, seen):
        def refuse(status, text):
            raise Refusal(-32600, text, status=status, deviation=text)
        if seen.method != "POST":
            refuse(405, f"{seen.method}, which was removed")
        if seen.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            refuse(415, "Content-Type is not application/json")
        accepted = {each.partition(";")[0].strip() for each in seen.headers.get("accept", "").split(",")}
        if not {"application/json", "text/event-stream"} <= accepted:
            refuse(406, "Accept has not both types")
        for name in ("mcp-session-id", "last-event-id"):
            if name in seen.headers:
                refuse(400, f"the header {name}, which was removed")

    def _check_envelope(self, seen, message):
        """In the order of the revision: which error is said, if several fit, is looked at by clients."""
        self.core.check_claim(message)
        headers, method = seen.headers, message["method"]
        self._check_header(headers, "mcp-protocol-version", claim(message))
        self.core.check_version(message)
        self._check_header(headers, "mcp-method", method)
        name = (message.get("params") or {}).get(NAMED.get(method))
        if method in NAMED and isinstance(name, str):
            self._check_header(headers, "mcp-name", name)
        elif "mcp-name" in headers:
            self.core.deviation("Mcp-Name, and nothing has a name", method=method)
        self.core.check_method(message)
        if method == "tools/call":
            self._check_parameters(headers, message["params"])

    @staticmethod
    def _mismatch(text):
        return Refusal(-32020, f"Header mismatch: {text}", status=400, deviation=f"headers: {text}")

    def _check_header(self, headers, name, value):
        if name not in headers:
            raise self._mismatch(f"{name} is missing")
        try:
            said = headers[name].strip() if name != "mcp-name" else mirrored_headers.decoded(headers[name])
        except ValueError as error:
            raise self._mismatch(f"{name} can not be read: {error}") from None
        if said != value:
            raise self._mismatch(f"{name} has {said!r}, the body {value!r}")

    def _check_parameters(self, headers, params):
        tool = self.catalogue.tools.get(params.get("name"))
        if tool is None:
            return
        schema = tool.definition["inputSchema"]
        if not mirrored_headers.is_valid(schema):
            raise Refusal(-32602, "x-mcp-header is not valid", status=400, deviation=f"a call of {params['name']}, which a client has to drop")
        found = mirrored_headers.problem(headers, schema, params.get("arguments") or {})
        if found:
            raise self._mismatch(found)


__all__ = ["LEGACY_WAYS", "LEGACY_REVISIONS", "ModernChild", "REVISION", "modern_child"]
