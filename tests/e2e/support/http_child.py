"""An MCP server over HTTP that lives in the test, which says how it answers and reads what it was sent."""

import json
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

TOOL = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}}}
REVISION = "2025-11-25"


class Seen(NamedTuple):
    method: str       # of HTTP
    path: str
    headers: dict     # names in small letters
    message: dict     # None: no body


class Reply(NamedTuple):
    status: int = 200
    headers: dict = {}
    body: bytes = b""


def rpc(request, **outcome):
    return {"jsonrpc": "2.0", "id": request["id"], **outcome}


def event(data, event_id=None, name="message"):
    head = f"id: {event_id}\n" if event_id is not None else ""
    return f"{head}event: {name}\ndata: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


class HttpChild:
    """`answers(request)`, of a tool call: a Reply, a JSON-RPC message, a list of pieces of a stream, None for the usual one, or what does
    all by itself: a function that is given the handler."""

    def __init__(self, with_sessions=True, path="/mcp"):
        self.seen, self.path, self.with_sessions = [], path, with_sessions
        self.sessions, self.answers, self.tools = set(), lambda request: None, [TOOL]
        self.on_initialize = self.on_get = self.on_note = lambda seen: None  # what to answer; None: the usual
        child = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                child._handle(self)

            do_POST = do_DELETE = do_GET

        class Listener(ThreadingHTTPServer):
            request_queue_size = 128  # clients that come at once

            def handle_error(self, request, client_address):
                if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that has left
                    super().handle_error(request, client_address)

        self.http = Listener(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()
        self.port = self.http.server_address[1]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}{self.path}"

    def entry(self, **more):
        return {"type": "http", "url": self.url, **more}

    def messages(self, method):
        """Of that method of MCP, as they came."""
        return [each for each in self.seen if each.message and each.message.get("method") == method]

    def tools_for(self, seen):
        """Subclasses may list others, for one request."""
        return self.tools

    def forget_sessions(self):
        self.sessions.clear()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    # ---- what it answers

    def send(self, handler, reply):
        handler.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(reply.body)

    def begin_stream(self, handler, headers=()):
        handler.close_connection = True
        handler.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", "Connection": "close", **dict(headers)}.items():
            handler.send_header(name, value)
        handler.end_headers()

    def write(self, handler, *pieces):
        for piece in pieces:
            handler.wfile.write(piece)
        handler.wfile.flush()

    def send_json(self, handler, message, headers=()):
        self.send(handler, Reply(200, {"Content-Type": "application/json", **dict(headers)}, json.dumps(message).encode()))

    def _handle(self, handler):
        size = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(size)
        if len(body) < size:
            handler.close_connection = True  # the client has left in the middle of it
            return
        seen = Seen(handler.command, handler.path, {k.lower(): v for k, v in handler.headers.items()}, json.loads(body) if body else None)
        self.seen.append(seen)
        try:
            self._answer(handler, seen)
        except OSError:
            handler.close_connection = True  # the client has left

    def _give(self, handler, answer, request):
        if callable(answer):
            answer(handler)
        elif isinstance(answer, Reply):
            self.send(handler, answer)
        elif isinstance(answer, list):
            self.begin_stream(handler)
            self.write(handler, *answer)
        else:
            self.send_json(handler, answer or rpc(request, result={"content": [{"type": "text", "text": request["params"]["arguments"].get("message", "")}]}))

    def _answer(self, handler, seen):
        message, session = seen.message, seen.headers.get("mcp-session-id")
        if message and message.get("method") == "initialize":
            return self._initialize(handler, seen)
        if self.with_sessions and session not in self.sessions:
            return self.send(handler, Reply(404 if session else 400))
        if seen.method == "GET":
            answer = self.on_get(seen)
            return self._give(handler, answer, None) if answer else self.send(handler, Reply(405))
        if seen.method == "DELETE":
            self.sessions.discard(session)
            return self.send(handler, Reply(200))
        if "id" not in message or "method" not in message:
            return self._give(handler, self.on_note(seen) or Reply(202), None)
        if message["method"] == "tools/list":
            return self.send_json(handler, rpc(message, result={"tools": self.tools_for(seen)}))
        return self._give(handler, self.answers(message), message)

    def _initialize(self, handler, seen):
        answer = self.on_initialize(seen)
        if answer:
            return self._give(handler, answer, seen.message)
        session = uuid.uuid4().hex
        self.sessions.add(session)
        result = {"protocolVersion": REVISION, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "http", "version": "1"}}
        self.send_json(handler, rpc(seen.message, result=result), {"Mcp-Session-Id": session} if self.with_sessions else {})
