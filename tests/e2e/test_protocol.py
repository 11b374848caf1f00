"""MCP over stdio as the specification has it: revisions, ping, initialize, progress, cancellation, batches."""

import json
import time

from support.case import Case, SharedServerCase
from support.config import child
from support.paths import SLOWNESS
from support.server import NEWEST, REVISIONS, World

# Which members of a tool each revision knows.
TOOL_MEMBERS = {
    "2024-11-05": {"name", "description", "inputSchema"},
    "2025-03-26": {"name", "description", "inputSchema", "annotations"},
    "2025-06-18": {"name", "description", "inputSchema", "annotations", "title", "outputSchema", "_meta"},
    "2025-11-25": {"name", "description", "inputSchema", "annotations", "title", "outputSchema", "_meta", "icons",
                   "execution"},
}

PROGRESS_INTERVAL_SECONDS = 0.1


class Initialize(Case):
    def start_uninitialized(self, servers=None, **options):
        return self.start(servers, revision=None, **options)

    def test_every_revision_is_echoed(self):
        for revision in REVISIONS:
            with self.subTest(revision):
                self.assertEqual(self.start_uninitialized().initialize(revision)["protocolVersion"], revision)

    def test_unknown_revision_is_answered_with_the_newest(self):
        for revision in ("1999-01-01", "2099-01-01", ""):
            with self.subTest(revision):
                self.assertEqual(self.start_uninitialized().initialize(revision)["protocolVersion"], NEWEST)

    def test_instructions_name_the_servers_that_the_user_trusts(self):
        world = World(trusts_project=False).configure(user={"my-github": child(), "db": child()}, project={"unknown": child()})
        self.addCleanup(world.remove)
        said = self.start(world=world, revision=None).initialize()["instructions"]
        self.assertTrue(said.endswith(" Servers: db, my-github"), said)

    def test_server_and_capabilities(self):
        result = self.start_uninitialized().initialize()
        self.assertEqual(result["serverInfo"]["name"], "code-executor")
        self.assertTrue(result["serverInfo"]["version"])
        self.assertEqual(list(result["capabilities"]), ["tools", "logging"])
        self.assertFalse(result["capabilities"]["tools"].get("listChanged", False))

    def test_revision_that_is_no_string(self):
        server = self.start_uninitialized()
        answer = server.exchange("initialize", {"protocolVersion": 5, "capabilities": {}, "clientInfo": {}})
        self.assertEqual(answer["error"]["code"], -32602)
        self.assertIn("protocolVersion", answer["error"]["message"])
        server.initialize()

    def test_ping_before_initialize(self):
        self.assertEqual(self.start_uninitialized().request("ping"), {})

    def test_other_requests_before_initialize_are_answered_in_order(self):
        server = self.start_uninitialized()
        answer = server.exchange("tools/list")
        self.assertTrue("result" in answer or answer["error"]["code"] == -32600, answer)
        server.initialize()
        server.request("tools/list")

    def test_is_answered_at_once_while_children_hang(self):
        journal = self.journal()
        server = self.start_uninitialized({"stuck": child("--hang-initialize", journal=journal),
                                           "late": child("--start-delay-ms", "20000")},
                                          env={"CONNECTED_SERVERS": "stuck,late"})
        started = time.monotonic()
        server.initialize()
        self.assertLess(time.monotonic() - started, 1 * SLOWNESS)
        journal.wait("started")
        self.assertEqual(server.request("ping"), {})


class Revisions(Case):
    def test_tools_have_no_member_their_revision_does_not_know(self):
        for revision in REVISIONS:
            with self.subTest(revision):
                server = self.start(revision=revision)
                for tool in server.request("tools/list")["tools"]:
                    self.assertLessEqual(set(tool), TOOL_MEMBERS[revision])

    def test_structured_content_from_2025_06_18_on(self):
        for revision in REVISIONS:
            with self.subTest(revision):
                answer = self.succeed(self.start(revision=revision, env={"CODE_EXECUTOR_RESULTS": "structured"}).python("1 + 1"))
                self.assertEqual("structuredContent" in answer.raw, revision >= "2025-06-18")
                self.assertIn("2", answer.text)


