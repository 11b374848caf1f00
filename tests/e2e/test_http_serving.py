"""Serving over HTTP: what clients of both eras say, and get."""

from support.case import WITHOUT_POOL, Case
from support.config import child
from support.http_client import META, MODERN, HttpClient, HttpServer, LegacyClient, ModernClient
from support.record import wait_for_line
from support.run import ToolAnswer
from support.server import REVISIONS

SLEEPS = "for (let i = 0; i < 6; i++) await callMCPTool('kid', 'sleep', {ms: 120}); return 'done'"
# Longer than an answer may take before it becomes a stream.
SLOW = "await new Promise(done => setTimeout(done, 2500)); return 'late'"
NEVER = "await new Promise(() => setInterval(() => {}, 1000))"


class HttpCase(Case):
    """All tests of the class use one server."""

    @classmethod
    def setUpClass(cls):
        cls.server = HttpServer({"kid": child()}, env=WITHOUT_POOL)
        cls.addClassCleanup(cls.server.stop)

    def client(self, kind=LegacyClient, **options):
        client = kind(self.server, **options)
        self.addCleanup(client.close)
        return client

    def wait_for_cancelled_run(self, client):
        def fits(line):
            return line["event"] == "run" and line["clientId"].startswith(client + "#") and line["state"] == "cancelled"
        wait_for_line(self.server.world, fits, "end of the run")

    def answer_of(self, exchange):
        return ToolAnswer(exchange.message()["result"], 0)


class BothEras(HttpCase):
    def test_programs_of_both_languages_run(self):
        for kind in (LegacyClient, ModernClient):
            with self.subTest(kind.__name__):
                client = self.client(kind)
                self.assertEqual(self.succeed(client.typescript("return 6 * 7")).result, 42)
                self.assertEqual(self.succeed(client.python("6 * 7")).result, 42)
                called = client.typescript("return await callMCPTool('kid', 'echo', {text: 'hi'})")
                self.assertEqual(self.succeed(called).result, "hi")

    def test_a_quick_answer_is_json(self):
        for kind in (LegacyClient, ModernClient):
            answered = self.client(kind).begin("tools/list")
            self.assertEqual((answered.status, answered.type), (200, "application/json"))
            self.assertIn("run-typescript-code", [tool["name"] for tool in answered.message()["result"]["tools"]])

    def test_ids_come_back_as_they_were(self):
        for kind in (LegacyClient, ModernClient):
            client = self.client(kind)
            for request_id in (0, -1, 2**53 + 1, 2**64 - 1, "", "1", "é\"\n\\😀", "x" * 1000):
                self.assertEqual(client.begin("tools/list", request_id=request_id).message()["id"], request_id)

    def test_progress_comes_as_events_before_the_answer(self):
        for kind in (LegacyClient, ModernClient):
            with self.subTest(kind.__name__):
                started = self.client(kind).begin_run("run-typescript-code", SLEEPS, {"progressToken": "p"})
                self.assertEqual((started.status, started.type), (200, "text/event-stream"))
                *told, answer = started.messages()
                self.assertGreaterEqual(len(told), 2)
                self.assertEqual({one["method"] for one in told}, {"notifications/progress"})
                self.assertEqual({one["params"]["progressToken"] for one in told}, {"p"})
                self.assertEqual(self.succeed(ToolAnswer(answer["result"], 0)).result, "done")

    def test_many_requests_of_one_client_are_answered_each_on_its_own(self):
        for kind in (LegacyClient, ModernClient):
            client = self.client(kind)
            asked = [(i, client.begin_run("run-typescript-code", f"return {i}")) for i in range(5)]
            for i, each in reversed(asked):
                self.assertEqual(self.succeed(self.answer_of(each)).result, i)


