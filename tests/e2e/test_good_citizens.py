"""Servers as good citizens: left alone when they fail, stopped when nobody needs them, shared fairly between runs."""

import json
import os
import time

from support.case import TRY_TYPESCRIPT, Case
from support.config import child


class CitizenCase(Case):
    def start_with(self, settings, servers, **environment):
        world = self.world(project=servers)
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump(settings, file)
        return self.start(world=world, env=environment)

    def echo(self, server, name="kid"):
        return self.succeed(server.typescript(f"return await callMCPTool('{name}', 'echo', {{text: 'hello'}})")).result

    @staticmethod
    def health(server):
        return {one["name"]: one for one in server.tool("health").structured["servers"]["list"]}


class Idle(CitizenCase):
    def test_an_idle_server_is_stopped_and_comes_back(self):
        journal = self.journal()
        server = self.start_with({"servers": {"idleTimeoutMs": 1000}}, {"kid": child(journal=journal)})
        for number in (1, 2):
            self.assertEqual(self.echo(server), "hello")
            self.wait_until(lambda n=number: len(journal.events("exit")) == n, "the end of the idle server")
        self.assertEqual(len(journal.events("started")), 2)
        self.assertEqual(journal.events("sigterm"), [], "its stdin was closed, and it ended by itself")

    def test_a_server_at_work_is_not_idle(self):
        journal = self.journal()
        server = self.start_with({"servers": {"idleTimeoutMs": 1000}}, {"kid": child(journal=journal)})
        answer = self.succeed(server.typescript("return await callMCPTool('kid', 'sleep', {ms: 3000})"))
        self.assertEqual(answer.result, "slept 3000 ms")
        self.assertEqual(len(journal.events("started")), 1)

    def test_never_more_servers_than_may_run(self):
        names = [f"kid{number}" for number in range(6)]
        server = self.start_with({"servers": {"maxRunning": 2}}, {name: child() for name in names})
        answer = self.succeed(server.typescript("""
            const said = [];
            for (const name of %s) said.push(await callMCPTool(name, 'echo', {text: name}));
            return said""" % json.dumps(names)))
        self.assertEqual(answer.result, names)
        running = [one for one in self.health(server).values() if one["status"] == "connected"]
        self.assertEqual(len(running), 2)
        self.assertEqual(self.echo(server, "kid0"), "hello")


class Breaker(CitizenCase):
    def test_a_server_that_keeps_failing_is_left_alone(self):
        journal = self.journal()
        server = self.start_with({"servers": {"breaker": {"failures": 3, "openMs": 600_000}}}, {"kid": child("--refuse", journal=journal)})
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            const errors = [];
            for (let i = 0; i < 200; ++i) {
              const {error} = await attempt(() => callMCPTool('kid', 'echo', {text: String(i)}));
              errors.push(error);
              if (error.retryAfterMs > 60000) break;
              await new Promise(done => setTimeout(done, error.retryAfterMs ?? 0));
            }
            return errors""", timeoutMs=60_000))
        last = answer.result[-1]
        self.assertEqual(last["code"], "server_unavailable")
        self.assertIn("servers.breaker", last["message"])
        self.assertGreater(last["retryAfterMs"], 500_000)
        self.assertIn(len(journal.events("started")), (3, 4))  # the first time it may have failed for being asked for its revisions
        self.assertEqual(self.health(server)["kid"]["breaker"], "open")
        listed = server.tool("list_servers").structured["sources"]["kid"]
        self.assertEqual((listed["state"], listed["breaker"]), ("failed", "open"))
        self.assertIn("lastError", listed)


class Fairness(CitizenCase):
    def test_many_parallel_calls_do_not_starve_another_run(self):
        server = self.start_with({"servers": {"maxConcurrent": 2}}, {"kid": child()})
        self.echo(server)
        many = server.ask_tool("run-typescript-code", {
            "code": "await Promise.all(Array.from({length: 300}, () => callMCPTool('kid', 'sleep', {ms: 40})))", "timeoutMs": 60_000})
        self.wait_until(lambda: self.health(server)["kid"].get("callsInFlight", 0) > 100, "many calls that wait")
        began = time.monotonic()
        self.assertEqual(self.echo(server), "hello")
        self.assertLess(time.monotonic() - began, 3)
        self.assertGreater(self.health(server)["kid"].get("callsInFlight", 0), 0, "the many still go on")
        server.tool_answer("run-typescript-code", many, time.monotonic(), 60)

    def test_ten_thousand_parallel_calls_in_both_languages(self):
        server = self.start_with({}, {"kid": child()})
        answer = self.succeed(server.typescript("""
            const calls = Array.from({length: 10000}, (_, i) => callMCPTool('kid', 'echo', {text: String(i)}));
            return (await Promise.all(calls)).every((said, i) => said === String(i))""", timeoutMs=300_000), )
        self.assertIs(answer.result, True)
        answer = self.succeed(server.python("""
