"""A client of revision 2026-07-28 whose servers ask in the middle of calls: its own call is answered with the question (`input_required`), and the
same run goes on when it calls again with the answer. Over stdio and HTTP, with servers of either era."""

import json
import os

from support.case import Case, WITHOUT_POOL
from support.config import journal_in
from support.http_client import HttpServer, ModernClient
from support.modern_child import ModernChild
from support.paths import CHILD, PYTHON
from support.plain_client import meta
from support.run import ToolAnswer

ABLE = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
FORM = {"message": "What is your name?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}
ASK = "return await callMCPTool('kid', 'ask', %s)"
ASK_FORM = ASK % json.dumps({"method": "elicitation/create", "params": FORM})
BOB = {"action": "accept", "content": {"name": "Bob"}}


def legacy_kid(world):
    command, *options = PYTHON
    return {"command": command, "args": [*options, str(CHILD.parent / "asking_child.py"), "--journal", journal_in(world.root).path]}


class StdioWire:
    def __init__(self, server):
        self.server = server

    def call(self, params):
        return self.server.answer(self.server.ask("tools/call", params)).message


class HttpWire:
    """Each call on a connection of its own: the token says whose it is."""

    def __init__(self, server, token):
        self.client = ModernClient(server, token=token)

    def call(self, params):
        return self.client.begin("tools/call", params).message()


class ParkedCase(Case):
    def legacy(self, **settings):
        world = self.world()
        return world.configure(user={"kid": {**legacy_kid(world), **settings}})

    def modern(self):
        kid = ModernChild()
        self.addCleanup(kid.close)
        return self.world(user={"kid": {"type": "http", "url": kid.url}})

    def over_stdio(self, world, env=None):
        return StdioWire(self.start(world=world, revision=None, env={**WITHOUT_POOL, **(env or {})}))

    def over_http(self, world, *names):
        secrets = [self.made(world, name) for name in names or ("laptop",)]
        server = HttpServer(world=world, env=WITHOUT_POOL)
        self.addCleanup(server.stop)
        wires = [HttpWire(server, secret) for secret in secrets]
        for wire in wires:
            self.addCleanup(wire.client.close)
        return wires if names else wires[0]

    def made(self, world, name):
        made = world.command("token", "new", name)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def call(self, wire, code, abilities=None, name="run-typescript-code", more=None, **arguments):
        params = {"name": name, "arguments": {"code": code, **arguments}, "_meta": meta(capabilities=ABLE if abilities is None else abilities)}
        return wire.call({**params, **(more or {})})

    def parked(self, wire, code, **options):
        asked = self.call(wire, code, **options)
        self.assertEqual(asked.get("result", {}).get("resultType"), "input_required", asked)
        return asked["result"]

    def come_back(self, wire, code, asked, said, **options):
        """`said`: of each question by its method; None: it is left out."""
        answers = {key: said(request) for key, request in asked["inputRequests"].items()}
        more = {"requestState": asked["requestState"], "inputResponses": {key: value for key, value in answers.items() if value is not None}}
        return self.call(wire, code, more=more, **options)

    def done(self, answer):
        self.assertEqual(answer.get("result", {}).get("resultType"), "complete", answer)
        return self.succeed(ToolAnswer(answer["result"], 0)).result

    def refused(self, answer, *words):
        self.assertEqual(answer.get("error", {}).get("code"), -32602, answer)
        for word in words:
            self.assertIn(word, answer["error"]["message"])


class Combinations(ParkedCase):
    """Everything a server may ask, of a modern client."""

    def everything(self, wire):
        """Of a server of the earlier era, which asks in mid-call."""
        questions = {"elicitation/create": (FORM, BOB), "roots/list": (None, {"roots": [{"uri": "file:///p"}]}),
                     "sampling/createMessage": ({"messages": [{"role": "user", "content": {"type": "text", "text": "Capital?"}}], "maxTokens": 9},
                                                {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}})}
        for method, (params, answer) in questions.items():
            code = ASK % json.dumps({"method": method, **({"params": params} if params else {})})
            asked = self.parked(wire, code)
            [request] = asked["inputRequests"].values()
            self.assertEqual(request["method"], method)
            self.assertEqual(self.done(self.come_back(wire, code, asked, lambda _: answer))["got"], answer)

    def rounds(self, wire):
        """Of one that is modern itself."""
        code = "return await callMCPTool('kid', 'ask_twice', {})"
        first = self.parked(wire, code)
        second = self.come_back(wire, code, first, lambda _: BOB)["result"]
        self.assertEqual(second["resultType"], "input_required", second)
        self.assertEqual(self.done(self.come_back(wire, code, second, lambda _: {"action": "decline"})),
                         'accept {"name": "Bob", "polite": true}, decline null')

    def test_stdio_and_a_legacy_server(self):
        self.everything(self.over_stdio(self.legacy()))

    def test_http_and_a_legacy_server(self):
        self.everything(self.over_http(self.legacy()))

    def test_stdio_and_a_modern_server(self):
        self.rounds(self.over_stdio(self.modern()))

    def test_http_and_a_modern_server(self):
        self.rounds(self.over_http(self.modern()))


