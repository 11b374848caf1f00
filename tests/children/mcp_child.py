"""The well-behaved half of the test servers: MCP over stdio, many calls in flight, progress, cancellation.

Uses the standard library only, so that a test child starts fast and on any machine with Python 3.9.
"""

import json
import os
import sys
import threading
import time

REVISION = "2025-11-25"


class NoAnswer(Exception):
    """Raised by a tool that has answered for itself, or does not mean to."""


class ToolError(Exception):
    """Raised by a tool to answer with isError."""


class ProtocolError(Exception):
    """Becomes a JSON-RPC error."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code, self.data = code, data


def text_result(text):
    return {"content": [{"type": "text", "text": text}]}


class Journal:
    """One JSON line per event. Whole lines are appended at once, so several processes may share a file."""

    def __init__(self, path):
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if path else None

    def write(self, event, **details):
        if self._file is None:
            return
        line = json.dumps({"event": event, "pid": os.getpid(), "time": time.time(), **details})
        os.write(self._file, line.encode() + b"\n")


class Tool:
    """`run(call, arguments)` gives a CallToolResult, or raises one of the exceptions above."""

    def __init__(self, name, run, properties=None, required=(), description=None, output=None):
        self.run = run
        self.required = tuple(required)
        self.definition = {
            "name": name,
            "description": description or f"Test tool {name}.",
            "inputSchema": {
                "type": "object",
                "properties": properties or {},
                "required": list(required),
                "additionalProperties": False,
            },
        }
        if output:
            self.definition["outputSchema"] = output


class Call:
    """One tools/call in flight."""

    def __init__(self, child, request):
        self.child = child
        self.id = request["id"]
        self.cancelled = threading.Event()
        meta = request.get("params", {}).get("_meta") or {}
        self._progress_token = meta.get("progressToken")

    def progress(self, done, total, message):
        if self._progress_token is not None:
            self.child.notify("notifications/progress", progressToken=self._progress_token, progress=done,
                              total=total, message=message)

    def answer(self, result, request_id=None):
        self.child.send({"jsonrpc": "2.0", "id": self.id if request_id is None else request_id, "result": result})


class Child:
    """An MCP server on stdin and stdout. Every tools/call gets its own thread."""

    def __init__(self, tools, journal, name="test-child", revision=None):
        self.tools = {tool.definition["name"]: tool for tool in tools}
        self.journal = journal
        self.name = name
        self.revision = revision
        self._output = threading.Lock()
        self._calls = {}
        self._calls_lock = threading.Lock()

    # ---- writing

    def write(self, data):
        """Raw bytes, for those who break the protocol. Whole writes do not mix."""
        with self._output:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view):]

    def send(self, message):
        self.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    # ---- reading

    def serve(self):
        """Returns at the end of stdin."""
        for line in sys.stdin.buffer:
            if line.strip():
                self._receive(json.loads(line))
        self.journal.write("stdin_eof")

    def _receive(self, message):
        method = message.get("method")
        if method == "tools/call":
            threading.Thread(target=self._call, args=(message,), daemon=True).start()
        elif method == "notifications/cancelled":
            self._cancel(message["params"])
        elif method == "notifications/initialized":
            self.journal.write("initialized")
        elif method is not None and "id" in message:
            self._answer(message)

    def _answer(self, request):
        handler = {"initialize": self.initialize, "ping": lambda _: {}, "tools/list": self.list_tools}.get(
            request["method"])
        try:
            if handler is None:
                raise ProtocolError(-32601, f"Method not found: {request['method']}")
            result = handler(request.get("params") or {})
        except ProtocolError as error:
            self._send_error(request["id"], error)
        except NoAnswer:
            pass
        else:
            self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def _send_error(self, request_id, error):
        self.send({"jsonrpc": "2.0", "id": request_id, "error": {"code": error.code, "message": str(error), **({"data": error.data} if error.data else {})}})

    # ---- methods; subclasses override them to misbehave

    def initialize(self, params):
        return {
            "protocolVersion": self.revision or params.get("protocolVersion", REVISION),
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": self.name, "version": "1.0.0"},
        }

    def list_tools(self, params):
        self.journal.write("tools_list", cursor=params.get("cursor"))
        return {"tools": [tool.definition for tool in self.tools.values()]}

    # ---- calls

    def _call(self, request):
        call = Call(self, request)
        with self._calls_lock:
            self._calls[call.id] = call
        try:
            result = self._run_tool(call, request["params"])
        except ToolError as error:
            call.answer({**text_result(str(error)), "isError": True})
        except ProtocolError as error:
            self._send_error(call.id, error)
        except NoAnswer:
            pass
        else:
            call.answer(result)
        finally:
            with self._calls_lock:
                self._calls.pop(call.id, None)

    def _run_tool(self, call, params):
        name, arguments = params.get("name"), params.get("arguments") or {}
        meta = params.get("_meta")
        self.journal.write("call", tool=name, id=call.id, **({"meta": meta} if meta else {}))
        tool = self.tools.get(name)
        if tool is None:
            raise ProtocolError(-32602, f"Unknown tool: {name}")
        missing = [key for key in tool.required if key not in arguments]
        if missing:
            raise ToolError(f"Missing arguments: {', '.join(missing)}")
        return tool.run(call, arguments)

    def _cancel(self, params):
        self.journal.write("cancelled", id=params.get("requestId"))
        with self._calls_lock:
            call = self._calls.get(params.get("requestId"))
        if call:
            call.cancelled.set()
