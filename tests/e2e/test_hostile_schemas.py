"""Schemas of tools that are made to take the memory or the time of the server: it answers everybody else meanwhile."""

import json
import os
import time

from support.case import Case
from support.config import child

NESTED, NAME_BYTES, LEAVES = 60, 2_000, 1_500
# Under the sanitizers, on a machine that others use as well; what was before took 1.2 GB, and 2 s without sanitizers.
MEMORY_BYTES_MAX = 400 << 20
ANSWER_SECONDS_MAX = 5


def nested_ids():
    """0.3 MB: each `$id` is a folder in the one around it."""
    leaves = {f"d{i}": {"$id": str(i)} for i in range(LEAVES)}
    schema = {"$id": "leaf/", "$defs": leaves}
    for _ in range(NESTED):
        schema = {"$id": "a" * NAME_BYTES + "/", "not": schema}
    return schema


def long_ids():
    return {"$id": "https://example.com/" + "a" * 200_000 + "/", "$defs": {f"d{i}": {"$id": str(i)} for i in range(1_800)}}


def slow_pattern():
    return {"properties": {"text": {"anyOf": [{"pattern": "^(a+)+$"}] * 20}}}


class HostileSchemas(Case):
    def setUp(self):
        self.definitions = os.path.join(self.world().root, "definitions.json")

    def resident_max(self, server):
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))

    def start_with(self, schema):
        with open(self.definitions, "w", encoding="utf-8") as file:
            json.dump({"echo": {"inputSchema": schema, "outputSchema": schema}}, file)
        server = self.start({"kid": child("--definitions", self.definitions)})
        self.succeed(server.typescript("return 1"))
        self.succeed(server.python("1"))
        return server

    def test_identifiers(self):
        for schema in (nested_ids(), long_ids()):
            server = self.start_with(schema)
            before = self.resident_max(server)
            for answer in (server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"),
                           server.python("call_mcp_tool('kid', 'echo', {'text': 'x'})")):
                self.assertEqual(self.succeed(answer).result, "x", "a schema beyond its bounds is not compared")
            self.assertLess(self.resident_max(server) - before, MEMORY_BYTES_MAX)

    def test_others_are_answered_while_it_is_compared(self):
        server = self.start_with(slow_pattern())
        request = server.ask_tool("run-typescript-code", {"code": """
            return (await Promise.allSettled(Array.from({length: 30}, () => callMCPTool('kid', 'echo', {text: 'a'.repeat(40) + '!'})))).length"""})
        for _ in range(20):
            begun = time.monotonic()
            self.assertEqual(server.request("ping"), {})
            self.assertLess(time.monotonic() - begun, ANSWER_SECONDS_MAX)
        self.assertEqual(self.succeed(server.tool_answer("run-typescript-code", request, time.monotonic())).result, 30)