class Requests(SharedServerCase):
    def test_ping(self):
        self.assertEqual(self.server.request("ping"), {})

    def test_ids_come_back_as_they_were(self):
        for request_id in ("a string", "", "7", 7, 0, -1, 2 ** 53 + 1, 2 ** 63 - 1, "\u00e9\u65e5"):
            with self.subTest(request_id):
                self.server.ask("ping", request_id=request_id)
                self.assertEqual(self.server.answer(request_id).message["result"], {})

    def test_carriage_returns_are_tolerated(self):
        self.server.send_line(b'{"jsonrpc":"2.0","id":"crlf","method":"ping"}\r\n')
        self.assertEqual(self.server.answer("crlf").message["result"], {})

    def test_two_requests_in_one_write(self):
        self.server.send_line(b'{"jsonrpc":"2.0","id":"one","method":"ping"}\n'
                              b'{"jsonrpc":"2.0","id":"two","method":"ping"}\n')
        self.server.answer("one")
        self.server.answer("two")

    def test_a_request_in_pieces(self):
        for piece in (b'{"jsonrpc":"2.0",', b'"id":"pieces","me', b'thod":"ping"}\n'):
            self.server.process.stdin.write(piece)
            self.server.process.stdin.flush()
            time.sleep(0.02)  # so that the pieces arrive one by one
        self.assertEqual(self.server.answer("pieces").message["result"], {})

    def test_notifications_are_never_answered(self):
        before = len(self.server.received)
        self.server.notify("notifications/unheard_of", anything=1)
        self.server.notify("notifications/cancelled", requestId="no such request")
        self.server.notify("notifications/roots/list_changed")
        self.server.request("ping")
        self.assertEqual(len(self.server.received), before + 1)

    def test_answers_to_questions_never_asked_are_ignored(self):
        before = len(self.server.received)
        self.server.send({"jsonrpc": "2.0", "id": 4711, "result": {}})
        self.server.send({"jsonrpc": "2.0", "id": 4712, "error": {"code": -1, "message": "no"}})
        self.server.request("ping")
        self.assertEqual(len(self.server.received), before + 1)

    def test_requests_are_answered_while_a_run_goes_on(self):
        sent = time.monotonic()
        run = self.server.ask_tool("run-typescript-code", {"code": "return await callMCPTool('kid', 'sleep', {ms: 700})"})
        self.server.request("ping")
        self.assertFalse(self.server.has_answer(run))
        self.succeed(self.server.tool_answer("run-typescript-code", run, sent))


class Batches(Case):
    BATCH = [{"jsonrpc": "2.0", "id": "first", "method": "ping"},
             {"jsonrpc": "2.0", "method": "notifications/unheard_of"},
             {"jsonrpc": "2.0", "id": "second", "method": "no/such/method"}]

    def test_are_answered_as_one_in_2025_03_26(self):
        server = self.start(revision="2025-03-26")
        server.send(self.BATCH)
        answers = {answer["id"]: answer for answer in server.batch_answer()}
        self.assertEqual(set(answers), {"first", "second"})
        self.assertEqual(answers["first"]["result"], {})
        self.assertEqual(answers["second"]["error"]["code"], -32601)

    def test_of_notifications_only_are_not_answered(self):
        server = self.start(revision="2025-03-26")
        before = len(server.received)
        server.send([{"jsonrpc": "2.0", "method": "notifications/unheard_of"}])
        server.request("ping")
        self.assertEqual(len(server.received), before + 1)

    def test_with_runs_in_them(self):
        server = self.start(revision="2025-03-26")
        server.send([{"jsonrpc": "2.0", "id": number, "method": "tools/call",
                      "params": {"name": "run-python-code", "arguments": {"code": f"{number} * 2"}}}
                     for number in (101, 102)])
        texts = {answer["id"]: answer["result"]["content"][0]["text"] for answer in server.batch_answer()}
        self.assertIn("202", texts[101])
        self.assertIn("204", texts[102])

    def test_empty_one_is_an_invalid_request(self):
        server = self.start(revision="2025-03-26")
        server.send([])
        self.assertEqual(server.anonymous_answer()["error"]["code"], -32600)

    def test_are_refused_in_every_other_revision(self):
        for revision in REVISIONS:
            if revision == "2025-03-26":
                continue
            with self.subTest(revision):
                server = self.start(revision=revision)
                server.send(self.BATCH)
                self.assertEqual(server.anonymous_answer()["error"]["code"], -32600)
                server.request("ping")


