"""What one run can make the server hold and do: answers stay small, memory stays bounded, and others are not delayed."""

import json
import os
import time
import unittest

from support.case import Case
from support.config import child
from support.paths import SLOWNESS, is_sanitized

# A call as it goes over the control channel; nothing reads the answers.
FLOOD = """
import os, json, time
def frame(id):
    body = json.dumps({"type": "request", "id": id, "method": "discover", "params": {"detail": "full"}}).encode()
    return len(body).to_bytes(4, "big") + body
for id in range(1_000_000, 1_000_700):
    os.write(3, frame(id))
end = time.monotonic() + 20
while time.monotonic() < end:
    pass
"""
# Deno reads its channel between two turns of the event loop: this never lets it.
FLOOD_TYPESCRIPT = """
for (let i = 0; i < 700; i++) void discoverMCPTools({detail: 'full'})
await new Promise(done => setTimeout(done, 30))
const end = Date.now() + 20_000
while (Date.now() < end) ;
"""
MEBIBYTE = 1 << 20
BUDGET_MIB = 64
# The budget, what is on its way at that moment, and what the allocator keeps; sanitizers keep what is freed (quarantine, 256 MiB) and more.
GROWTH_MAX = (BUDGET_MIB * 3 if SLOWNESS == 1 else BUDGET_MIB * 3 + 700) * MEBIBYTE
# A result above this is parsed and written elsewhere.
LARGE = 300_000


