"""The authorization server of the tests and the servers that it protects do what other tests rely on. Needs no binary."""

import base64
import json
import socket
import time
import unittest

from support.authorization_faults import ABSENT, after, cut, dribble, html, huge, loop, oauth_error, once, redirect_to, slow, status
from support.authorization_server import AuthorizationServer, browse
from support.plain_client import fetch, Login, RedirectListener, request, send
from support.protected_child import ProtectedChild, ProtectedModernChild
from support.small_server import Trap


class LoginCase(unittest.TestCase):
    def keep(self, server):
        self.addCleanup(server.close)
        return server

    def server(self, **keywords):
        return self.keep(AuthorizationServer(**keywords))

    def login(self, server, resource="http://127.0.0.1:1/mcp", scope="", registers=True):
        login = Login(server, self.keep(RedirectListener()), resource, scope)
        if registers:
            self.assertEqual(login.register().status, 201)
        return login

    def tokens(self, login):
        return login.redeem(login.authorize()["code"]).json()

    def refused(self, answer, error, code=400):
        self.assertEqual((answer.status, answer.json()["error"]), (code, error))


class Dance(LoginCase):
    def test_of_a_client_that_does_everything_right(self):
        server = self.server(path="/tenant1", scopes=("mcp:read", "offline_access"))
        login = self.login(server, scope="mcp:read")
        status_code, _, way = browse(login.authorization_url())
        self.assertEqual((status_code, len(way)), (200, 2))
        back = login.listener.journal[-1].query
        self.assertEqual((back["state"], back["iss"]), (login.state, server.issuer))
        tokens = login.redeem(back["code"]).json()
        self.assertEqual((tokens["token_type"], tokens["expires_in"], tokens["scope"]), ("Bearer", 3600, "mcp:read"))
        found = server.token(tokens["access_token"])
        self.assertEqual((found.resource, found.scope), (login.resource, ("mcp:read",)))
        self.assertEqual(server.asked("token")[-1].form["resource"], login.resource)
        self.assertEqual(server.deviations, [])

    def test_metadata_is_where_it_belongs(self):
        server = self.server(path="/tenant1")
        places = ("/.well-known/oauth-authorization-server/tenant1", "/.well-known/openid-configuration/tenant1", "/tenant1/.well-known/openid-configuration")
        for place in places:
            self.assertEqual(fetch(server.origin + place).json()["issuer"], server.issuer)
        self.assertEqual(fetch(server.origin + "/.well-known/oauth-authorization-server").status, 404)
        server.documents = ("oidc_after",)
        self.assertEqual([fetch(server.origin + place).status for place in places], [404, 404, 200])
        root = self.server()
        self.assertEqual(fetch(root.origin + "/.well-known/oauth-authorization-server").json()["code_challenge_methods_supported"], ["S256"])

    def test_pkce_is_verified(self):
        server = self.server()
        login = self.login(server)
        for other in ("x" * 43, "short", None):
            self.refused(login.redeem(login.authorize()["code"], code_verifier=other), "invalid_grant")
        self.assertEqual(login.authorize(code_challenge=None)["error"], "invalid_request")
        self.assertEqual(login.authorize(code_challenge_method="plain")["error"], "invalid_request")
        self.assertEqual(len(server.deviations), 2)

    def test_codes_are_for_one_client_one_place_and_one_use(self):
        server = self.server()
        login, other = self.login(server), self.login(server)
        self.refused(login.redeem(login.authorize()["code"], redirect_uri=other.listener.url), "invalid_grant")
        self.refused(login.redeem(other.authorize()["code"]), "invalid_grant")
        code = login.authorize()["code"]
        tokens = login.redeem(code).json()
        self.refused(login.redeem(code), "invalid_grant")
        self.assertIsNone(server.token(tokens["access_token"]), "what came of a code that was used twice is taken back")
        self.assertEqual(login.authorize(redirect_uri="http://127.0.0.1/elsewhere").status, 400)
        self.refused(login.redeem(login.authorize()["code"], resource="http://127.0.0.1:1/other"), "invalid_target")
        other.resource = None
        other.authorize()
        self.assertIn("a request to authorize without resource", server.deviations)

    def test_refresh_rotates_and_reuse_revokes_the_family(self):
        server = self.server()
        login = self.login(server, scope="a b")
        first = self.tokens(login)
        second = login.refresh(first["refresh_token"], scope="a").json()
        self.assertNotEqual(first["refresh_token"], second["refresh_token"])
        self.assertEqual(server.token(second["access_token"]).scope, ("a",))
        self.refused(login.refresh(second["refresh_token"], scope="a c"), "invalid_scope")
        self.refused(login.refresh(first["refresh_token"]), "invalid_grant")
        self.assertIsNone(server.token(second["access_token"]))
        self.refused(login.refresh(second["refresh_token"]), "invalid_grant")

    def test_refresh_tokens_by_knob(self):
        server = self.server(refresh_tokens="offline_access")
        self.assertNotIn("refresh_token", self.tokens(self.login(server, scope="a")))
        self.assertIn("refresh_token", self.tokens(self.login(server, scope="a offline_access")))
        kept = self.server(rotates=False)
        login = self.login(kept)
        token = self.tokens(login)["refresh_token"]
        for _ in range(2):
            self.assertNotIn("refresh_token", login.refresh(token).json())

    def test_tokens_end(self):
        server = self.server()
        login = self.login(server)
        tokens = self.tokens(login)
        server.expire_access_tokens()
        self.assertIsNone(server.token(tokens["access_token"]))
        tokens = login.refresh(tokens["refresh_token"]).json()
        form = {"token": tokens["refresh_token"], "client_id": login.client_id}
        self.assertEqual(fetch(f"{server.issuer}/revoke", form).status, 200)
        self.assertIsNone(server.token(tokens["access_token"]))
        self.assertEqual(fetch(f"{server.issuer}/revoke", {**form, "token": "unknown"}).status, 200)
        self.assertIsNotNone(server.token(server.issue()))
        server.revoke_everything()
        self.refused(login.refresh(tokens["refresh_token"]), "invalid_grant")


