"""A call that needs a login has the person asked by URL, where the client can be: the run waits, and the call is made once more."""

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import parse_qs, urlencode, urlsplit

from support.authorization_faults import slow
from support.authorization_server import browse
from support.case import WITHOUT_POOL
from support.http_client import HttpServer, ModernClient
from support.person import PersonClient, URL
from support.plain_client import meta
from support.protected_child import ProtectedChild, ProtectedModernChild
from support.record import lines_of, text_of, wait_for_line
from support.run import ToolAnswer
from support.server import World
from support.waiting import wait_until
from test_login import ECHO, LoginCase

COMMAND = "code-executor login far"
BY_URL = {"elicitation": URL}
ACCEPT = {"action": "accept"}
TWICE = "return await Promise.all(['a', 'b'].map(message => callMCPTool('far', 'echo', {message})))"
CAUGHT = "const codes = []; for (let i = 0; i < 3; ++i) try { await callMCPTool('far', 'echo', {message: 'x'}) } catch (e) { codes.push(e.code) } return codes"


def redirect_of(url):
    """Where the browser is sent back to, and the state."""
    query = parse_qs(urlsplit(url).query)
    return query["redirect_uri"][0], query["state"][0]


def is_listening(url):
    back = urlsplit(redirect_of(url)[0])
    with socket.socket() as probe:
        return probe.connect_ex((back.hostname, back.port)) == 0


def answer_to(action):
    return lambda asked: asked.answer({"action": action})


def silent(_asked):
    """Looks at it and does nothing."""


def goes_there(asked):
    asked.answer(ACCEPT)
    browse(asked.params["url"])


class AskedCase(LoginCase):
    def setUp(self):
        self.authority = self.authority_of()

    def authority_of(self, **knobs):
        return LoginCase.authority(self, **knobs)

    def settled(self, world, settings):
        path = f"{world.root}/settings.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(settings, file)
        return {"CODE_EXECUTOR_CONFIG_PATH": path}

    def client(self, person, *, child=None, world=None, settings=None, **options):
        self.child = child or self.far(self.authority)
        world = world or self.world_of(self.child)
        env = {**WITHOUT_POOL, **(self.settled(world, settings) if settings else {})}
        client = PersonClient(world=world, person=person, env=env, **{"capabilities": BY_URL, **options})
        self.addCleanup(client.stop)
        return client

    def completed(self, client):
        return [entry.message["params"]["elicitationId"] for entry in client.notifications("notifications/elicitation/complete")]

    def is_closed(self, asked):
        wait_until(lambda: not is_listening(asked.params["url"]), "end of the port for the way back")