def resident(server):
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Budget(Case):
    def with_budget(self, servers, mib=BUDGET_MIB):
        world = self.world(project=servers)
        with open(f"{world.home}/.code-executor.json", "w", encoding="utf-8") as file:
            json.dump({"runs": {"maxHeldMb": mib}}, file)
        return self.start(world=world)

    def test_made_up_names_give_a_small_answer(self):
        server = self.start({"kid": child()})
        typescript = """
            for (let i = 0; i < 9000; i++)
                await callMCPTool('nobody', `made_up_${i}_${'x'.repeat(100)}`, {}).catch(() => 0)
            await callMCPTool('kid', 'echo', {text: 'x'}).catch(() => 0)
            return 'done'"""
        python = """
for i in range(9000):
    try:
        call_mcp_tool('nobody', f"made_up_{i}_{'x' * 100}", {})
    except Exception:
        pass
'done'"""
        for run, code in ((server.typescript, typescript), (server.python, python)):
            answer = self.succeed(run(code, timeoutMs=120_000))
            self.assertLess(len(json.dumps(answer.raw)), 100_000)
            summary = answer.structured["toolCallSummary"]
            self.assertLessEqual(len(summary), 201)
            self.assertEqual(summary[-1]["toolName"], "(other tools)")
            self.assertGreaterEqual(sum(row["callCount"] for row in summary), 9000)
            self.assertEqual(sum(row["errorCount"] for row in summary), 9000)
            self.assertEqual(answer.structured["toolCallsMade"], [row["toolName"] for row in summary])

    def test_a_guest_that_does_not_read_is_ended(self):
        server = self.with_budget({"kid": child("--tools", "2000")})
        self.succeed(server.typescript("return (await discoverMCPTools({server: 'kid'})).length"))
        self.succeed(server.python("1"))
        for tool, code in (("run-python-code", FLOOD), ("run-typescript-code", FLOOD_TYPESCRIPT)):
            before = resident(server)
            request = server.ask_tool(tool, {"code": code, "timeoutMs": 60_000})
            most = 0
            while not server.has_answer(request):
                sent = time.monotonic()
                self.assertEqual(server.request("ping"), {})
                self.assertLess(time.monotonic() - sent, 1.0 * SLOWNESS)
                most = max(most, resident(server))
                time.sleep(0.02)
            answer = server.tool_answer(tool, request, time.monotonic())
            if code == FLOOD: # Deno has no way to send and not to read but by its own resources, and most of this is never sent
                self.refuse(answer, f"{BUDGET_MIB} MiB", "runs.maxHeldMb", "has not read")
            self.assertLess(most - before, GROWTH_MAX)
            self.assertEqual(self.succeed(server.python("'alive'")).result, "alive")

    @unittest.skipIf(is_sanitized(), "sanitizers need memory of their own: the server does not limit itself")
    def test_the_server_limits_itself_and_not_its_children(self):
        def data_limit(pid):
            with open(f"/proc/{pid}/limits", encoding="ascii") as file:
                return next(line for line in file if line.startswith("Max data size")).split()[3]
        server = self.start({"kid": child()})
        answer = self.succeed(server.typescript("return (await callMCPTool('kid', 'pid', {})).pid"))
        self.assertEqual(data_limit(server.process.pid), str(4096 * MEBIBYTE))
        self.assertEqual(data_limit(answer.result), data_limit(os.getpid()))

    def test_what_waits_for_a_server_counts(self):
        server = self.with_budget({"kid": child()})
        code = """
            const text = 'x'.repeat(4_000_000)
            await Promise.all(Array.from({length: 40}, () => callMCPTool('kid', 'hang', {text}).catch(e => e.message)))"""
        self.refuse(server.typescript(code, timeoutMs=60_000), "runs.maxHeldMb")
        self.assertEqual(self.succeed(server.python("'alive'")).result, "alive")

    def test_lines_of_servers_that_do_not_end_have_one_bound(self):
        names = ("one", "two", "three")
        world = self.world(project={name: child() for name in (*names, "kid")})
        with open(f"{world.home}/.code-executor.json", "w", encoding="utf-8") as file:
            json.dump({"process": {"dataMb": 1024}}, file)
        server = self.start(world=world)
        def half_line(name):
            code = f"await callMCPTool('{name}', 'half_line', {{bytes: 60_000_000}})"
            return server.ask_tool("run-typescript-code", {"code": code, "timeoutMs": 240_000})
        refused = server.first_answer(*map(half_line, names)).message["result"]
        self.assertRegex(json.dumps(refused), "was stopped: it had sent [0-9]+ MiB of a line, the most of all servers, whose "
                                              "lines together took more than 128 MiB; have servers answer with less at a time")
        self.assertEqual(self.succeed(server.python("call_mcp_tool('kid', 'echo', {'text': 'alive'})")).result, "alive")
        states = [entry["status"] for entry in server.tool("list_servers").structured["servers"] if entry["name"] in names]
        self.assertEqual(states.count("connected"), 2, states)

    def test_reading_large_outputs_does_not_delay_others(self):
        server = self.start({"kid": child()})
        kept = []
        for _ in range(3):
            answer = self.succeed(server.typescript("return Array.from({length: 300000}, (_, i) => ({a: i, b: [i, {}]}))", timeoutMs=60_000))
            kept.append(answer.result["handle"])
        reads = {
            "run-typescript-code": f"const all = {json.dumps(kept)};"
                                   "const got = []; for (let i = 0; i < 600; i++) got.push(readOutput(all[i % 3], {path: 'a', limit: 1}).catch(() => 0));"
                                   "await Promise.all(got)",
            "run-python-code": f"import threading\nall = {kept}\n"
                               "def one(i):\n    try:\n        read_output(all[i % 3], path='a')\n    except Exception:\n        pass\n"
                               "ts = [threading.Thread(target=one, args=(i,)) for i in range(40)]\n"
                               "[t.start() for t in ts]\n[t.join() for t in ts]",
        }
        for tool, code in reads.items():
            hostile = server.ask_tool(tool, {"code": code, "timeoutMs": 30_000})
            for _ in range(3):
                sent = time.monotonic()
                answer = self.succeed(server.typescript(f"return (await callMCPTool('kid', 'big', {{bytes: {LARGE}}})).length", timeoutMs=30_000))
                self.assertEqual(answer.result, LARGE)
                self.assertLess(time.monotonic() - sent, 3.0 * SLOWNESS)
            server.notify("notifications/cancelled", requestId=hostile)
            self.assertEqual(self.succeed(server.python("'alive'")).result, "alive")
