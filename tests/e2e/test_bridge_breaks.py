"""What breaks behind a bridge and in front of it: servers that end, are silent, say too much or what is no message; clients that leave or do not
read. Requests get their answers all the same, nothing is left, and the bridge says why it ends."""

import json
import os
import signal
import threading
import time

from support import processes
from support.bridge_case import BridgeCase
from support.bridge_clients import CLIENTS, StdioBridge
from support.bridged import HTTP, LEGACY, MODERN, STDIO
from support.paths import CHILD, is_sanitized, PYTHON, SLOWNESS
from support.server import END_SECONDS
from support.waiting import wait_until

MEBIBYTE = 1 << 20
LARGE_BYTES = 16 * MEBIBYTE
CLIENTS_ON_STDIO = ((LEGACY, STDIO), (MODERN, STDIO))
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
STUBBORN = ("--ignore-stdin-eof", "--ignore-sigterm", "--grandchild")
# Ends when it is asked for anything.
EXITS = "import sys; sys.stdin.readline(); print('no licence', file=sys.stderr); sys.exit(3)"
# Answers the handshake, and then writes without end, or does not read.
AFTER_HANDSHAKE = """
import json, sys, time
message = json.loads(sys.stdin.readline())
while message["method"] != "initialize":
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
    message = json.loads(sys.stdin.readline())
said = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": said}), flush=True)
"""
FLOODS = AFTER_HANDSHAKE + """
for number in range(%d):
    print(json.dumps(%s), flush=number %% 100 == 0)
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "tools/list":
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": []}}), flush=True)
"""
DEAF = AFTER_HANDSHAKE + "time.sleep(600)"


def child(*flags):
    command, *options = PYTHON
    return ["--", command, *options, str(CHILD), *flags]


def script(text):
    command, *options = PYTHON
    return ["--", command, *options, "-c", text]


class Patient(StdioBridge):
    """Reads only while it `reads`."""

    def __init__(self, words, **options):
        self.reads = threading.Event()
        self.reads.set()
        super().__init__(words, **options)

    def _before_line(self):
        self.reads.wait()


class BreakCase(BridgeCase):
    def text_of_call(self, client, tool, arguments=None):
        return client.call(tool, arguments).outcome()["result"]["content"][0]["text"]

    def expect_memory(self, bridge, most):
        if not is_sanitized():  # which keeps what was freed
            self.assertLess(processes.resident_bytes(bridge.process.pid), most)

    def expect_end(self, bridge, *words):
        """By itself, and not in order."""
        self.assertEqual(bridge.wait_end(60), 1, bridge.stderr())
        for word in words:
            self.assertIn(word, bridge.stderr())
        bridge._has_ended = True  # as it should


