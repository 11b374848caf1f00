"""Tests with a recording: of a server that has one child, whose end has come when it is read."""

import json
import os

from support.case import Case
from support.config import child
from support.paths import binary

ECHO = "callMCPTool('mcp__kid__echo', {text: 'hello'})"


class RecordingCase(Case):
    def setUp(self):
        self.journal_of_kid = self.journal()
        self.there = self.world_with_kid()
        self.file = os.path.join(self.world().root, "session.jsonl")  # the world of a server goes with it

    def world_with_kid(self, *flags, **details):
        return self.world(user={"kid": child(*flags, journal=self.journal_of_kid, **details)})

    def define(self, tools):
        """What of its tools is other than usual, for `--definitions`."""
        self.definitions = os.path.join(self.world().root, "definitions.json")
        with open(self.definitions, "w", encoding="utf-8") as file:
            json.dump(tools, file)

    def lines(self):
        with open(self.file, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def record_run(self, code, world=None, **parameters):
        """With a server that records; it has ended when this comes back."""
        server = self.start(world=world or self.world_with_kid(), argv=[binary(), "record", "--out", self.file])
        answer = server.typescript(code, **parameters)
        server.stop()
        return answer

    def replay(self, *words, env=None, world=None):
        """A server without servers of its own, unless `world` has some."""
        return self.start(world=world or self.world(user={}), argv=[binary(), "replay", self.file, *words], env=env)

    def exchanges(self, method="tools/call"):
        return [line for line in self.lines() if line.get("method") == method]
