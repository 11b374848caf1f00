"""`code-executor call`: one call of a tool, typed by a person."""

import json
import os
import pty
import signal
import subprocess

from support import processes
from support.case import Case
from support.config import child
from support.faults import FaultCase, rule
from support.paths import binary
from support.record import lines_of
from support.server import MARK, World
from support.waiting import PATIENCE_SECONDS


class CallCase(Case):
    def setUp(self):
        self.journal_of_kid = self.journal()
        self.there = self.world(user={"kid": child(journal=self.journal_of_kid)})

    def call(self, *words, **options):
        return self.there.command("call", *words, **options)

    def given(self, *words):
        """What the tool `settings` got, which says again what it is told."""
        done = self.call("kid", "settings", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def expect_nothing_left(self):
        self.wait_until(lambda: not processes.marked(self.there.mark[MARK]), "the end of all processes")


class Results(CallCase):
    def test_text_is_as_it_is_and_structure_is_json(self):
        for words, told in ((("echo", "text=two\nlines"), "two\nlines\n"), (("add", "a=1", "b=2.5"), '{"sum":3.5}\n'), (("number_text",), "007\n"),
                            (("empty",), ""), (("class", "value=x"), "class: x\n"), (("read_file", "value=a=b"), "read-file: a=b\n")):
            with self.subTest(words):
                done = self.call("kid", *words)
                self.assertEqual([done.returncode, done.stdout, done.stderr], [0, told, ""])
        done = self.call("kid", "multi")
        self.assertEqual([done.stdout, done.stderr], ["first\nlast\na note\n", "[image: --json prints it]\n"])
        self.expect_nothing_left()

    def test_the_whole_result(self):
        done = self.call("kid", "multi", "--json")
        self.assertEqual([block["type"] for block in json.loads(done.stdout)["content"]], ["text", "image", "text", "resource"])
        done = self.call("kid", "fail", "message=no", "--json")
        self.assertEqual([done.returncode, json.loads(done.stdout)["isError"]], [1, True])

    def test_failures(self):
        done = self.call("kid", "fail", "message=the disk\x1b[31m is full")
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertEqual(done.stderr, "the disk\\u001b[31m is full\n")
        self.assertEqual(self.call("kid", "die", "code=3").returncode, 1)
        done = self.call("kid", "sleep", "ms=60000", "--timeout", "1500ms")
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.journal_of_kid.wait("cancelled")

    def test_large_results(self):
        done = self.call("kid", "big", "bytes=3000000")
        self.assertEqual(len(done.stdout), 3_000_001)


class Arguments(CallCase):
    def test_values_have_the_types_of_the_schema(self):
        self.assertEqual(self.given(), {})
        self.assertEqual(self.given("mode=fast"), {"mode": "fast"})
        self.assertEqual(self.given('options={"depth": 2, "tags": ["a"]}'), {"options": {"depth": 2, "tags": ["a"]}})
        self.assertEqual(self.given('{"mode": "thorough"}'), {"mode": "thorough"})
        self.assertEqual(self.call("kid", "echo", "text=5").stdout, "5\n")
        self.assertEqual(self.call("kid", "echo", "text=true").stdout, "true\n")
        self.assertEqual(self.call("kid", "json_text", "list=true").stdout, '[1, "two"]\n')

    def test_from_stdin(self):
        for text, told, code in (('{"text": "typed"}', "typed\n", 0), ("[1]", "", 2), ("{", "", 2), ("", "", 2)):
            done = subprocess.run([binary(), "call", "kid", "echo", "-"], env=self.there.environment({}), cwd=self.there.cwd, input=text, capture_output=True,
                                  text=True, timeout=PATIENCE_SECONDS, check=False)
            self.assertEqual([done.returncode, done.stdout], [code, told], done.stderr)

    def test_what_is_wrong_is_said(self):
        for words, why in ((("echo", "txt=x"), "unknown parameter 'txt'; did you mean 'text'? Known: text"), (("echo",), "missing: text"),
                           (("add", "a=1", "b=two"), "'b' must be of type number, not 'two'"), (("add",), "missing: a, b"),
                           (("json_text", "list=yes"), "'list' must be of type boolean"), (("settings", "mode=slow"), "'mode' must be one of fast, thorough"),
                           (("settings", "options=deep"), "'options' must be of type object, as JSON"), (("echo", "text"), "'text' is no argument: write name=value"),
                           (("echo", "text=a", "text=b"), "'text' is given 2 times"), (("echo", "[1]"), "is no argument")):
            with self.subTest(words):
                done = self.call("kid", *words)
                self.assertEqual([done.returncode, done.stdout], [2, ""], done.stderr)
                self.assertIn(why, done.stderr)
        done = self.call("kid", "add", '{"a": 1, "b": "two"}')
        self.assertEqual(done.returncode, 1)
        self.assertIn("b", done.stderr)
        self.assertEqual([event for event in self.journal_of_kid.events("call")], [])

    def test_wrong_words(self):
        for words, why in (((), "server is required"), (("kid",), "tool is required"), (("kid", "echo", "text=x", "--timeout", "soon"), "--timeout"),
                           (("kid", "echo", "--timeout", "10h", "text=x"), "security.maxTimeoutMs")):
            done = self.call(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        self.assertIn("Example: code-executor call", self.call("--help").stdout)


class Guards(CallCase):
    def test_unknown_names(self):
        done = self.call("kit", "echo", "text=x")
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("kid", done.stderr)
        done = self.call("kid", "ecko", "text=x")
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("echo", done.stderr)

    def test_what_the_user_has_not_approved_does_not_start(self):
        world = World(trusts_project=False)
        self.addCleanup(world.remove)
        world.configure(project={"kid": child(journal=self.journal_of_kid)})
        for arguments in (("text=x",), ('{"text": "x"}',)):
            done = world.command("call", "kid", "echo", *arguments)
            self.assertEqual([done.returncode, done.stdout], [1, ""])
            self.assertIn("code-executor trust --server kid", done.stderr)
        self.assertEqual(self.journal_of_kid.events(), [])

    def test_the_policy_counts(self):
        for setting, why in (({"deniedTools": ["mcp__kid__echo"]}, "deniedTools"), ({"confirm": ["mcp__kid__*"]}, "security.confirm")):
            with open(os.path.join(self.there.home, ".code-executor.json"), "w", encoding="utf-8") as file:
                json.dump({"security": setting}, file)
            done = self.call("kid", "echo", "text=x")
            self.assertEqual([done.returncode, done.stdout], [1, ""])
            self.assertIn(why, done.stderr)
        self.assertEqual(self.journal_of_kid.events("call"), [])

    def test_a_person_at_a_terminal_is_asked(self):
        with open(os.path.join(self.there.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"confirm": ["mcp__kid__*"]}}, file)
        for said, code in ((b"y\n", 0), (b"n\n", 1)):
            ours, theirs = pty.openpty()
            process = subprocess.Popen([binary(), "call", "kid", "echo", "text=agreed"], env=self.there.environment({}), cwd=self.there.cwd,
                                       stdin=theirs, stdout=theirs, stderr=subprocess.PIPE)
            os.close(theirs)
            text = b""
            while b"[y/N]" not in text:
                text += os.read(ours, 1000)
            os.write(ours, said)
            self.assertEqual(process.wait(PATIENCE_SECONDS), code, process.stderr.read())
            process.stderr.close()
            os.close(ours)
        self.assertEqual(len(self.journal_of_kid.events("call")), 1)

    def test_the_record_has_it(self):
        self.call("kid", "echo", "text=secretword")
        self.call("kid", "fail", "message=no")
        lines = [line for line in lines_of(self.there) if line["event"] == "tool_call"]
        self.assertEqual([[line["tool"], line["success"], line["clientId"]] for line in lines],
                         [["echo", True, "code-executor call"], ["fail", False, "code-executor call"]])
        self.assertNotIn("secretword", json.dumps(lines))

    def test_within_another_of_us(self):
        done = self.call("kid", "echo", "text=x", env={"CODE_EXECUTOR_OUTER": "1"})
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("code-executor does nothing for a program of code-executor", done.stderr)
        self.assertEqual(self.journal_of_kid.events(), [])

    def test_interrupted(self):
        process = subprocess.Popen([binary(), "call", "kid", "sleep", "ms=600000", "--timeout", "300"], env=self.there.environment({}), cwd=self.there.cwd,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.journal_of_kid.wait("call")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_SECONDS)
        self.assertEqual([process.returncode, out], [1, b""])
        self.journal_of_kid.wait("cancelled")
        self.expect_nothing_left()


class Laboratory(FaultCase):
    def test_faults_and_recordings(self):
        world = self.world(user={"kid": child()})
        plan = self.plan_file(world, rule("error", message="the disk is full", nth=1))
        done = world.command("call", "kid", "echo", "text=x", "--faults", plan)
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("the disk is full", done.stderr)
        self.assertIn("injected: error 1", done.stderr)
        file = os.path.join(world.root, "session.jsonl")
        words = (binary(), "call", "kid", "echo", "text=recorded")
        self.assertEqual(world.command("record", "--out", file, "--", *words).stdout, "recorded\n")
        empty = self.world(user={})
        self.assertEqual(empty.command("replay", file, "--", *words).stdout, "recorded\n")
