"""`verify`: a recording against the servers as they are."""

import json
import signal
import subprocess

from support.paths import binary
from support.recording_case import ECHO, RecordingCase

READS = {"annotations": {"readOnlyHint": True}}


class Verified(RecordingCase):
    """One of its tools says that it only reads."""

    def setUp(self):
        self.define({"echo": READS})
        super().setUp()

    def world_with_kid(self, **details):
        return super().world_with_kid("--definitions", self.definitions, **details)

    def write(self, *lines):
        """A recording as a person writes it, or who wants something called."""
        with open(self.file, "w", encoding="utf-8") as file:
            for line in ({"recording": 1, "salt": "s"}, *lines):
                file.write(json.dumps({**line, **({} if "recording" in line else {"server": "kid"})}) + "\n")

    def change(self, old, new):
        with open(self.file, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))

    def verify(self, *words):
        return self.there.command("verify", self.file, *words)

    def test_the_same_servers_answer_the_same(self):
        self.record_run(f"await {ECHO}; await {ECHO}; await callMCPTool('mcp__kid__add', {{a: 1, b: 2}})")
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\d+ compared, 0 different; 1 calls that may write were not made \(--writes makes them\)")
        made = len(self.journal_of_kid.events("call", tool="add"))
        done = self.verify("--writes", "--only", "mcp__kid__add")
        self.assertEqual([done.returncode, done.stdout], [0, "2 compared, 0 different\n"])
        self.assertEqual(len(self.journal_of_kid.events("call", tool="add")), made + 1)

    def test_what_a_recording_says_of_a_tool_is_not_believed(self):
        reads = {"name": "add", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}}
        self.write({"method": "tools/list", "params": {}, "result": {"tools": [reads]}},
                   *({"method": "tools/call", "params": {"name": name, "arguments": given}, "result": {"content": []}}
                     for name, given in (("add", {"a": 1, "b": 2}), ("echo", {"text": "1"}), ("echo", {"text": "2"}))))
        done = self.verify("--json")
        told = json.loads(done.stdout)
        self.assertEqual([told["writesLeftOut"], told["compared"]], [1, 3])
        self.assertEqual([len(self.journal_of_kid.events("call", tool=name)) for name in ("add", "echo")], [0, 2])

    def test_secrets_are_not_shown(self):
        secret = {"env": {"API_TOKEN": "blue-horse-battery"}}
        self.define({"echo": {**READS, "description": "the key is blue-horse-battery"}})
        self.there = self.world_with_kid(**secret)
        self.record_run(f"await {ECHO}", world=self.world_with_kid(**secret))
        done = self.verify("--only", "mcp__kid__echo")
        self.assertEqual([done.returncode, done.stdout], [0, "2 compared, 0 different\n"])
        self.change("the key is ***", "a key is blue-horse-battery")
        done = self.verify("--only", "mcp__kid__echo")
        self.assertIn('description: was "a key is ***", is "the key is ***"', done.stdout)
        self.assertNotIn("blue-horse-battery", done.stdout + done.stderr)

    def test_what_is_other_is_shown(self):
        self.record_run(f"await {ECHO}")
        self.change('"result":{"content":[{"type":"text","text":"hello"}]}', '"result":{"content":[{"type":"text","text":"goodbye"}]}')
        self.change('"description":"Says again what it is told."', '"description":"Said it."')
        self.change('"name":"image"', '"name":"painting"')
        done = self.verify()
        self.assertEqual(done.returncode, 1)
        self.assertIn('mcp__kid__echo answers differently\n  content[0].text: was "goodbye", is "hello"\n', done.stdout)
        self.assertIn('mcp__kid__echo is defined differently\n  description: was "Said it.", is "Says again what it is told."\n', done.stdout)
        self.assertIn("mcp__kid__painting is not there any more", done.stdout)
        report = json.loads(self.verify("--json").stdout)
        self.assertEqual(len(report["different"]), 3)

    def test_what_failed_fails_the_same(self):
        self.record_run("await callMCPTool('mcp__kid__fail', {message: 'no'}).catch(() => 0)")
        self.assertEqual(self.verify("--writes").returncode, 0)

    def test_is_interrupted(self):
        self.record_run("await callMCPTool('mcp__kid__sleep', {ms: 10})")
        self.change('"arguments":{"ms":10}', '"arguments":{"ms":600000}')
        made = len(self.journal_of_kid.events("call"))
        process = subprocess.Popen([binary(), "verify", self.file, "--writes", "--only", "mcp__kid__sleep"], env=self.there.environment({}), cwd=self.there.cwd,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_until(lambda: len(self.journal_of_kid.events("call")) > made, "the call")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("verify: interrupted after ", told)

    def test_a_server_that_is_gone(self):
        self.record_run(f"await {ECHO}")
        done = self.world(user={}).command("verify", self.file, "--only", "mcp__kid__echo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("mcp__kid__echo fails now: ", done.stdout)

    def test_a_file_that_is_none(self):
        self.assertEqual(self.there.command("verify", "nowhere.jsonl").returncode, 2)
