"""A server of HTTP on a port of this machine, which keeps what it was asked; and a trap, which nobody may ask anything."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from support.http_child import Reply


class Asked(NamedTuple):
    method: str
    path: str
    query: dict
    headers: dict     # names in small letters
    body: bytes
    form: dict        # of a body that is one
    repeated: tuple   # names that came more than once, in the query or in the form

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return None


def read_request(handler):
    parts = urlsplit(handler.path)
    headers = {name.lower(): value for name, value in handler.headers.items()}
    body = handler.rfile.read(int(headers.get("content-length") or 0))
    is_form = headers.get("content-type", "").partition(";")[0].strip() == "application/x-www-form-urlencoded"
    query = parse_qsl(parts.query, keep_blank_values=True)
    form = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True) if is_form else []
    names = [[name for name, _ in pairs] for pairs in (query, form)]
    repeated = tuple(sorted({name for each in names for name in each if each.count(name) > 1}))
    return Asked(handler.command, parts.path, dict(query), headers, body, dict(form), repeated)


def json_reply(value, status=200, headers=None):
    return Reply(status, {"Content-Type": "application/json", **(headers or {})}, json.dumps(value).encode())


class SmallServer:
    """Subclasses say in `answer(asked)` what it answers: a Reply, or a function that is given the handler and does all by itself."""

    def __init__(self):
        self.journal = []  # of Asked
        self.is_closed = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                server._handle(self)

            do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_GET

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that has left
                    super().handle_error(request, client_address)

        self._http = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        self.origin = f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self):
        self.is_closed.set()
        self._http.shutdown()
        self._http.server_close()

    def answer(self, asked):
        raise NotImplementedError

    def _handle(self, handler):
        asked = read_request(handler)
        self.journal.append(asked)
        reply = self.answer(asked)
        try:
            if callable(reply):
                reply(handler)
            else:
                self._send(handler, reply)
        except OSError:
            handler.close_connection = True  # the client has left

    @staticmethod
    def _send(handler, reply):
        handler.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(reply.body)


class Trap(SmallServer):
    """Another origin, to which some lie points. What reaches it was sent where it may not go."""

    def answer(self, asked):
        return json_reply({"caught": True})

    @property
    def was_reached(self):
        return bool(self.journal)

    def secrets(self):
        """What of worth came: values that a client gives its authorization server or its MCP server only."""
        worth = ("code", "code_verifier", "refresh_token", "client_secret", "token")
        found = [asked.headers["authorization"] for asked in self.journal if "authorization" in asked.headers]
        return found + [pairs[name] for asked in self.journal for pairs in (asked.query, asked.form) for name in worth if name in pairs]