class Clients(LoginCase):
    def credentials(self, client, secret):
        return {"Authorization": "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()}

    def test_come_as_they_are_registered(self):
        server = self.server()
        server.add_client("basic", "s:1")
        server.add_client("post", "s2", "client_secret_post")
        login = self.login(server, registers=False)
        form = {"grant_type": "client_credentials", "resource": login.resource, "scope": "a"}
        self.assertEqual(login.ask_for_tokens(form, self.credentials("basic", "s%3A1")).status, 200)
        self.assertEqual(login.ask_for_tokens({**form, "client_id": "post", "client_secret": "s2"}).status, 200)
        self.assertEqual(server.deviations, [])
        self.refused(login.ask_for_tokens(form, self.credentials("basic", "wrong")), "invalid_client", 401)
        self.refused(login.ask_for_tokens(form, self.credentials("post", "s2")), "invalid_client", 401)
        self.refused(login.ask_for_tokens({**form, "client_id": "basic"}), "invalid_client", 401)
        self.refused(login.ask_for_tokens({**form, "client_secret": "s2"}, self.credentials("post", "s2")), "invalid_request")
        self.assertEqual(len(server.deviations), 3)

    def test_register_themselves(self):
        server = self.server()
        login = self.login(server, registers=False)
        answer = login.register(token_endpoint_auth_method="client_secret_post").json()
        code = login.authorize()["code"]
        self.refused(login.redeem(code), "invalid_client", 401)
        self.assertEqual(login.redeem(code, client_secret=answer["client_secret"]).status, 200)
        self.refused(login.register(redirect_uris=["http://evil.example/"]), "invalid_redirect_uri")
        server.deviations.clear()
        login.register(application_type=None)
        self.assertEqual(len(server.deviations), 1)
        server.has_registration = False
        self.assertNotIn("registration_endpoint", fetch(f"{server.origin}/.well-known/oauth-authorization-server").json())

    def test_are_known_by_their_document(self):
        server = self.server(takes_client_documents=True)
        login = self.login(server, registers=False)
        login.client_id = "https://client.example/me.json"
        server.client_documents[login.client_id] = {"client_id": login.client_id, "client_name": "me", "redirect_uris": ["http://127.0.0.1/callback"],
                                                    "grant_types": ["authorization_code", "refresh_token"]}
        self.assertIn("refresh_token", self.tokens(login))
        login.client_id = "https://client.example/other.json"
        self.refused(login.authorize(), "invalid_client")


class Lies(LoginCase):
    def test_in_metadata(self):
        trap, server = self.keep(Trap()), self.server()
        url = f"{server.origin}/.well-known/oauth-authorization-server"
        server.lies["metadata"] = {"issuer": "https://other.example", "code_challenge_methods_supported": ABSENT, "token_endpoint": f"{trap.origin}/token"}
        document = fetch(url).json()
        self.assertEqual(document["issuer"], "https://other.example")
        self.assertNotIn("code_challenge_methods_supported", document)
        self.assertFalse(trap.was_reached)
        fetch(document["token_endpoint"], {"code": "secret", "other": "x"})
        self.assertEqual((trap.was_reached, trap.secrets()), (True, ["secret"]))

    def test_in_redirects(self):
        server = self.server()
        login = self.login(server)
        server.lies["authorize"] = {"iss": ABSENT, "state": lambda state: state + "x", "code": "another"}
        back = login.authorize()
        self.assertEqual(back, {"code": "another", "state": login.state + "x"})
        self.refused(login.redeem(back["code"]), "invalid_grant")
        server.lies["authorize"], server.authorize_error = {"iss": "https://other.example"}, "access_denied"
        back = login.authorize()
        self.assertEqual((back["error"], back["iss"], back["state"]), ("access_denied", "https://other.example", login.state))
        server.says_issuer = False
        server.lies["authorize"] = {}
        self.assertNotIn("iss", login.authorize())

    def test_with_tokens(self):
        server = self.server()
        login = self.login(server)
        for expires in (-5, "soon", 1e300, None, ABSENT):
            server.lies["token"] = {"token_type": "mac", "expires_in": expires, "access_token": lambda value: value + "\r\nX-Evil: 1"}
            tokens = self.tokens(login)
            self.assertEqual((tokens["token_type"], tokens.get("expires_in", ABSENT)), ("mac", expires))
            self.assertTrue(tokens["access_token"].endswith("\r\nX-Evil: 1"))

    def test_faults_take_the_place_of_answers(self):
        server = self.server()
        url = f"{server.origin}/.well-known/oauth-authorization-server"
        server.faults["metadata"] = html
        self.assertEqual(fetch(url).headers["content-type"], "text/html")
        server.faults["metadata"] = huge
        answer = fetch(url)
        self.assertGreater(len(answer.body), 10 << 20)
        self.assertEqual(answer.json()["issuer"], server.issuer)
        server.faults["metadata"] = loop
        self.assertEqual(fetch(url).headers["location"], url + "?turn=1")
        with self.assertRaises(AssertionError):
            browse(url)
        server.faults["metadata"] = once(status(500))
        self.assertEqual([fetch(url).status for _ in range(2)], [500, 200])
        server.faults["metadata"] = after(1, oauth_error("server_error"))
        self.assertEqual([fetch(url).status for _ in range(2)], [200, 400])
        server.faults["metadata"] = cut
        with self.assertRaises(OSError):
            fetch(url)
        server.faults = {"token": redirect_to("http://127.0.0.2:1/")}
        self.assertEqual(self.login(server).redeem("x").headers["location"], "http://127.0.0.2:1/")

    def test_slow_ones(self):
        server = self.server()
        server.faults["metadata"] = slow(0.3)
        started = time.monotonic()
        self.assertEqual(fetch(f"{server.origin}/.well-known/oauth-authorization-server").status, 200)
        self.assertGreaterEqual(time.monotonic() - started, 0.3)
        server.faults["metadata"] = dribble
        with socket.create_connection(server.origin[len("http://"):].split(":"), timeout=30) as client:
            client.sendall(b"GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: x\r\n\r\n")
            received = b""
            while received.count(b" ", received.find(b"\r\n\r\n")) < 3 or b"\r\n\r\n" not in received:
                received += client.recv(4096)


INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}}


