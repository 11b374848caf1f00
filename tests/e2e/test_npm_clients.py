"""Clients that others have written, in front of us: on both generations of the SDK, over stdio and HTTP, and the tools
of the inspector.

FastMCP is not among them: it has servers only."""

import json
import signal
import unittest

from support import processes
from support.case import WITHOUT_POOL, Case
from support.config import child
from support.http_client import HttpServer
from support.npm import IS_INSTALLED, WHY_SKIPPED, Relay
from support.npm_client import KITS, LEGACY, NpmClient, inspect, printed
from support.paths import binary, deno
from support.record import wait_for_line
from support.run import ToolAnswer
from support.server import MARK

STEPS = "for (let i = 0; i < 4; i++) await callMCPTool('kid', 'sleep', {ms: 150}); return 'done'"
# Longer than it takes to be a stream; it tells its progress from there on.
LONG = "for (let i = 0; i < 20; i++) await callMCPTool('kid', 'sleep', {ms: 150}); return 'done'"
NEVER = "await callMCPTool('kid', 'sleep', {ms: 60000})"
RESOURCES = {**WITHOUT_POOL, "CODE_EXECUTOR_SURFACE": "all"}
# Results that the SDKs hold against the schema that we list.
STRUCTURED = {**RESOURCES, "CODE_EXECUTOR_RESULTS": "structured"}
# A client over HTTP is none of the processes that have to end with the server.
NOT_OURS = {MARK: "a client"}
MANUAL = "resource://mcp-server-code-execution-mode/capabilities"
OWN_TOOLS = {"run-typescript-code", "run-python-code"}


class ClientCase(Case):
    """What every client has to be able to do, whatever it is made of and however it comes."""

    def use_all(self, client, kit):
        opened = client.request("connect")
        self.assertEqual(opened["server"]["name"], "code-executor")
        self.assertIn(opened["revision"], (KITS[kit], None))  # SDK 1 does not tell it over stdio
        self.assertEqual(opened["era"], "modern" if KITS[kit] == "2026-07-28" else "legacy")
        self.assertLessEqual(OWN_TOOLS, {tool["name"] for tool in client.request("listTools")})
        returned = client.typescript("return {answer: 6 * 7, text: 'Grüße 🎉'}")
        self.assertEqual(self.succeed(returned).result, {"answer": 42, "text": "Grüße 🎉"})
        self.assertEqual(self.succeed(client.python("call_mcp_tool('kid', 'echo', {'text': 'hi'})")).result, "hi")
        self.refuse(client.typescript("throw new Error('it went wrong')"), "it went wrong")
        self.progress(client)
        self.at_once(client)
        self.resources(client)
        self.errors(client)
        self.assertEqual(client.complaints(), [])

    def progress(self, client):
        asked = client.begin_call("steps", "run-typescript-code", {"code": STEPS})
        self.assertEqual(self.succeed(client.finish_call(asked)).result, "done")
        told = [each["progress"] for each in client.progress_of("steps")]
        self.assertGreaterEqual(len(told), 2)
        self.assertEqual(told, sorted(set(told)))

    def at_once(self, client):
        asked = [client.begin_call(f"{i}", "run-typescript-code", {"code": f"return {i}"}) for i in range(4)]
        self.assertEqual([self.succeed(client.finish_call(each)).result for each in asked], [0, 1, 2, 3])

    def resources(self, client):
        listed = [each["uri"] for each in client.request("listResources")]
        self.assertIn(MANUAL, listed)
        [read] = client.request("readResource", {"uri": MANUAL})["contents"]
        self.assertEqual((read["uri"], read["mimeType"]), (MANUAL, "text/markdown"))

    def errors(self, client):
        self.assertIn("Unknown resource", client.error_of("readResource", {"uri": "nonsense://x"}))
        self.assertIn("nonsense", client.error_of("callTool", {"call": "x", "name": "nonsense", "arguments": {}}))
        wrong = client.exchange("callTool", {"call": "x", "name": "run-typescript-code", "arguments": {"code": 5}})
        self.assertIn("code", json.dumps(wrong.get("error") or self.told_error(wrong["result"])))

    def told_error(self, result):
        self.assertTrue(result["isError"], result)
        return ToolAnswer(result, 0).text

    def abort(self, client, journal):
        """A call that is given up ends at the tool that it waits for."""
        asked = client.begin_call("never", "run-typescript-code", {"code": NEVER, "timeoutMs": 100_000})
        journal.wait("call", tool="sleep")
        client.request("abort", {"call": "never"})
        self.assertIn("had enough", client.answer(asked).message["error"]["message"])
        journal.wait("cancelled")
        self.assertEqual(self.succeed(client.typescript("return 1")).result, 1)


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class OverStdio(ClientCase):
    def client(self, world, kit, env):
        client = NpmClient(world, kit, "--command", json.dumps([binary()]), env=env)
        self.addCleanup(client.leave)
        return client

    def test_every_client(self):
        for kit in KITS:
            with self.subTest(kit):
                world = self.world(project={"kid": child()})
                client = self.client(world, kit, RESOURCES)
                self.use_all(client, kit)
                self.assertEqual(client.leave(), 0)
                started = processes.marked(world.mark[MARK])
                self.wait_until(lambda started=started: not processes.alive(started), "the end of all that it started")

    def test_a_call_that_is_given_up_is_cancelled(self):
        for kit in ("sdk1 legacy", "v2 modern"):
            with self.subTest(kit):
                journal = self.journal(kit.replace(" ", "-"))
                client = self.client(self.world(project={"kid": child(journal=journal)}), kit, WITHOUT_POOL)
                client.request("connect")
                self.abort(client, journal)

    def test_a_subscription_is_kept_until_we_end(self):
        client = self.client(self.world(), "v2 modern", WITHOUT_POOL)
        client.request("connect")
        self.assertEqual(client.request("listen", {"toolsListChanged": True}), {"honored": {}})
        self.assertTrue(client.request("listTools"))
        client.request("close")
        client.wait_for(lambda: client.notifications("listening_ended"), "end of the subscription")


