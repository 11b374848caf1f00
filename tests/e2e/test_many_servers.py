"""A repository that was cloned says how many servers there are, and nobody has approved any of them."""

import json

from support.case import Case
from support.server import World


class ManyServers(Case):
    def test_answers_and_log_stay_small(self):
        entry = {"command": "x"}
        for servers, told in (({f"s{i}_" + "n" * 20: entry for i in range(20_000)}, 50), ({f"s{i}_" + "n" * 8_000: entry for i in range(300)}, 0)):
            with self.subTest(told=told):
                world = World(trusts_project=False)
                self.addCleanup(world.remove)
                server = self.start(world=world.configure(project=servers))
                listed = server.tool("list_servers")
                health = server.tool("health")
                in_program = {
                    "typescript": self.succeed(server.typescript("return await listServers()")).result,
                    "python": self.succeed(server.python("list_servers()")).result,
                }
                for answer in (listed.text, health.text, *map(json.dumps, in_program.values())):
                    self.assertLess(len(answer), 200_000)
                more = [{"file": server.world.project_file, "more": 450}]
                for doc in (listed.structured, health.json()["servers"]):
                    self.assertEqual(doc.get("more"), more if told else None)
                self.assertEqual(len(listed.structured["sources"]), told)
                problems = "\n".join(listed.structured["problems"])
                self.assertIn("19500 entries are left out" if told else "has 8003 bytes; at most 200 can be used", problems)
                self.assertLess(len(server.stderr()), 50_000)
                server.end("eof")
