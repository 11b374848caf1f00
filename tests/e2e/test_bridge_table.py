"""What a server asks in the middle of a call, through a bridge: clients and servers of either era over either transport, everything that may be
asked, and every way in which it can end. What there can not be is in a table, with its reason; the rest is played, row by row."""

import copy
import itertools
import json
import os
import random

from support.bridge_case import BridgeCase, text_of
from support.bridge_clients import CLIENTS
from support.bridged import HTTP, LEGACY, MODERN, STDIO
from support.waiting import wait_until

ERAS, TRANSPORTS = (LEGACY, MODERN), (STDIO, HTTP)
ODD = {"com.example/odd": [1.0, 12345678901234567890, None, "Zwölf \u0000"]}
FIELDS = {"name": {"type": "string", "x-odd": 1.0}, "age": {"type": "integer"}}
FORM = {"mode": "form", "message": "What is your näme?", "unknown": ODD,
        "requestedSchema": {"type": "object", "properties": FIELDS, "required": ["name"]}}
URL = {"mode": "url", "message": "Please agree there.", "url": "https://example.com/consent?ticket=7&x=%2F#y", "unknown": ODD}
MODEL = {"messages": [{"role": "user", "content": {"type": "text", "text": "Capital of France?"}}], "maxTokens": 100, "temperature": 1.0,
         "modelPreferences": {"hints": [{"name": "m"}], "unknown": ODD}, "metadata": ODD}
