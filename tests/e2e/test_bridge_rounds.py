"""Several questions of one call through a bridge, in one go and one after the other; several calls at once; and clients that can not be asked."""

import concurrent.futures
import itertools
import json

from support.bridge_case import BridgeCase, PAIRS, SERVER_KINDS
from support.bridged import HTTP, LEGACY, MODERN, STDIO
from support.paths import binary
from test_bridge_table import ASKED, FORM


class Together(BridgeCase):
    """Several questions of one call, in one go and one after the other."""

    def test_in_one_go(self):
        asked = {kind: {"method": method, **({"params": params} if params else {})} for kind, (method, params, _) in ASKED.items()}
        good = {kind: answer for kind, (*_, answer) in ASKED.items()}

        def play(client, target):
            call, kinds = client.call("questions", {"asked": asked}), []
            while len(kinds) < len(asked):  # what a legacy server asks a moment later comes in another round
                questions = call.questions()
                keys, found = [each.key for each in questions], [self.kind_of(each) for each in questions]
                if client.era == MODERN:
                    numbers = range(len(kinds) + 1, len(kinds) + len(found) + 1)
                    self.assertEqual(keys, [f"q{number}" for number in numbers] if target.era == LEGACY else list(asked))
                kinds += found
                call.answer_all({key: good[kind] for key, kind in zip(keys, found)})
            self.assertEqual(sorted(kinds), sorted(asked))
            self.same(json.loads(call.outcome()["result"]["content"][0]["text"])["got"], good)
        self.each(PAIRS, play)

    @staticmethod
    def kind_of(asked):
        return next(kind for kind, (method, params, _) in ASKED.items()
                    if method == asked.method and (params or {}).get("mode") == (asked.params or {}).get("mode"))

    def test_what_is_left_out_is_asked_again(self):
        """And what nobody has asked for is no answer."""
        asked = {kind: {"method": ASKED[kind][0], "params": ASKED[kind][1]} for kind in ("form", "url")}

        def play(client, _):
            call = client.call("questions", {"asked": asked})
            left_out = call.questions()[-1]
            self.answer(call, without=[left_out.key])
            self.assertIn(left_out.key, [each.key for each in call.questions()])
            while call.outcome()["result"]["resultType"] == "input_required":
                self.answer(call, without=[])
            got = json.loads(call.outcome()["result"]["content"][0]["text"])["got"]
            self.assertEqual(got, {"form": {"action": "decline"}, "url": {"action": "cancel"}})
        self.each([pair for pair in PAIRS if pair[0][0] == MODERN], play)

    def answer(self, call, without):
        """All that is asked but these."""
        actions = {"form": {"action": "decline"}, "url": {"action": "cancel"}}
        answers = {each.key: actions[self.kind_of(each)] for each in call.questions() if each.key not in without}
        call.answer_all({**answers, "other": {"action": "accept"}})

    def test_an_address_that_has_to_be_visited_first(self):
        """A server of the earlier era refuses the call until then (-32042), which later clients would take for an error."""
        visit = {"mode": "url", "url": "https://example.com/agree", "message": "Agree to it"}
        error = {"code": -32042, "message": "This needs an agreement", "data": {"elicitations": [{**visit, "elicitationId": "v1"}]}}

        def play(client, target):
            call = client.call("failure", error)
            [asked] = call.questions()
            self.assertEqual(asked.params, visit)
            call.answer(asked, {"action": "decline"})
            self.assertEqual(call.outcome()["error"], error)
            self.assertEqual(len(target.received("tools/call")), 1)
        self.each([pair for pair in PAIRS if pair[0][0] == MODERN and pair[1][0] == LEGACY], play)

    def test_calls_at_once(self):
        """Of one client. If the server does not say for which of them it asks, all of it may be asked in one; each gets what is its own."""
        def play(client, _):
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                names = [f"call {number}" for number in range(4)]
                self.assertEqual(list(pool.map(lambda name: self.told(client, name), names)), names)
        self.each([pair for pair in PAIRS if pair[0][0] == MODERN and pair[1][0] == LEGACY], play)

    @staticmethod
    def told(client, name):
        call = client.ask_for("elicitation/create", {**FORM, "message": name})
        while call.outcome().get("result", {}).get("resultType") == "input_required":
            call.answer_all({each.key: {"action": "accept", "content": {"name": each.params["message"]}} for each in call.questions()})
        got = json.loads(call.outcome()["result"]["content"][0]["text"])["got"]
        return name if "nobody can be asked" in json.dumps(got) else got.get("content", got).get("name", got)

    def test_one_after_the_other(self):
        """By a modern server, which may also want nothing but time, or never be content."""
        def play(client, _):
            call = client.call("ask_twice")
            for _ in range(2):
                [asked] = call.questions()
                call.answer(asked, {"action": "accept", "content": {"name": "Bob", "polite": False}})
            self.assertIn('accept {"name": "Bob", "polite": false}, accept', call.outcome()["result"]["content"][0]["text"])
            if client.era == LEGACY:
                self.assertEqual(client.call("state_only", {"rounds": 2}).outcome()["result"]["content"][0]["text"], "after 2 rounds")
                call = client.call("ask_for_ever")
                for _ in range(10):
                    [asked] = call.questions()
                    call.answer(asked, {"action": "decline"})
                self.assertIn("10 times", call.outcome()["error"]["message"])
        self.each([pair for pair in PAIRS if pair[1][0] == MODERN], play)

    def test_prompts_and_resources_may_ask_too(self):
        def play(client, _):
            for method, params in (("prompts/get", {"name": "asks"}), ("resources/read", {"uri": "test://asks"})):
                call = client.begin(method, params)
                [asked] = call.questions()
                self.assertEqual(asked.params["message"], "What is your name?")
                call.answer(asked, {"action": "decline"})
                self.assertIn("decline null", json.dumps(call.outcome()["result"]))
        self.each([pair for pair in PAIRS if pair[1][0] == MODERN], play)


