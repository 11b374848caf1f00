"""Servers are started when they are needed, once, and not before."""

import time

from support.case import Case
from support.config import child
from support.paths import SLOWNESS


class Lazy(Case):
    def test_five_hundred_servers_and_none_started(self):
        journal = self.journal()
        server = self.start({f"server-{number}": child(journal=journal) for number in range(500)})
        server.request("tools/list")
        self.succeed(server.typescript("return 1"))
        self.succeed(server.python("1"))
        self.assertFalse(server.tool("list_servers").is_error)
        self.assertFalse(server.tool("health").is_error)
        self.assertEqual(journal.names(), [])

    def test_only_the_called_one_is_started(self):
        called, idle = self.journal("called"), self.journal("idle")
        servers = {f"server-{number}": child(journal=idle) for number in range(500)}
        server = self.start({**servers, "server-250": child(journal=called)})
        self.succeed(server.typescript("return await callMCPTool('server-250', 'echo', {text: 'x'})"))
        self.assertEqual(len(called.events("started")), 1)
        self.assertEqual(idle.names(), [])

    def test_a_server_stays_up_between_runs(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        for _ in range(3):
            self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))
        self.assertEqual(len(journal.events("started")), 1)

    def test_two_callers_start_it_once(self):
        journal = self.journal()
        server = self.start({"kid": child("--start-delay-ms", "500", journal=journal)})
        sent = time.monotonic()
        runs = [server.ask_tool("run-typescript-code", {"code": "return await callMCPTool('kid', 'echo', {text: 'x'})"})
                for _ in range(3)]
        for run in runs:
            self.assertEqual(self.succeed(server.tool_answer("run-typescript-code", run, sent)).result, "x")
        self.assertEqual(len(journal.events("started")), 1)

    def test_two_calls_of_one_run_start_it_once(self):
        journal = self.journal()
        server = self.start({"kid": child("--start-delay-ms", "300", journal=journal)})
        self.succeed(server.typescript("""
            await Promise.all([1, 2, 3, 4].map(() => callMCPTool('kid', 'echo', {text: 'x'})))"""))
        self.assertEqual(len(journal.events("started")), 1)

    def test_different_servers_start_in_parallel(self):
        server = self.start({f"late{number}": child("--start-delay-ms", "1000") for number in range(4)})
        answer = self.succeed(server.typescript("""
            await Promise.all([0, 1, 2, 3].map(n => callMCPTool('late' + n, 'echo', {text: 'x'})))"""))
        self.assertLess(answer.seconds, 1 + 2.5 * SLOWNESS)

    def test_a_disabled_server_is_lazy_like_any_other(self):
        server = self.start({"kid": child(disabled=True)})
        answer = self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))
        self.assertEqual(answer.result, "x")

    def test_a_refused_call_starts_nothing(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        self.refuse(server.typescript("await callMCPTool('kid', 'echo', {text: 'x'})", allowedTools=[]))
        self.assertEqual(journal.names(), [])


class Connected(Case):
    def test_are_started_at_once_and_in_parallel(self):
        journals = [self.journal(name) for name in ("a", "b", "c")]
        lazy = self.journal("lazy")
        servers = {name: child("--start-delay-ms", "1500", journal=journal)
                   for name, journal in zip("abc", journals)}
        self.start({**servers, "lazy": child(journal=lazy)}, env={"CONNECTED_SERVERS": "a,b,c"})
        started = [journal.wait("started")[0]["time"] for journal in journals]
        self.assertLess(max(started) - min(started), 1, "the second one must not wait for the first")
        for journal in journals:
            journal.wait("initialized")
        self.assertEqual(lazy.names(), [])

    def test_spaces_between_names(self):
        journals = [self.journal(name) for name in ("a", "b")]
        self.start({name: child(journal=journal) for name, journal in zip("ab", journals)},
                   env={"CONNECTED_SERVERS": " a , b ,"})
        for journal in journals:
            journal.wait("initialized")

    def test_unknown_names_are_reported_and_the_rest_starts(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)}, env={"CONNECTED_SERVERS": "kid,no-such-server"})
        journal.wait("initialized")
        self.wait_until(lambda: "no-such-server" in server.stderr(), "a complaint on stderr")

    def test_delay_nothing(self):
        server = self.start({"late": child("--start-delay-ms", "20000")}, env={"CONNECTED_SERVERS": "late"})
        answer = self.succeed(server.typescript("return 'at once'"))
        self.assertLess(answer.seconds, 3 * SLOWNESS)


class HungUp(Case):
    """A server that closes its stdout, and whose process lives on until it is killed."""

    def test_is_not_called_connected(self):
        server = self.start({"kid": child("--hangs-up")})
        self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))
        open_call = server.ask_tool("run-typescript-code", {"code": "return await callMCPTool('kid', 'hang')", "timeoutMs": 60000})

        def state():
            return server.tool("list_servers").structured["sources"]["kid"]["state"]
        self.wait_until(lambda: state() != "connected", "the news")
        listed, health = server.tool("list_servers").structured, server.tool("health").structured
        self.assertEqual(listed["servers"], [])
        self.assertIn("kid", listed["available"])
        self.assertEqual(health["mcpClients"]["connected"], 0)
        self.assertIn(health["servers"]["list"][0]["status"], ("stopping", "failed"))
        self.refuse(server.tool_answer("run-typescript-code", open_call, 0), "kid")
        again = "for (;;) try { return await callMCPTool('kid', 'echo', {text: 'again'}) } catch (e) { await new Promise(r => setTimeout(r, 100)) }"
        self.assertEqual(self.succeed(server.typescript(again)).result, "again")
        self.assertEqual(state(), "connected")
