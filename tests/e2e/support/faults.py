"""Servers with a plan of faults."""

import json
import os

from support.case import TRY_TYPESCRIPT, Case
from support.config import child


def rule(kind, match="mcp__kid__echo", **details):
    return {"match": match, "kind": kind, **details}


class FaultCase(Case):
    def plan_file(self, world, *rules, seed=1, text=None):
        path = os.path.join(world.root, "plan.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if text is not None else json.dumps({"seed": seed, "rules": rules}))
        return path

    def serve(self, *rules, entry=None, env=None):
        """With a plan of the process."""
        self.journal_of_kid = self.journal()
        world = self.world(user={"kid": entry or child(journal=self.journal_of_kid), "other": child()})
        plan = self.plan_file(world, *rules)
        return self.start(world=world, env={"CODE_EXECUTOR_FAULTS": plan, **(env or {})})

    def run_calls(self, server, *calls, **parameters):
        """What came of the calls, one after the other; and the faults that are told."""
        code = TRY_TYPESCRIPT + "return [" + ", ".join(f"await {call}" for call in calls) + "]"
        answer = self.succeed(server.typescript(code, **parameters))
        return answer.result, answer.structured.get("faults")
