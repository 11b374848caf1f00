"""A bridge that serves over HTTP, with many clients; and one that is a client over HTTP, of servers of every kind."""

import json

from support import processes
from support.bridge_case import BridgeCase
from support.bridge_clients import CLIENTS
from support.bridged import HTTP, LEGACY, MODERN, ModernFar, STDIO
from support.http_case import HttpCase
from support.http_child import Reply
from support.http_client import HttpClient, LegacyClient, ModernClient
from support.modern_child import LEGACY_WAYS, modern_child, ModernChild
from support.person import ALL
from support.waiting import wait_until

STDIO_WAYS = ("method_not_found", "supported_legacy", "invalid_params", "garbage", "silent", "exit")
PROCESSES_MAX = 32  # of clients over HTTP (cli/bridge.cpp)
OTHER_PLACE = "http://evil.example.com"


class HttpFront(BridgeCase):
    def pid_of(self, client):
        return json.loads(client.call("process").outcome()["result"]["content"][0]["text"])["pid"]

    def token(self, world, name):
        made = world.command("token", "new", name)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def plain(self, bridge, kind=ModernClient, **options):
        """A client whose requests are as they are given."""
        client = kind(bridge, **options)
        bridge.clients.append(client)
        return client

    def gone(self, pid):
        wait_until(lambda: processes.find(pid) is None, f"end of process {pid}")


