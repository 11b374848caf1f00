"""Logins at servers over HTTP (OAuth 2.1): `login`, `logout`, and what calls do with and without one."""

import json
import os
import stat
import subprocess
import sys
import threading
import time

from support.authorization_faults import ABSENT, dribble, html, huge, loop, oauth_error, once, redirect_to, slow, status
from support.authorization_server import AuthorizationServer, browse
from support.http_case import HttpCase
from support.http_child import HttpChild, Reply
from support.protected_child import ProtectedChild, ProtectedModernChild
from support.server import binary
from support.small_server import Trap

ECHO = "return await callMCPTool('far', 'echo', {message: 'hi'})"


class LoginCase(HttpCase):
    def authority(self, **knobs):
        server = AuthorizationServer(**knobs)
        self.addCleanup(server.close)
        return server

    def far(self, authority, kind=ProtectedModernChild, **knobs):
        child = kind(authority, **knobs)
        self.addCleanup(child.close)
        return child

    def world_of(self, child, **entry):
        return self.world(user={"far": {**child.entry(), **entry}})

    def log_in(self, world, *words):
        """Reads the address from stderr, and goes there."""
        with subprocess.Popen([binary(), "login", "far", "--no-browser", *words], cwd=world.cwd, env=world.environment({}), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            told = ""
            for line in process.stderr:
                told += line
                if line.strip().startswith("http"):
                    threading.Thread(target=self._browse, args=(line.strip(),), daemon=True).start()
            out = process.stdout.read()
            process.wait(60)
        return subprocess.CompletedProcess([], process.returncode, out, told)

    @staticmethod
    def _browse(url):
        try:
            browse(url)
        except (AssertionError, OSError):
            pass  # what the test is about

    def logged_in(self, authority, **knobs):
        child = self.far(authority, **knobs)
        world = self.world_of(child)
        done = self.log_in(world)
        self.assertEqual(done.returncode, 0, done.stderr)
        return child, world


class Logins(LoginCase):
    def test_from_a_refusal_to_an_answer(self):
        for kind in (ProtectedModernChild, ProtectedChild):
            with self.subTest(kind.__name__):
                authority = self.authority(path="/tenant1", scopes=("mcp:read", "offline_access"))
                child = self.far(authority, kind)
                world = self.world_of(child)
                server = self.start(world=world)
                refused = server.typescript(ECHO)
                self.refuse(refused, "far", "code-executor login far")
                self.assertIn("code-executor login far", " ".join(server.tool("health").structured["problems"]))
                self.assertEqual(server.tool("list_servers").structured["sources"]["far"]["state"], "needs login")
                self.wait_until(lambda: "needs login" in world.command("servers").stdout, "people who ask are told")
                done = self.log_in(world)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("needs login", world.command("servers").stdout.splitlines()[0], "a process that serves knows at the next call")
                self.wait_until(lambda: server.typescript(ECHO).result == "hi", "the login counts at once")
                self.assertEqual(authority.deviations, [])
                server.end("eof")
                [name] = [name for name in os.listdir(os.path.join(world.home, ".code-executor", "tokens")) if name.endswith(".json")]
                path = os.path.join(world.home, ".code-executor", "tokens", name)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
                self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode), 0o700)

    def test_the_browser_of_the_person_is_started(self):
        authority = self.authority()
        child = self.far(authority)
        world = self.world_of(child)
        browser = os.path.join(world.root, "browser")
        with open(browser, "w", encoding="utf-8") as file:
            file.write(f"#!{sys.executable}\nimport sys, urllib.request\nurllib.request.urlopen(sys.argv[1]).read()\n")
        os.chmod(browser, 0o755)
        done = world.command("login", "far", "--json", env={"BROWSER": browser})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["issuer"], authority.issuer)

    def test_log_out(self):
        authority = self.authority()
        child, world = self.logged_in(authority)
        done = world.command("logout", "far")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("revoked", done.stdout)
        self.assertTrue(authority.asked("revoke"))
        self.refuse(self.start(world=world).typescript(ECHO), "code-executor login far")
        self.assertIn("There was no login", world.command("logout", "far").stdout)

    def test_one_call_that_is_refused_ends_no_other(self):
        child = HttpChild()
        self.addCleanup(child.close)
        was_refused = threading.Event()

        def answer(request):
            word = request["params"]["arguments"]["message"]
            if word == "bad":
                return Reply(401)
            return was_refused.set() if word == "go" else was_refused.wait(30) and None

        child.answers = answer
        server = self.start({"far": child.entry()})
        answer = self.succeed(server.typescript("""
            const call = message => callMCPTool('far', 'echo', {message}).catch(error => error.code);
            const open = [call('a'), call('b')];
            const bad = await call('bad');
            return [bad, await call('go'), ...await Promise.all(open)]"""))
        self.assertEqual(answer.result, ["needs_login", "go", "a", "b"])

    def test_a_server_that_takes_no_token_ends_no_other_call_and_says_what_to_do(self):
        authority = self.authority()
        child = self.far(authority)
        world = self.world_of(child)
        self.assertEqual(self.log_in(world).returncode, 0)
        authority.lies["token"] = {"access_token": "nobody-knows-this"}
        authority.expire_access_tokens()
        begin = time.monotonic()
        self.refuse(self.start(world=world).typescript(ECHO), "code-executor login far")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertLess(len(authority.asked("token")), 10)

    def test_one_that_wants_to_know_who_asks_only_for_what_it_does_not_know(self):
        child = HttpChild()
        self.addCleanup(child.close)
        child.with_sessions = False
        child.answers = lambda request: Reply(401) if request["method"] == "server/discover" else None
        self.assertEqual(self.succeed(self.start({"far": child.entry()}).typescript(ECHO)).result, "hi")

    def test_at_a_server_of_2024(self):
        authority = self.authority()
        child = self.old()
        served = child._answer

        def answer(handler, seen):
            if "/.well-known/oauth-protected-resource" in seen.path:
                return child.send_json(handler, {"resource": child.url, "authorization_servers": [authority.issuer]})
            if authority.token(seen.headers.get("authorization", "").removeprefix("Bearer ")) is None:
                return child.send(handler, Reply(401))
            return served(handler, seen)

        child._answer = answer
        world = self.world_of(child, type="sse")
        server = self.start(world=world)
        self.refuse(server.typescript(ECHO), "code-executor login far")
        self.assertEqual(self.log_in(world).returncode, 0)
        self.wait_until(lambda: server.typescript(ECHO).result == "hi", "the login counts")
        authority.expire_access_tokens()
        server.end("eof")
        self.assertEqual(self.succeed(self.start(world=world).typescript(ECHO)).result, "hi")
        child.end_streams()

    def test_more_rights_are_heard_of_in_the_second_of_two_headers(self):
        authority = self.authority(scopes=("mcp:read", "mcp:write"))
        child = self.far(authority, needs="mcp:read", scope="mcp:read", tool_scopes={"write": "mcp:write"})
        world = self.world_of(child)
        self.assertEqual(self.log_in(world).returncode, 0)
        server = self.start(world=world)
        self.succeed(server.typescript(ECHO))
        child.challenges = ['Basic realm="x"', 'Bearer error="insufficient_scope", scope="mcp:write"']
        self.refuse(server.typescript("return await callMCPTool('far', 'write', {})"), "needs more rights", "mcp:write")

    def test_wrong_words(self):
        authority = self.authority()
        world = self.world_of(self.far(authority))
        self.assertIn("did you mean 'far'", world.command("login", "fra").stderr)
        self.assertEqual(world.command("login", "fra").returncode, 2)
        told = self.world_of(self.far(authority), headers={"Authorization": "Bearer x"})
        self.assertIn("Authorization", told.command("login", "far").stderr)
        off = self.world_of(self.far(authority), oauth=False)
        self.assertEqual(off.command("login", "far").returncode, 2)