class HttpClientCase(ClientCase):
    """One server of ours, which wants a token."""

    def serve(self, servers=None, env=RESOURCES):
        world = self.world(project=servers or {"kid": child()})
        made = world.command("token", "new", "laptop")
        self.assertEqual(made.returncode, 0, made.stderr)
        server = HttpServer(world=world, env=env)
        self.addCleanup(server.stop)
        return server, made.stdout.strip()

    def client(self, server, kit, token, *options, port=None):
        url = f"http://127.0.0.1:{port or server.port}/mcp"
        who = ["--token", token] if token else []
        client = NpmClient(server.world, kit, "--url", url, *who, *options, env=NOT_OURS)
        self.addCleanup(client.leave)
        return client

    @staticmethod
    def is_cancelled(line, kit):
        return line["event"] == "run" and line["state"] == "cancelled" and kit.replace(" ", "-") in json.dumps(line)


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class OverHttp(HttpClientCase):
    def test_every_client(self):
        server, token = self.serve(env=STRUCTURED)
        for kit in KITS:
            with self.subTest(kit):
                client = self.client(server, kit, token)
                self.use_all(client, kit)
                self.assertEqual(client.leave(), 0)

    def test_a_call_that_is_given_up_is_cancelled(self):
        journals = {kit: self.journal(kit.replace(" ", "-")) for kit in ("sdk1 legacy", "v2 modern")}
        for kit, journal in journals.items():
            with self.subTest(kit):
                server, token = self.serve({"kid": child(journal=journal)})
                client = self.client(server, kit, token)
                client.request("connect")
                self.abort(client, journal)

    def test_programs_ask_the_model_of_the_client(self):
        server, token = self.serve()
        for kit in LEGACY:
            with self.subTest(kit):
                client = self.client(server, kit, token, "--model", "yes")
                client.request("connect")
                asked = client.typescript("return await llm.ask('hi')", enableSampling=True)
                self.assertIn("you said: hi", json.dumps(self.succeed(asked).result))

    def test_a_session_that_is_ended_ends_its_runs(self):
        server, token = self.serve()
        for kit in LEGACY:
            with self.subTest(kit):
                client = self.client(server, kit, token)
                self.assertTrue(client.request("connect")["session"])
                client.begin_call("never", "run-typescript-code", {"code": NEVER, "timeoutMs": 100_000})
                client.wait_for(lambda client=client: client.progress_of("never"), "progress")
                client.request("terminate")
                wait_for_line(server.world, lambda line, kit=kit: self.is_cancelled(line, kit), "end of the run")
                self.assertIn("begin with initialize", client.error_of("listTools"))

    def test_a_subscription_is_acknowledged_and_kept(self):
        server, token = self.serve()
        client = self.client(server, "v2 modern", token)
        client.request("connect")
        self.assertEqual(client.request("listen", {"toolsListChanged": True}), {"honored": {}})
        self.assertEqual(self.succeed(client.typescript("return 1")).result, 1)
        server.end(signal.SIGTERM)
        client.wait_for(lambda: client.notifications("listening_ended"), "end of the subscription")
        self.assertEqual(client.notifications("listening_ended")[0].message["params"]["how"], "graceful")


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Refused(HttpClientCase):
    """What a person reads who has set up something wrong."""

    def test_without_a_token(self):
        server, _ = self.serve()
        for kit in KITS:
            with self.subTest(kit):
                self.assertRegex(self.client(server, kit, None).error_of("connect"), "token new|401|Unauthorized")

    def test_http_with_sse_is_not_served(self):
        server, token = self.serve()
        for kit in LEGACY:
            with self.subTest(kit):
                client = self.client(server, kit, token, "--sse", "yes")
                self.assertRegex(client.error_of("connect"), "405|Method Not Allowed")


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Breaks(HttpClientCase):
    def cut_in_a_run(self, kit):
        journal = self.journal(kit.replace(" ", "-"))
        server, token = self.serve({"kid": child(journal=journal)})
        relay = Relay(server.port)
        self.addCleanup(relay.close)
        client = self.client(server, kit, token, port=relay.port)
        client.request("connect")
        asked = client.begin_call("long", "run-typescript-code", {"code": LONG})
        client.wait_for(lambda: client.progress_of("long"), "progress")
        relay.cut()
        return client, server, asked, journal

    def test_a_stream_that_is_cut_is_come_back_to(self):
        for kit in LEGACY:
            with self.subTest(kit):
                client, _, asked, journal = self.cut_in_a_run(kit)
                self.assertEqual(self.succeed(client.finish_call(asked)).result, "done")
                told = [each["progress"] for each in client.progress_of("long")]
                self.assertEqual(told, sorted(set(told)))
                self.assertEqual(len(journal.events("call", tool="sleep")), 20, "it ran once")

    def test_a_request_of_the_later_era_ends_with_its_stream(self):
        """There is nothing to come back to. This client says so, and yet lets the call wait for its time to be over."""
        client, server, asked, _ = self.cut_in_a_run("v2 modern")
        client.wait_for(client.complaints, "complaint of the client")
        wait_for_line(server.world, lambda line: self.is_cancelled(line, "v2 modern"), "end of the run")
        client.request("abort", {"call": "long"})
        self.assertIn("error", client.answer(asked).message)
        self.assertEqual(self.succeed(client.typescript("return 1")).result, 1)

    def test_a_session_of_before_our_start_is_told(self):
        server, token = self.serve()
        clients = {kit: self.client(server, kit, token) for kit in KITS}
        for client in clients.values():
            client.request("connect")
        server.end(signal.SIGTERM)
        again = HttpServer(world=server.world, env=RESOURCES, address=f"127.0.0.1:{server.port}")
        self.addCleanup(again.stop)
        for kit, client in clients.items():
            with self.subTest(kit):
                if kit in LEGACY:
                    self.assertRegex(client.error_of("listTools"), "(?i)session")
                    client.request("connect")
                self.assertEqual(self.succeed(client.typescript("return 1")).result, 1)