class ServersThatEnd(BreakCase):
    def test_at_the_first_request(self):
        for kind in CLIENTS_ON_STDIO:
            with self.subTest(kind):
                bridge = self.bridge_to(script(EXITS), STDIO)
                for _ in range(2):  # each is another attempt
                    if kind[0] == LEGACY:
                        answer = bridge.exchange("initialize", HELLO)
                    else:
                        answer = CLIENTS[kind](bridge).begin("tools/list", {}).outcome()
                    self.assertEqual(answer["error"]["code"], -32603)
                    self.assertIn("no licence", answer["error"]["message"])
                    self.assertIn("3", answer["error"]["message"])

    def test_no_such_program(self):
        bridge = self.bridge_to(["--", "no-such-command-4711"], STDIO)
        answer = CLIENTS[MODERN, STDIO](bridge).begin("tools/list", {}).outcome()
        self.assertIn("no-such-command-4711", answer["error"]["message"])

    def test_in_mid_call_before_a_legacy_client(self):
        """Which can not go on: its session is gone."""
        bridge = self.bridge_to(child(), STDIO)
        client = CLIENTS[LEGACY, STDIO](bridge)
        waiting = bridge.ask("tools/call", {"name": "sleep", "arguments": {"ms": 60_000}})
        dying = bridge.ask("tools/call", {"name": "die", "arguments": {"code": 7}})
        for each in (waiting, dying):
            error = bridge.answer(each).message["error"]
            self.assertEqual(error["code"], -32603)
            self.assertIn("7", error["message"])
        self.expect_end(bridge, "python", "7", "dying on request")
        self.assertIn("serverInfo", client.hello)

    def test_in_mid_call_before_a_modern_client(self):
        """Which knows of no session: its next call has another process."""
        client = CLIENTS[MODERN, STDIO](self.bridge_to(child(), STDIO))
        first = json.loads(self.text_of_call(client, "pid"))["pid"]
        self.assertIn("dying on request", client.call("die", {"code": 7}).outcome()["error"]["message"])
        self.assertNotEqual(json.loads(self.text_of_call(client, "pid"))["pid"], first)

    def test_in_mid_call_over_http(self):
        """The session is over, and the other clients go on."""
        bridge = self.bridge_to(child(), HTTP)
        one, other, modern = CLIENTS[LEGACY, HTTP](bridge), CLIENTS[LEGACY, HTTP](bridge), CLIENTS[MODERN, HTTP](bridge)
        self.assertIn("dying on request", one.call("die", {"code": 7}).outcome()["error"]["message"])
        wait_until(lambda: one.http.status_of("tools/list") == 404, "end of the session")
        self.assertEqual(self.text_of_call(other, "echo", {"text": "x"}), "x")
        self.assertIn("dying on request", modern.call("die", {"code": 7}).outcome()["error"]["message"])
        self.assertEqual(self.text_of_call(modern, "echo", {"text": "x"}), "x")
        self.assertEqual(self.text_of_call(CLIENTS[LEGACY, HTTP](bridge), "echo", {"text": "x"}), "x")

    def test_a_closed_stdout(self):
        bridge = self.bridge_to(child("--hangs-up"), STDIO)
        CLIENTS[LEGACY, STDIO](bridge)
        asked = bridge.ask("tools/call", {"name": "hang", "arguments": {}})
        self.assertEqual(bridge.answer(asked).message["error"]["code"], -32603)
        self.expect_end(bridge)

    def test_while_its_question_waits(self):
        """At a client of 2026-07-28: who comes back hears that the server is gone."""
        target = self.target_of((LEGACY, STDIO))
        client = self.client_of((MODERN, STDIO), target)
        asked = client.ask_for("roots/list", None)
        [question] = asked.questions()
        os.kill(target.journal.events("started")[0]["pid"], signal.SIGKILL)
        error = wait_until(lambda: self.error_of_return(asked, question), "error of the call")
        self.assertIn("python", error["message"])
        self.assertEqual(client.call("echo", {"message": "x"}).outcome()["result"]["content"][0]["text"], "x")

    @staticmethod
    def error_of_return(asked, question):
        return asked.come_back({question.key: {"roots": []}}).get("error")


