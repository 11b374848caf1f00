"""Actors of the process that die while programs run: each is started anew, and every request is answered."""

import signal
import unittest

from support.case import Case
from support.config import child
from support.http_client import HttpServer, LegacyClient, ModernClient

LOOP = """
const ends = {went: 0, failed: 0};
for (let i = 0; i < 300; i++)
  await callMCPTool('kid', 'echo', {text: 'x'}).then(() => ends.went++, () => ends.failed++);
return ends;
"""
RUNS = 3
DEATHS = 3
SERVICES = ["audit log", "catalog of tools", "rate limiter", "connector of servers", "store of memory", "store of outputs",
            "pool of guests for TypeScript", "keeper of sessions", "reporter of health",
            "reader of the configuration"]


class OverHttp(Case):
    def test_clients_begin_anew(self):
        server = HttpServer(env={"CODE_EXECUTOR_TEST_KILL": "keeper of clients", "CODE_EXECUTOR_POOL_SIZE": "0"})
        self.addCleanup(server.stop)
        session, modern = LegacyClient(server), ModernClient(server)
        for client in (session, modern):
            self.addCleanup(client.close)
            self.succeed(client.typescript("return 1"))
        waiting = session.begin_run("run-typescript-code", "await new Promise(() => {})", timeoutMs=60_000)
        for times in range(1, DEATHS + 1):
            server.process.send_signal(signal.SIGUSR2)
            server.wait_for_log("the keeper of clients has failed", times)
            self.wait_until(lambda: modern.status_of("server/discover") == 200, "a keeper of clients again")
        waiting.messages()  # of an error, or none in a stream that had begun: in any case it ends
        self.assertEqual(404, session.status_of("ping"))
        anew = LegacyClient(server)
        self.addCleanup(anew.close)
        self.succeed(anew.typescript("return 1"))


class Supervision(Case):
    def begin(self, name, journal=None):
        server = self.start({"kid": child(journal=journal)}, env={"CODE_EXECUTOR_TEST_KILL": name})
        self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))
        return server

    def kill(self, server, name, times):
        server.process.send_signal(signal.SIGUSR2)
        server.wait_for_log(f"the {name} has failed", times)

    def works(self, server):
        answer = server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})", session="after")
        self.assertEqual(self.succeed(answer).result, "x")
        self.succeed(server.python("1 + 1"))

    def test_programs_go_on(self):
        for name in SERVICES:
            with self.subTest(name):
                journal = self.journal()
                server = self.begin(name, journal)
                asked = [server.ask_tool("run-typescript-code", {"code": LOOP, "timeoutMs": 60_000}) for _ in range(RUNS)]
                self.wait_until(lambda j=journal: len(j.events("call")) > 3 * RUNS, "programs that run")
                for times in range(1, DEATHS + 1):
                    self.kill(server, name, times)
                    server.request("ping")
                for request in asked:
                    report = server.tool_answer("run-typescript-code", request, 0).structured
                    self.assertTrue(report["success"], report)
                    ends = report["result"]
                    self.assertEqual(ends["went"] + ends["failed"], 300)
                    if name not in ("connector of servers", "rate limiter"):
                        self.assertEqual(ends["failed"], 0, "its death costs no call")
                self.works(server)
                self.assertIn("healthy", server.tool("health").text)

    def test_the_queue_of_runs_costs_the_runs(self):
        server = self.begin("queue of runs")
        asked = [server.ask_tool("run-typescript-code", {"code": "await new Promise(() => {})", "timeoutMs": 60_000}) for _ in range(RUNS)]
        server.request("ping")
        self.kill(server, "queue of runs", 1)
        for request in asked:
            self.refuse(server.tool_answer("run-typescript-code", request, 0))
        self.wait_until(lambda: not server.typescript("return 1").is_error, "a queue of runs again")
        self.works(server)

    def test_the_session_with_the_client_costs_the_process_and_nothing_is_left(self):
        server = self.begin("session with the client")
        code, _ = server.end(signal.SIGUSR2)
        self.assertEqual(code, 0)
        self.assertIn("the session with the client has failed", server.stderr())
        server.expect_no_leftovers()


if __name__ == "__main__":
    unittest.main()
