"""Clients in front of a bridge, of either era and over either transport, which can all be told to do the same: call, hear what is asked, answer,
refuse, leave. What differs is in how they do it."""

import copy
import json
from typing import NamedTuple

from support.bridged import HTTP, LEGACY, MODERN, STDIO
from support.http_client import HttpServer, LegacyClient, ModernClient
from support.paths import binary
from support.person import ALL
from support.plain_client import headers_for, meta
from support.server import Server

CAN_ALL = {**ALL, "roots": {}}


class Asked(NamedTuple):
    key: object   # id of the request, or the name among several
    method: str
    params: object  # None: there were none


class StdioBridge(Server):
    def __init__(self, words, **options):
        super().__init__(argv=[binary(), "bridge", *words], revision=None, **options)


class HttpBridge(HttpServer):
    """`clients` are closed when it is stopped."""

    def __init__(self, words, **options):
        self.clients = []
        super().__init__(verb="bridge", target=words, **options)

    def stop(self):
        for client in self.clients:
            client.close()
        super().stop()


def next_of(bridge, first, fits, what):
    """Of what a bridge has said on stdout, from that place on: the place behind the first message that fits, and the message."""
    def found():
        places = (place for place in range(first, len(bridge.received)) if fits(bridge.received[place].message))
        return next(places, -1) + 1
    behind = bridge.wait_for(found, what)
    return behind, bridge.received[behind - 1].message


# ---- calls that are on their way -----------------------------------------------------------------

class ModernCall:
    """`send(params)` gives the whole answer to that round."""

    def __init__(self, send, method, params):
        self._send, self.method, self.params = send, method, params
        self.rounds = [send(method, params)]

    def outcome(self):
        return self.rounds[-1]

    def questions(self):
        result = self.outcome().get("result", {})
        if result.get("resultType") != "input_required":
            raise AssertionError(f"nothing was asked: {json.dumps(self.outcome())[:2000]}")
        return [Asked(key, each["method"], each.get("params")) for key, each in result["inputRequests"].items()]

    @property
    def state(self):
        return self.outcome()["result"]["requestState"]

    def come_back(self, answers, state=None, can=None, send=None):
        """The answer to that round, which is not the one that counts unless it is kept (`answer`)."""
        params = {**copy.deepcopy(self.params), "inputResponses": answers, "requestState": self.state if state is None else state}
        if can is not None:
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = can
        return (send or self._send)(self.method, params)

    def answer(self, asked, result):
        self.answer_all({asked.key: result})

    def answer_all(self, answers):
        self.rounds.append(self.come_back(answers))

    def refuse(self, _asked, _error):
        """The only way there is: to have lost the ability."""
        self.rounds.append(self.come_back({}, can={}))


class LegacyCall:
    """`listen()`: the next message that belongs to it; `say(message)`: sends one."""

    def __init__(self, listen, say, request_id):
        self._listen, self._say, self.id = listen, say, request_id
        self._outcome = None

    def _next(self):
        """Notifications are left out."""
        while True:
            message = self._listen()
            if "method" not in message or "id" in message:
                return message

    def outcome(self):
        if self._outcome is None:
            self._outcome = self._next()
        return self._outcome

    def questions(self):
        """The next one: each comes by itself."""
        found = self._next()
        if "method" not in found:
            raise AssertionError(f"nothing was asked: {json.dumps(found)[:2000]}")
        return [Asked(found["id"], found["method"], found.get("params"))]

    def answer(self, asked, result):
        self._say({"jsonrpc": "2.0", "id": asked.key, "result": result})

    def answer_all(self, answers):
        for key, result in answers.items():
            self._say({"jsonrpc": "2.0", "id": key, "result": result})

    def refuse(self, asked, error):
        self._say({"jsonrpc": "2.0", "id": asked.key, "error": error})

    def give_up(self):
        self._say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": self.id, "reason": "changed my mind"}})


# ---- clients -------------------------------------------------------------------------------------

class _Client:
    def envelope(self):
        """What the parameters of a request need besides, of requests that are not made here."""
        return {"_meta": meta(capabilities=self.can)} if self.era == MODERN else {}

    def ask_for(self, method, asked, **call):
        """A call of the tool that asks that."""
        return self.call("question", {"method": method, **({} if asked is None else {"params": asked})}, **call)

    def call(self, tool, arguments=None, **options):
        return self.begin("tools/call", {"name": tool, "arguments": arguments or {}}, **options)

    def get(self, method, params=None):
        answer = self.begin(method, params or {}).outcome()
        if "result" not in answer:
            raise AssertionError(f"{method} was answered with an error: {answer}")
        return answer["result"]


