"""What comes through a bridge besides answers: progress, logs, changes of lists and resources, and the word that a request is given up."""

import json

from support.bridge_case import BridgeCase, FEW_PAIRS, PAIRS, text_of
from support.bridge_clients import CLIENTS, next_of
from support.bridged import HTTP, LEGACY, MODERN, STDIO
from support.paths import CHILD, PYTHON
from support.waiting import wait_until

META = "io.modelcontextprotocol/"
SUBSCRIPTION = META + "subscriptionId"
LISTS = {"tools": "toolsListChanged", "prompts": "promptsListChanged", "resources": "resourcesListChanged"}
WATCHED, OTHER = "test://wätched/%20", "test://other"


class Stream:
    """What came before the answer to one request, and the answer. Of a client on stdio: by what `fits`."""

    def __init__(self, client, method, params, fits, request_id="the request"):
        self.client, self.fits, self.id = client, fits, request_id
        if client.era == MODERN:
            given = params.pop("_meta", {})
            params = {**params, "_meta": {**client.envelope()["_meta"], **given}}
        if client.transport == HTTP:
            self.exchange = client.http.begin(method, params, request_id=request_id)
        else:
            self.first = len(client.bridge.received)
            client.bridge.ask(method, params, request_id=request_id)
        self._events = None

    def next(self):
        if self.client.transport == STDIO:
            return self._next_of_stdio()
        if self._events is None:
            is_stream = self.exchange.type == "text/event-stream"
            self._events = (event.message() for event in self.exchange.events() if event.data) if is_stream else iter(self.exchange.messages())
        return next(self._events)

    def _next_of_stdio(self):
        bridge = self.client.bridge

        def is_its(message):
            return self.fits(message) if "method" in message else message.get("id") == self.id
        self.first, message = next_of(bridge, self.first, is_its, f"message of request {self.id}")
        return message

    def all(self):
        out = [self.next()]
        while "method" in out[-1]:
            out.append(self.next())
        return out

    def leave(self):
        """Gives the request up, in the way of its era."""
        if self.client.transport == HTTP and self.client.era == MODERN:
            return self.exchange.leave()
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": self.id, "reason": "changed my mind"}}
        return self.client.bridge.send(told) if self.client.transport == STDIO else self.client._say(told)


def is_method(*names):
    return lambda message: message["method"] in names


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


class Progress(BridgeCase):
    def test_with_the_token_of_the_client(self):
        def play(client, _):
            for token in ("Zwölf", "", 0, 7, 2 ** 53 + 1):
                params = {**call("progress", steps=3), "_meta": {"progressToken": token}}
                *told, answer = Stream(client, "tools/call", params, is_method("notifications/progress"), f"of {token}").all()
                self.same([each["params"] for each in told],
                          [{"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"} for step in (1, 2, 3)])
                self.assertEqual(answer["result"]["content"][0]["text"], "3 steps")
        self.each(PAIRS, play)

    def test_without_a_token_nothing_is_told(self):
        def play(client, _):
            self.assertEqual(len(Stream(client, "tools/call", call("progress", steps=3), is_method("notifications/progress")).all()), 1)
        self.each(FEW_PAIRS, play)

    def test_two_clients_with_one_token(self):
        """Each hears of its own."""
        for kind in ((LEGACY, HTTP), (MODERN, HTTP)):
            for server in ((LEGACY, STDIO), (MODERN, HTTP)):
                with self.subTest(f"{kind} client, {server} server"):
                    bridge = self.bridge_to(self.target_of(server), HTTP)
                    streams = [Stream(CLIENTS[kind](bridge), "tools/call", {**call("progress", steps=steps, ms=20), "_meta": {"progressToken": "t"}},
                                      is_method("notifications/progress")) for steps in (2, 4)]
                    self.assertEqual([[each["params"]["total"] for each in stream.all()[:-1]] for stream in streams], [[2] * 2, [4] * 4])