class Renewal(LoginCase):
    def test_tokens_are_renewed_when_they_expire_and_when_they_are_refused(self):
        authority = self.authority(lifetime=2)
        child, world = self.logged_in(authority)
        server = self.start(world=world)
        self.assertEqual(self.succeed(server.typescript(ECHO)).result, "hi")
        for _ in range(3):
            authority.expire_access_tokens()
            self.assertEqual(self.succeed(server.typescript(ECHO)).result, "hi")
        self.assertEqual(authority.deviations, [])

    def test_two_servers_of_ours_lose_no_token(self):
        authority = self.authority()
        child, world = self.logged_in(authority)
        worlds = [world, self.world(), self.world()]  # each has processes of its own
        for other in worlds:
            other.home = world.home
        servers = [self.start(world=each) for each in worlds]
        for _ in range(5):
            authority.expire_access_tokens()
            runs = [threading.Thread(target=lambda each=each: answers.append(each.typescript(ECHO))) for each in servers]
            answers = []
            for run in runs:
                run.start()
            for run in runs:
                run.join()
            for answer in answers:
                self.succeed(answer)
        self.assertEqual(authority.deviations, [], "no refresh token was used twice")

    def test_calls_that_find_the_token_expired_together_share_a_new_one(self):
        authority = self.authority()
        child, world = self.logged_in(authority)
        server = self.start(world=world)
        self.succeed(server.typescript(ECHO))
        renewed = len(authority.asked("token"))
        authority.expire_access_tokens()
        answer = self.succeed(server.typescript("return (await Promise.all(Array.from({length: 30}, () => callMCPTool('far', 'echo', {message: 'hi'})))).length"))
        self.assertEqual(answer.result, 30)
        self.assertEqual(len(authority.asked("token")), renewed + 1)

    def test_tokens_are_told_to_nobody(self):
        authority = self.authority()
        child, world = self.logged_in(authority)
        server = self.start(world=world)
        self.succeed(server.typescript(ECHO))
        token = child.authorizations[-1].removeprefix("Bearer ")
        answer = server.typescript(f"return await callMCPTool('far', 'fail', {{message: {json.dumps(token)}}})")
        self.refuse(answer, "***")
        self.assertNotIn(token, answer.text)

    def test_a_login_that_was_taken_back(self):
        authority = self.authority()
        child, world = self.logged_in(authority)
        server = self.start(world=world)
        self.succeed(server.typescript(ECHO))
        authority.revoke_everything()
        self.refuse(server.typescript(ECHO), "code-executor login far")
        self.assertEqual(self.log_in(world).returncode, 0)
        self.wait_until(lambda: server.typescript(ECHO).result == "hi", "the new login counts")

    def test_an_authorization_server_that_is_down_loses_nothing(self):
        authority = self.authority()
        child, world = self.logged_in(authority)
        server = self.start(world=world)
        self.succeed(server.typescript(ECHO))
        authority.expire_access_tokens()
        authority.faults["token"] = status(503)
        self.refuse(server.typescript(ECHO), "503")
        del authority.faults["token"]
        self.wait_until(lambda: server.typescript(ECHO).result == "hi", "the refresh token is still there")

    def test_more_rights_are_asked_for_at_the_next_login(self):
        authority = self.authority(scopes=("mcp:read", "mcp:write"))
        child = self.far(authority, needs="mcp:read", scope="mcp:read", tool_scopes={"write": "mcp:write"})
        world = self.world_of(child)
        self.assertEqual(self.log_in(world).returncode, 0)
        server = self.start(world=world)
        self.succeed(server.typescript(ECHO))
        self.refuse(server.typescript("return await callMCPTool('far', 'write', {})"), "mcp:write", "code-executor login far")
        self.succeed(server.typescript(ECHO))
        self.assertEqual(self.log_in(world).returncode, 0)
        self.succeed(server.typescript("return await callMCPTool('far', 'write', {})"))
        self.assertEqual(set(authority.asked("authorize")[-1].query["scope"].split()), {"mcp:read", "mcp:write"})

    def test_machines_log_in_by_themselves(self):
        authority = self.authority()
        authority.add_client("robot", "s3cret-of-robot", "client_secret_basic", grants=("client_credentials",))
        child = self.far(authority)
        world = self.world_of(child, oauth={"clientId": "robot", "clientSecret": "${ROBOT}", "grantType": "client_credentials"})
        server = self.start(world=world, env={"ROBOT": "s3cret-of-robot"})
        self.assertEqual(self.succeed(server.typescript(ECHO)).result, "hi")
        server.end("eof")
        self.assertNotIn("s3cret-of-robot", server.stderr())
        # Who alone gets the secret stands in a file. Without it, nobody does.
        folder = os.path.join(world.home, ".code-executor", "tokens")
        [name] = [name for name in os.listdir(folder) if name.endswith(".json")]
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("{broken")
        asked = len(authority.asked("token"))
        self.refuse(self.start(world=world, env={"ROBOT": "s3cret-of-robot"}).typescript(ECHO), "does not count", "remove that file")
        self.assertEqual(len(authority.asked("token")), asked)