import asyncio
said = await asyncio.gather(*[call_mcp_tool('kid', 'echo', {'text': str(i)}) for i in range(10000)])
said == [str(i) for i in range(10000)]""", timeoutMs=300_000))
        self.assertIs(answer.result, True)

    def test_the_time_of_one_call_is_limited_by_its_entry(self):
        server = self.start_with({}, {"kid": child(timeoutMs=1000)})
        self.echo(server)
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('kid', 'hang'))"))
        self.mcp_error(answer.result, "call_timeout", "1000 ms", "timeoutMs")


class Admission(CitizenCase):
    """One run goes on until a file is there; the others come meanwhile."""

    def ask(self, server, code):
        return server.ask_tool("run-python-code", {"code": code})

    def busy_server(self, settings):
        server = self.start_with({"runs": settings}, {"kid": child()})
        running = self.ask(server, "call_mcp_tool('mcp__kid__sleep', {'ms': 4000})\n'first'")
        self.wait_until(lambda: server.tool("health").structured["connectionPool"]["active"] == 1, "the first run")
        return server, running

    def results(self, server, asked):
        return [server.tool_answer("run-python-code", request, 0).structured for request in asked]

    def test_what_is_more_than_the_queue_is_refused_at_once_and_the_rest_is_answered(self):
        server, running = self.busy_server({"maxConcurrent": 1, "queueSize": 2})
        waiting = [self.ask(server, f"'waited {number}'") for number in range(2)]
        refused = self.results(server, [self.ask(server, "'never'") for _ in range(3)])
        for answer in refused:
            self.assertIn("busy: 1 runs go on and 2 wait, which are the limits (runs.maxConcurrent, runs.queueSize); try again later", answer["error"])
        self.assertEqual([answer["result"] for answer in self.results(server, [running, *waiting])], ["first", "waited 0", "waited 1"])

    def test_nobody_waits_longer_than_he_may(self):
        server, running = self.busy_server({"maxConcurrent": 1, "queueTimeoutMs": 1000})
        late, = self.results(server, [self.ask(server, "'never'")])
        self.assertIn("waited 1000 ms for a place to run, which is the limit (runs.queueTimeoutMs)", late["error"])
        self.assertEqual(self.results(server, [running])[0]["result"], "first")


class Rates(CitizenCase):
    def test_runs_of_a_client(self):
        server = self.start_with({"rateLimit": {"enabled": True, "maxRequests": 2, "windowMs": 600_000}}, {})
        self.succeed(server.typescript("return 1"))
        self.succeed(server.python("1"))
        self.refuse(server.typescript("return 1"), "rateLimit", "try again in")

    def test_calls_of_a_server_and_of_a_tool(self):
        server = self.start_with({"rateLimit": {"perTool": {"maxRequests": 2, "windowMs": 600_000}}},
                                 {"kid": child(), "slow": child(rateLimit={"maxRequests": 1, "windowMs": 600_000})})
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            const out = [];
            for (const [server, tool] of [['kid', 'echo'], ['kid', 'echo'], ['kid', 'echo'], ['slow', 'echo'], ['slow', 'add']])
              out.push(await attempt(() => callMCPTool(server, tool, tool === 'echo' ? {text: 'x'} : {a: 1, b: 2})));
            return out"""))
        first, second, third, fourth, fifth = answer.result
        self.assertEqual([one.get("value") for one in (first, second, fourth)], ["x", "x", "x"])
        self.assertGreater(self.mcp_error(third, "rate_limited", "rateLimit.perTool")["retryAfterMs"], 1000)
        self.mcp_error(fifth, "rate_limited", "'slow'")

    def test_the_same_failing_call_again_and_again(self):
        journal = self.journal()
        server = self.start_with({}, {"kid": child(journal=journal)})
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            const errors = [];
            for (let i = 0; i < 25; ++i) errors.push((await attempt(() => callMCPTool('kid', 'fail', {message: 'no'}))).error);
            return errors"""))
        self.assertEqual([error["code"] for error in answer.result], ["tool_failed"] * 20 + ["limit_exceeded"] * 5)
        self.assertIn("runs.maxSameFailures", answer.result[-1]["message"])
        self.assertEqual(len([call for call in journal.events("call") if call["tool"] == "fail"]), 20)


class Policy(CitizenCase):
    SETTINGS = {"security": {"deniedTools": ["mcp__kid__fail", "mcp__shut__*"]}}

    def servers(self):
        return {"kid": child(), "shut": child(), "part": child(includeTools=["echo", "add"], excludeTools=["add"])}

    def test_every_path_in_both_languages(self):
        server = self.start_with(self.SETTINGS, self.servers())
        typescript = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            const calls = [
              () => callMCPTool('mcp__kid__fail', {}), () => callMCPTool('kid', 'fail', {}), () => mcp.kid.fail({}), () => mcp.kid['fail']({}),
              () => callMCPTool('shut', 'echo', {text: 'x'}), () => callMCPTool('part', 'add', {a: 1, b: 2}), () => callMCPTool('part', 'sleep', {ms: 1}),
              () => getToolSchema('mcp__kid__fail'), () => getToolSignature('part', 'add')];
            const out = [];
            for (const call of calls) out.push(await attempt(call));
            return {out, ok: await callMCPTool('part', 'echo', {text: 'x'}),
                    found: (await discoverMCPTools({server: 'kid'})).map(tool => tool.name),
                    part: (await searchTools('echo or add or sleep', {server: 'part', limit: 50})).map(tool => tool.name)}"""))
        for outcome in typescript.result["out"]:
            self.mcp_error(outcome, "not_allowed")
        self.assertEqual(typescript.result["ok"], "x")
        self.assertNotIn("mcp__kid__fail", typescript.result["found"])
        self.assertIn("mcp__kid__echo", typescript.result["found"])
        self.assertEqual(typescript.result["part"], ["mcp__part__echo"])
        python = self.succeed(server.python("""
def refused(call):
    try:
        return call()
    except MCPError as e:
        return e.code
from mcp.servers import kid
[refused(lambda: call_mcp_tool('mcp__kid__fail', {})), refused(lambda: mcp.kid.fail()), refused(lambda: kid.fail()), refused(lambda: call_mcp_tool('shut', 'echo', {'text': 'x'}))]"""))
        self.assertEqual(python.result, ["not_allowed"] * 4)
        found = server.tool("search_tools", {"query": "fail", "server": "kid"})
        self.assertNotIn("mcp__kid__fail", found.text)
        self.assertTrue(server.tool("get_tool_signature", {"server": "kid", "tool": "fail"}).is_error)

    def test_a_run_can_not_allow_what_the_settings_deny(self):
        server = self.start_with(self.SETTINGS, self.servers())
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('kid', 'fail', {}))", allowedTools=["*"]))
        self.mcp_error(answer.result, "not_allowed", "security.deniedTools")

    def test_an_allowlist_of_the_settings(self):
        server = self.start_with({"security": {"allowedTools": ["mcp__kid__echo"]}}, self.servers())
        self.assertEqual(self.echo(server), "hello")
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('kid', 'add', {a: 1, b: 2}))"))
        self.mcp_error(answer.result, "not_allowed", "security.allowedTools")


class Cancellation(CitizenCase):
    def test_a_client_that_leaves_or_cancels_ends_every_call(self):
        for how in ("cancel", "leave"):
            with self.subTest(how):
                journal = self.journal(how)
                server = self.start_with({}, {"kid": child(journal=journal)})
                asked = server.ask_tool("run-typescript-code", {
                    "code": "await Promise.all([1, 2, 3].map(() => callMCPTool('kid', 'sleep', {ms: 60000})))", "timeoutMs": 100_000})
                self.wait_until(lambda j=journal: len(j.events("call")) == 3, "three calls at the server")
                if how == "cancel":
                    server.notify("notifications/cancelled", requestId=asked, reason="no longer needed")
                    self.wait_until(lambda j=journal: len(j.events("cancelled")) == 3, "three cancelled calls")
                else:
                    self.assertEqual(server.end("eof")[0], 0)
                    self.wait_until(lambda j=journal: j.events("exit") or j.events("sigterm"), "the end of the server")