class ModernOverStdio(_Client):
    era, transport = MODERN, STDIO

    def __init__(self, bridge, can=None):
        self.bridge, self.can = bridge, CAN_ALL if can is None else can

    def _send(self, method, params):
        return self.bridge.answer(self.bridge.ask(method, params)).message

    def begin(self, method, params, **more):
        return ModernCall(self._send, method, {**params, "_meta": {**meta(capabilities=self.can), **more}})

    def leave(self):
        self.bridge.end("eof")


class ModernOverHttp(_Client):
    """Each round on a connection of its own, as clients may. `tools`: definitions, of those that have headers for arguments."""

    era, transport = MODERN, HTTP
    tools = ()

    def __init__(self, bridge, can=None, token=None):
        self.bridge, self.can, self.http = bridge, CAN_ALL if can is None else can, ModernClient(bridge, token=token)
        bridge.clients.append(self.http)

    def send(self, method, params):
        headers = headers_for({"method": method, "params": params}, self.tools)
        asked = self.http.begin(method, params, headers={name: value for name, value in headers.items() if name.startswith("Mcp-Param-")})
        try:
            return asked.message()
        finally:
            asked.leave()

    def begin(self, method, params, **more):
        return ModernCall(self.send, method, {**params, "_meta": {**meta(capabilities=self.can), **more}})

    def leave(self):
        self.http.close()


class LegacyOverStdio(_Client):
    era, transport = LEGACY, STDIO

    def __init__(self, bridge, can=None, revision="2025-11-25"):
        self.bridge = bridge
        self.hello = bridge.request("initialize", {"protocolVersion": revision, "capabilities": CAN_ALL if can is None else can,
                                                   "clientInfo": {"name": "bridged", "version": "1"}})
        bridge.notify("notifications/initialized")

    def begin(self, method, params, **more):
        """One call at a time: whatever is said by itself belongs to it."""
        bridge, place = self.bridge, [len(self.bridge.received)]
        request_id = bridge.ask(method, {**params, **({"_meta": more} if more else {})})

        def listen():
            place[0], message = next_of(bridge, place[0], lambda each: "method" in each or each.get("id") == request_id, f"message for {method}")
            return message
        return LegacyCall(listen, bridge.send, request_id)

    def leave(self):
        self.bridge.end("eof")


class LegacyOverHttp(_Client):
    era, transport = LEGACY, HTTP

    def __init__(self, bridge, can=None, token=None, **options):
        self.bridge, self.http = bridge, LegacyClient(bridge, capabilities=CAN_ALL if can is None else can, token=token, **options)
        bridge.clients.append(self.http)
        self.hello = self.http.opening["result"]
        self._open = []

    def _say(self, message):
        told = self.http.post(message)
        if told.status != 202:
            raise AssertionError(f"{message} was answered with {told.status}: {told.body()[:2000]}")
        told.leave()

    def begin(self, method, params, **more):
        exchange = self.http.begin(method, {**params, **({"_meta": more} if more else {})})
        messages = []  # made when it is first read: that waits for the answer

        def listen():
            if not messages:
                messages.append(self._messages(exchange))
            return next(messages[0])
        self._open.append(exchange)
        return LegacyCall(listen, self._say, exchange.request_id)

    @staticmethod
    def _messages(exchange):
        if exchange.type == "text/event-stream":
            for event in exchange.events():
                if event.data:
                    yield event.message()
        else:
            yield json.loads(exchange.body())
        raise AssertionError(f"the stream has ended ({exchange.status}) without an answer")

    def leave(self):
        """With its session."""
        for exchange in self._open:
            exchange.leave()
        told = self.http.delete()
        status = told.status
        self.http.close()
        return status


CLIENTS = {(MODERN, STDIO): ModernOverStdio, (MODERN, HTTP): ModernOverHttp, (LEGACY, STDIO): LegacyOverStdio, (LEGACY, HTTP): LegacyOverHttp}
BRIDGES = {STDIO: StdioBridge, HTTP: HttpBridge}