class Protected(LoginCase):
    def child(self, server=None, kind=ProtectedChild, **how):
        return self.keep(kind(server or self.server(), **how))

    def post(self, child, message, token=None, **headers):
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        return fetch(child.url, json.dumps(message).encode(), {"Content-Type": "application/json", **bearer, **headers})

    def call(self, child, token, tool):
        begun = self.post(child, INITIALIZE, token)
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": {"message": "hi"}}}
        return self.post(child, message, token, **{"Mcp-Session-Id": begun.headers["mcp-session-id"]})

    def test_says_where_to_log_in(self):
        child = self.child(scope="mcp:read", scopes_supported=("mcp:read", "mcp:write"))
        answer = self.post(child, INITIALIZE)
        self.assertEqual(answer.status, 401)
        self.assertEqual(answer.headers["www-authenticate"], f'Bearer scope="mcp:read", resource_metadata="{child.metadata_url}"')
        document = fetch(child.metadata_url).json()
        self.assertEqual((document["resource"], document["authorization_servers"]), (child.url, [child.server.issuer]))
        self.assertEqual(document["scopes_supported"], ["mcp:read", "mcp:write"])
        self.assertEqual((child.authorizations, child.metadata_asked), ([None], ["/.well-known/oauth-protected-resource/mcp"]))

    def test_metadata_in_other_places(self):
        root = "/.well-known/oauth-protected-resource"
        for place, good in (("root", [root]), ("/custom/place.json", ["/custom/place.json"]), (None, []), (("path", "root"), [root + "/mcp", root])):
            child = self.child(metadata_at=place, says_metadata=False, lies={"resource": "https://other.example/mcp"})
            self.assertEqual(self.post(child, INITIALIZE).headers["www-authenticate"], "Bearer")
            found = [path for path in (root + "/mcp", root, "/custom/place.json") if fetch(f"http://127.0.0.1:{child.port}{path}").status == 200]
            self.assertEqual(found, good)
        self.assertEqual(fetch(child.metadata_url).json()["resource"], "https://other.example/mcp")
        child.metadata_fault = loop
        self.assertEqual(fetch(child.metadata_url).headers["location"], child.metadata_url + "?turn=1")
        child.metadata_fault = huge
        self.assertGreater(len(fetch(child.metadata_url).body), 10 << 20)

    def test_lets_in_who_may(self):
        server = self.server()
        child = self.child(server, needs="mcp:read", tool_scopes={"write": "mcp:write"})
        login = self.login(server, child.url, "mcp:read")
        token = self.tokens(login)["access_token"]
        self.assertEqual(self.call(child, token, "echo").json()["result"]["content"][0]["text"], "hi")
        answer = self.call(child, token, "write")
        self.assertEqual(answer.status, 403)
        self.assertIn('error="insufficient_scope", scope="mcp:read mcp:write"', answer.headers["www-authenticate"])
        more = server.issue("mcp:read mcp:write", child.url)
        self.assertEqual(self.call(child, more, "write").status, 200)
        self.assertEqual(self.post(child, INITIALIZE, server.issue("mcp:read", "http://127.0.0.1:1/other")).status, 401)
        child.is_never_content = True
        self.assertEqual(self.call(child, more, "write").status, 403)
        server.expire_access_tokens()
        self.assertEqual(self.post(child, INITIALIZE, token).status, 401)
        self.assertEqual({code for code, _ in child.refusals}, {401, 403})

    def test_tools_by_scope_and_tokens_that_die(self):
        for kind in (ProtectedChild, ProtectedModernChild):
            server = self.server()
            child = self.child(server, kind, tool_scopes={"write": "mcp:write"}, hides_tools=True, dies_after=1)
            if kind is ProtectedModernChild:
                def tools(token):
                    answer = send(child, request("tools/list"), {"Authorization": f"Bearer {token}"})
                    return [tool["name"] for tool in answer.json()["result"]["tools"]]
                self.assertNotIn("write", tools(server.issue("", child.url)))
                self.assertIn("write", tools(server.issue("mcp:write", child.url)))
            else:
                token = server.issue("", child.url)
                self.assertEqual(self.call(child, token, "echo").status, 200)
                self.assertEqual(self.post(child, INITIALIZE, token).status, 401)


if __name__ == "__main__":
    unittest.main()