class Liars(LoginCase):
    """An authorization server that lies gets nothing, and the person hears why."""

    def refused(self, authority, *words, child=None):
        world = self.world_of(child or self.far(authority))
        done = self.log_in(world)
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse(os.path.exists(os.path.join(world.home, ".code-executor", "tokens", "x")))

    def test_metadata(self):
        for lie, word in (({"issuer": "https://other.example"}, "issuer"), ({"code_challenge_methods_supported": ABSENT}, "PKCE"),
                          ({"code_challenge_methods_supported": ["plain"]}, "S256")):
            with self.subTest(word):
                authority = self.authority()
                authority.lies["metadata"] = lie
                self.refused(authority, word)

    def test_addresses_elsewhere(self):
        trap = Trap()
        self.addCleanup(trap.close)
        authority = self.authority()
        authority.lies["metadata"] = {"token_endpoint": "http://169.254.169.254/token"}
        self.refused(authority)

    def test_documents(self):
        for fault in (html, huge, loop, redirect_to("http://127.0.0.1:1/")):
            with self.subTest(str(fault)):
                authority = self.authority()
                authority.faults["metadata"] = fault
                self.refused(authority)

    def test_answers_of_another(self):
        for lie in ({"iss": ABSENT}, {"iss": "https://other.example"}):
            with self.subTest(str(lie)):
                authority = self.authority()
                authority.lies["authorize"] = lie
                self.refused(authority, "iss")
                self.assertEqual(authority.asked("token"), [])

    def test_tokens(self):
        for fault in (oauth_error("invalid_grant"), status(500), redirect_to("http://127.0.0.1:1/"), html):
            with self.subTest(str(fault)):
                authority = self.authority()
                authority.faults["token"] = fault
                self.refused(authority)
        authority = self.authority()
        authority.lies["token"] = {"access_token": lambda true: true + "\r\nX: y"}
        self.refused(authority)
        authority = self.authority()
        authority.lies["token"] = {"token_type": "mac"}
        self.refused(authority, "Bearer")

    def test_an_endless_dribble_ends(self):
        authority = self.authority()
        authority.faults["metadata"] = dribble
        self.refused(authority)

    def test_one_error_is_no_end(self):
        authority = self.authority()
        authority.faults["token"] = once(slow(1))
        child = self.far(authority)
        self.assertEqual(self.log_in(self.world_of(child)).returncode, 0)