class Clients(HttpFront):
    def test_each_session_has_a_process_of_its_own(self):
        bridge = self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP)
        clients = [CLIENTS[LEGACY, HTTP](bridge) for _ in range(4)]
        pids = [self.pid_of(client) for client in clients]
        self.assertEqual(len(set(pids)), 4)
        self.assertEqual([self.pid_of(client) for client in clients], pids)
        self.assertEqual(clients[0].leave(), 204)
        self.gone(pids[0])
        self.assertEqual(clients[0].http.status_of("tools/list"), 404)
        self.assertEqual([self.pid_of(client) for client in clients[1:]], pids[1:])

    def test_more_clients_than_there_may_be_processes(self):
        """Who does nothing makes room, and hears of it."""
        bridge = self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP)
        clients = [CLIENTS[LEGACY, HTTP](bridge) for _ in range(PROCESSES_MAX + 3)]
        servers = [each for each in processes.descendants(bridge.process.pid) if each.name.startswith("python")]
        wait_until(lambda: len(processes.alive(servers)) <= PROCESSES_MAX, "end of those that made room")
        answers = [client.http.status_of("tools/list") for client in clients]
        self.assertEqual((answers.count(200), answers.count(404)), (PROCESSES_MAX, 3))

    def test_sessions_of_the_server_over_http(self):
        """One for each of ours, which ends with it."""
        target = self.target_of((LEGACY, HTTP))
        bridge = self.bridge_to(target, HTTP)
        clients = [CLIENTS[LEGACY, HTTP](bridge) for _ in range(3)]
        self.assertEqual(len(target.far.by_id), 3)
        clients[1].leave()
        target.journal.wait("deleted")
        self.assertEqual(len(target.far.by_id), 2)
        self.assertIn("tools", clients[2].get("tools/list"))

    def test_clients_without_sessions(self):
        """Nothing tells them apart, so they have one process; and each gets its own answers, whatever ids they use."""
        bridge = self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP)
        clients = [CLIENTS[MODERN, HTTP](bridge) for _ in range(5)]
        self.assertEqual(len({self.pid_of(client) for client in clients}), 1)
        asked = [client.http.begin("tools/call", {"name": "echo", "arguments": {"message": str(number)}}, request_id="same")
                 for number, client in enumerate(clients)]
        self.assertEqual([each.message()["result"]["content"][0]["text"] for each in asked], [str(number) for number in range(5)])
        self.assertNotEqual(self.pid_of(CLIENTS[LEGACY, HTTP](bridge)), self.pid_of(clients[0]))

    def test_tokens(self):
        world = self.world()
        one, other = self.token(world, "one"), self.token(world, "other")
        bridge = self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP, world=world)
        for wrong in (None, "nonsense", one[:-1]):
            for kind in (ModernClient, HttpClient):
                refused = self.plain(bridge, kind, token=wrong).begin("tools/list")
                self.assertEqual(refused.status, 401)
                refused.leave()
        mine, theirs = (CLIENTS[MODERN, HTTP](bridge, token=secret) for secret in (one, other))
        self.assertNotEqual(self.pid_of(mine), self.pid_of(theirs), "clients that can be told apart share no process")
        self.assertEqual(self.pid_of(mine), self.pid_of(CLIENTS[MODERN, HTTP](bridge, token=one)))
        session = CLIENTS[LEGACY, HTTP](bridge, token=one)
        session.http.token = other
        self.assertEqual(session.http.status_of("tools/list"), 404)
        session.http.token = one
        self.assertIn("tools", session.get("tools/list"))
        self.assertNotIn(one, bridge.stderr())

    def test_a_question_of_another_token(self):
        """Nobody else can answer it."""
        for server in ((LEGACY, STDIO), (LEGACY, HTTP)):
            with self.subTest(server):
                world = self.world()
                secrets = [self.token(world, name) for name in ("one", "other")]
                bridge = self.bridge_to(self.target_of(server), HTTP, world=world)
                one, other = (CLIENTS[MODERN, HTTP](bridge, token=secret) for secret in secrets)
                asked = one.ask_for("roots/list", None)
                [question] = asked.questions()
                stolen = asked.come_back({question.key: {"roots": [{"uri": "file:///stolen"}]}}, send=other.send)
                self.assertEqual(stolen.get("error", {}).get("code"), -32602, stolen)
                asked.answer(question, {"roots": []})
                self.assertIn('{"got": {"roots": []}}', asked.outcome()["result"]["content"][0]["text"])

    def test_a_question_of_a_call_that_was_given_up(self):
        """Comes late, from a server that does not say for which call it asks. Whoever else has one open is not asked it."""
        target = self.target_of((LEGACY, STDIO))
        bridge = self.bridge_to(target, HTTP)
        one, other = (CLIENTS[MODERN, HTTP](bridge) for _ in range(2))
        self.assertIn("tools", other.get("tools/list"))
        given_up = one.http.begin("tools/call", {"name": "question", "arguments": {"method": "roots/list", "afterMs": 500}, **one.envelope()})
        call = target.wait_received("tools/call")[0]
        given_up.leave()
        self.assertEqual(target.wait_received("notifications/cancelled")[0]["params"]["requestId"], call["id"])
        answer = other.call("wait", {"ms": 1_000}).outcome()
        self.assertEqual(answer["result"].get("content"), [{"type": "text", "text": "waited"}], answer)
        target.journal.wait("stdin_eof")  # nobody is left for whom it could ask

    def test_a_call_that_waits_for_its_client(self):
        """Keeps nobody else from being asked, though the server does not say for which call it asks; and each answer reaches its own."""
        bridge = self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP)
        calls = [CLIENTS[MODERN, HTTP](bridge).ask_for("roots/list", None) for _ in range(3)]
        asked = [call.questions()[0] for call in calls]
        self.assertIn("tools", CLIENTS[MODERN, HTTP](bridge).get("tools/list"))
        for number in (1, 2, 0):
            calls[number].answer(asked[number], {"roots": [{"uri": f"file:///{number}"}]})
            self.assertIn(f"file:///{number}", calls[number].outcome()["result"]["content"][0]["text"])

    def test_names_and_pages_of_others(self):
        bridge = self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP)
        client = self.plain(bridge)
        for headers, status in (({"Host": "evil.example.com"}, 403), ({"Origin": OTHER_PLACE}, 403),
                                ({"Origin": f"http://localhost:{bridge.port}"}, 200)):
            self.assertEqual(client.status_of("tools/list", headers=headers), status, headers)

    def test_what_the_revision_wants_of_requests(self):
        """The bridge is a server over HTTP itself."""
        client = self.plain(self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP))
        for headers in ({"Mcp-Method": "other"}, {"MCP-Protocol-Version": "2025-11-25"}, {"Mcp-Method": None}):
            answer = client.begin("tools/list", headers=headers)
            self.assertEqual((answer.status, answer.error()["code"]), (400, -32020), headers)
        for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe"):
            answer = client.begin(method)
            self.assertEqual((answer.status, answer.error()["code"]), (404, -32601), method)
        of_nobody = {"_meta": {"io.modelcontextprotocol/protocolVersion": "1999-01-01"}}
        answer = client.begin("tools/list", of_nobody, headers={"MCP-Protocol-Version": "1999-01-01"})
        self.assertEqual(answer.status, 400)
        error = answer.error()
        self.assertEqual((error["code"], error["data"]["requested"]), (-32022, "1999-01-01"))
        self.assertIn("2026-07-28", error["data"]["supported"])

    def test_what_a_session_wants_of_requests(self):
        bridge = self.bridge_to(self.target_of((MODERN, STDIO)), HTTP)
        self.assertEqual(self.plain(bridge, HttpClient).status_of("tools/list"), 400)
        client = self.plain(bridge, LegacyClient)
        client.session = "x" * 32
        self.assertEqual(client.status_of("tools/list"), 404)

    def test_a_batch(self):
        client = self.plain(self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP), LegacyClient, revision="2025-03-26")
        calls = [client.request_of("tools/call", {"name": "echo", "arguments": {"message": str(number)}}) for number in range(3)]
        answers = client.post(calls).messages()
        answers = answers[0] if isinstance(answers[0], list) else answers
        self.assertEqual(sorted(each["result"]["content"][0]["text"] for each in answers), ["0", "1", "2"])
        newest = self.plain(self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP), LegacyClient)
        self.assertEqual(newest.post(calls).status, 400)

    def test_a_stream_that_breaks_is_gone_on_with(self):
        """Of an earlier client, whose call goes on meanwhile."""
        client = self.plain(self.bridge_to(self.target_of((LEGACY, STDIO)), HTTP), LegacyClient, capabilities=ALL)
        broken = client.begin("tools/call", {"name": "question", "arguments": {"method": "roots/list"}})
        events = broken.events()
        first = next(events)
        question = first if first.data else next(events)
        broken.leave()
        client.post({"jsonrpc": "2.0", "id": question.message()["id"], "result": {"roots": []}}).leave()
        again = client.come_back(first.id or question.id)
        answers = (event.message() for event in again.events() if event.data)
        answer = next(message for message in answers if message.get("id") == broken.request_id and "result" in message)
        self.assertIn("roots", answer["result"]["content"][0]["text"])