class Behind(BridgeCase):
    def test_a_bridge_behind_a_bridge(self):
        """Whatever the first makes of a question, the second can take."""
        for kind, server in itertools.product(((LEGACY, STDIO), (MODERN, STDIO), (MODERN, HTTP)), SERVER_KINDS):
            with self.subTest(f"{kind} client, {server} server"):
                client = self.client_of(kind, ["--", binary(), "bridge", *self.target_of(server).words])
                for method, params, good in ASKED.values():
                    call = client.ask_for(method, params)
                    [asked] = call.questions()
                    call.answer(asked, good)
                    self.same(json.loads(call.outcome()["result"]["content"][0]["text"])["got"], good)


class Unable(BridgeCase):
    """Clients that have not said that they can be asked."""

    def test_a_modern_client(self):
        def play(client, target):
            if target.era == MODERN:
                for kind, wanted in (("form", {"elicitation": {"form": {}}}), ("url", {"elicitation": {"url": {}}}), ("sampling", {"sampling": {}})):
                    error = client.ask_for(*ASKED[kind][:2]).outcome()["error"]
                    self.assertEqual((error["code"], error["data"]["requiredCapabilities"]), (-32021, wanted))
                return
            for kind, instead in (("form", {"action": "decline"}), ("url", {"action": "decline"}), ("roots", {"roots": []})):
                self.assertEqual(json.loads(client.ask_for(*ASKED[kind][:2]).outcome()["result"]["content"][0]["text"])["got"], instead)
            error = client.ask_for(*ASKED["sampling"][:2]).outcome()["error"]
            self.assertEqual((error["code"], error["data"]), (-32021, {"requiredCapabilities": {"sampling": {}}}))
            self.assertEqual(target.journal.wait("response", 4)[-1]["message"]["error"]["code"], -32601)
        self.each([pair for pair in PAIRS if pair[0][0] == MODERN], play, can={})

    def test_a_legacy_client(self):
        """Before a server of its era that asks all the same it says so itself."""
        def play(client, target):
            call = client.ask_for(*ASKED["sampling"][:2])
            if target.era == MODERN:
                error = call.outcome()["error"]
                self.assertEqual((error["code"], error["data"]["requiredCapabilities"]), (-32021, {"sampling": {}}))
                return
            [asked] = call.questions()
            call.refuse(asked, {"code": -32601, "message": "Method not found"})
            self.assertEqual(json.loads(call.outcome()["result"]["content"][0]["text"])["got"]["error"]["code"], -32601)
        self.each([pair for pair in PAIRS if pair[0][0] == LEGACY], play, can={})
