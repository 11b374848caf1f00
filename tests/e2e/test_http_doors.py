"""Serving over HTTP: who is let in, and what a request may look like."""

import json
import os
import socket

from support.case import WITHOUT_POOL, Case
from support.config import child
from support.http_client import HOST, HttpClient, HttpServer, LegacyClient, ModernClient, status_of, talk
from support.paths import SLOWNESS
from support.record import wait_for_line
from support.waiting import PATIENCE_SECONDS, wait_until

REFUSED_SECONDS = 2
LINE = b"POST /mcp HTTP/1.1\r\n"
USUAL = b"Host: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
MEBIBYTE = 1 << 20


def posted(head=USUAL, body=PING, length=None):
    told = len(body) if length is None else length
    return LINE + head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % told + body


class DoorCase(Case):
    def serve(self, world=None, **options):
        server = HttpServer(world=world or self.world(project={"kid": child()}), env=WITHOUT_POOL, **options)
        self.addCleanup(server.stop)
        return server

    def client(self, server, kind=LegacyClient, **options):
        client = kind(server, **options)
        self.addCleanup(client.close)
        return client

    def token(self, world, name):
        made = world.command("token", "new", name)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def revoke(self, world, name):
        revoked = world.command("token", "revoke", name)
        self.assertEqual(revoked.returncode, 0, revoked.stderr)