class Legacy(AskedCase):
    def test_the_person_goes_there_and_the_call_is_made_once_more(self):
        for kind in (ProtectedModernChild, ProtectedChild):
            with self.subTest(kind.__name__):
                self.authority = self.authority_of(scopes=("mcp:read", "offline_access"))
                client = self.client(goes_there, child=self.far(self.authority, kind, scope="mcp:read"))
                self.assertEqual(self.succeed(client.typescript(ECHO)).result, "hi")
                self.assertEqual(self.succeed(client.typescript(ECHO)).result, "hi")
                [asked] = client.asked
                self.assertEqual((asked.method, asked.params["mode"]), ("elicitation/create", "url"))
                self.assertTrue(asked.params["url"].startswith(f"{self.authority.issuer}/authorize?"))
                for word in ("[code-executor] ", "'far'", self.child.url, self.authority.issuer, "mcp:read"):
                    self.assertIn(word, asked.params["message"])
                client.wait_for(lambda client=client: self.completed(client), "notifications/elicitation/complete")
                self.assertEqual(self.completed(client), [asked.params["elicitationId"]])
                self.assertEqual(client.withdrawn(), [])
                self.assertEqual(self.authority.deviations, [])
                self.assertEqual(len([1 for seen in self.child.authorizations if seen]), len(self.child.authorizations) - len(self.child.refusals))
                self.is_closed(asked)
                self.assertNotIn("needs login", client.world.command("servers").stdout)
                redirect, state = redirect_of(asked.params["url"])
                line = wait_for_line(client.world, lambda line: line["event"] == "question", "line of the question")
                self.assertEqual((line["server"], line["state"], line["success"]), ("far", "elicitation/create: accept", True))
                for secret in (state, redirect, "/authorize?"):
                    self.assertNotIn(secret, client.stderr())
                    self.assertNotIn(secret, text_of(client.world))

    def test_who_has_been_there_before_the_client_has_answered(self):
        """The question is not needed any more."""
        client = self.client(lambda asked: browse(asked.params["url"]))
        self.assertEqual(self.succeed(client.typescript(ECHO)).result, "hi")
        client.wait_for(lambda: client.withdrawn(), "notifications/cancelled of the question")
        self.assertEqual(self.completed(client), [client.asked[0].params["elicitationId"]])

    def test_in_python(self):
        self.assertEqual(self.succeed(self.client(goes_there).python("call_mcp_tool('far', 'echo', {'message': 'hi'})")).result, "hi")

    def test_who_declines_or_does_not_decide(self):
        for action, words in (("decline", "does not want to log in"), ("cancel", "has not decided")):
            with self.subTest(action):
                client = self.client(answer_to(action))
                self.refuse(client.typescript(ECHO), COMMAND, words)
                self.assertEqual(len(client.asked), 1)
                self.is_closed(client.asked[0])
                self.assertEqual(self.authority.asked("token"), [])
                self.assertEqual(self.succeed(client.typescript(CAUGHT)).result, ["needs_login"] * 3)
                self.assertEqual(len(client.asked), 2, "asked once in a run")
                state = wait_for_line(client.world, lambda line: line["event"] == "question", "line of the question")["state"]
                self.assertEqual(state, f"elicitation/create: {action}")

    def test_a_client_that_answers_with_an_error(self):
        client = self.client(lambda asked: asked.refuse("secret words"))
        self.assertNotIn("secret words", self.refuse(client.typescript(ECHO), COMMAND, "answered with an error"))
        self.is_closed(client.asked[0])

    def test_the_authorization_server_says_no(self):
        self.authority.authorize_error = "access_denied"
        client = self.client(goes_there)
        self.refuse(client.typescript(ECHO), COMMAND, "access_denied")
        self.is_closed(client.asked[0])
        client.wait_for(lambda: self.completed(client), "notifications/elicitation/complete")

    def test_a_redirect_of_somebody_else(self):
        """Neither ends the waiting, nor what is there with the right state."""
        statuses = []

        def forge(asked):
            asked.answer(ACCEPT)
            redirect, state = redirect_of(asked.params["url"])
            for query in ({"code": "x", "state": "wrong"}, {"code": "x"}, {"code": "x", "state": state[:-1]}):
                try:
                    with urllib.request.urlopen(f"{redirect}?{urlencode({**query, 'iss': self.authority.issuer})}", timeout=30) as got:
                        statuses.append(got.status)
                except urllib.error.HTTPError as error:
                    with error:
                        statuses.append(error.code)
            browse(asked.params["url"])

        client = self.client(forge)
        self.assertEqual(self.succeed(client.typescript(ECHO)).result, "hi")
        self.assertEqual(statuses, [400] * 3)

    def test_an_issuer_that_is_another_one(self):
        self.authority.lies["authorize"] = {"iss": "https://other.example"}
        self.refuse(self.client(goes_there).typescript(ECHO), COMMAND, "('iss')")
        self.assertEqual(self.authority.asked("token"), [])

    def test_nobody_comes_back(self):
        client = self.client(answer_to("accept"), settings={"runs": {"questionTimeoutMs": 1_000}})
        self.refuse(client.typescript(ECHO), COMMAND, "within 1")
        self.is_closed(client.asked[0])
        client.wait_for(lambda: self.completed(client), "notifications/elicitation/complete")

    def test_nobody_answers(self):
        client = self.client(silent, settings={"runs": {"questionTimeoutMs": 1_000}})
        self.refuse(client.typescript(ECHO), COMMAND, "within 1")
        self.is_closed(client.asked[0])
        client.wait_for(lambda: client.asked[0].id in client.withdrawn(), "notifications/cancelled of the question")

    def test_the_runs_time_stands_still(self):
        def slowly(asked):
            asked.answer(ACCEPT)
            time.sleep(2.5)
            browse(asked.params["url"])

        self.assertEqual(self.succeed(self.client(slowly).typescript(ECHO, timeoutMs=1_500)).result, "hi")

    def test_a_run_that_is_cancelled(self):
        client = self.client(silent)
        run = client.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": ECHO}})
        client.wait_for(lambda: client.asked, "question")
        client.notify("notifications/cancelled", requestId=run)
        client.wait_for(lambda: client.asked[0].id in client.withdrawn(), "notifications/cancelled of the question")
        self.is_closed(client.asked[0])

    def test_a_client_that_leaves(self):
        """While it is asked, and while the authorization server takes long."""
        for fault in (None, slow(20)):
            with self.subTest(fault=bool(fault)):
                self.authority.faults["metadata"] = fault
                client = self.client(silent)
                client.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": ECHO}})
                wait_until(lambda client=client: self.authority.asked("metadata") if fault else client.asked, "login that has begun")
                code, seconds = client.end("eof")
                self.assertEqual(code, 0, client.stderr())
                self.assertLess(seconds, 10)
                if client.asked:
                    self.is_closed(client.asked[0])

    def test_more_rights(self):
        self.authority = self.authority_of(scopes=("mcp:read", "mcp:write"))
        client = self.client(goes_there, child=self.far(self.authority, scope="mcp:read", tool_scopes={"write": "mcp:write"}))
        answer = client.typescript(ECHO.replace("return ", "const said = ") + "; return [said, await callMCPTool('far', 'write', {})]")
        self.assertEqual(self.succeed(answer).result[0], "hi")
        self.assertEqual([parse_qs(urlsplit(asked.params["url"]).query)["scope"] for asked in client.asked], [["mcp:read"], ["mcp:read mcp:write"]])

    def test_a_server_that_takes_no_token_is_not_asked_for_ever(self):
        self.authority.lies["token"] = {"access_token": "nobody-knows-this"}
        client = self.client(goes_there)
        self.refuse(client.typescript(ECHO), COMMAND)
        self.assertEqual(len(client.asked), 1)
        self.assertEqual(self.succeed(client.typescript(CAUGHT)).result, ["needs_login"] * 3)
        self.assertLessEqual(len(client.asked), 4)

    def test_the_clients_who_can_not_be_asked_hear_the_command(self):
        for how in ({"capabilities": {}}, {"capabilities": {"elicitation": {}}}, {"revision": "2025-06-18"}):
            with self.subTest(**how):
                client = self.client(silent, **how)
                text = self.refuse(client.typescript(ECHO), COMMAND)
                self.assertNotIn("asked", text)
                self.assertEqual(client.asked, [])
        self.assertEqual(self.authority.journal, [], "nothing is begun")

    def test_nothing_of_an_entry_that_nobody_has_approved(self):
        child = self.far(self.authority)
        world = World(trusts_project=False)
        self.addCleanup(world.remove)
        client = self.client(goes_there, child=child, world=world.configure(project={"far": child.entry()}))
        self.refuse(client.typescript(ECHO), "code-executor trust")
        self.assertEqual((client.asked, self.authority.journal, child.authorizations), ([], [], []))

    def test_an_address_that_nobody_is_sent_to(self):
        for lie in ("http://198.51.100.7/authorize", "https://user:word@example.com/authorize", "javascript:alert(1)", "https://example.com/a\u001b[2Kb"):
            with self.subTest(lie):
                self.authority = self.authority_of()
                self.authority.lies["metadata"] = {"authorization_endpoint": lie}
                client = self.client(goes_there)
                self.assertNotIn("\u001b", self.refuse(client.typescript(ECHO), COMMAND))
                self.assertEqual(client.asked, [])