class Mirrored(BridgeCase):
    """Arguments that a server of 2026-07-28 wants in headers as well."""

    TOLD = {"region": "Grüße", "count": 3, "urgent": True, "inner": {"note": " x "}, "plain": "p"}

    def far(self, **how):
        far = ModernFar(**how)
        self.addCleanup(far.close)
        return far

    def test_from_clients_of_every_kind(self):
        for kind in CLIENTS:
            for lists in (False, True):
                with self.subTest(f"{kind}, lists first: {lists}"):
                    far = self.far()
                    client = self.client_of(kind, [far.url])
                    client.tools = [far.catalogue.tools["headers"].definition]
                    if lists:
                        client.get("tools/list")
                    for told in (self.TOLD, {"plain": "x", "region": "=?base64?eA==?="}, {}):
                        answer = client.call("headers", told).outcome()
                        self.assertEqual(json.loads(answer["result"]["content"][0]["text"]), told)
                    self.assertEqual(set(far.deviations) - {"initialize"}, set())  # which is tried first for some

    def test_a_list_that_changes(self):
        """The server does not take the headers of before, and the list is read again."""
        far = self.far()
        client = self.client_of((LEGACY, STDIO), [far.url])
        self.assertIn("result", client.call("headers", self.TOLD).outcome())
        far.catalogue.tools["headers"].definition["inputSchema"]["properties"] = {"region": {"type": "string", "x-mcp-header": "Other-Region"}}
        self.assertIn("result", client.call("headers", {"region": "x"}).outcome())

    def test_tools_that_can_not_be_called_so(self):
        far = ModernChild(bad_headers=True)
        self.addCleanup(far.close)
        for kind in ((LEGACY, STDIO), (MODERN, HTTP)):
            with self.subTest(kind):
                names = [tool["name"] for tool in self.client_of(kind, [far.url]).get("tools/list")["tools"]]
                self.assertEqual(names, [name for name in far.catalogue.tools if not name.startswith("bad_header")])
        command = modern_child("--bad-headers")
        names = [tool["name"] for tool in self.client_of((MODERN, STDIO), ["--", command["command"], *command["args"]]).get("tools/list")["tools"]]
        self.assertEqual(names, list(far.catalogue.tools), "on stdio nothing is said in headers")

    def test_headers_of_the_client_that_do_not_fit(self):
        """To its own clients the bridge is the server that has to look at them."""
        client = CLIENTS[MODERN, HTTP](self.bridge_to([self.far().url], HTTP))
        client.get("tools/list")
        for headers in ({"Mcp-Param-Region": "other"}, {"Mcp-Param-Region": "=?base64?!?="}):
            answer = client.http.begin("tools/call", {"name": "headers", "arguments": {"region": "here"}}, headers=headers)
            self.assertEqual((answer.status, answer.message().get("error", {}).get("code")), (400, -32020), headers)