class ServersThatAreOdd(BreakCase):
    def test_one_that_never_answers_initialize(self):
        """The client may ask the bridge, and leave, all the same."""
        bridge = self.bridge_to(child("--hang-initialize"), STDIO)
        bridge.ask("initialize", HELLO)
        self.assertEqual(bridge.request("ping"), {})
        code, seconds = bridge.end("eof")
        self.assertEqual(code, 0, bridge.stderr())
        self.assertLess(seconds, END_SECONDS * SLOWNESS)

    def test_one_that_refuses_the_handshake(self):
        for kind in CLIENTS_ON_STDIO:
            with self.subTest(kind):
                bridge = self.bridge_to(child("--initialize-error"), STDIO)
                is_legacy = kind[0] == LEGACY
                answer = bridge.exchange("initialize", HELLO) if is_legacy else CLIENTS[kind](bridge).begin("tools/list", {}).outcome()
                self.assertIn("licence of this server has expired", answer["error"]["message"])

    def test_text_on_stdout(self):
        for kind in CLIENTS_ON_STDIO:
            with self.subTest(kind):
                client = CLIENTS[kind](self.bridge_to(child("--banner"), STDIO))
                self.assertEqual(self.text_of_call(client, "garbage_then_answer"), "answered after all")
                client.bridge.wait_for(lambda bridge=client.bridge: "Listening on port 8080" in bridge.stderr(), "a word on the text")

    def test_broken_answers(self):
        """Each of these is an error of its call, and of no other."""
        client = CLIENTS[LEGACY, STDIO](self.bridge_to(child(), STDIO))
        for tool in ("broken_json", "invalid_utf8", "no_result"):
            with self.subTest(tool):
                self.assertEqual(client.call(tool).outcome()["error"]["code"], -32603)
        self.assertEqual(self.text_of_call(client, "twice"), "first answer")
        self.assertEqual(self.text_of_call(client, "echo", {"text": "x"}), "x")
        lost = client.call("wrong_id")
        self.assertEqual(self.text_of_call(client, "echo", {"text": "x"}), "x")
        lost.give_up()
        self.assertFalse(client.bridge.has_answer(lost.id))

    def test_answers_with_ids_of_other_kinds(self):
        client = CLIENTS[LEGACY, STDIO](self.bridge_to(child(), STDIO))
        for wrong in ('"@id"', "null", "true", "[@id]", "@id.5", "-@id", "1e400", "{}"):
            call = client.call("raw_answer", {"line": '{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}' % wrong})
            call.give_up()
        self.assertEqual(self.text_of_call(client, "echo", {"text": "x"}), "x")

    def test_two_questions_of_one_id(self):
        client = self.client_of((LEGACY, STDIO), child())
        question = '{"jsonrpc":"2.0","id":"same","method":"roots/list"}'
        call = client.call("raw_answer", {"line": question + "\n" + question})
        [asked] = call.questions()
        call.answer(asked, {"roots": []})
        self.assertEqual(client.bridge.request("ping"), {})
        self.assertEqual(sum(b'"roots/list"' in each.line for each in client.bridge.received), 1)

    def test_large_results(self):
        for kind in ((LEGACY, STDIO), (MODERN, HTTP), (LEGACY, HTTP)):
            with self.subTest(kind):
                client = self.client_of(kind, child())
                self.assertEqual(len(self.text_of_call(client, "big", {"bytes": LARGE_BYTES})), LARGE_BYTES)

    def test_a_flood_of_notifications(self):
        """Those that nobody has to have may be left out, and the answers come."""
        note = '{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 100}}'
        for kind in CLIENTS_ON_STDIO:
            with self.subTest(kind):
                client = CLIENTS[kind](self.bridge_to(script(FLOODS % (50_000, note)), STDIO))
                self.assertEqual(client.bridge.request("ping"), {})
                asked = client.bridge.ask("tools/list", {} if kind[0] == LEGACY else client.envelope())
                self.assertEqual(client.bridge.answer(asked).message["result"]["tools"], [])
                self.expect_memory(client.bridge, 300 * MEBIBYTE)

    def test_a_flood_of_questions(self):
        """A client is asked so much at once, and no more; its own requests are answered."""
        question = '{"jsonrpc": "2.0", "id": number, "method": "roots/list"}'
        client = CLIENTS[LEGACY, STDIO](self.bridge_to(script(FLOODS % (5_000, question)), STDIO))
        asked = client.bridge.ask("tools/list", {}, request_id="list")
        self.assertEqual(client.bridge.answer(asked).message["result"]["tools"], [])
        self.assertLessEqual(sum(b'"roots/list"' in each.line for each in client.bridge.received), 200)

    def test_one_that_does_not_read(self):
        """What it has not taken is refused when it is too much, and the bridge ends in time."""
        client = CLIENTS[LEGACY, STDIO](self.bridge_to(script(DEAF), STDIO))
        asked = [client.bridge.ask("tools/call", {"name": "x", "arguments": {"text": "x" * (8 * MEBIBYTE)}}) for _ in range(12)]
        self.assertEqual(client.bridge.request("ping"), {})
        self.expect_memory(client.bridge, 600 * MEBIBYTE)
        code, seconds = client.bridge.end("eof")
        self.assertEqual((code, len(asked)), (0, 12))
        self.assertLess(seconds, END_SECONDS * SLOWNESS)


class ClientsThatAreOdd(BreakCase):
    def test_what_is_no_message(self):
        """Is told, and reaches no server."""
        target = self.target_of((LEGACY, STDIO))
        client = self.client_of((LEGACY, STDIO), target)
        before = len(target.wait_received("notifications/initialized")) + len(target.received("initialize"))
        for line, code in ((b"garbage", -32700), (b"{", -32700), (b"\xff\xfe", -32700), (b"7", -32600), (b"{}", -32600), (b"[]", -32600),
                           (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32600), (b'{"jsonrpc":"1.0","method":7}', -32600)):
            client.bridge.send_line(line)
            self.assertEqual(client.bridge.anonymous_answer()["error"]["code"], code, line)
        client.bridge.send({"jsonrpc": "2.0", "id": 4711, "result": {}})  # of what nobody has asked
        self.assertEqual(self.text_of_call(client, "echo", {"message": "x"}), "x")
        self.assertEqual(len(target.received()), before + 1)

    def test_requests_before_the_handshake(self):
        bridge = self.bridge_to(child(), STDIO)
        self.assertEqual(bridge.exchange("tools/list")["error"]["code"], -32600)
        self.assertEqual(bridge.exchange("server/discover")["error"]["code"], -32601)
        self.assertEqual(bridge.request("ping"), {})
        self.assertEqual(CLIENTS[LEGACY, STDIO](bridge).hello["serverInfo"]["name"], "test-child")

    def test_clients_of_both_eras_in_one(self):
        """Each message says of which it is; the server is of one."""
        bridge = self.bridge_to(self.target_of((LEGACY, STDIO)), STDIO)
        modern = CLIENTS[MODERN, STDIO](bridge)
        self.assertIn("resultType", modern.get("tools/list"))
        legacy = CLIENTS[LEGACY, STDIO](bridge)
        self.assertNotIn("resultType", legacy.get("tools/list"))
        for client in (modern, legacy):
            self.assertEqual(self.text_of_call(client, "echo", {"message": "x"}), "x")