class Sessions(HttpCase):
    def test_every_revision_is_agreed_on(self):
        for revision in REVISIONS:
            client = self.client(revision=revision)
            self.assertEqual(client.opening["result"]["protocolVersion"], revision)
            self.assertRegex(client.session, r"^[!-~]{20,}$")
            self.assertEqual(client.call("ping"), {})
        self.assertEqual(self.client(revision=MODERN).opening["result"]["protocolVersion"], REVISIONS[-1])

    def test_a_notification_is_accepted_without_a_word(self):
        told = self.client().post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.assertEqual((told.status, told.body()), (202, b""))

    def test_an_answer_to_nothing_is_accepted(self):
        told = self.client().post({"jsonrpc": "2.0", "id": 99, "result": {}})
        self.assertEqual((told.status, told.body()), (202, b""))

    def test_without_its_id_there_is_no_session(self):
        client = self.client()
        for method in ("tools/list", "ping", "server/discover"):
            answered = client.begin(method, headers={"Mcp-Session-Id": None})
            self.assertEqual(answered.status, 400)
            self.assertIn("Mcp-Session-Id", answered.error()["message"])

    def test_one_that_is_unknown_or_deleted_is_not_found(self):
        client = self.client()
        self.assertEqual(client.begin("ping", headers={"Mcp-Session-Id": "nonsense"}).status, 404)
        self.assertEqual(client.delete().status, 204)
        over = client.begin("ping")
        self.assertEqual(over.status, 404)
        told = over.error()["message"]
        for words in ("the server was restarted, or it was not used for 30 minutes", "reconnect code-executor in the client"):
            self.assertIn(words, told)
        unheard = client.listen()
        self.assertEqual(unheard.status, 404)
        self.assertIn("reconnect code-executor", unheard.error()["message"])
        self.assertEqual(client.delete().status, 404)
        self.assertEqual(self.client(HttpClient).ask("DELETE").status, 405)

    def test_deleting_ends_its_runs(self):
        client = self.client(name="deleted")
        client.begin_run("run-typescript-code", NEVER, timeoutMs=60_000)
        self.wait_until(lambda: client.tool("health").json()["connectionPool"]["active"], "the run")
        self.assertEqual(client.delete().status, 204)
        self.wait_for_cancelled_run("deleted")

    def test_an_unknown_revision_in_the_head_is_refused(self):
        client = self.client()
        for revision in ("1999-01-01", "", "2025-11-25, 2025-11-25"):
            self.assertEqual(client.begin("ping", headers={"MCP-Protocol-Version": revision}).status, 400)
        self.assertEqual(client.begin("ping", headers={"MCP-Protocol-Version": None}).status, 200)

    def test_what_is_cancelled_is_not_answered_and_its_request_ends(self):
        client = self.client(name="canceller")
        started = client.begin_run("run-typescript-code", NEVER, timeoutMs=60_000)
        events = started.events()
        next(events)
        self.assertEqual(client.notify("notifications/cancelled", requestId=started.request_id), 202)
        self.assertEqual([event for event in events if event.data], [])
        self.wait_for_cancelled_run("canceller")

    def test_batches_are_part_of_one_revision(self):
        for revision in REVISIONS:
            with self.subTest(revision):
                client = self.client(revision=revision)
                answered = client.post([client.request_of("ping", request_id=name) for name in ("a", "b")])
                if revision == "2025-03-26":
                    self.assertEqual(sorted(one["id"] for one in answered.message()), ["a", "b"])
                else:
                    self.assertEqual(answered.error()["code"], -32600)

    def test_a_batch_of_too_many_notifications_is_refused(self):
        client = self.client(revision="2025-03-26")
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self.assertIn("not 101", client.post([told] * 101).error()["message"])
        self.assertEqual(client.post([told] * 100).status, 202)

    def test_a_batch_of_notifications_leaves_the_own_stream_alone(self):
        client = self.client()
        own = client.listen()
        self.assertEqual(own.status, 200)
        for told in ({}, {"MCP-Protocol-Version": None}):
            with self.subTest(str(told)):
                client.post([{"jsonrpc": "2.0", "method": "notifications/initialized"}], headers=told).body()
                self.assertEqual(client.listen().status, 409)


