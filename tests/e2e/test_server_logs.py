"""What servers log in the middle of calls reaches the client that owns the run, as it has asked for it, and nobody else; and their progress is
progress of the run."""

import json

from support.case import Case, WITHOUT_POOL
from support.config import journal_in
from support.http_client import HttpServer, LegacyClient, ModernClient
from support.modern_child import ModernChild
from support.plain_client import meta, META
from test_questions import asking_child

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
MESSAGE, PROGRESS = "notifications/message", "notifications/progress"
LINES_MAX = 200


def code_of(tool, arguments):
    return f"return await callMCPTool('kid', '{tool}', {json.dumps(arguments)})"


def log(*levels, **more):
    lines = [{"level": level, "data": {"said at": level}} for level in levels]
    return code_of("log", {"lines": lines, **more})


LOG_ALL = log(*LEVELS)


class LogCase(Case):
    def setUp(self):
        self.log_world = self.world()
        self.journal = journal_in(self.log_world.root)

    def configure(self, **entry):
        self.log_world.configure(user={"kid": {**asking_child(self.journal), **entry}})

    def over_stdio(self, revision="2025-11-25"):
        return self.start(world=self.log_world, revision=revision, env=WITHOUT_POOL)

    def over_http(self, kind, *names):
        """A client for each name, which has a token; without names, one without."""
        secrets = [self.made(name) for name in names]
        server = HttpServer(world=self.log_world, env=WITHOUT_POOL)
        self.addCleanup(server.stop)
        clients = [kind(server, token=secret) for secret in secrets or [None]]
        for client in clients:
            self.addCleanup(client.close)
        return clients

    def made(self, name):
        made = self.log_world.command("token", "new", name)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def told(self, server, after=0):
        return [entry.message["params"] for entry in server.notifications(MESSAGE)][after:]

    def levels(self, params):
        self.assertEqual({each["logger"] for each in params} - {"kid"}, set())
        return [each["level"] for each in params]

    def asked_for(self):
        return [event["level"] for event in self.journal.events("level")]


class Legacy(LogCase):
    def test_a_client_says_from_which_level_on(self):
        self.configure()
        server = self.over_stdio()
        self.succeed(server.typescript(LOG_ALL))
        told = self.told(server)
        self.assertEqual(self.levels(told), list(LEVELS[3:]), "warnings, unless it says otherwise")
        self.assertEqual(told[0]["data"], {"said at": "warning"})
        self.assertEqual(self.asked_for(), [], "its server is told nothing by who has not asked")
        for level, asked in (("error", ["warning"]), ("debug", ["warning", "debug"]), ("emergency", ["warning", "debug"])):
            before = len(self.told(server))
            self.assertEqual(server.request("logging/setLevel", {"level": level}), {})
            self.succeed(server.typescript(LOG_ALL))
            self.assertEqual(self.levels(self.told(server, before)), list(LEVELS[LEVELS.index(level):]))
            self.assertEqual(self.asked_for(), asked, "as much as anybody wants, and said when that changes")

    def test_who_speaks(self):
        self.configure()
        server = self.over_stdio()
        line = {"level": "error", "logger": "disk", "data": [1, None, "x"]}
        self.succeed(server.typescript(code_of("log", {"lines": [line]})))
        self.assertEqual(self.told(server), [{"level": "error", "logger": "kid/disk", "data": [1, None, "x"]}])

    def test_no_level(self):
        self.configure()
        server = self.over_stdio()
        answer = server.answer(server.ask("logging/setLevel", {"level": "loud"})).message
        self.assertEqual(answer["error"]["code"], -32602)
        self.assertEqual(server.request("ping"), {})

    def test_secrets_are_masked(self):
        self.configure(env={"KID_TOKEN": "hunter2-hunter2"})
        server = self.over_stdio()
        self.succeed(server.typescript(code_of("log", {"lines": [{"level": "error"}], "env": "KID_TOKEN"})))
        self.assertEqual([each["data"] for each in self.told(server)], ["***"])

    def test_how_much_is_bounded(self):
        self.configure()
        server = self.over_stdio()
        self.succeed(server.typescript(log("error", "debug", times=LINES_MAX + 50)))
        told = self.told(server)
        self.assertEqual(len(told), LINES_MAX + 1)
        self.assertEqual((told[-1]["logger"], told[-1]["level"]), ("code-executor", "error"))
        self.assertTrue(told[-1]["data"].startswith("50 lines of the servers' logs left out"), told[-1])
        self.succeed(server.typescript(log("error")))
        self.assertEqual(len(self.told(server)), LINES_MAX + 2, "of each run")

    def test_long_lines_are_cut(self):
        self.configure()
        server = self.over_stdio()
        self.succeed(server.typescript(code_of("log", {"lines": [{"level": "error", "data": {"x": "y" * 100_000}}]})))
        [line] = self.told(server)
        self.assertLess(len(line["data"]), 5_000)
        self.assertTrue(line["data"].endswith("(cut)"), line["data"][-20:])

    def test_nothing_outside_of_calls(self):
        self.configure()
        server = self.over_stdio()
        self.succeed(server.typescript(code_of("echo", {"text": "x"})))
        self.assertEqual(self.told(server), [])

    def test_a_modern_server_is_told_with_each_call(self):
        kid = ModernChild()
        self.addCleanup(kid.close)
        self.log_world.configure(user={"kid": {"type": "http", "url": kid.url}})
        server = self.over_stdio()
        self.succeed(server.typescript(code_of("log", {})))
        self.assertEqual(self.told(server), [], "it logs for those only who have asked")
        server.request("logging/setLevel", {"level": "info"})
        self.succeed(server.typescript(code_of("log", {})))
        self.assertEqual([each["level"] for each in self.told(server)], ["info", "error"])
        self.assertEqual(kid.deviations, [])

    def test_on_the_stream_of_the_call_over_http(self):
        self.configure()
        [client] = self.over_http(LegacyClient)
        messages = client.begin("tools/call", {"name": "run-typescript-code", "arguments": {"code": LOG_ALL}}).messages()
        *told, answer = messages
        self.assertEqual([each["params"]["level"] for each in told], list(LEVELS[3:]))
        self.assertIn("result", answer)


