#!/usr/bin/env python3
"""An MCP server on stdin and stdout of revision 2026-07-28, of an older one, or of both. Strict: modern_protocol.py."""

import argparse
import json
import os
import signal
import sys
import threading
import time

from mcp_child import Journal
from modern_catalogue import Catalogue, legacy_definitions, legacy_result
from modern_protocol import Cancelled, claim, Exchange, LEGACY_REVISIONS, ModernServer, Refusal, REVISION

# Of servers that do not know server/discover: what they do instead of an answer to any request before initialize.
LEGACY_WAYS = ("method_not_found", "supported_legacy", "invalid_params", "garbage", "silent", "exit")
EXIT_CODE = 1


def parse_flags():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    flag = parser.add_argument
    flag("--era", choices=("modern", "dual", "legacy"), default="modern")
    flag("--on-discover", choices=LEGACY_WAYS, default="method_not_found", help="of a legacy server: what it does to server/discover")
    flag("--versions", default=REVISION, help="supportedVersions, separated by commas")
    flag("--refuse-first", type=int, default=0, metavar="N", help="answer the first N requests with -32022")
    flag("--page-size", type=int, metavar="N", help="lists in pages of N")
    flag("--ttl-ms", type=int, default=60_000)
    flag("--cache-scope", default="private")
    flag("--name", default="modern", help="serverInfo.name")
    flag("--instructions")
    flag("--bad-headers", action="store_true", help="with tools whose x-mcp-header is not valid")
    flag("--discover-delay-ms", type=int, default=0, help="answer server/discover that late")
    flag("--journal", metavar="FILE", help="append one JSON line per event to FILE")
    return parser.parse_args()


class StdioExchange(Exchange):
    def __init__(self, child, message):
        super().__init__(child.server, message)
        self._child = child

    def send(self, message):
        if not self.cancelled.is_set():
            self._child.send(message)

    def cut(self):
        self._child.end(7)


class ModernStdioChild:
    def __init__(self, flags, catalogue=None, kind=ModernServer):
        self._flags, self._journal = flags, Journal(flags.journal)
        self._catalogue = catalogue or Catalogue(flags.bad_headers)
        self.server = kind(self._journal.write, self._catalogue, name=flags.name, versions=flags.versions.split(","), page_size=flags.page_size,
                           ttl_ms=flags.ttl_ms, cache_scope=flags.cache_scope, refuse_first=flags.refuse_first, instructions=flags.instructions)
        self._catalogue.server = self.server
        self._output, self._lock = threading.Lock(), threading.Lock()
        self._in_flight, self._known_ids, self._is_initialized = {}, set(), False

    def write(self, data):
        with self._output:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view):]

    def send(self, message):
        self.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def end(self, code):
        self._journal.write("exit", code=code)
        # Not sys.exit: calls in flight on other threads are given up, as a real server does.
        os._exit(code)

    def serve(self):
        signal.signal(signal.SIGTERM, lambda *_: self.end(143))
        self._journal.write("started", ppid=os.getppid(), pgid=os.getpgid(0))
        for line in sys.stdin.buffer:
            if line.strip():
                self._receive(line)
        self._journal.write("stdin_eof")
        self.end(0)

    # ---- messages

    def _receive(self, line):
        message = None
        try:
            message = json.loads(line)
            if not isinstance(message, dict):
                raise Refusal(-32600, "Invalid Request", deviation="no JSON-RPC message, or a batch")
            if self._is_legacy(message):
                return self._receive_legacy(message)
            if self.server.check_shape(message) == "notification":
                return self._note(message)
            self._begin(message)
        except ValueError:
            self._refuse(Refusal(-32700, "Parse error", deviation="a line that is no JSON"), None)
        except Refusal as refusal:
            self._refuse(refusal, message)
        return None

    def _is_legacy(self, message):
        if self._flags.era == "legacy":
            return True
        return self._flags.era == "dual" and claim(message) is None and message.get("method") != "notifications/cancelled"

    def _refuse(self, refusal, message):
        self.server.refused(refusal, message)
        if message is None or isinstance(message, dict) and "id" in message and "method" in message:
            self.send({"jsonrpc": "2.0", "id": message and message["id"], "error": refusal.error()})

    def _note(self, message):
        if message["method"] != "notifications/cancelled":
            self.server.deviation("a notification that clients do not send", method=message["method"])
            return
        params = message.get("params") or {}
        with self._lock:
            exchange = self._in_flight.get(json.dumps(params.get("requestId")))
        self._journal.write("cancelled", id=params.get("requestId"), known=exchange is not None, how="notification")
        if exchange:
            exchange.cancelled.set()

    def _begin(self, message):
        server, key = self.server, json.dumps(message["id"])
        server.check_claim(message)
        if key in self._known_ids:
            server.deviation("an id that was used before", id=message["id"])
        self._known_ids.add(key)
        server.check_version(message)
        server.check_method(message)
        exchange = StdioExchange(self, message)
        with self._lock:
            self._in_flight[key] = exchange
        threading.Thread(target=self._carry_out, args=(key, exchange, message), daemon=True).start()

    def _carry_out(self, key, exchange, message):
        if exchange.method == "server/discover":
            time.sleep(self._flags.discover_delay_ms / 1000)
        try:
            exchange.send({"jsonrpc": "2.0", "id": exchange.id, "result": self.server.result_of(exchange)})
        except Refusal as refusal:
            self._refuse(refusal, message)
        except Cancelled:
            pass  # to whom nothing is said
        finally:
            with self._lock:
                self._in_flight.pop(key)

    # ---- older revisions

    def _receive_legacy(self, message):
        method = message.get("method")
        if "id" not in message:
            self._journal.write(method.partition("/")[2] or method)
            return None
        if not self._is_initialized and method not in ("initialize", "ping"):
            return self._before_initialize(message)
        answers = {"initialize": self._initialize, "ping": lambda _: {}, "tools/list": lambda _: {"tools": legacy_definitions(self._catalogue)},
                   "tools/call": self._call_legacy}
        if method not in answers:
            return self.send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": f"Method not found: {method}"}})
        return self.send({"jsonrpc": "2.0", "id": message["id"], "result": answers[method](message.get("params") or {})})

    def _initialize(self, params):
        self._is_initialized = True
        self._journal.write("initialize", revision=params.get("protocolVersion"))
        asked = params.get("protocolVersion")
        return {"protocolVersion": asked if asked in LEGACY_REVISIONS else LEGACY_REVISIONS[0], "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": self._flags.name, "version": "1"}}

    def _call_legacy(self, params):
        self._journal.write("call", tool=params.get("name"), arguments=params.get("arguments"), era="legacy")
        return legacy_result(self._catalogue, params)

    def _before_initialize(self, message):
        way, method = self._flags.on_discover, message["method"]
        self._journal.write("before_initialize", method=method, way=way)
        if way == "exit":
            print("Error: expected an initialize request", file=sys.stderr, flush=True)
            self.end(EXIT_CODE)
        if way == "silent":
            return None
        if way == "garbage":
            return self.write(b"Ready. Not that I know what you mean.\n")
        error = {
            "method_not_found": {"code": -32601, "message": f"Method not found: {method}"},
            "invalid_params": {"code": -32602, "message": "Invalid request parameters"},
            "supported_legacy": {"code": -32022, "message": "Unsupported protocol version",
                                 "data": {"supported": list(LEGACY_REVISIONS), "requested": claim(message)}},
        }[way]
        return self.send({"jsonrpc": "2.0", "id": message["id"], "error": error})


if __name__ == "__main__":
    ModernStdioChild(parse_flags()).serve()