class Modern(HttpCase):
    def test_discovery_needs_nothing_before(self):
        found = self.client(ModernClient).call("server/discover")
        self.assertEqual(found["resultType"], "complete")
        self.assertIn(MODERN, found["supportedVersions"])
        self.assertIn("tools", found["capabilities"])
        self.assertIn(found["cacheScope"], ("public", "private"))
        self.assertGreaterEqual(found["ttlMs"], 0)
        self.assertEqual(found["_meta"][f"{META}serverInfo"]["name"], "code-executor")

    def test_every_result_says_that_it_is_complete(self):
        client = self.client(ModernClient)
        for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
            result = client.call(method)
            self.assertEqual(result["resultType"], "complete", method)
            self.assertIn("ttlMs", result, method)
        result = client.call("tools/call", {"name": "health", "arguments": {}})
        self.assertEqual(result["resultType"], "complete")
        self.assertNotIn("ttlMs", result)

    def test_ids_of_sessions_and_events_are_ignored(self):
        ignored = {"Mcp-Session-Id": "nonsense", "Last-Event-ID": "9-9"}
        answered = self.client(ModernClient).begin("tools/list", headers=ignored)
        self.assertEqual(answered.status, 200)
        self.assertEqual(answered.header("Mcp-Session-Id"), "")

    def test_refusals_have_status_code_and_id(self):
        client = self.client(ModernClient)
        claim, unknown = f"{META}protocolVersion", "v999.0.0"
        cases = ((client.begin("ping"), 404, -32601),
                 (client.begin("initialize"), 404, -32601),
                 (client.begin("tools/list", headers={"MCP-Protocol-Version": None}), 400, -32020),
                 (client.begin("tools/list", headers={"MCP-Protocol-Version": "2025-11-25"}), 400, -32020),
                 (client.begin("tools/list", headers={"Mcp-Method": None}), 400, -32020),
                 (client.begin("tools/list", headers={"Mcp-Method": "tools/call"}), 400, -32020),
                 (client.begin("tools/call", {"name": "health"}, headers={"Mcp-Name": "other"}), 400, -32020),
                 (client.begin("tools/list", {"_meta": {claim: unknown}}, headers={"MCP-Protocol-Version": unknown}),
                  400, -32022),
                 (client.begin("tools/list", {"_meta": {f"{META}clientCapabilities": None}}), 400, -32602),
                 (client.post({"jsonrpc": "2.0", "id": "bare", "method": "tools/list"}), 400, -32602))
        for answered, status, code in cases:
            answer = answered.message()
            with self.subTest(answer["error"]["message"]):
                self.assertEqual((answered.status, answer["error"]["code"]), (status, code))
                self.assertIsNotNone(answer["id"])

    def test_an_unknown_tool_and_resource_are_wrong_parameters(self):
        client = self.client(ModernClient)
        self.assertEqual(client.begin("tools/call", {"name": "nonsense", "arguments": {}}).error()["code"], -32602)
        self.assertEqual(client.begin("resources/read", {"uri": "nonsense://x"}).error()["code"], -32602)

    def test_a_subscription_is_acknowledged_and_stays_open(self):
        client = self.client(ModernClient)
        listening = client.begin("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, request_id="s")
        first = next(listening.events()).message()
        self.assertEqual(first["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual(first["params"]["_meta"][f"{META}subscriptionId"], "s")
        self.assertEqual(client.call("server/discover")["resultType"], "complete", "others are answered meanwhile")

    def test_closing_the_stream_cancels_the_run(self):
        journal = self.journal()
        server = HttpServer({"kid": child(journal=journal)}, env=WITHOUT_POOL)
        self.addCleanup(server.stop)
        client = ModernClient(server)
        self.addCleanup(client.close)
        code = "await callMCPTool('kid', 'sleep', {ms: 60000})"
        started = client.begin_run("run-typescript-code", code, timeoutMs=60_000)
        self.assertEqual(started.type, "text/event-stream", "it is quiet for a second")
        journal.wait("call", tool="sleep")
        started.leave()
        line = wait_for_line(server.world, lambda line: line["event"] == "run", "end of the run")
        self.assertEqual(line["state"], "cancelled")
        journal.wait("cancelled")


class Streams(HttpCase):
    def test_there_is_one_stream_of_its_own_for_a_session(self):
        client = self.client()
        own = client.listen()
        self.assertEqual((own.status, own.type), (200, "text/event-stream"))
        self.assertEqual(client.listen().status, 409)
        own.leave()
        self.wait_until(lambda: client.listen().status == 200, "the place of the stream that was left")

    def test_without_a_session_there_is_none(self):
        answered = self.client(HttpClient).ask("GET")
        self.assertEqual(answered.status, 405)
        self.assertIn("POST", answered.header("Allow"))

    def test_a_quiet_run_becomes_a_stream_that_can_be_come_back_to(self):
        client = self.client()
        started = client.begin_run("run-typescript-code", SLOW)
        self.assertEqual(started.type, "text/event-stream")
        first = next(started.events())
        self.assertNotEqual(first.id, "")
        self.assertEqual((first.retry, first.data), ("1000", ""))
        started.leave()
        answer = client.come_back(first.id).message()
        self.assertEqual(self.succeed(ToolAnswer(answer["result"], 0)).result, "late")
        again = client.come_back(first.id).message()
        self.assertEqual(again, answer, "it can be fetched again")

    def test_older_clients_get_no_event_without_a_message(self):
        for revision in ("2025-03-26", "2025-06-18"):
            events = list(self.client(revision=revision).begin_run("run-typescript-code", SLOW).events())
            self.assertEqual(len(events), 1)
            self.assertNotEqual(events[0].id, "")
            self.assertEqual(self.succeed(ToolAnswer(events[0].message()["result"], 0)).result, "late")

    def test_streams_without_a_session_have_no_ids(self):
        events = list(self.client(ModernClient).begin_run("run-typescript-code", SLOW).events())
        self.assertEqual([event.id for event in events], [""])

    def test_only_what_was_missed_comes_again(self):
        client = self.client()
        started = client.begin_run("run-typescript-code", SLEEPS, {"progressToken": 1})
        seen = next(event for event in started.events() if event.data)
        started.leave()
        rest = [event for event in client.come_back(seen.id).events() if event.data]
        self.assertNotIn(seen.id, [event.id for event in rest])
        self.assertEqual(self.succeed(ToolAnswer(rest[-1].message()["result"], 0)).result, "done")
        values = [event.message()["params"]["progress"] for event in [seen, *rest[:-1]]]
        self.assertEqual(values, sorted(set(values)))

    def test_events_of_others_can_not_be_had(self):
        client, other = self.client(), self.client()
        started = client.begin_run("run-typescript-code", SLOW)
        first = next(started.events())
        for wrong in ("nonsense", "99-1", "-1", "1-"):
            self.assertEqual(client.come_back(wrong).status, 400, wrong)
        self.assertEqual(other.come_back(first.id).status, 400)
        started.leave()

    def test_after_the_last_event_there_is_nothing_to_come_back_for(self):
        """Some clients do it after every answer, and show an error as one of the server."""
        client = self.client()
        *_, last = client.begin_run("run-typescript-code", SLOW).events()
        back = client.come_back(last.id)
        self.assertEqual((back.status, back.body()), (204, b""))
        self.assertEqual(client.come_back("1-999").status, 400)