class Modern(LogCase):
    def call(self, server, code, level=None):
        """The answer, over stdio."""
        the_meta = meta(**({META + "logLevel": level} if level else {}))
        answer = server.answer(server.ask("tools/call", {"name": "run-typescript-code", "arguments": {"code": code}, "_meta": the_meta})).message
        self.assertFalse(answer["result"].get("isError", False), answer)

    def test_only_for_requests_that_ask(self):
        self.configure()
        server = self.over_stdio(revision=None)
        self.call(server, LOG_ALL)
        self.assertEqual(self.told(server), [])
        self.call(server, LOG_ALL, "notice")
        self.assertEqual(self.levels(self.told(server)), list(LEVELS[2:]))
        self.call(server, LOG_ALL)
        self.assertEqual(len(self.told(server)), len(LEVELS[2:]))
        self.assertEqual(self.asked_for(), ["notice"])

    def test_on_the_stream_of_the_request(self):
        self.configure()
        [client] = self.over_http(ModernClient)
        call = {"name": "run-typescript-code", "arguments": {"code": LOG_ALL}}
        wanting = client.begin("tools/call", {**call, "_meta": meta(**{META + "logLevel": "error"})}).messages()
        self.assertEqual([each["params"]["level"] for each in wanting[:-1]], list(LEVELS[4:]))
        self.assertEqual(len(client.begin("tools/call", {**call, "_meta": meta()}).messages()), 1)

    def test_a_modern_server_over_http(self):
        kid = ModernChild()
        self.addCleanup(kid.close)
        self.log_world.configure(user={"kid": {"type": "http", "url": kid.url}})
        server = self.over_stdio(revision=None)
        self.call(server, code_of("log", {}))
        self.call(server, code_of("log", {}), "info")
        self.assertEqual([each["level"] for each in self.told(server)], ["info", "error"])
        self.assertEqual(kid.deviations, [])


class Others(LogCase):
    def test_two_clients_hear_of_their_own_runs(self):
        self.configure()
        one, other = self.over_http(LegacyClient, "one", "other")
        for client, data in ((one, "for one"), (other, "for the other")):
            run = {"name": "run-typescript-code", "arguments": {"code": code_of("log", {"lines": [{"level": "error", "data": data}]})}}
            *told, _ = client.begin("tools/call", run).messages()
            self.assertEqual([each["params"]["data"] for each in told], [data])

    def test_while_calls_of_two_clients_are_open_nobody_hears(self):
        """The server does not say which call it means; our own log has it."""
        self.configure()
        one, other = self.over_http(LegacyClient, "one", "other")
        held = one.begin("tools/call", {"name": "run-typescript-code", "arguments": {"code": log(holdMs=10_000)}})
        self.journal.wait("call", tool="log")
        run = {"name": "run-typescript-code", "arguments": {"code": log("emergency")}}
        self.assertEqual(len(other.begin("tools/call", run).messages()), 1)
        held.leave()


class Progress(LogCase):
    STEPS = code_of("steps", {"count": 4})

    def test_of_a_server_is_progress_of_the_run(self):
        self.configure()
        server = self.over_stdio()
        self.succeed(server.tool("run-typescript-code", {"code": self.STEPS}, meta={"progressToken": "t"}))
        told = [entry.message["params"] for entry in server.notifications(PROGRESS)]
        self.assertTrue(any("steps" in each["message"] and "/4 step" in each["message"] for each in told), told)
        self.assertEqual({each["progressToken"] for each in told}, {"t"})
        numbers = [each["progress"] for each in told]
        self.assertEqual(numbers, sorted(set(numbers)), "it rises")

    def test_without_a_token_there_is_none(self):
        self.configure()
        server = self.over_stdio()
        self.succeed(server.typescript(self.STEPS))
        self.assertEqual(server.notifications(PROGRESS), [])
        self.assertNotIn("progressToken", json.dumps(self.journal.events("call")))