class Progress(Case):
    SLEEPS = "for (let i = 0; i < 6; i++) await callMCPTool('kid', 'sleep', {ms: 120}); return 'done'"
    MANY = "for (let i = 0; i < 300; i++) await callMCPTool('kid', 'echo', {text: 'x'}); return 'done'"

    def run_with(self, code, meta):
        server = self.start({"kid": child()})
        answer = self.succeed(server.tool("run-typescript-code", {"code": code}, meta=meta))
        server.request("ping")
        return server.notifications("notifications/progress"), answer.seconds

    def test_is_not_sent_unless_asked_for(self):
        notifications, _ = self.run_with(self.SLEEPS, None)
        self.assertEqual(notifications, [])

    def test_carries_the_token_and_grows(self):
        for token in ("a token", 42):
            with self.subTest(token):
                notifications, _ = self.run_with(self.SLEEPS, {"progressToken": token})
                self.assertGreaterEqual(len(notifications), 2)
                params = [entry.message["params"] for entry in notifications]
                self.assertEqual({type(one["progressToken"]) for one in params}, {type(token)})
                self.assertEqual({one["progressToken"] for one in params}, {token})
                values = [one["progress"] for one in params]
                self.assertEqual(values, sorted(set(values)), "progress must grow with every notification")

    def test_is_sent_at_most_every_100_ms(self):
        notifications, seconds = self.run_with(self.MANY, {"progressToken": 1})
        self.assertGreaterEqual(len(notifications), 1)
        self.assertLessEqual(len(notifications), seconds / PROGRESS_INTERVAL_SECONDS + 1)

    def test_ends_with_the_answer(self):
        server = self.start({"kid": child()})
        self.succeed(server.tool("run-typescript-code", {"code": self.MANY}, meta={"progressToken": 1}))
        self.succeed(server.typescript(self.SLEEPS))
        methods = [entry.message.get("method") for entry in server.received]
        last = max((index for index, method in enumerate(methods) if method == "notifications/progress"), default=0)
        answers = [index for index, entry in enumerate(server.received)
                   if "done" in str(entry.message.get("result", ""))]
        self.assertLess(last, answers[0])

    def test_numbers_of_a_server_beyond_every_integer_are_shown(self):
        for tool, code in (("run-typescript-code", "return await callMCPTool('kid', 'progress', {steps: 8, ms: 120, scale: %s})"),
                           ("run-python-code", "call_mcp_tool('mcp__kid__progress', {'steps': 8, 'ms': 120, 'scale': %s})")):
            for scale in ("1e300", "-1e300", "1e18"):
                with self.subTest(tool=tool, scale=scale):
                    server = self.start({"kid": child()})
                    self.succeed(server.tool(tool, {"code": code % scale}, meta={"progressToken": 1}))
                    server.request("ping")
                    said = " ".join(entry.message["params"]["message"] for entry in server.notifications("notifications/progress"))
                    self.assertRegex(said, r"mcp__kid__progress: -?[0-9.]+(e\+)?[0-9]+")

    def test_message_only_from_2025_03_26_on(self):
        server = self.start({"kid": child()}, revision="2024-11-05")
        self.succeed(server.tool("run-typescript-code", {"code": self.SLEEPS}, meta={"progressToken": 1}))
        for entry in server.notifications("notifications/progress"):
            self.assertLessEqual(set(entry.message["params"]), {"progressToken", "progress", "total"})


class Cancellation(Case):
    def test_ends_the_run_its_guest_and_its_calls(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        for name, code in (("run-typescript-code", "await callMCPTool('kid', 'sleep', {ms: 60000})"),
                           ("run-python-code", "call_mcp_tool('mcp__kid__sleep', {'ms': 60000})")):
            with self.subTest(name):
                cancelled_before = len(journal.events("cancelled"))
                request = server.ask_tool(name, {"code": code, "timeoutMs": 60_000})
                call = journal.wait("call", count=cancelled_before + 1, tool="sleep")[-1]
                server.notify("notifications/cancelled", requestId=request, reason="the user pressed escape")
                journal.wait("cancelled", count=cancelled_before + 1)
                self.assertEqual(journal.events("cancelled")[-1]["id"], call["id"])
                self.succeed(server.python("1"))
                self.assertFalse(server.has_answer(request), "a cancelled request is not answered")

    def test_that_comes_with_the_run_ends_it_before_it_starts(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        code = "call_mcp_tool('mcp__kid__echo', {'text': 'x'})"
        request = {"jsonrpc": "2.0", "id": "early", "method": "tools/call",
                   "params": {"name": "run_python", "arguments": {"code": code, "servers": ["kid"]}}}  # its servers are looked up first
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "early"}}
        server.send_line(json.dumps(request).encode() + b"\n" + json.dumps(cancel).encode() + b"\n")
        self.succeed(server.python("1"))
        self.wait_until(lambda: server.tool("health").structured["connectionPool"]["active"] == 0, "the end of all runs")
        self.assertEqual(server.tool("health").structured["connectionPool"]["finished"], 1, "the run that came after it")
        self.assertEqual(journal.events("call"), [])
        self.assertFalse(server.has_answer("early"), "a cancelled request is not answered")

    def test_of_a_busy_guest_kills_it(self):
        server = self.start({"kid": child()})
        self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'warm up'})"))
        before = {process.pid for process in server.leftovers()}

        def guests():
            return {process.pid for process in server.leftovers() if not process.name.startswith("guest-exec")} - before
        request = server.ask_tool("run-python-code", {"code": "while True: pass", "timeoutMs": 60_000})
        self.wait_until(guests, "a guest process")
        server.notify("notifications/cancelled", requestId=request)
        self.wait_until(lambda: not guests(), "the end of the guest process")

    def test_of_what_is_over_does_nothing(self):
        server = self.start()
        request = server.ask("ping")
        server.answer(request)
        server.notify("notifications/cancelled", requestId=request)
        server.request("ping")