class Given(BridgeCase):
    """Up."""

    def test_by_the_client(self):
        def play(client, target):
            stream = Stream(client, "tools/call", call("wait"), is_method())
            request = target.wait_received("tools/call")[-1]
            stream.leave()
            target.journal.wait("cancelled", id=request["id"])
            self.assertEqual(client.call("echo", {"message": "x"}).outcome()["result"]["content"][0]["text"], "x")
            if client.transport == STDIO:
                self.assertFalse(client.bridge.has_answer("the request"))
        self.each(PAIRS, play)

    def test_by_the_client_while_it_is_asked(self):
        """Nobody waits for its answer: the server hears of it, and so does who was asked."""
        def play(client, target):
            asked = client.ask_for("roots/list", None)
            [question] = asked.questions()
            asked.give_up()
            if target.era == LEGACY:
                target.journal.wait("cancelled")
            if client.transport == STDIO:
                withdrawn = client.bridge.wait_for(lambda: client.bridge.notifications("notifications/cancelled"), "withdrawal of the question")
                self.assertEqual(withdrawn[0].message["params"]["requestId"], question.key)
            asked.answer(question, {"roots": []})  # late
            other = CLIENTS[LEGACY, HTTP](client.bridge) if client.transport == HTTP else client
            self.assertIn("tools", other.get("tools/list") if client.transport == HTTP else client.bridge.request("tools/list"))
        self.each([(client, server) for client, server in PAIRS if client[0] == LEGACY], play)

    def test_a_question_by_the_server(self):
        """Of a client with a handshake: it is told so. Of one without: its call goes on, and there is nothing to answer."""
        command, *options = PYTHON
        words = ["--", command, *options, str(CHILD.parent / "asking_child.py")]
        client = CLIENTS[LEGACY, STDIO](self.bridge_to(words, STDIO))
        asked = client.call("ask", {"method": "roots/list"})
        [question] = asked.questions()
        client.bridge.ask("tools/call", call("withdraw"), request_id="withdraw")
        told = client.bridge.wait_for(lambda: client.bridge.notifications("notifications/cancelled"), "withdrawal")[0].message["params"]
        self.assertEqual(told, {"requestId": question.key, "reason": "not needed"})
        self.assertIn("withdrawn", json.dumps(client.bridge.answer(asked.id).message["result"]))
        modern = CLIENTS[MODERN, STDIO](self.bridge_to(words, STDIO))
        parked = modern.call("ask", {"method": "roots/list"})
        parked.questions()
        modern.call("withdraw")
        self.assertIn("withdrawn", json.dumps(parked.come_back({})["result"]))


class Logs(BridgeCase):
    def levels(self, client, params=None):
        stream = Stream(client, "tools/call", {**call("log"), **(params or {})}, is_method("notifications/message"), f"log {self.count}")
        self.count += 1
        return [each["params"]["level"] for each in stream.all()[:-1]]

    def setUp(self):
        self.count = 0

    def test_of_a_legacy_client(self):
        def play(client, target):
            if target.era == LEGACY:
                self.assertEqual(self.levels(client), ["debug", "info", "error"])
            self.assertEqual(client.get("logging/setLevel", {"level": "info"}), {})
            self.assertEqual(self.levels(client), ["info", "error"])
            client.get("logging/setLevel", {"level": "emergency"})
            self.assertEqual(self.levels(client), [])
        self.each([pair for pair in PAIRS if pair[0][0] == LEGACY], play)

    def test_of_a_modern_client(self):
        """Which says with each request what it wants of that."""
        def play(client, _):
            self.assertEqual(self.levels(client), [])
            for level, heard in (("error", ["error"]), ("debug", ["debug", "info", "error"]), ("info", ["info", "error"]), ("alert", [])):
                self.assertEqual(self.levels(client, {"_meta": {META + "logLevel": level}}), heard)
            self.assertEqual(self.levels(client), [])
        self.each([pair for pair in PAIRS if pair[0][0] == MODERN], play)

    def test_large_lines_are_heard_in_their_order_and_before_the_answer(self):
        """Over HTTP they are written elsewhere, the answer is not. Of a megabyte that is not read yet the rest would be left out."""
        for kind in ((LEGACY, HTTP), (MODERN, HTTP)):
            with self.subTest(kind):
                client = self.client_of(kind, self.target_of((LEGACY, STDIO)))
                params = {**call("log", bytes=140_000), "_meta": {META + "logLevel": "debug"}}
                if kind[0] == LEGACY:
                    client.get("logging/setLevel", {"level": "debug"})
                    del params["_meta"]
                told = Stream(client, "tools/call", params, is_method("notifications/message"), "large").all()
                self.assertEqual([each["params"]["level"] for each in told[:-1]], ["debug", "info", "error"])
                self.assertIn("logged", json.dumps(told[-1]["result"]))

    def test_a_level_that_there_is_not(self):
        """Before a server that can say so itself."""
        client = self.client_of((LEGACY, STDIO), self.target_of((MODERN, STDIO)))
        answer = client.begin("logging/setLevel", {"level": "loud"}).outcome()
        self.assertEqual(answer.get("error", {}).get("code"), -32602, answer)
        self.assertIn("tools", client.get("tools/list"))


