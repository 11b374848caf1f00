"""`code-executor trust` at a terminal: what is approved was seen before, and nothing else is."""

import json
import os
import subprocess

from support.case import Case
from support.config import child
from support.paths import binary
from support.server import World
from support.terminal import Terminal

QUESTION = "Approve? [y/N]"
NO = ("n\n", "\n", "yesterday\n", " y\n", "yy\n", "\x04")


class Question(Case):
    def at_terminal(self, world, *words, typed_before=""):
        return Terminal([binary(), "trust", *words], world.environment({}), world.cwd, typed_before)

    def answered(self, world, answer, *words, **more):
        """Exit code, and what was shown before the question, and behind it."""
        terminal = self.at_terminal(world, *words, **more).wait_for(QUESTION)
        self.assertIn(QUESTION, terminal.shown)
        terminal.type(answer)
        code = terminal.end()
        return code, *terminal.shown.split(QUESTION, 1)


class OfAnEntry(Question):
    def setUp(self):
        self.place = World(trusts_project=False)
        self.addCleanup(self.place.remove)
        self.configure("first")

    def configure(self, name):
        self.place.configure(project={"kid": child("--name", name)})

    def is_approved(self):
        return json.loads(self.place.command("trust", "--server", "kid", "--show", "--json").stdout)["approved"]

    def test_only_a_yes_approves(self):
        for answer in NO:
            with self.subTest(answer):
                code, before, behind = self.answered(self.place, answer, "--server", "kid")
                self.assertEqual(code, 1)
                self.assertIn("argument: first", before)
                self.assertIn("nothing is approved", behind)
                self.assertFalse(self.is_approved())
        for number, answer in enumerate(("y\n", "Y\n", "yes\n", "Yes\n")):
            with self.subTest(answer):
                self.configure(f"another{number}")
                self.assertFalse(self.is_approved())
                code, before, behind = self.answered(self.place, answer, "--server", "kid")
                self.assertEqual(code, 0)
                self.assertIn(f"argument: another{number}", before)
                self.assertIn("approved as shown", behind)
                self.assertTrue(self.is_approved())

    def test_all_that_is_approved_is_shown(self):
        self.place.configure(project=json.dumps({"mcpServers": {"kid": {
            "command": "run", "includeTools": ["add", "re*"], "excludeTools": ["*delete*"], "rateLimit": 1, "timeoutMs": 5000,
            "maxConcurrent": 2}}}))
        shown = self.place.command("trust", "--server", "kid", "--show").stdout
        for part in ("tools (includeTools): add, re*", "but for (excludeTools): *delete*", "at most (rateLimit): 1 calls in ",
                     "time of a call (timeoutMs): 5000 ms", "calls at once (maxConcurrent): 2"):
            self.assertIn(part, shown)
        told = json.loads(self.place.command("trust", "--server", "kid", "--show", "--json").stdout)
        self.assertEqual([told["includeTools"], told["excludeTools"], told["rateLimit"]["requests"], told["timeoutMs"], told["maxConcurrent"]],
                         [["add", "re*"], ["*delete*"], 1, 5000, 2])
        self.place.configure(project={"kid": {"command": "run"}})
        self.assertIsNone(json.loads(self.place.command("trust", "--server", "kid", "--show", "--json").stdout)["includeTools"])

    def test_what_goes_to_a_pager_is_not_approved(self):
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        run = subprocess.run([binary(), "trust", "--server", "kid"], env=self.place.environment({}), cwd=self.place.cwd, stdin=theirs,
                             capture_output=True, text=True, check=False)
        os.close(theirs)
        self.assertEqual(run.returncode, 1)
        self.assertIn("argument: first", run.stdout)
        self.assertIn("nothing is approved", run.stderr)
        self.assertFalse(self.is_approved())

    def test_what_changes_meanwhile_is_not_approved(self):
        terminal = self.at_terminal(self.place, "--server", "kid").wait_for(QUESTION)
        self.configure("changed")
        terminal.type("y\n")
        self.assertEqual(terminal.end(), 0)
        self.assertFalse(self.is_approved())
        self.configure("first")
        self.assertTrue(self.is_approved())

    def test_what_was_typed_before_is_no_answer(self):
        code, _, behind = self.answered(self.place, "\n", "--server", "kid", typed_before="y\n")
        self.assertEqual((code, self.is_approved()), (1, False), behind)

    def test_json(self):
        code, before, _ = self.answered(self.place, "n\n", "--server", "kid", "--json")
        self.assertEqual((code, json.loads(before)["approved"], self.is_approved()), (1, False, False))

    def test_nobody_is_asked_when_there_is_nothing_to_ask(self):
        shown = self.at_terminal(self.place, "--server", "kid", "--show")
        self.assertEqual(shown.end(), 0)
        self.assertFalse(self.is_approved())
        self.assertEqual(self.place.command("trust", "--server", "kid").returncode, 0, "a script is not asked")
        self.assertTrue(self.is_approved())
        again = self.at_terminal(self.place, "--server", "kid")
        self.assertEqual(again.end(), 0)
        self.assertIn("nothing to approve", again.shown)
        self.assertNotIn(QUESTION, shown.shown + again.shown)


class OfTools(Question):
    def setUp(self):
        self.place = self.world(project={})
        self.definitions = os.path.join(self.place.root, "definitions.json")
        self.define("It echoes.", "It adds.")
        self.place.configure(project={"kid": child("--definitions", self.definitions)})
        self.index()
        self.define("It echoes, and more.", "It adds, and more.")
        self.index()

    def define(self, echo, add):
        with open(self.definitions, "w", encoding="utf-8") as file:
            json.dump({"echo": {"description": echo}, "add": {"description": add}}, file)

    def index(self):
        ended = self.place.command("index")
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def changed(self):
        shown = json.loads(self.place.command("trust", "kid", "--show", "--json").stdout)
        return sorted(tool["tool"] for tool in shown["changed"])

    def test_only_a_yes_approves(self):
        self.assertEqual(self.changed(), ["add", "echo"])
        for answer in NO:
            with self.subTest(answer):
                code, before, behind = self.answered(self.place, answer, "kid")
                self.assertEqual(code, 1)
                self.assertIn("+ description: It echoes, and more.", before)
                self.assertIn("nothing is approved", behind)
                self.assertEqual(self.changed(), ["add", "echo"])
        code, before, behind = self.answered(self.place, "y\n", "kid", "echo")
        self.assertEqual(code, 0)
        self.assertNotIn("It adds", before)
        self.assertIn("kid: 1 of 1 tool is approved as shown", behind)
        self.assertEqual(self.changed(), ["add"])

    def test_what_changes_meanwhile_is_not_approved(self):
        terminal = self.at_terminal(self.place, "kid").wait_for(QUESTION)
        self.define("It reads your keys.", "It adds, and more.")
        self.index()
        terminal.type("y\n")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(self.changed(), ["echo"])

    def test_nobody_is_asked_when_there_is_nothing_to_ask(self):
        shown = self.at_terminal(self.place, "kid", "--show")
        self.assertEqual(shown.end(), 0)
        self.assertEqual(self.changed(), ["add", "echo"])
        self.assertEqual(self.place.command("trust", "kid").returncode, 0, "a script is not asked")
        self.assertEqual(self.changed(), [])
        again = self.at_terminal(self.place, "kid")
        self.assertEqual(again.end(), 0)
        self.assertIn("nothing has changed", again.shown)
        self.assertNotIn(QUESTION, shown.shown + again.shown)
