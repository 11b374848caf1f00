"""What the servers behind a bridge have: tools that ask, definitions with members that nobody knows, lists that change; and a server of the earlier
revisions without a transport, which has the same things as the one of 2026-07-28. Both write down every message that reaches them ("received")."""

import json
import os
import threading
import time

from modern_catalogue import Catalogue, ModernTool, TEXT, text
from modern_protocol import Cancelled, InputRequired, LEVELS, ModernServer, POLL_SECONDS, Refusal

OBJECT, INTEGER = {"type": "object"}, {"type": "integer"}
CAPABILITIES = {"tools": {"listChanged": True}, "resources": {"listChanged": True, "subscribe": True}, "prompts": {"listChanged": True},
                "completions": {}, "logging": {}, "experimental": {"com.example/odd": {"Zwölf": 12}},
                "extensions": {"com.example/things": {"deep": [1, {"x": None}]}}}
# Numbers that a float can not hold, one that looks like an integer, all kinds of text.
ODD = {"big": 12345678901234567890, "small": -9007199254740993, "float": 1.0, "text": "Zwölf \u0000 \U0001f600 \" \\ / \u2028", "none": None,
       "list": [[], {}, ""]}
ODD_SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "x-unknown": ODD,
              "$defs": {"z": TEXT, "a": {"$anchor": "here", "const": ODD}}, "properties": {"zeta": {"$ref": "#/$defs/z"}, "alpha": {"default": 1.0}},
              "if": {"required": ["zeta"]}, "then": {"minProperties": 1}, "allOf": [{}], "additionalProperties": True}
ODD_MEMBERS = {"title": "Odd", "annotations": {"readOnlyHint": True, "unknown": ODD}, "icons": [{"src": "data:,", "theme": "odd"}],
               "_meta": {"com.example/tool": ODD, "ui": {"resourceUri": "ui://x"}}, "unknown": ODD}
ODD_URI = "odd://Zwölf/%2F..//x?y=%20#z"


class BridgedCatalogue(Catalogue):
    def __init__(self):
        super().__init__()
        odd = ModernTool("odd/näme.1", self._odd, {})
        odd.definition = {"name": "odd/näme.1", "inputSchema": ODD_SCHEMA, "outputSchema": {"type": "object", "unknown": ODD}, **ODD_MEMBERS}
        more = [
            odd,
            ModernTool("question", self._question, {"method": TEXT, "params": OBJECT, "afterMs": INTEGER}, ("method",)),
            ModernTool("questions", self._questions, {"asked": OBJECT}, ("asked",)),
            ModernTool("failure", self._failure, {"code": INTEGER, "message": TEXT, "data": {}}),
            ModernTool("big", lambda _, given: text("x" * given["bytes"]), {"bytes": INTEGER}),
            ModernTool("notify", self._notify, {"method": TEXT, "params": OBJECT, "times": INTEGER}, ("method",)),
            ModernTool("process", lambda *_: text(json.dumps({"pid": os.getpid(), "env": dict(os.environ)}))),
        ]
        self.tools.update({tool.definition["name"]: tool for tool in more})

    @staticmethod
    def _odd(_exchange, given):
        return text(json.dumps(given), structuredContent={"given": given, **ODD}, _meta={"com.example/result": ODD}, unknown=ODD)

    @staticmethod
    def _answers(exchange, asked):
        if hasattr(exchange, "ask_all"):
            return exchange.ask_all(asked)
        if not set(asked) <= set(exchange.responses):
            raise InputRequired(asked, "asked")
        return exchange.responses

    def _question(self, exchange, given):
        """`afterMs`: then, also if the call is given up meanwhile."""
        time.sleep(given.get("afterMs", 0) / 1000)
        request = {name: given[name] for name in ("method", "params") if name in given}
        return text(json.dumps({"got": self._answers(exchange, {"the key": request})["the key"]}))

    def _questions(self, exchange, given):
        answers = self._answers(exchange, given["asked"])
        return text(json.dumps({"got": {key: answers[key] for key in given["asked"]}}))

    @staticmethod
    def _failure(_exchange, given):
        raise Refusal(given["code"], given.get("message", "no"), given.get("data"))

    @staticmethod
    def _notify(exchange, given):
        for _ in range(given.get("times", 1)):
            exchange.notify(given["method"], **given.get("params", {}))
        return text("told")

    @staticmethod
    def resources():
        return [*Catalogue.resources(), {"uri": ODD_URI, "name": "odd", **ODD_MEMBERS}]

    def read(self, exchange, uri):
        if uri == ODD_URI:
            return {"contents": [{"uri": uri, "text": ODD["text"], "_meta": ODD}], "unknown": ODD}
        return super().read(exchange, uri)


class ModernBridged(ModernServer):
    def check_shape(self, message):
        self.record("received", message=message)
        return super().check_shape(message)

    def _discover(self, exchange):
        return {**super()._discover(exchange), "capabilities": CAPABILITIES, "unknown": ODD}

    def _methods(self):
        return {**super()._methods(), "custom/echo": lambda exchange: {"echo": exchange.params}}


# ---- the earlier revisions ----------------------------------------------------------------------

