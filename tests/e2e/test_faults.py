"""Faults on purpose: each kind as a program meets it, plans of the process and of runs, and who is told."""

import json
import os

from support import record
from support.case import TRY_PYTHON
from support.config import child
from support.faults import FaultCase, rule

ECHO = "attempt(() => callMCPTool('mcp__kid__echo', {text: 'hello'}))"
ADD = "attempt(() => callMCPTool('mcp__kid__add', {a: 1, b: 2}))"


class Kinds(FaultCase):
    def first_is_hit(self, server, kind, calls=(ECHO, ECHO), tool="mcp__kid__echo"):
        outcomes, faults = self.run_calls(server, *calls)
        self.assertEqual(faults, [{"tool": tool, "call": 1, "kind": kind}])
        return outcomes

    def test_latency(self):
        server = self.serve(rule("latency", ms=300, nth=1))
        code = "const times = []; for (let i = 0; i < 2; i++) { const begin = Date.now(); " \
               "await callMCPTool('mcp__kid__echo', {text: 'x'}); times.push(Date.now() - begin) } return times"
        first, _ = self.succeed(server.typescript(code)).result
        self.assertGreaterEqual(first, 290)

    def test_error(self):
        outcomes = self.first_is_hit(self.serve(rule("error", code=-32000, message="the disk is full", nth=1)), "error")
        self.mcp_error(outcomes[0], "tool_failed", "the disk is full")
        self.assertEqual(outcomes[1]["value"], "hello")
        self.assertEqual(len(self.journal_of_kid.events("call")), 1)

    def test_error_as_a_result(self):
        outcomes = self.first_is_hit(self.serve(rule("error", text="no such ticket", nth=1)), "error")
        self.mcp_error(outcomes[0], "tool_failed", "no such ticket")

    def test_error_after_the_effect(self):
        self.first_is_hit(self.serve(rule("error", effect="done", nth=1)), "error")
        self.assertEqual(len(self.journal_of_kid.events("call")), 2)

    def test_timeout_with_and_without_effect(self):
        for effect, seen in (("none", 1), ("done", 2)):
            with self.subTest(effect):
                entry = {"timeoutMs": 3000}
                self.journal_of_kid = self.journal(effect)
                server = self.serve(rule("timeout", effect=effect, nth=1), entry=child(journal=self.journal_of_kid, **entry))
                outcomes = self.first_is_hit(server, "timeout")
                self.mcp_error(outcomes[0], "call_timeout")
                self.assertEqual(outcomes[1]["value"], "hello")

    def test_crash_and_disconnect(self):
        for kind in ("crash", "disconnect"):
            with self.subTest(kind):
                outcomes, faults = self.run_calls(self.serve(rule(kind, nth=1)), ECHO, f"patiently(async () => await {ECHO})")
                self.assertEqual([fault["kind"] for fault in faults], [kind])
                self.mcp_error(outcomes[0], "server_died", "closed the connection")
                self.assertEqual(outcomes[1]["value"], "hello")

    def test_crash_leaves_other_servers_alone(self):
        other = "attempt(() => callMCPTool('mcp__other__echo', {text: 'fine'}))"
        outcomes, _ = self.run_calls(self.serve(rule("crash")), other, ECHO, other)
        self.assertEqual([outcomes[0]["value"], outcomes[2]["value"]], ["fine", "fine"])

    def test_hang_for_a_while(self):
        outcomes = self.first_is_hit(self.serve(rule("hang", ms=400, nth=1)), "hang", (ECHO, ECHO))
        self.assertEqual([each["value"] for each in outcomes], ["hello", "hello"])

    def test_hang_for_ever_ends_with_the_run(self):
        server = self.serve(rule("hang", nth=1))
        self.refuse(server.typescript("return await callMCPTool('mcp__kid__echo', {text: 'x'})", timeoutMs=2000), "Still open: mcp__kid__echo")

    def test_garbage_and_truncate(self):
        server = self.serve(rule("truncate", nth=1), rule("truncate", "mcp__kid__add", what="text", keep=0.5, nth=1))
        outcomes, faults = self.run_calls(server, ECHO, ADD, ECHO)
        self.mcp_error(outcomes[0], "protocol_violation", "no valid JSON")
        self.assertEqual(outcomes[1]["value"], "The su")
        self.assertEqual(outcomes[2]["value"], "hello")
        self.assertEqual([fault["kind"] for fault in faults], ["truncate", "truncate"])

    def test_what_is_cut_to_nothing_is_not_whole(self):
        for one in (rule("truncate", keep=0), rule("truncate", keep=1), rule("garbage", text="")):
            server = self.serve({**one, "nth": 1}, entry=child(journal=self.journal(one["kind"] + str(one.get("keep"))), timeoutMs=3000))
            outcomes, _ = self.run_calls(server, ECHO, ECHO)
            self.mcp_error(outcomes[0], ("protocol_violation", "call_timeout"))
            self.assertEqual(outcomes[1]["value"], "hello")

    def test_duplicate_request_reaches_the_server_twice(self):
        outcomes = self.first_is_hit(self.serve(rule("duplicate", what="request", nth=1)), "duplicate")
        self.assertEqual([each["value"] for each in outcomes], ["hello", "hello"])
        self.assertEqual(len(self.journal_of_kid.wait("call", 3)), 3)

    def test_duplicate_answer_harms_nothing(self):
        outcomes = self.first_is_hit(self.serve(rule("duplicate", nth=1)), "duplicate", (ECHO, ECHO, ECHO))
        self.assertEqual([each["value"] for each in outcomes], ["hello"] * 3)

    def test_reorder(self):
        server = self.serve(rule("reorder", ms=5000, nth=1))
        code = "const order = []; const call = (n) => callMCPTool('mcp__kid__echo', {text: n}).then(() => order.push(n)); " \
               "await Promise.all([call('first'), call('second')]); return order"
        self.assertEqual(self.succeed(server.typescript(code)).result, ["second", "first"])

    def test_refusals(self):
        server = self.serve(rule("rate_limited", retryAfterMs=1500, nth=1), rule("unauthorized", nth=2))
        outcomes, _ = self.run_calls(server, ECHO, ECHO, ECHO)
        self.mcp_error(outcomes[0], "tool_failed", "rate limit exceeded; retry after 1500 ms")
        self.mcp_error(outcomes[1], "tool_failed", "the access token has expired")
        self.assertEqual(outcomes[2]["value"], "hello")

    def test_results_that_are_other_ones(self):
        kinds = ("wrong_type", "empty", "huge", "injection")
        server = self.serve(*(rule(kind, "mcp__kid__*", nth=number, **({"bytes": 50_000} if kind == "huge" else {}))
                              for number, kind in enumerate(kinds, 1)))
        size = f"JSON.stringify(await {ECHO}).length"
        outcomes, faults = self.run_calls(server, ECHO, ECHO, f"(async () => {size})()", ECHO, ECHO)
        self.assertEqual([fault["kind"] for fault in faults], list(kinds))
        self.assertEqual(outcomes[0]["value"], {"value": "hello"})
        self.assertFalse(outcomes[1].get("value"))
        self.assertGreater(outcomes[2], 50_000)
        self.assertIn("mcp__canary__report", json.dumps(outcomes[3]["value"]))
        self.assertEqual(outcomes[4]["value"], "hello")

    def test_a_tool_that_is_gone(self):
        outcomes, _ = self.run_calls(self.serve(rule("tool_gone", nth=1)), ECHO, ECHO, ADD, ECHO)
        self.mcp_error(outcomes.pop(1), ("unknown_tool", "tool_failed"))
        self.mcp_error(outcomes[0], "tool_failed", "Unknown tool: echo")
        self.mcp_error(outcomes[2], ("unknown_tool", "tool_failed"))

    def test_parameters_that_are_called_otherwise(self):
        server = self.serve(rule("schema_change", nth=1))
        renamed = "attempt(() => callMCPTool('mcp__kid__echo', {text_v2: 'new'}))"
        outcomes, _ = self.run_calls(server, ECHO, renamed, ECHO)
        self.mcp_error(outcomes[0], "tool_failed", "its parameters have changed")
        self.assertEqual(outcomes[1]["value"], "new")
        self.mcp_error(outcomes[2], "invalid_argument", "text_v2")

    def test_a_start_that_fails_and_a_list_that_lacks_a_tool(self):
        server = self.serve(rule("error", "mcp__kid__*", on="start", nth=1, message="still migrating"),
                            rule("tool_gone", "mcp__kid__*", on="list", tool="add"))
        again = "attempt(() => patiently(() => callMCPTool('mcp__kid__echo', {text: 'hello'})))"
        outcomes, _ = self.run_calls(server, ECHO, again, ADD)
        self.mcp_error(outcomes[0], "server_start_failed", "still migrating")
        self.assertEqual(outcomes[1]["value"], "hello")
        self.mcp_error(outcomes[2], "unknown_tool")

    def test_python_meets_the_same(self):
        server = self.serve(rule("error", message="the disk is full", nth=1))
        answer = self.succeed(server.python(TRY_PYTHON + "\n[attempt(lambda: call_mcp_tool('mcp__kid__echo', {'text': 'x'})) for _ in range(2)]"))
        self.mcp_error(answer.result[0], "tool_failed", "the disk is full")
        self.assertEqual(answer.result[1]["value"], "x")


