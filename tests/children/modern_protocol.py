"""An MCP server of revision 2026-07-28 without a transport: strict, and it records whatever a client does that the revision does not allow.

`record(event, **details)` is told: call, cancelled, deviation, input_required, input_responses, listening, listening_ended, refused, request.
"""

import base64
import hashlib
import hmac
import json
import os
import threading

REVISION = "2026-07-28"
LEGACY_REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
PREFIX = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, CLIENT, LOG_LEVEL = (PREFIX + name for name in ("protocolVersion", "clientCapabilities", "clientInfo", "logLevel"))
SUBSCRIPTION = PREFIX + "subscriptionId"
REMOVED = {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tasks/list", "tasks/result"}
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
CHANGES = {"tools": "toolsListChanged", "prompts": "promptsListChanged", "resources": "resourcesListChanged"}
POLL_SECONDS = 0.02


class Refusal(Exception):
    """Becomes a JSON-RPC error. `status`: of HTTP. `deviation`: what the client has done wrong, if it has."""

    def __init__(self, code, message, data=None, status=200, deviation=None):
        super().__init__(message)
        self.code, self.data, self.status, self.deviation = code, data, status, deviation

    def error(self):
        return {"code": self.code, "message": str(self), **({"data": self.data} if self.data is not None else {})}


class InputRequired(Exception):
    """Raised by a tool. `state`: what it wants to have back; None: no requestState, and the next round knows of nothing."""

    def __init__(self, requests=None, state=None):
        super().__init__()
        self.requests, self.state = requests or {}, state


class Cancelled(Exception):
    """Nobody waits for the answer any more."""


def wrong(message, deviation=None, code=-32602):
    return Refusal(code, message, status=400, deviation=deviation or message)


def meta_of(message):
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def claim(message):
    """The revision that a message says it is of; None: it is of an older one."""
    return meta_of(message).get(VERSION)


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class Exchange:
    """A request in flight. Transports say how to `send` a notification that belongs to it, and whether its client `is_gone`."""

    def __init__(self, server, message):
        self.server, self.id, self.method = server, message["id"], message["method"]
        self.params = message.get("params") or {}
        self.meta = meta_of(message)
        self.capabilities = self.meta.get(CAPABILITIES) or {}
        self.state, self.responses, self.round = None, {}, 0  # of rounds of input
        self.cancelled, self.ended = threading.Event(), threading.Event()

    def send(self, message):
        raise NotImplementedError

    def is_gone(self):
        return False

    def tools(self):
        """Which of them this client may see."""
        return self.server.catalogue.tool_definitions()

    def cut(self):
        """Breaks the transport before the answer."""
        raise NotImplementedError

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def progress(self, done, total, message):
        if "progressToken" in self.meta:
            self.notify("notifications/progress", progressToken=self.meta["progressToken"], progress=done, total=total, message=message)

    def log(self, level, data):
        least = self.meta.get(LOG_LEVEL)
        if least and LEVELS.index(level) >= LEVELS.index(least):
            self.notify("notifications/message", level=level, logger="modern", data=data)

    def wait(self, seconds=None):
        """Until then, or until the client gives up: raises Cancelled."""
        waited = 0.0
        while seconds is None or waited < seconds:
            if self.cancelled.is_set() or self.is_gone():
                raise Cancelled
            if self.ended.wait(POLL_SECONDS):
                return
            waited += POLL_SECONDS


class ModernServer:
    """`catalogue`: modern_catalogue.Catalogue. `refuse_first`: so many requests are answered with -32022 first, whatever they say."""

    def __init__(self, record, catalogue, *, name="modern", versions=(REVISION,), page_size=None, ttl_ms=60_000, cache_scope="private",
                 refuse_first=0, instructions=None):
        self.record, self.catalogue, self.name, self.versions = record, catalogue, name, list(versions)
        self.page_size, self.ttl_ms, self.cache_scope = page_size, ttl_ms, cache_scope
        self.refuse_first, self.instructions = refuse_first, instructions
        self._key, self._listeners, self._lock = os.urandom(32), [], threading.Lock()

    # ---- before a request is carried out

    def deviation(self, text, **details):
        self.record("deviation", text=text, **details)

    def check_shape(self, message):
        """What kind of message: "request" or "notification"."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise wrong("Invalid Request", "no JSON-RPC message, or a batch", -32600)
        if "method" not in message:
            raise wrong("Invalid Request", "a response, which clients do not send any more", -32600)
        if not isinstance(message["method"], str) or not isinstance(message.get("params", {}), dict):
            raise wrong("Invalid Request", "method is no text, or params no object", -32600)
        if "id" not in message:
            return "notification"
        if isinstance(message["id"], bool) or not isinstance(message["id"], (str, int)):
            raise wrong("Invalid Request", "id is neither text nor an integer", -32600)
        return "request"

    def check_claim(self, message):
        method, version = message["method"], claim(message)
        if version is None:
            if method == "initialize":
                requested = (message.get("params") or {}).get("protocolVersion")
                raise Refusal(-32022, "Unsupported protocol version: this server is of " + REVISION, {"supported": self.versions, "requested": requested},
                              400, "initialize")
            raise wrong(f"{method} without _meta[{VERSION}]")
        if not isinstance(version, str):
            raise wrong(f"_meta[{VERSION}] is no text")
        self._check_client(meta_of(message), method)

    def _check_client(self, meta, method):
        capabilities = meta.get(CAPABILITIES)
        if not isinstance(capabilities, dict):
            raise wrong(f"{method} without _meta[{CAPABILITIES}]")
        bad = [name for name in ("roots", "sampling", "elicitation", "extensions") if not isinstance(capabilities.get(name, {}), dict)]
        if bad:
            raise wrong(f"capabilities that are no objects: {bad}")
        if capabilities.get("roots"):
            self.deviation("the capability roots has members")
        client = meta.get(CLIENT, {"name": "", "version": ""})
        if not isinstance(client, dict) or not isinstance(client.get("name"), str) or not isinstance(client.get("version"), str):
            raise wrong(f"_meta[{CLIENT}] has no name or no version")
        if meta.get(LOG_LEVEL, "info") not in LEVELS:
            raise wrong(f"_meta[{LOG_LEVEL}] is no level")
        if isinstance(meta.get("progressToken", 0), bool) or not isinstance(meta.get("progressToken", 0), (str, int)):
            raise wrong("progressToken is neither text nor an integer")
        if SUBSCRIPTION in meta or PREFIX + "serverInfo" in meta:
            self.deviation("a request with _meta of servers", method=method)

    def check_version(self, message):
        requested = claim(message)
        if self.refuse_first > 0:
            self.refuse_first -= 1
            raise Refusal(-32022, "Unsupported protocol version", {"supported": self.versions, "requested": requested}, 400)
        if requested == REVISION and message["method"] == "server/discover":
            return  # also of a server that then names older revisions only
        if requested != REVISION or REVISION not in self.versions:
            raise Refusal(-32022, "Unsupported protocol version", {"supported": self.versions, "requested": requested}, 400)

    def check_method(self, message):
        method = message["method"]
        if method not in self._methods():
            deviation = f"{method}, which was removed" if method in REMOVED else f"{method}, which nobody knows"
            raise Refusal(-32601, f"Method not found: {method}", status=404, deviation=deviation)

    def refused(self, refusal, message):
        """Writes down what was not carried out."""
        method = message.get("method") if isinstance(message, dict) else None
        self.record("refused", code=refusal.code, message=str(refusal), method=method)
        if refusal.deviation:
            self.deviation(refusal.deviation, method=method)

    # ---- requests

    def _methods(self):
        catalogue = self.catalogue
        return {
            "server/discover": self._discover,
            "tools/list": lambda exchange: self._page(exchange, "tools", exchange.tools()),
            "resources/list": lambda exchange: self._page(exchange, "resources", catalogue.resources()),
            "resources/templates/list": lambda exchange: self._page(exchange, "resourceTemplates", catalogue.templates()),
            "prompts/list": lambda exchange: self._page(exchange, "prompts", catalogue.prompts()),
            "tools/call": self._call,
            "prompts/get": lambda exchange: self._with_rounds(exchange, "name", catalogue.prompt),
            "resources/read": self._read,
            "completion/complete": lambda exchange: {"completion": {"values": catalogue.completions(exchange.params), "hasMore": False}},
            "subscriptions/listen": self._listen,
        }

    def result_of(self, exchange):
        """Raises Refusal and Cancelled."""
        self.record("request", method=exchange.method, id=exchange.id)
        result = self._methods()[exchange.method](exchange)
        if result.get("resultType", "") is None:  # of a server that forgets it
            result = {name: value for name, value in result.items() if name != "resultType"}
        else:
            result = {"resultType": "complete", **result}
        return {**result, "_meta": {PREFIX + "serverInfo": {"name": self.name, "version": "1"}, **result.get("_meta", {})}}

    def _hints(self):
        return {"ttlMs": self.ttl_ms, "cacheScope": self.cache_scope}

    def _discover(self, _exchange):
        capabilities = {"tools": {"listChanged": True}, "resources": {"listChanged": True, "subscribe": True}, "prompts": {"listChanged": True},
                        "completions": {}, "logging": {}}
        instructions = {"instructions": self.instructions} if self.instructions else {}
        return {"supportedVersions": self.versions, "capabilities": capabilities, **instructions, **self._hints()}

    def _page(self, exchange, name, items):
        cursor = exchange.params.get("cursor")
        size = self.page_size or max(1, len(items))
        known = {f"page-{start}": start for start in range(size, len(items), size)}
        if cursor is not None and cursor not in known:
            raise Refusal(-32602, f"Invalid cursor: {cursor}", deviation="a cursor that was not given")
        start = known.get(cursor, 0)
        following = {"nextCursor": f"page-{start + size}"} if start + size < len(items) else {}
        return {name: items[start:start + size], **following, **self._hints()}

    def _call(self, exchange):
        name, arguments = exchange.params.get("name"), exchange.params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise wrong("tools/call: name is no text, or arguments no object")
        self.record("call", tool=name, id=exchange.id, arguments=arguments, meta=exchange.meta)
        return self._with_rounds(exchange, "name", self.catalogue.call)

    def _read(self, exchange):
        result = self._with_rounds(exchange, "uri", self.catalogue.read)
        return result if result.get("resultType") == "input_required" else {**result, **self._hints()}

    # ---- rounds of input

    def _with_rounds(self, exchange, key, run):
        subject = {name: value for name, value in exchange.params.items() if name not in ("_meta", "inputResponses", "requestState")}
        self._open(exchange, subject)
        try:
            return run(exchange, exchange.params.get(key))
        except InputRequired as asked:
            return self._ask(exchange, subject, asked)

    def _open(self, exchange, subject):
        params = exchange.params
        exchange.responses = params.get("inputResponses", {})
        if not isinstance(exchange.responses, dict):
            raise wrong("inputResponses is no object")
        if "requestState" in params:
            content = self._opened(params["requestState"])
            if content["subject"] != digest([exchange.method, subject]):
                raise wrong("Invalid requestState", "the parameters of a later round are others than those of the first one, or its state went astray")
            if exchange.id == content["id"]:
                raise wrong("Invalid Request", "a later round has the id of the one before", -32600)
            exchange.state, exchange.round = content["state"], content["round"]
            self._check_responses(exchange.responses, content["methods"])
        if exchange.responses:
            self.record("input_responses", id=exchange.id, round=exchange.round, responses=exchange.responses)

    def _seal(self, content):
        data = json.dumps(content).encode()
        return ".".join(base64.urlsafe_b64encode(each).decode() for each in (data, hmac.new(self._key, data, hashlib.sha256).digest()))

    def _opened(self, state):
        try:
            data, mac = (base64.urlsafe_b64decode(each) for each in state.split("."))
            if hmac.compare_digest(mac, hmac.new(self._key, data, hashlib.sha256).digest()):
                return json.loads(data)
        except (ValueError, AttributeError):
            pass
        raise wrong("Invalid requestState", "a requestState that was not given, or was changed")

    def _check_responses(self, responses, methods):
        for key, response in responses.items():
            method = methods.get(key)
            is_good = isinstance(response, dict) and {
                "elicitation/create": lambda each: each.get("action") in ("accept", "decline", "cancel") and isinstance(each.get("content", {}), dict),
                "sampling/createMessage": lambda each: {"role", "content", "model"} <= set(each),
                "roots/list": lambda each: isinstance(each.get("roots"), list),
                None: lambda each: True,  # nobody has asked for it: ignored
            }[method](response)
            if not is_good:
                raise wrong(f"inputResponses[{key}] is no answer to {method}")

    def _ask(self, exchange, subject, asked):
        missing = {}
        for request in asked.requests.values():
            missing.update(self._missing_capability(exchange.capabilities, request))
        if missing:
            raise Refusal(-32021, "The client lacks a capability", {"requiredCapabilities": missing}, 400)
        self.record("input_required", id=exchange.id, round=exchange.round, keys=sorted(asked.requests))
        result = {"resultType": "input_required", **({"inputRequests": asked.requests} if asked.requests else {})}
        if asked.state is not None:
            methods = {key: request["method"] for key, request in asked.requests.items()}
            result["requestState"] = self._seal({"subject": digest([exchange.method, subject]), "id": exchange.id, "round": exchange.round + 1,
                                                 "state": asked.state, "methods": methods})
        return result

    @staticmethod
    def _missing_capability(capabilities, request):
        name = request["method"].partition("/")[0]
        if name != "elicitation":
            return {} if name in capabilities else {name: {}}
        mode = request["params"].get("mode", "form")
        has = capabilities.get("elicitation")
        is_there = has is not None and (mode in has or (mode == "form" and not has))
        return {} if is_there else {"elicitation": {mode: {}}}

    # ---- changes

    def _listen(self, exchange):
        wanted = exchange.params.get("notifications")
        if not isinstance(wanted, dict):
            raise wrong("subscriptions/listen without notifications")
        known = {name: value for name, value in wanted.items() if (name in CHANGES.values() and value is True) or name == "resourceSubscriptions"}
        exchange.wanted = known
        with self._lock:  # first of all: no change may overtake it
            exchange.notify("notifications/subscriptions/acknowledged", notifications=known, _meta={SUBSCRIPTION: exchange.id})
            self._listeners.append(exchange)
        self.record("listening", id=exchange.id, notifications=wanted)
        try:
            exchange.wait()
        except Cancelled:
            self.record("listening_ended", id=exchange.id, how="by the client")
            raise
        finally:
            with self._lock:
                self._listeners.remove(exchange)
        self.record("listening_ended", id=exchange.id, how="by the server")
        return {"_meta": {SUBSCRIPTION: exchange.id}}

    def listeners(self):
        with self._lock:
            return list(self._listeners)

    def _tell(self, is_for, method, **params):
        for exchange in self.listeners():
            if is_for(exchange.wanted):
                exchange.notify(method, **params, _meta={SUBSCRIPTION: exchange.id})

    def changed(self, kind):
        """`kind`: tools, prompts or resources."""
        self._tell(lambda wanted: wanted.get(CHANGES[kind]), f"notifications/{kind}/list_changed")

    def updated(self, uri):
        self._tell(lambda wanted: uri in wanted.get("resourceSubscriptions", ()), "notifications/resources/updated", uri=uri)

    def end_listening(self):
        for exchange in self.listeners():
            exchange.ended.set()