class Tokens(DoorCase):
    def setUp(self):
        self.world_ = self.world(project={"kid": child()})
        self.secret = self.token(self.world_, "laptop")

    def discover(self, server, token):
        return self.client(server, ModernClient, token=token).begin("server/discover")

    def wait_refused(self, client, method):
        wait_until(lambda: client.status_of(method) == 401, "a refusal", REFUSED_SECONDS * SLOWNESS)

    def test_without_one_nobody_comes_in(self):
        server = self.serve(self.world_)
        answered = self.client(server, HttpClient).post({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        self.assertEqual(answered.status, 401)
        self.assertEqual(answered.header("WWW-Authenticate"), 'Bearer realm="code-executor"')
        self.assertIn("token new", answered.error()["message"])
        for wrong in ("nonsense", self.secret + "x", self.secret[:-1]):
            answered = self.discover(server, wrong)
            self.assertEqual(answered.status, 401)
            self.assertIn("invalid_token", answered.header("WWW-Authenticate"))
            self.assertIn('error_description="', answered.header("WWW-Authenticate"))
        self.assertNotIn(self.secret, server.stderr())

    def test_who_looks_for_a_login_is_told_what_is_wanted(self):
        """Clients do, after a 401, and show the description of an error of OAuth; others they can not read."""
        client = self.client(self.serve(self.world_), HttpClient)
        for method, path in (("GET", "/.well-known/oauth-protected-resource/mcp"), ("GET", "/.well-known/oauth-authorization-server"),
                             ("GET", "/.well-known/openid-configuration"), ("POST", "/register")):
            told = client.ask(method, {"client_name": "x"} if method == "POST" else None, path=path)
            self.assertEqual(told.status, 404, path)
            error = json.loads(told.body())
            self.assertEqual(error["error"], "invalid_request")
            self.assertIn("Authorization: Bearer TOKEN; `code-executor token new NAME`", error["error_description"])

    def test_with_one_both_eras_are_served(self):
        server = self.serve(self.world_)
        for kind in (LegacyClient, ModernClient):
            client = self.client(server, kind, token=self.secret)
            self.assertEqual(self.succeed(client.typescript("return 1")).result, 1)
        line = wait_for_line(self.world_, lambda line: line["event"] == "run", "the run")
        self.assertIn("laptop", line["clientId"])

    def test_one_that_is_made_later_is_wanted_from_then_on(self):
        server = self.serve()
        client = self.client(server, ModernClient)
        self.assertEqual(client.begin("server/discover").status, 200)
        secret = self.token(server.world, "laptop")
        self.wait_until(lambda: client.status_of("server/discover") == 401, "a refusal")
        self.assertEqual(self.discover(server, secret).status, 200)

    def test_one_that_is_revoked_is_refused_and_its_streams_end(self):
        server = self.serve(self.world_)
        other = self.token(self.world_, "phone")
        client = self.client(server, token=self.secret)
        own = client.listen()
        self.assertEqual(own.status, 200)
        self.revoke(self.world_, "laptop")
        self.wait_refused(client, "ping")
        self.assertEqual([event for event in own.events() if event.data], [], "the stream ends")
        self.assertEqual(self.discover(server, other).status, 200)

    def test_a_refusal_comes_in_time(self):
        server = self.serve(self.world_)
        client = self.client(server, ModernClient, token=self.secret)
        self.assertEqual(client.status_of("server/discover"), 200)
        self.revoke(self.world_, "laptop")
        self.wait_refused(client, "server/discover")

    def test_one_that_is_revoked_while_the_body_comes_is_refused(self):
        server = self.serve(self.world_)
        head = LINE + USUAL + f"Authorization: Bearer {self.secret}\r\n".encode()
        body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
        with socket.create_connection((HOST, server.port), timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(head + b"Connection: close\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
            self.assertIn(b" 100 ", connection.recv(1000))
            self.revoke(self.world_, "laptop")
            connection.sendall(body)
            self.assertEqual(status_of(connection.recv(1000)), 401)

    def test_the_last_one_that_is_revoked_opens_no_door(self):
        server = self.serve(self.world_)
        client = self.client(server, ModernClient, token=self.secret)
        self.assertEqual(client.status_of("server/discover"), 200)
        self.revoke(self.world_, "laptop")
        self.wait_refused(client, "server/discover")
        self.assertEqual(self.discover(server, None).status, 401)

    def test_a_session_of_another_one_is_not_found(self):
        phone = self.token(self.world_, "phone")
        server = self.serve(self.world_)
        client = self.client(server, token=self.secret)
        thief = self.client(server, HttpClient, token=phone)
        stolen = {"Mcp-Session-Id": client.session}
        self.assertEqual(thief.begin("ping", headers=stolen).status, 404)
        self.assertEqual(thief.ask("GET", headers=stolen).status, 404)
        self.assertEqual(thief.ask("DELETE", headers=stolen).status, 404)
        self.assertEqual(client.call("ping"), {})

    def test_many_first_requests_of_one_token_are_answered(self):
        client = self.client(self.serve(self.world_), ModernClient, token=self.secret)
        for each in [client.begin("server/discover") for _ in range(16)]:
            self.assertIn("supportedVersions", each.message()["result"])

    def test_all_of_one_token_share_what_they_own(self):
        server = self.serve(self.world_)
        here, there = (self.client(server, token=self.secret) for _ in range(2))
        self.succeed(here.typescript("let shared = 5", session="s"))
        self.assertEqual(self.succeed(there.typescript("return shared", session="s")).result, 5)

    def test_the_command_lists_names_and_no_secrets(self):
        listed = self.world_.command("token", "list", "--json")
        self.assertEqual([one["name"] for one in json.loads(listed.stdout)["tokens"]], ["laptop"])
        self.assertNotIn(self.secret, listed.stdout)
        self.assertNotEqual(self.world_.command("token", "new", "laptop").returncode, 0)
        self.assertNotEqual(self.world_.command("token", "new", "a/b").returncode, 0)
        self.assertNotEqual(self.world_.command("token", "revoke", "nobody").returncode, 0)


class Addresses(DoorCase):
    def refuse_start(self, world, address, *words):
        ended = world.command("serve", "--http", address)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertEqual(ended.stdout, "")
        for word in words:
            self.assertIn(word, ended.stderr)

    def test_others_are_not_let_in_without_a_token(self):
        world = self.world()
        for address in ("0.0.0.0:0", "[::]:0"):
            self.refuse_start(world, address, "token new")

    def test_with_a_token_they_may_be(self):
        world = self.world(project={"kid": child()})
        secret = self.token(world, "laptop")
        server = self.serve(world, address="0.0.0.0:0")
        self.assertEqual(self.client(server, ModernClient, token=secret).begin("server/discover").status, 200)
        self.assertEqual(self.client(server, ModernClient).begin("server/discover").status, 401)

    def test_the_last_token_of_those_that_others_need_is_not_given_up(self):
        world = self.world(project={"kid": child()})
        secret = self.token(world, "laptop")
        server = self.serve(world, address="0.0.0.0:0")
        self.revoke(world, "laptop")
        self.assertEqual(self.client(server, ModernClient, token=secret).begin("server/discover").status, 401)
        self.assertEqual(self.client(server, ModernClient).begin("server/discover").status, 401)

    def test_what_is_no_address_is_refused(self):
        world = self.world()
        for address in ("127.0.0.1:99999", "example.com:80", "127.0.0.1:x", "1.2.3"):
            self.refuse_start(world, address, "--http")

    def test_one_that_is_taken_is_told(self):
        server = self.serve()
        self.refuse_start(self.world(), f"127.0.0.1:{server.port}", str(server.port))


class Doors(DoorCase):
    @classmethod
    def setUpClass(cls):
        cls.server = HttpServer({}, env=WITHOUT_POOL)
        cls.addClassCleanup(cls.server.stop)

    def status(self, request):
        return status_of(talk(self.server.port, request))

    def test_names_and_pages_of_others_are_refused(self):
        port = self.server.port
        for fields, status in (({"Host": "evil.com"}, 403), ({"Host": "localhost.evil.com"}, 403),
                               ({"Origin": "http://evil.com"}, 403), ({"Origin": "null"}, 403),
                               ({"Origin": f"http://localhost.evil.com:{port}"}, 403),
                               ({"Origin": f"http://localhost:{port}"}, 200), ({"Origin": "http://localhost:1"}, 200),
                               ({"Host": f"localhost:{port}"}, 200), ({"Host": f"[::1]:{port}"}, 200)):
            with self.subTest(str(fields)):
                answered = self.client(self.server, ModernClient).begin("server/discover", headers=fields)
                self.assertEqual(answered.status, status)
                allowed = fields.get("Origin", "") if status == 200 else ""
                self.assertEqual(answered.header("Access-Control-Allow-Origin"), allowed)

    def test_a_page_asks_before(self):
        fields = {"Origin": "http://localhost:6274", "Access-Control-Request-Method": "POST"}
        answered = self.client(self.server, HttpClient).ask("OPTIONS", headers=fields)
        self.assertEqual(answered.status, 204)
        self.assertIn("mcp-session-id", answered.header("Access-Control-Allow-Headers").lower())

    def test_a_page_reads_the_id_of_its_session_and_refusals(self):
        page = {"Origin": "http://localhost:6274"}
        client = self.client(self.server, fields=page)
        own = client.listen()
        notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        for answered, status in ((client.begin("ping"), 200), (own, 200), (client.listen(), 409),
                                 (client.begin("ping", headers={"Accept": "text/html"}), 406), (client.post(b"{"), 400),
                                 (client.begin("ping", headers={"Mcp-Session-Id": "nonsense"}), 404),
                                 (client.post(notification), 202), (client.delete(), 204)):
            with self.subTest(status):
                self.assertEqual(answered.status, status)
                self.assertEqual(answered.header("Access-Control-Allow-Origin"), page["Origin"])

    def test_other_places_methods_and_types_are_refused(self):
        client = self.client(self.server, HttpClient)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(client.post(ping, path="/").status, 404)
        self.assertEqual(client.ask("PUT", ping).status, 405)
        self.assertEqual(client.post(ping, headers={"Content-Type": "text/plain"}).status, 415)
        self.assertEqual(client.post(ping, headers={"Accept": "application/json"}).status, 406)
        self.assertEqual(client.ask("GET", headers={"Accept": "text/html"}).status, 406)

    def test_what_is_no_message_is_told(self):
        client = self.client(self.server)
        for body, code in ((b"garbage", -32700), (b"", -32700), (b"\xff", -32700), (b'{"jsonrpc":"2.0"', -32700),
                           (b"[" * 5_000, -32700), (b"5", -32600), (b"{}", -32600),
                           (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600)):
            with self.subTest(body[:40]):
                answered = client.post(body)
                self.assertEqual((answered.status, answered.error()["code"]), (400, code))

    def test_heads_have_a_bound(self):
        self.assertEqual(self.status(posted(USUAL + b"X-Long: " + b"x" * 40_000 + b"\r\n")), 431)
        self.assertNotEqual(self.status(posted(USUAL + b"X-Long: " + b"x" * 20_000 + b"\r\n")), 431)

    def test_bodies_have_a_bound(self):
        self.assertEqual(self.status(posted(length=16 * MEBIBYTE + 1, body=b"")), 413)
        chunked = USUAL + b"Transfer-Encoding: chunked\r\n"
        self.assertEqual(self.status(LINE + chunked + b"\r\n" + b"%x\r\n" % (17 * MEBIBYTE)), 413)
        client = self.client(self.server)
        large = client.post(client.request_of("ping", {"x": "x" * (15 * MEBIBYTE)}, request_id=1))
        self.assertEqual(large.message(), {"jsonrpc": "2.0", "id": 1, "result": {}})

    def test_what_could_be_understood_in_two_ways_is_refused(self):
        for doubled in (b"Host: localhost\r\n", b"Content-Length: 40\r\n", b"Transfer-Encoding: chunked\r\n"):
            self.assertEqual(self.status(posted(USUAL + doubled)), 400, doubled)
        for odd in (b"Content-Length: +40\r\n", b"Host : localhost\r\n", b"X: a\r\n b: c\r\n", b"X: a\x00b\r\n"):
            self.assertEqual(self.status(LINE + USUAL + odd + b"Connection: close\r\n\r\n" + PING), 400, odd)
        self.assertEqual(self.status(LINE + b"Content-Type: application/json\r\nConnection: close\r\n\r\n"), 400)
        self.assertEqual(self.status(posted(USUAL + b"Content-Type: application/json\r\n")), 415)
        self.assertEqual(self.status(b"nonsense\r\n\r\n"), 400)

    def test_what_says_who_asks_stands_there_once(self):
        session = f"Mcp-Session-Id: {self.client(self.server).session}\r\n".encode()
        self.assertEqual(self.status(posted(USUAL + session)), 200)
        self.assertEqual(self.status(posted(USUAL + session + b"Origin: http://localhost\r\n")), 200)
        for first, second in ((b"", b"Mcp-Session-Id: other\r\n"),
                              (b"Origin: http://localhost\r\n", b"Origin: http://evil.com\r\n"),
                              (b"MCP-Protocol-Version: 2025-11-25\r\n", b"MCP-Protocol-Version: 2025-06-18\r\n"),
                              (b"Authorization: Bearer a\r\n", b"Authorization: Bearer b\r\n")):
            with self.subTest(second):
                self.assertEqual(self.status(posted(USUAL + session + first + second)), 400)


class Settings(DoorCase):
    def test_hosts_and_pages_can_be_allowed_and_bounds_set(self):
        world = self.world(project={"kid": child()})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"server": {"allowedHosts": ["mcp.example.com"], "allowedOrigins": ["https://app.example.com"],
                                  "maxStreams": 2, "maxHeaderKb": 4, "maxBodyMb": 1}}, file)
        server = self.serve(world)
        allowed = {"Host": "mcp.example.com", "Origin": "https://app.example.com"}
        self.assertEqual(self.client(server, ModernClient).begin("server/discover", headers=allowed).status, 200)
        self.assertEqual(status_of(talk(server.port, posted(USUAL + b"X: " + b"x" * 5_000 + b"\r\n"))), 431)
        self.assertEqual(status_of(talk(server.port, posted(length=MEBIBYTE + 1, body=b""))), 413)
        client = self.client(server)
        code = "await new Promise(done => setTimeout(done, 3000))"
        open_runs = [client.begin_run("run-typescript-code", code) for _ in range(2)]
        self.assertEqual([each.type for each in open_runs], ["text/event-stream"] * 2)
        refused = client.begin("ping")
        self.assertEqual((refused.status, refused.header("Retry-After")), (429, "1"))
        for each in open_runs:
            each.message()
        self.assertEqual(client.call("ping"), {})