class Others(BridgeCase):
    """Notifications that nobody here knows."""

    ODD = {"com.example/odd": [1.0, 12345678901234567890, None, "Zwölf \u0000"]}

    def test_of_the_server(self):
        """To a client of the same era. What only has a meaning before 2026-07-28 is nothing to a client of that revision."""
        def play(client, _):
            for method in ("notifications/com.example/thing", "notifications/elicitation/complete"):
                *told, _ = Stream(client, "tools/call", call("notify", method=method, params=self.ODD), is_method(method), method).all()
                self.same([each["params"] for each in told], [self.ODD] if client.era == LEGACY else [])
        self.each([(client, server) for client, server in PAIRS if server[0] == LEGACY], play)

    def test_of_the_client(self):
        """A server of 2026-07-28 over HTTP takes none, and one over stdio only what the revision has."""
        def play(client, target):
            for method in ("notifications/roots/list_changed", "notifications/com.example/thing"):
                client.call("echo", {"message": "before"}).outcome()
                told = {"jsonrpc": "2.0", "method": method, "params": self.ODD}
                client.bridge.send(told) if client.transport == STDIO else client._say(told)
                if target.era == LEGACY:
                    self.same(target.wait_received(method)[-1], told)
            client.call("echo", {"message": "after"}).outcome()
        self.each([pair for pair in PAIRS if pair[0][0] == LEGACY], play)