class Ends(BreakCase):
    def ends(self, words, how, play=lambda client: None, kinds=CLIENTS_ON_STDIO):
        for kind in kinds:
            with self.subTest(f"{kind} {how}"):
                bridge = self.bridge_to(words, STDIO)
                client = CLIENTS[kind](bridge)
                self.text_of_call(client, "echo", {"text": "x"})
                play(client)
                code, seconds = bridge.end(how)
                self.assertEqual(code, 0, bridge.stderr())
                self.assertLess(seconds, END_SECONDS * SLOWNESS)
                bridge.expect_no_leftovers()

    def test_the_client_leaves(self):
        self.ends(child(), "eof")

    def test_a_signal(self):
        self.ends(child(), signal.SIGTERM)
        self.ends(child(), signal.SIGINT)

    def test_the_client_leaves_in_mid_call(self):
        def play(client):
            client.bridge.send({"jsonrpc": "2.0", "id": "open", "method": "tools/call",
                                "params": {"name": "sleep", "arguments": {"ms": 60_000}, **client.envelope()}})
        self.ends(child(), "eof", play)

    def test_a_server_that_does_not_want_to_end(self):
        self.ends(child(*STUBBORN), "eof")
        self.ends(child(*STUBBORN), signal.SIGTERM, kinds=CLIENTS_ON_STDIO[:1])

    def test_a_bridge_that_nobody_has_used(self):
        """Starts no server."""
        target = self.target_of((LEGACY, STDIO))
        for how in ("eof", signal.SIGTERM):
            bridge = self.bridge_to(target, STDIO)
            self.assertEqual(bridge.exchange("ping")["result"], {})
            self.assertEqual(bridge.end(how)[0], 0)
        self.assertEqual(target.journal.events(), [])

    def test_over_http(self):
        bridge = self.bridge_to(child(*STUBBORN), HTTP)
        for kind in ((LEGACY, HTTP), (MODERN, HTTP)):
            self.text_of_call(CLIENTS[kind](bridge), "echo", {"text": "x"})
        code, seconds = bridge.end(signal.SIGTERM)
        self.assertEqual(code, 0, bridge.stderr())
        self.assertLess(seconds, END_SECONDS * SLOWNESS)
        bridge.expect_no_leftovers()

    def test_a_killed_bridge_leaves_no_server(self):
        bridge = self.bridge_to(child(), STDIO)
        self.text_of_call(CLIENTS[LEGACY, STDIO](bridge), "echo", {"text": "x"})
        self.assertEqual(bridge.end(signal.SIGKILL)[0], -signal.SIGKILL)
        bridge.expect_no_leftovers()

    def test_a_client_that_does_not_read(self):
        """Gets all when it reads at last; and it may leave without."""
        for leaves in (False, True):
            with self.subTest(leaves=leaves):
                bridge = Patient(child(), world=self.world())
                self.addCleanup(bridge.stop)
                CLIENTS[LEGACY, STDIO](bridge)
                bridge.reads.clear()
                asked = [bridge.ask("tools/call", {"name": "big", "arguments": {"bytes": 4 * MEBIBYTE}}) for _ in range(10)]
                if leaves:
                    started = time.monotonic()
                    bridge.close_stdin()
                    wait_until(lambda bridge=bridge: processes.find(bridge.process.pid) is None, "end of the bridge")
                    self.assertLess(time.monotonic() - started, END_SECONDS * SLOWNESS)
                bridge.reads.set()
                if not leaves:
                    self.assertTrue(all(len(bridge.answer(each).line) > 4 * MEBIBYTE for each in asked))
                bridge._has_ended = leaves