class States(ParkedCase):
    def setUp(self):
        self.wire = self.over_stdio(self.legacy())

    def test_what_is_asked_names_who_asks(self):
        asked = self.parked(self.wire, ASK_FORM)
        [request] = asked["inputRequests"].values()
        self.assertEqual(request["params"]["message"], "[MCP server 'kid', tool 'ask'] What is your name?")
        self.assertNotIn("kid", asked["requestState"])
        self.done(self.come_back(self.wire, ASK_FORM, asked, lambda _: BOB))

    def test_an_address_that_a_server_wants_visited_first(self):
        """Its error (-32042) becomes a question like any other."""
        code = "return await callMCPTool('kid', 'guarded', {says: 'complete'})"
        asked = self.parked(self.wire, code)
        [visit] = asked["inputRequests"].values()
        self.assertEqual((visit["params"]["mode"], visit["params"]["url"]), ("url", "https://example.com/visit?n=1"))
        self.assertNotIn("elicitationId", visit["params"])
        self.assertEqual(self.done(self.come_back(self.wire, code, asked, lambda _: {"action": "accept"})), "let in")

    def test_a_model_is_asked_with_the_name_of_who_asks(self):
        code = ASK % json.dumps({"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 9}})
        [request] = self.parked(self.wire, code)["inputRequests"].values()
        self.assertEqual(request["params"], {"messages": [], "maxTokens": 9, "_meta": {"code-executor/askedBy": {"server": "kid", "tool": "ask"}}})

    def test_a_tampered_state(self):
        asked = self.parked(self.wire, ASK_FORM)
        for state in (asked["requestState"][:-1] + ("A" if asked["requestState"][-1] != "A" else "B"), asked["requestState"][1:], "", "x" * 64, "é", 7,
                      "x" * 100_000):
            self.refused(self.come_back(self.wire, ASK_FORM, {**asked, "requestState": state}, lambda _: BOB))
        self.assertEqual(self.done(self.come_back(self.wire, ASK_FORM, asked, lambda _: BOB))["got"], BOB)

    def test_a_state_is_good_once(self):
        asked = self.parked(self.wire, ASK_FORM)
        self.done(self.come_back(self.wire, ASK_FORM, asked, lambda _: BOB))
        self.refused(self.come_back(self.wire, ASK_FORM, asked, lambda _: BOB))

    def test_another_tool_and_other_arguments(self):
        asked = self.parked(self.wire, ASK_FORM)
        self.refused(self.come_back(self.wire, ASK_FORM, asked, lambda _: BOB, name="run-python-code"))
        self.refused(self.come_back(self.wire, ASK_FORM + " ", asked, lambda _: BOB))
        self.refused(self.come_back(self.wire, ASK_FORM, asked, lambda _: BOB, timeoutMs=5_000))
        self.done(self.come_back(self.wire, ASK_FORM, asked, lambda _: BOB))

    def test_answers_without_a_state_start_nothing(self):
        before = self.call(self.wire, "return 1", more={"inputResponses": {"q1": BOB}})
        self.refused(before)

    def test_missing_answers_are_asked_for_again_and_others_ignored(self):
        asked = self.parked(self.wire, ASK_FORM)
        again = self.come_back(self.wire, ASK_FORM, asked, lambda _: None)["result"]
        self.assertEqual((again["resultType"], again["inputRequests"]), ("input_required", asked["inputRequests"]))
        more = {"requestState": again["requestState"], "inputResponses": {**{key: BOB for key in again["inputRequests"]}, "other": {"action": "accept"}}}
        self.assertEqual(self.done(self.call(self.wire, ASK_FORM, more=more))["got"], BOB)

    def test_several_at_once(self):
        code = "return (await Promise.all([1, 2, 3].map(() => callMCPTool('kid', 'ask', %s)))).map(x => x.got.content.name)" % json.dumps(
            {"method": "elicitation/create", "params": FORM})
        answer = self.call(self.wire, code)
        for _ in range(3):
            if answer["result"]["resultType"] == "complete":
                break
            answer = self.come_back(self.wire, code, answer["result"], lambda _: BOB)
        self.assertEqual(self.done(answer), ["Bob"] * 3)

    def test_a_client_that_can_not_be_asked(self):
        answer = self.call(self.wire, ASK_FORM, abilities={})
        self.assertEqual(self.done(answer)["got"], {"action": "decline"})


class Away(ParkedCase):
    def test_a_parked_run_gives_its_place_to_others(self):
        wire = self.over_stdio(self.legacy(), env={"POOL_MAX_CONCURRENT": "1"})
        asked = self.parked(wire, ASK_FORM)
        self.assertEqual(self.done(self.call(wire, "return 2")), 2)
        self.assertEqual(self.done(self.come_back(wire, ASK_FORM, asked, lambda _: BOB))["got"], BOB)

    def test_the_result_of_a_run_that_did_not_wait_is_kept(self):
        world = self.legacy()
        path = os.path.join(world.root, "settings.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"runs": {"questionTimeoutMs": 1_000}}, file)
        wire = self.over_stdio(world, env={"CODE_EXECUTOR_CONFIG_PATH": path})
        asked = self.parked(wire, ASK_FORM)
        journal_in(world.root).wait("response")
        self.assertEqual(self.done(self.come_back(wire, ASK_FORM, asked, lambda _: BOB))["got"], {"action": "cancel"})

    def test_a_server_that_ends_while_the_client_is_away(self):
        wire = self.over_stdio(self.legacy())
        self.parked(wire, ASK_FORM)
        wire.server.stop()


class Others(ParkedCase):
    def test_a_state_of_another_client(self):
        one, other = self.over_http(self.legacy(), "one", "other")
        asked = self.parked(one, ASK_FORM)
        self.refused(self.come_back(other, ASK_FORM, asked, lambda _: BOB))
        self.assertEqual(self.done(self.come_back(one, ASK_FORM, asked, lambda _: BOB))["got"], BOB)

    def test_two_clients_on_one_server_over_stdio(self):
        """It does not say which call it means: nobody is asked for the other's."""
        one, other = self.over_http(self.legacy(), "one", "other")
        asked = self.parked(one, ASK_FORM)
        self.assertEqual(self.done(self.call(other, ASK_FORM))["got"], {"action": "decline"})
        self.assertEqual(self.done(self.come_back(one, ASK_FORM, asked, lambda _: BOB))["got"], BOB)