class Changes(BridgeCase):
    def change(self, client, **what):
        client.call("change", what).outcome()

    def listener(self, client, wanted, request_id):
        def is_its(message):
            return text_of(message.get("params", {}).get("_meta", {}).get(SUBSCRIPTION)) == text_of(request_id)
        stream = Stream(client, "subscriptions/listen", {"notifications": wanted}, is_its, request_id)
        first = stream.next()
        self.assertEqual(first["method"], "notifications/subscriptions/acknowledged")
        self.same(first["params"]["_meta"][SUBSCRIPTION], request_id)
        self.assertEqual(first["params"]["notifications"], wanted)
        return stream

    def test_for_modern_clients(self):
        def play(client, target):
            everything = self.listener(client, {**{name: True for name in LISTS.values()}, "resourceSubscriptions": [WATCHED]}, "Zwölf")
            tools = self.listener(client, {"toolsListChanged": True}, 2 ** 40)
            self.listening_at(target, 2)
            for kind in LISTS:
                self.change(client, kind=kind)
                self.assert_told(everything, f"notifications/{kind}/list_changed", {})
            self.change(client, uri=OTHER)
            self.change(client, uri=WATCHED)
            self.assert_told(everything, "notifications/resources/updated", {"uri": WATCHED})
            self.change(client, kind="tools")
            for _ in range(2):  # and nothing of the rest
                self.assert_told(tools, "notifications/tools/list_changed", {})
            tools.leave()
            everything.leave()
            self.no_listener_at(target)
        self.each([pair for pair in PAIRS if pair[0][0] == MODERN], play)

    def listening_at(self, target, count):
        if target.era == MODERN:
            target.journal.wait("listening", count)
        else:
            target.wait_received("resources/subscribe")

    def no_listener_at(self, target):
        if target.era == MODERN:
            target.journal.wait("listening_ended", 2)
        else:
            self.assertEqual(target.wait_received("resources/unsubscribe")[0]["params"], {"uri": WATCHED})

    def assert_told(self, stream, method, params):
        told = stream.next()
        self.assertEqual(told["method"], method)
        self.same({name: value for name, value in told["params"].items() if name != "_meta"}, params)
        self.same(told["params"]["_meta"][SUBSCRIPTION], stream.id)

    def test_for_legacy_clients(self):
        def play(client, target):
            heard = self.heard(client)
            self.assertEqual(client.get("resources/subscribe", {"uri": WATCHED}), {})
            if target.era == MODERN:
                wait_until(lambda: [WATCHED] in self.watched(target), "subscription at the server")
            for kind in LISTS:
                self.change(client, kind=kind)
                self.assertEqual(heard()["method"], f"notifications/{kind}/list_changed")
            self.change(client, uri=OTHER)
            self.change(client, uri=WATCHED)
            told = heard()
            self.assertEqual((told["method"], told["params"]), ("notifications/resources/updated", {"uri": WATCHED}))
            self.assertEqual(client.get("resources/unsubscribe", {"uri": WATCHED}), {})
            if target.era == MODERN:
                wait_until(lambda: not self.watched(target)[-1], "less to listen to")
            self.change(client, uri=WATCHED)
            self.change(client, kind="tools")
            self.assertEqual(heard()["method"], "notifications/tools/list_changed")
        self.each([pair for pair in PAIRS if pair[0][0] == LEGACY], play)

    @staticmethod
    def watched(target):
        """Resources that are listened to, by streams."""
        return [each["notifications"].get("resourceSubscriptions") for each in target.journal.events("listening")]

    def heard(self, client):
        """What tells the next change."""
        if client.transport == HTTP:
            events = client.http.listen().events()
            return lambda: next(event for event in events if event.data).message()
        place = [0]

        def is_change(message):
            return message.get("method", "").endswith(("list_changed", "updated"))

        def next_change():
            place[0], message = next_of(client.bridge, place[0], is_change, "change")
            return message
        return next_change

    def test_a_subscription_that_the_server_ends(self):
        """Of 2026-07-28: so it does for the client."""
        for kind in ((MODERN, STDIO), (MODERN, HTTP)):
            with self.subTest(kind):
                target = self.target_of((MODERN, HTTP))
                client = self.client_of(kind, target)
                stream = self.listener(client, {"toolsListChanged": True}, "ends")
                client.call("end_listening").outcome()
                answer = stream.next()
                self.assertEqual((answer["id"], answer["result"]["resultType"]), ("ends", "complete"))
                self.assertEqual(answer["result"]["_meta"][SUBSCRIPTION], "ends")

    def test_subscriptions_end_in_order_with_the_bridge(self):
        for server in ((LEGACY, STDIO), (MODERN, HTTP)):
            with self.subTest(server):
                client = self.client_of((MODERN, STDIO), self.target_of(server))
                self.listener(client, {"toolsListChanged": True}, "open")
                self.assertEqual(client.bridge.end("eof")[0], 0)
                answer = client.bridge.answer("open").message
                self.assertEqual(answer["result"]["_meta"][SUBSCRIPTION], "open")

    def test_what_a_server_does_not_declare_is_not_acknowledged(self):
        command, *options = PYTHON
        client = CLIENTS[MODERN, STDIO](self.bridge_to(["--", command, *options, str(CHILD)], STDIO))  # only tools change
        wanted = {"promptsListChanged": True, "toolsListChanged": True, "resourceSubscriptions": [OTHER]}
        stream = Stream(client, "subscriptions/listen", {"notifications": wanted},
                        is_method("notifications/subscriptions/acknowledged"))
        self.assertEqual(stream.next()["params"]["notifications"], {"toolsListChanged": True})