# By what is asked: method, parameters, and what somebody answers who means well.
ASKED = {
    "form": ("elicitation/create", FORM, {"action": "accept", "content": {"name": "Bøb", "age": 7, "more": ODD}, "_meta": ODD}),
    "url": ("elicitation/create", URL, {"action": "accept", "unknown": ODD}),
    "sampling": ("sampling/createMessage", MODEL,
                 {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m", "stopReason": "endTurn", "unknown": ODD}),
    "roots": ("roots/list", None, {"roots": [{"uri": "file:///p%20q", "name": "P", "_meta": ODD}], "unknown": ODD}),
}
REFUSAL = {"code": -1, "message": "User rejected it", "data": ODD}
ENDS = ("answered", "declined", "cancelled", "expired", "tampered", "gone")  # who is gone may take the bridge along

ASKS_BY_REQUEST = "a client with a handshake is asked by a request of its own, which has no state that could be old or changed"
NO_SUCH_CELL = [  # client's era, what is asked, how it ends, why there is no such cell
    (LEGACY, tuple(ASKED), "expired", ASKS_BY_REQUEST + "; how long it thinks is the server's matter"),
    (LEGACY, tuple(ASKED), "tampered", ASKS_BY_REQUEST),
    (LEGACY, ("sampling", "roots"), "cancelled", "only elicitation can be answered with `cancel`"),
    (MODERN, ("sampling", "roots"), "cancelled", "only elicitation can be answered with `cancel`"),
]
# Of cells that there are, but not as one might think.
READ_SO = [
    (MODERN, LEGACY, "declined: sampling, roots", "this revision has no errors as answers: the client comes back without the ability"),
    (MODERN, MODERN, "expired, tampered", "the state is the server's own: it reaches the server as it is, and so does its refusal the client"),
    (MODERN, MODERN, "gone", "the server has answered with its question: nobody waits for anything"),
    (MODERN, LEGACY, "gone, over HTTP", "who does not come back looks like who thinks: "
                                        "its call is parked until its time is over, or the bridge ends"),
]


def why_not(client, kind, end):
    return next((why for era, kinds, of, why in NO_SUCH_CELL if (era, of) == (client, end) and kind in kinds), None)


class Row:
    """One cell of the table: `test` is whose assertions it makes."""

    def __init__(self, test, client, target, kind):
        self.test, self.client, self.target, self.kind = test, client, target, kind
        self.method, self.params, self.good = ASKED[kind]
        if target.era == LEGACY and self.params is not None:  # what this era has besides
            self.params = {**self.params, "_meta": {"com.example/asked": ODD}, **({"elicitationId": f"e-{random.random()}"} if kind == "url" else {})}
        self.seen = len(self.told())

    def told(self):
        """What the server has got as answers, in order."""
        if self.target.era == LEGACY:
            return [each["message"] for each in self.target.journal.events("response")]
        return [each["responses"]["the key"] for each in self.target.journal.events("input_responses") if "the key" in each["responses"]]

    def same(self, found, expected):
        self.test.assertEqual(text_of(found), text_of(expected))

    def ask(self):
        self.call = self.client.ask_for(self.method, self.params)
        [self.asked] = self.call.questions()
        self._expect_question()
        return self

    def _expect_question(self):
        self.test.assertEqual(self.asked.method, self.method)
        expected = copy.deepcopy(self.params)
        if self.client.era == MODERN:
            self.test.assertEqual(self.asked.key, "q1" if self.target.era == LEGACY else "the key")
            if self.target.era == LEGACY and expected:
                expected.pop("_meta")
                expected.pop("elicitationId", None)
        elif self.target.era == MODERN and self.kind == "url":
            number = self.asked.params["elicitationId"]
            self.test.assertTrue(isinstance(number, str) and number, "every address that is opened has a name before 2026-07-28")
            expected["elicitationId"] = number
        self.same(self.asked.params or None, expected)

    def got(self):
        """What the tool says it was answered."""
        outcome = self.call.outcome()
        self.test.assertIn("result", outcome)
        return json.loads(outcome["result"]["content"][0]["text"])["got"]

    def error(self, code, *words):
        error = self.call.outcome().get("error", {})
        self.test.assertEqual(error.get("code"), code, self.call.outcome())
        for word in words:
            self.test.assertIn(word, error["message"])
        return error

    def server_got(self):
        wait_until(lambda: len(self.told()) > self.seen, "answer at the server")
        [answer] = self.told()[self.seen:]
        return answer

    def server_got_nothing(self):
        self.test.assertEqual(self.told()[self.seen:], [])

    # ---- the ends

    def answered(self, answer=None):
        answer = self.good if answer is None else answer
        self.call.answer(self.asked, answer)
        self.same(self.got(), answer)
        told = self.server_got()
        self.same(told["result"] if self.target.era == LEGACY else told, answer)

    def declined(self):
        if self.method == "elicitation/create":
            return self.answered({"action": "decline"})
        self.call.refuse(self.asked, REFUSAL)
        return self._refused_by_modern() if self.client.era == MODERN else self._refused_by_legacy()

    def _refused_by_modern(self):
        if self.target.era == MODERN:
            wanted = self.error(-32021)["data"]["requiredCapabilities"]
            self.same(wanted, {self.method.partition("/")[0]: {}})
            return self.server_got_nothing()
        told = self.server_got()
        self.test.assertIn("without the capability", told["error"]["message"])
        return self.same(self.got(), {"error": told["error"]})

    def _refused_by_legacy(self):
        if self.target.era == LEGACY:
            self.same(self.server_got()["error"], REFUSAL)
            return self.same(self.got(), {"error": REFUSAL})
        if self.kind == "roots":  # of 2026-07-28 an answer is no error: there are none
            self.same(self.server_got(), {"roots": []})
            return self.same(self.got(), {"roots": []})
        self.error(-32603, REFUSAL["message"])
        return self.server_got_nothing()

    def cancelled(self):
        self.answered({"action": "cancel"})

    def expired(self):
        if self.target.era == MODERN:
            return self._refused_by_server("b2xk." + self.call.state.split(".")[1])  # whatever it once was
        heard = len(self.target.received("notifications/cancelled"))
        wait_until(lambda: len(self.target.received("notifications/cancelled")) > heard, "word to the server that nobody waits any more")
        wait_until(lambda: len(self.told()) > self.seen, "an error to the server that has asked")
        error = self.call.come_back({"q1": self.good}).get("error", {})
        self.test.assertEqual((error.get("code"), error.get("message")),
                              (-32602, "Invalid params: 'requestState' has expired: answers are waited for 1 second; call without it"))
        return self.test.assertEqual([each for each in self.told()[self.seen:] if "result" in each], [])

    def tampered(self):
        state = self.call.state
        other = state[:-2] + ("AA" if state[-2:] != "AA" else "BB")
        if self.target.era == MODERN:
            return self._refused_by_server(other)
        for wrong in (other, state[1:], "", "é", 7, None, "x" * 100_000):
            answer = self.call.come_back({"q1": self.good}, state={"object": wrong} if wrong is None else wrong)
            self.test.assertEqual(answer.get("error", {}).get("code"), -32602, answer)
        self.server_got_nothing()
        used = self.call.state
        self.answered()
        for state in (used, self.test.foreign_state()):
            answer = self.call_again(state)
            self.test.assertEqual(answer.get("error", {}).get("code"), -32602, answer)
        return self.test.assertEqual(len(self.told()), self.seen + 1, "nothing more reaches the server")

    def _refused_by_server(self, state):
        answer = self.call.come_back({"the key": self.good}, state=state)
        self.same(answer.get("error"), {"code": -32602, "message": "Invalid requestState"})
        self.test.assertEqual(self.target.received("tools/call")[-1]["params"]["requestState"], state)
        self.server_got_nothing()
        self.answered()

    def call_again(self, state):
        round_before = self.call.rounds[0]["result"]
        return self.client.begin("tools/call", {**{k: v for k, v in self.call.params.items() if k != "_meta"}, "requestState": state,
                                                "inputResponses": {key: self.good for key in round_before["inputRequests"]}}).outcome()


class Table(BridgeCase):
    """One test for each pair of a client and a server, with one bridge for all of its rows."""

    def foreign_state(self):
        """Of another bridge."""
        if not hasattr(self, "_foreign"):
            other = self.client_of((MODERN, STDIO), self.target_of((LEGACY, STDIO)))
            self._foreign = other.ask_for("roots/list", None).state
        return self._foreign

    def impatient(self, client):
        """A client of a bridge that waits for answers for a second only."""
        if not hasattr(self, "_impatient"):
            world = self.world()
            path = os.path.join(world.root, "settings.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"runs": {"questionTimeoutMs": 1_000}}, file)
            bridge = self.bridge_to(self.target, client[1], world=world, env={"CODE_EXECUTOR_CONFIG_PATH": path})
            self._impatient = CLIENTS[client](bridge)
        return self._impatient

    def play(self, client, server):
        self.target = self.target_of(server)
        self.bridge = self.bridge_to(self.target, client[1])
        self.client = CLIENTS[client](self.bridge)
        played = 0
        for end, kind in itertools.product(ENDS[:-1], ASKED):
            if why_not(client[0], kind, end):
                continue
            played += 1
            with self.subTest(f"{client} client, {server} server: {kind}, {end}"):
                is_waited_for = (client[0], server[0], end) == (MODERN, LEGACY, "expired")
                asker = self.impatient(client) if is_waited_for else self.client
                getattr(Row(self, asker, self.target, kind).ask(), end)()
        for kind in ASKED:
            played += 1
            with self.subTest(f"{client} client, {server} server: {kind}, client gone"):
                self.gone(client, server, kind)
        self.assertEqual(played + sum(bool(why_not(client[0], kind, end)) for kind in ASKED for end in ENDS), len(ASKED) * len(ENDS))
        self.assertEqual([each for each in self.target.deviations if "a requestState that was not given" not in each], [])

    # ---- clients that leave while they are asked

    def gone(self, client, server, kind):
        """Of a bridge on stdio there is one client; over HTTP there are others."""
        if client[1] == STDIO:
            self.bridge = self.bridge_to(self.target, client[1])
            leaving = Row(self, CLIENTS[client](self.bridge), self.target, kind).ask()
            code, _ = self.bridge.end("eof")
            self.assertEqual(code, 0, self.bridge.stderr())
        else:
            # A server on stdio does not say for whose call it asks: one that is parked would leave the next client without a question.
            bridge = self.bridge_to(self.target, client[1]) if client[0] == MODERN and server == (LEGACY, STDIO) else self.bridge
            leaving = Row(self, CLIENTS[client](bridge), self.target, kind).ask()
            leaving.client.leave()
            self.other_is_served(bridge, client)
        leaving.server_got_nothing()
        self.server_hears(client, server)

    def other_is_served(self, bridge, client):
        other = CLIENTS[client](bridge)
        self.assertEqual(other.call("echo", {"message": "still here"}).outcome()["result"]["content"][0]["text"], "still here")
        other.leave()

    def server_hears(self, client, server):
        if server == (LEGACY, HTTP) and client != (MODERN, HTTP):
            self.target.journal.wait("cancelled")
            self.target.journal.wait("deleted")
        if server[1] == STDIO and client[1] == STDIO:
            self.target.journal.wait("stdin_eof")


def test_of(client, server):
    def test(self):
        self.play(client, server)
    return test


for pair in itertools.product(itertools.product(ERAS, TRANSPORTS), repeat=2):
    (client_era, client_transport), (server_era, server_transport) = pair
    setattr(Table, f"test_a_{client_era}_client_over_{client_transport}_and_a_{server_era}_server_over_{server_transport}", test_of(*pair))


class Whole(BridgeCase):
    def test_every_cell_is_played_or_has_its_reason(self):
        cells = list(itertools.product(ERAS, ASKED, ENDS))
        impossible = [cell for cell in cells if why_not(*cell)]
        self.assertEqual((len(cells), len(impossible)), (48, 12))
        self.assertTrue(all(why for *_, why in NO_SUCH_CELL + READ_SO))