class FarServers(HttpCase, HttpFront):
    def echo(self, client, text="x"):
        self.assertEqual(client.call("echo", {"message": text}).outcome()["result"]["content"][0]["text"], text)

    def test_of_2024_by_a_stream_and_an_address(self):
        for kind in ((LEGACY, STDIO), (MODERN, STDIO), (LEGACY, HTTP)):
            with self.subTest(kind):
                self.echo(self.client_of(kind, [self.old().url]))

    def test_whatever_an_older_one_says_to_a_modern_request(self):
        for way in set(LEGACY_WAYS) - {"status_500", "status_503", "silent"}:
            with self.subTest(way):
                far = ModernChild(era="legacy", on_discover=way)
                self.addCleanup(far.close)
                self.echo(self.client_of((MODERN, STDIO), [far.url]))

    def test_whatever_an_older_one_does_on_stdio(self):
        for way in STDIO_WAYS:
            with self.subTest(way):
                command = modern_child("--era", "legacy", "--on-discover", way)
                self.echo(self.client_of((MODERN, STDIO), ["--", command["command"], *command["args"]]))

    def test_one_of_both_eras(self):
        """Speaks to each client in the era that this has, so that nothing has to be said otherwise."""
        for kind in CLIENTS:
            with self.subTest(kind):
                far = ModernChild(era="dual")
                self.addCleanup(far.close)
                self.echo(self.client_of(kind, [far.url]))
                self.assertEqual(len(far.messages("initialize")), int(kind[0] == LEGACY))
                self.assertEqual(far.deviations, [])

    def test_where_nobody_listens(self):
        for kind in ((LEGACY, HTTP), (MODERN, STDIO)):
            with self.subTest(kind):
                bridge = self.bridge_to(["http://127.0.0.1:9/mcp"], kind[1])
                client = self.plain(bridge, HttpClient) if kind[0] == LEGACY else CLIENTS[kind](bridge)
                hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
                answer = client.begin("initialize", hello).message() if kind[0] == LEGACY else client.begin("tools/list", {}).outcome()
                self.assertIn("127.0.0.1:9", answer["error"]["message"])

    def test_one_that_wants_a_login(self):
        """It is said how; and what the server has said of it is no secret."""
        child = self.child()
        child.on_initialize = lambda seen: Reply(401, {"WWW-Authenticate": "Bearer"})
        world = self.world(user={"far": child.entry()})
        bridge = self.bridge_to(["far"], STDIO, world=world)
        answer = bridge.exchange("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}})
        self.assertIn("code-executor login far", answer["error"]["message"])

    def test_a_session_that_the_server_has_forgotten(self):
        """Before a modern client it begins anew; a legacy one hears that it is over."""
        child = self.child()
        modern = self.client_of((MODERN, STDIO), [child.url])
        self.echo(modern)
        child.forget_sessions()
        self.echo(modern)