class AtOnce(AskedCase):
    def test_calls_of_one_run(self):
        client = self.client(goes_there)
        self.assertEqual(self.succeed(client.typescript(TWICE)).result, ["a", "b"])
        self.assertEqual(len(client.asked), 1)

    def test_runs_of_one_client(self):
        held = []
        client = self.client(held.append)
        runs = [client.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": ECHO, "timeoutMs": 2_000}}) for _ in range(3)]
        wait_until(lambda: held, "question")
        time.sleep(3)  # longer than any of them may take
        goes_there(held[0])
        for run in runs:
            self.assertEqual(self.succeed(ToolAnswer(client.answer(run).message["result"], 0)).result, "hi")
        self.assertEqual(len(client.asked), 1)
        wait_for_line(client.world, lambda line: line["event"] == "run" and line["runId"].endswith(f"-{len(runs)}"), "end of the last run")
        self.assertEqual(len([line for line in lines_of(client.world) if line["event"] == "question"]), 1)

    def test_the_run_that_was_asked_leaves_and_the_other_is_asked(self):
        held = []
        client = self.client(held.append)
        begin = lambda: client.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": ECHO}})
        runs = [begin()]
        wait_until(lambda: held, "question")
        runs.append(begin())
        time.sleep(1)  # it waits by then
        client.notify("notifications/cancelled", requestId=runs[0])  # which has the lower number
        wait_until(lambda: len(held) == 2, "question in the other run")
        self.assertIn(held[0].id, client.withdrawn())
        self.assertEqual(held[1].params["url"], held[0].params["url"])
        goes_there(held[1])
        self.assertEqual(self.succeed(ToolAnswer(client.answer(runs[1]).message["result"], 0)).result, "hi")


class ModernClients(AskedCase):
    def call(self, wire, code=ECHO, more=None, abilities=None):
        params = {"name": "run-typescript-code", "arguments": {"code": code}, "_meta": meta(capabilities=abilities or {"elicitation": {"url": {}}})}
        return wire({**params, **(more or {})})

    def parked(self, wire, code=ECHO):
        asked = self.call(wire, code)
        self.assertEqual(asked.get("result", {}).get("resultType"), "input_required", asked)
        [(key, request)] = asked["result"]["inputRequests"].items()
        return asked["result"]["requestState"], key, request

    def come_back(self, wire, state, key, said, code=ECHO):
        return self.call(wire, code, more={"requestState": state, "inputResponses": {key: said} if said else {}})

    def done(self, answer):
        self.assertEqual(answer.get("result", {}).get("resultType"), "complete", answer)
        return ToolAnswer(answer["result"], 0)

    def over_stdio(self, **settings):
        child = self.far(self.authority)
        world = self.world_of(child)
        server = self.start(world=world, revision=None, env=self.settled(world, settings) if settings else {})
        return lambda params: server.answer(server.ask("tools/call", params)).message

    def over_http(self, names, **options):
        world = self.world_of(self.far(self.authority))
        secrets = [self.made(world, name) for name in names]
        server = HttpServer(world=world, env=WITHOUT_POOL, **options)
        self.addCleanup(server.stop)
        clients = [ModernClient(server, token=secret) for secret in secrets]
        for client in clients:
            self.addCleanup(client.close)
        return [lambda params, client=client: client.begin("tools/call", params).message() for client in clients]

    def made(self, world, name):
        made = world.command("token", "new", name)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def test_the_run_is_parked_and_goes_on(self):
        wire = self.over_stdio()
        state, key, request = self.parked(wire)
        self.assertEqual((request["method"], request["params"]["mode"]), ("elicitation/create", "url"))
        self.assertNotIn("elicitationId", request["params"])
        self.assertTrue(request["params"]["message"].startswith("[code-executor] "))
        timer = threading.Timer(1, browse, [request["params"]["url"]])  # consent comes first
        timer.start()
        self.assertEqual(self.succeed(self.done(self.come_back(wire, state, key, ACCEPT))).result, "hi")
        timer.join()

    def test_who_has_been_there_before_it_comes_back(self):
        wire = self.over_stdio()
        state, key, request = self.parked(wire)
        browse(request["params"]["url"])
        wait_until(lambda: self.authority.asked("token"), "exchange of the code")
        self.assertEqual(self.succeed(self.done(self.come_back(wire, state, key, ACCEPT))).result, "hi")

    def test_decline(self):
        wire = self.over_stdio()
        state, key, request = self.parked(wire)
        self.refuse(self.done(self.come_back(wire, state, key, {"action": "decline"})), COMMAND, "does not want to log in")
        wait_until(lambda: not is_listening(request["params"]["url"]), "end of the port")

    def test_nobody_comes_back_from_the_browser(self):
        wire = self.over_stdio(runs={"questionTimeoutMs": 1_500})
        state, key, _ = self.parked(wire)
        self.refuse(self.done(self.come_back(wire, state, key, ACCEPT)), COMMAND, "within 1")

    def test_two_clients_are_asked_for_their_own_runs_and_one_login_helps_both(self):
        one, other = self.over_http(("one", "other"))
        mine, theirs = self.parked(one), self.parked(other)
        urls = [parked[2]["params"]["url"] for parked in (mine, theirs)]
        self.assertNotEqual(redirect_of(urls[0])[1], redirect_of(urls[1])[1])
        self.assertNotEqual(redirect_of(urls[0])[0], redirect_of(urls[1])[0])
        crossed = f"{redirect_of(urls[1])[0]}?{urlencode({'code': 'x', 'state': redirect_of(urls[0])[1]})}"
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(crossed, timeout=30)
        refused.exception.close()
        self.assertEqual(refused.exception.code, 400)
        browse(urls[0])
        self.assertEqual(self.succeed(self.done(self.come_back(one, mine[0], mine[1], ACCEPT))).result, "hi")
        self.assertEqual(self.succeed(self.done(self.come_back(other, theirs[0], theirs[1], ACCEPT))).result, "hi")
        for url in urls:
            wait_until(lambda url=url: not is_listening(url), "end of the port")

    def test_one_who_declines_declines_for_no_other_client(self):
        one, other = self.over_http(("one", "other"))
        mine, theirs = self.parked(one), self.parked(other)
        self.refuse(self.done(self.come_back(one, mine[0], mine[1], {"action": "decline"})), COMMAND)
        browse(theirs[2]["params"]["url"])
        self.assertEqual(self.succeed(self.done(self.come_back(other, theirs[0], theirs[1], ACCEPT))).result, "hi")

    def test_served_to_other_machines_nobody_is_asked(self):
        [wire] = self.over_http(("one",), address="0.0.0.0:0")
        text = self.refuse(self.done(self.call(wire)), COMMAND)
        self.assertNotIn("asked", text)
        self.assertEqual(self.authority.journal, [])

    def test_one_that_only_knows_forms(self):
        wire = self.over_stdio()
        self.refuse(self.done(self.call(wire, abilities={"elicitation": {"form": {}}})), COMMAND)