@unittest.skipUnless(IS_INSTALLED, WHY_SKIPPED)
class Inspector(HttpClientCase):
    PROGRAM = json.dumps({"code": "return 6 * 7"})

    def by_http(self, server, token):
        url = f"http://127.0.0.1:{server.port}/mcp"
        return ["--transport", "http", "--server-url", url, "--header", f"Authorization: Bearer {token}"]

    def cli(self, world, *words):
        return inspect(world, "launcher/build/index.js", "--cli", *words, "--format", "json")

    def use(self, world, *how):
        listed = printed(self.cli(world, *how, "--method", "tools/list"))
        self.assertLessEqual(OWN_TOOLS, {tool["name"] for tool in listed["result"]["tools"]})
        called = printed(self.cli(world, *how, "--method", "tools/call", "--tool-name", "run-python-code",
                                  "--tool-args-json", '{"code": "6 * 7"}'))
        self.assertEqual(self.succeed(ToolAnswer(called["result"], 0)).result, 42)

    def test_over_stdio(self):
        """It gives what it starts a few variables only."""
        env = ["-e", "CODE_EXECUTOR_POOL_SIZE=0", "-e", f"DENO_PATH={deno()}"]
        self.use(self.world(), binary(), "--transport", "stdio", *env)

    def test_over_http(self):
        server, token = self.serve()
        how = self.by_http(server, token)
        for era in ("legacy", "modern"):
            with self.subTest(era):
                self.use(server.world, *how, "--protocol-era", era)
        refused = self.cli(server.world, *how[:4], "--method", "tools/list", "--stored-auth-only")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("token new", refused.stderr)

    def test_its_schemas_are_portable(self):
        server, token = self.serve()
        checked = self.cli(server.world, *self.by_http(server, token), "--method", "tools/list", "--strict")
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_connections_that_are_kept(self):
        """mcpdo: a daemon of its own holds them between the commands."""
        server, token = self.serve()
        own = {"MCP_INSPECTOR_DAEMON_DIR": server.world.root, "MCP_INSPECTOR_DAEMON_TOKEN": "of-this-test"}

        def mcpdo(*words):
            return inspect(server.world, "mcpdo/build/mcp-bin.js", "--format", "json", *words, env=own)

        self.addCleanup(mcpdo, "daemon", "stop")
        for era in ("legacy", "modern"):
            with self.subTest(era):
                printed(mcpdo("connect", f"@{era}", "--era", era, *self.by_http(server, token)))
                listed = json.dumps(printed(mcpdo(f"@{era}", "tools/list")))
                self.assertIn("run-typescript-code", listed)
                called = json.dumps(printed(mcpdo(f"@{era}", "tools/call", "run-typescript-code", self.PROGRAM)))
                self.assertIn("42", called)


if __name__ == "__main__":
    unittest.main()
