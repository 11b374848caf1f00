"""Servers are started when they are needed, once, and not before."""

import time

from support.case import TRY_TYPESCRIPT, Case
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


# A call that never ends, and others until it hears that the server has: they come before a pipe is closed, while the server ends, and after its end.
BURST = TRY_TYPESCRIPT + """
    await callMCPTool('kid', 'echo', {text: 'warm up'});
    let isOpen = true;
    const calls = [attempt(() => callMCPTool('kid', 'hang')).then(end => { isOpen = false; return end })];
    while (isOpen) {
        calls.push(attempt(() => callMCPTool('kid', 'echo', {text: `${calls.length}`})));
        await new Promise(r => setTimeout(r, 20));
    }
    const failed = (await Promise.all(calls)).filter(end => end.error);
    return {count: failed.length, ends: [...new Map(failed.map(end => [end.error.tool + end.error.message, end])).values()]}"""


class HungUp(Case):
    """A server that closes one of its pipes, and whose process lives on until it is killed."""

    def test_is_not_called_connected(self):
        server = self.start({"kid": child("--hangs-up")})
        self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))
        open_call = server.ask_tool("run-typescript-code", {"code": "return await callMCPTool('kid', 'hang')", "timeoutMs": 60000})
        self.wait_until(lambda: self.state(server) != "connected", "the news")
        listed, health = server.tool("list_servers").structured, server.tool("health").structured
        self.assertEqual(listed["servers"], [])
        self.assertIn("kid", listed["available"])
        self.assertEqual(health["mcpClients"]["connected"], 0)
        self.assertIn(health["servers"]["list"][0]["status"], ("stopping", "failed"))
        self.refuse(server.tool_answer("run-typescript-code", open_call, 0), "kid")
        self.assert_comes_back(server)

    @staticmethod
    def state(server):
        return server.tool("list_servers").structured["sources"]["kid"]["state"]

    def assert_comes_back(self, server):
        again = "for (;;) try { return await callMCPTool('kid', 'echo', {text: 'again'}) } catch (e) { await new Promise(r => setTimeout(r, 100)) }"
        self.assertEqual(self.succeed(server.typescript(again)).result, "again")
        self.assertEqual(self.state(server), "connected")

    def assert_all_hear_of_its_end(self, answer, *words):
        self.assertGreater(answer.result["count"], 5)
        for error in answer.result["ends"]:
            self.mcp_error(error, "server_died", "kid", *words)

    def test_a_burst_of_calls_hears_that_it_has_died(self):
        server = self.start({"kid": child("--hangs-up")})
        answer = self.succeed(server.typescript(BURST, timeoutMs=60000))
        self.assert_all_hear_of_its_end(answer)
        self.assert_comes_back(server)

    def test_with_a_closed_stdin_it_is_started_anew(self):
        server = self.start({"kid": child("--closes-stdin")})
        self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))
        open_calls = server.ask_tool("run-typescript-code", {"code": BURST, "timeoutMs": 60000})
        self.wait_until(lambda: self.state(server) != "connected", "the news")
        self.assert_all_hear_of_its_end(self.succeed(server.tool_answer("run-typescript-code", open_calls, 0)), "closed its stdin")
        self.assert_comes_back(server)