class Plans(FaultCase):
    def test_without_faults_nothing_says_so(self):
        server = self.start(servers={"kid": child()})
        answer = self.succeed(server.typescript("return await callMCPTool('mcp__kid__echo', {text: 'x'})"))
        self.assertNotIn("faults", answer.structured)
        self.assertNotIn("faults", server.tool("health").structured)

    def test_the_list_of_tools_is_the_same(self):
        self.assertEqual(self.serve(rule("error")).request("tools/list"), self.start(servers={"kid": child()}).request("tools/list"))

    def test_who_is_told(self):
        server = self.serve(rule("error", nth=2))
        self.assertEqual(self.run_calls(server, ADD)[1], [])
        self.run_calls(server, ECHO, ECHO)
        self.assertEqual(server.tool("health").structured["faults"], {"seed": 1, "rules": 1, "injected": {"error": 1}})
        line = record.wait_for_line(server.world, lambda one: one.get("faults"), "the run in the record")
        self.assertEqual(line["faults"], ["error mcp__kid__echo 2"])
        self.wait_until(lambda: "injected: error into mcp__kid__echo, number 2" in server.stderr(), "a line of the log")
        self.assertIn("faults are injected on purpose: 1 rules", server.stderr())

    def test_the_same_plan_hits_the_same_calls(self):
        told = []
        for _ in range(2):
            server = self.serve(rule("error", "*", probability=0.3), rule("latency", "*", ms=5, probability=0.3))
            code = "await Promise.all(Array.from({length: 60}, (_, i) => callMCPTool(`mcp__${i % 2 ? 'kid' : 'other'}__echo`, {text: `${i}`})" \
                   ".catch(() => 0)))"
            answer = self.succeed(server.typescript(code))
            told.append(sorted((fault["tool"], fault["call"], fault["kind"]) for fault in answer.structured["faults"]))
        self.assertEqual(told[0], told[1])
        self.assertGreater(len(told[0]), 10)

    def test_a_run_brings_its_own(self):
        server = self.start(servers={"kid": child()})
        plan = {"seed": 3, "rules": [rule("error", message="mine", nth=1)]}
        for _ in range(2):  # each run counts for itself
            outcomes, faults = self.run_calls(server, ECHO, ECHO, faults=plan)
            self.mcp_error(outcomes[0], "tool_failed", "mine")
            self.assertEqual([outcomes[1]["value"], faults], ["hello", [{"tool": "mcp__kid__echo", "call": 1, "kind": "error"}]])
        outcomes, faults = self.run_calls(server, ECHO)
        self.assertEqual([outcomes[0]["value"], faults], ["hello", None])

    def test_a_run_may_not_harm_others(self):
        server = self.start(servers={"kid": child()})
        for one in (rule("crash"), rule("hang"), rule("garbage"), rule("tool_gone"), rule("error", on="start")):
            self.refuse(server.typescript("return 1", faults={"rules": [one]}), "'faults' must be a plan of faults", "felt by other runs")
        self.refuse(server.typescript("return 1", faults={"rules": [rule("latancy")]}), "rules[0].kind", "did you mean 'latency'")
        self.refuse(server.typescript("return 1", faults="flaky"), "a plan is an object")

    def test_may_be_forbidden_for_runs(self):
        world = self.world(user={"kid": child()})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowFaults": False}}, file)
        self.refuse(self.start(world=world).typescript("return 1", faults={"rules": []}), "security.allowFaults")

    def test_a_plan_in_the_settings(self):
        world = self.world(user={"kid": child()})
        settings = os.path.join(world.home, ".code-executor.json")
        with open(settings, "w", encoding="utf-8") as file:
            json.dump({"faults": {"seed": 1, "rules": [rule("error", message="of the settings", nth=1)]}}, file)
        outcomes, _ = self.run_calls(self.start(world=world), ECHO)
        self.mcp_error(outcomes[0], "tool_failed", "of the settings")

    def test_a_project_can_not_bring_one(self):
        world = self.world(user={"kid": child()})
        with open(os.path.join(world.cwd, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"faults": {"rules": []}}, file)
        done = world.command("serve")
        self.assertEqual(done.returncode, 2)
        self.assertIn("can not be set by the file of a project", done.stderr)

    def test_a_wrong_plan_stops_the_start_with_its_place(self):
        world = self.world(user={"kid": child()})
        plan = self.plan_file(world, text='{"seed": 1,\n "rules": [\n  {"match": "*", "kind": "error", "probability": 2}]}')
        for words in (("serve", "--faults", plan), ("bridge", "kid", "--faults", plan)):
            done = world.command(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("plan.json: line 3", done.stderr)
            self.assertIn("'rules[0].probability': a number from 0 to 1 is expected", done.stderr)
        self.assertIn("there is no plan of faults at", world.command("serve", "--faults", "nowhere.json").stderr)

    def test_settings_with_a_wrong_plan(self):
        world = self.world(user={"kid": child()})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            file.write('{"faults": {\n"rules": [{"match": "*", "kind": "eror"}]}}')
        done = world.command("serve")
        self.assertEqual(done.returncode, 2)
        self.assertIn(".code-executor.json: line 2", done.stderr)
        self.assertIn("'faults.rules[0].kind': no kind of fault; did you mean 'error'?", done.stderr)


class Words(FaultCase):
    def test_list(self):
        text = self.world().command("faults", "list").stdout
        for word in ("latency", "schema_change", "preset brownout", "Like: a cold start"):
            self.assertIn(word, text)
        listed = json.loads(self.world().command("faults", "list", "--json").stdout)
        self.assertEqual([len(listed["kinds"]), len(listed["presets"])], [23, 5])

    def test_check_explains(self):
        world = self.world()
        plan = self.plan_file(world, rule("error", "mcp__a__*", every=25), {"match": "*", "kind": "latency", "nth": 3})
        done = world.command("faults", "check", plan, "--tool", "mcp__a__x")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1. error on calls of mcp__a__*: one in 25", done.stdout)
        self.assertIn("Of the first 100 calls of mcp__a__x 5 are hit:", done.stdout)
        told = json.loads(world.command("faults", "check", plan, "--tool", "mcp__a__x", "--json").stdout)
        self.assertEqual([hit["call"] for hit in told["of"]["hits"]], [3, 25, 50, 75, 100])

    def test_check_refuses(self):
        world = self.world()
        done = world.command("faults", "check", self.plan_file(world, rule("error", bytes=1)))
        self.assertEqual(done.returncode, 2)
        self.assertIn("'rules[0].bytes': unknown", done.stderr)
