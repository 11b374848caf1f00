"""`profile`: what servers cost in tokens, and what of them is used."""

import json

from support.case import TRY_TYPESCRIPT, Case
from support.config import child
from support.record import wait_for_line


class Profile(Case):
    def profiled(self, world, *words):
        done = world.command("profile", "--json", *words)
        report = json.loads(done.stdout)
        return done.returncode, {server["name"]: server for server in report["servers"]}, report

    def test_what_servers_cost(self):
        world = self.world(user={"kid": child(), "other": child()})
        code, servers, report = self.profiled(world)
        self.assertEqual([code, sorted(servers)], [0, ["kid", "other"]])
        kid = servers["kid"]
        self.assertEqual([kid["toolCount"], kid["tokens"]], [len(kid["tools"]), sum(tool["tokens"] for tool in kid["tools"])])
        self.assertGreater(min(tool["tokens"] for tool in kid["tools"]), 15)
        self.assertEqual([report["toolCount"], report["tokens"]], [2 * kid["toolCount"], kid["tokens"] + servers["other"]["tokens"]])
        self.assertIn({"name": "echo", "servers": ["kid", "other"]}, report["collisions"])
        self.assertEqual(len(report["collisions"]), kid["toolCount"])
        self.assertEqual([kid["neverUsed"], report["recordSince"]], [None, None])  # there is no record
        text = world.command("profile", "kid").stdout
        self.assertIn(f"{kid['toolCount']} tools; about {kid['tokens']} tokens in each conversation", text)
        self.assertIn("nobody knows what was used", text)
        self.assertNotIn("on several servers", text)

    def test_what_of_them_is_used(self):
        world = self.world(user={"kid": child()})
        server = self.start(world=world)
        self.succeed(server.typescript(TRY_TYPESCRIPT + "await callMCPTool('mcp__kid__sleep', {ms: 150}); await callMCPTool('mcp__kid__echo', {text: 'x'});"
                                       "for (let i = 0; i < 2; i++) await attempt(() => callMCPTool('mcp__kid__add', {a: 'one'}));"
                                       "await attempt(() => callMCPTool('mcp__kid__fail', {message: 'no'}))"))
        wait_for_line(world, lambda line: line["event"] == "run", "the end of the run")
        # its world goes with it
        code, servers, report = self.profiled(world)
        self.assertEqual(code, 0)
        kid = servers["kid"]
        tools = {tool["name"]: tool for tool in kid["tools"]}
        self.assertEqual([tools[name]["calls"] for name in ("sleep", "echo", "add", "fail")], [1, 1, 2, 1])
        self.assertEqual([tools[name]["failures"] for name in ("sleep", "echo", "add", "fail")], [0, 0, 2, 1])
        self.assertEqual([tools[name]["invalidCalls"] for name in ("sleep", "echo", "add", "fail")], [0, 0, 2, 0])
        self.assertGreaterEqual(tools["sleep"]["p50Ms"], 145)
        self.assertIsNone(tools["add"]["p50Ms"])
        self.assertEqual([kid["calls"], kid["failures"], kid["invalidCalls"]], [5, 3, 2])
        self.assertGreaterEqual(kid["p99Ms"], 145)
        self.assertLess(kid["p50Ms"], kid["p99Ms"])
        self.assertEqual(sorted(kid["neverUsed"]), sorted(f"mcp__kid__{name}" for name in tools if name not in ("sleep", "echo", "add", "fail")))
        self.assertRegex(report["recordSince"], r"^20..-..-..T")
        text = world.command("profile").stdout
        self.assertIn("calls that did not fit the schema: mcp__kid__add (2)", text)
        self.assertIn("never used: mcp__kid__", text)

    def test_a_server_that_does_not_start(self):
        world = self.world(user={"kid": child(), "broken": {"command": "/nowhere/server"}})
        code, servers, _ = self.profiled(world)
        self.assertEqual([code, servers["kid"].get("error"), servers["broken"]["toolCount"]], [1, None, 0])
        self.assertIn("/nowhere/server", servers["broken"]["error"])
        self.assertIn("broken: ", world.command("profile").stdout)

    def test_a_server_that_is_not_configured(self):
        done = self.world(user={"kid": child()}).command("profile", "kit")
        self.assertEqual(done.returncode, 1)
        self.assertIn("kit: no server 'kit' is configured", done.stdout)