class LegacyCall:
    """A request in flight. `send`: on its own stream, if it has one."""

    def __init__(self, session, message, send):
        self.session, self.id, self.params, self._send = session, message["id"], message.get("params") or {}, send
        self.meta = self.params.get("_meta") or {}
        self.responses, self.state, self.round = {}, None, 0
        self.cancelled = threading.Event()

    def notify(self, method, **params):
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def progress(self, done, total, message):
        if "progressToken" in self.meta:
            self.notify("notifications/progress", progressToken=self.meta["progressToken"], progress=done, total=total, message=message)

    def log(self, level, data):
        if LEVELS.index(level) >= LEVELS.index(self.session.level):
            self.notify("notifications/message", level=level, logger="legacy", data=data)

    def wait(self, seconds=None):
        if self.cancelled.wait(seconds):
            raise Cancelled

    def cut(self):
        os._exit(7)

    def ask_all(self, asked):
        """All at once. Who gives up the call is told that nobody waits for its questions."""
        open_ = {key: self.session.ask(request, self._send) for key, request in asked.items()}
        while not all(each.is_answered.wait(POLL_SECONDS) for each in open_.values()):
            if self.cancelled.is_set():
                for each in open_.values():
                    self.notify("notifications/cancelled", requestId=each.id, reason="the call is given up")
                raise Cancelled
        return {key: each.answer.get("result", {"error": each.answer.get("error")}) for key, each in open_.items()}


class Open:
    """A question."""

    def __init__(self, number):
        self.id, self.answer, self.is_answered = number, {}, threading.Event()


class LegacySession:
    """One client. `say`: what belongs to no request of it."""

    def __init__(self, server, say):
        self.server, self.say, self.level, self.uris, self.calls = server, say, "debug", set(), {}
        self._open, self._last, self._lock = {}, 0, threading.Lock()

    def ask(self, request, send):
        with self._lock:
            self._last += 1
            asked = self._open[f"ask-{self._last}"] = Open(f"ask-{self._last}")
        send({"jsonrpc": "2.0", "id": asked.id, **request})
        return asked

    def receive(self, message, send):
        """Returns when a request is answered, so it wants a thread of its own."""
        self.server.record("received", message=message)
        if "method" not in message:
            return self._take_answer(message)
        if "id" in message:
            return self._answer(message, send)
        call = self.calls.get((message.get("params") or {}).get("requestId"))
        if message["method"] == "notifications/cancelled" and call:
            call.cancelled.set()
        return None

    def _take_answer(self, message):
        self.server.record("response", message=message)
        asked = self._open.pop(message["id"], None)
        if asked:
            asked.answer.update(message)
            asked.is_answered.set()

    def _answer(self, message, send):
        call = self.calls[message["id"]] = LegacyCall(self, message, send)
        try:
            send({"jsonrpc": "2.0", "id": message["id"], "result": self.server.result_of(self, call, message["method"])})
        except Refusal as refusal:
            send({"jsonrpc": "2.0", "id": message["id"], "error": refusal.error()})
        except Cancelled:
            self.server.record("cancelled", id=message["id"])
        finally:
            self.calls.pop(message["id"])

    def end(self):
        """The client has left."""
        for call in list(self.calls.values()):
            call.cancelled.set()


class LegacyServer:
    def __init__(self, record, catalogue, revision=None):
        self.record, self.catalogue, self.revision, self.sessions = record, catalogue, revision, []
        catalogue.server = self

    def begin(self, say):
        self.sessions.append(LegacySession(self, say))
        return self.sessions[-1]

    def result_of(self, session, call, method):
        catalogue, params = self.catalogue, call.params
        known = {
            "initialize": lambda: self._initialize(params),
            "ping": dict,
            "tools/list": lambda: {"tools": self._definitions(), "_meta": {"com.example/list": ODD}},
            "tools/call": lambda: self._result(catalogue.call(call, params.get("name"))),
            "resources/list": lambda: {"resources": catalogue.resources()},
            "resources/templates/list": lambda: {"resourceTemplates": catalogue.templates()},
            "resources/read": lambda: self._read(call),
            "resources/subscribe": lambda: session.uris.add(params["uri"]) or {},
            "resources/unsubscribe": lambda: session.uris.discard(params["uri"]) or {},
            "prompts/list": lambda: {"prompts": catalogue.prompts()},
            "prompts/get": lambda: catalogue.prompt(call, params.get("name")),
            "completion/complete": lambda: {"completion": {"values": catalogue.completions(params), "hasMore": False}},
            "logging/setLevel": lambda: setattr(session, "level", params["level"]) or {},
            "custom/echo": lambda: {"echo": params},
        }
        if method not in known:
            raise Refusal(-32601, f"Method not found: {method}", {"asked": method})
        return known[method]()

    def _initialize(self, params):
        return {"protocolVersion": self.revision or params["protocolVersion"], "capabilities": CAPABILITIES, "instructions": "Zwölf.",
                "serverInfo": {"name": "bridged", "version": "1", "unknown": ODD}, "unknown": ODD}

    def _definitions(self):
        """As this era has them: one says how it can be run, and what they promise is an object."""
        tools = [{**tool, "execution": {"taskSupport": "optional"}} if tool["name"] == "echo" else tool for tool in self.catalogue.tool_definitions()]
        return [tool for tool in tools if tool.get("outputSchema", OBJECT)["type"] == "object"]

    @staticmethod
    def _result(result):
        return {name: value for name, value in result.items() if name != "resultType"}

    def _read(self, call):
        try:
            return self.catalogue.read(call, call.params.get("uri"))
        except Refusal as refusal:
            raise Refusal(-32002, str(refusal), refusal.data) from None

    # ---- changes

    def changed(self, kind):
        for session in self.sessions:
            session.say({"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed"})

    def updated(self, uri):
        for session in self.sessions:
            if uri in session.uris:
                session.say({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})
