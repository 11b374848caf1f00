"""The test children do what the other tests rely on. Needs no binary: a plain client talks to them."""

import os
import signal
import unittest

from support import processes
from support.case import Case
from support.config import child
from support.peer import Peer
from support.waiting import wait_until

MEBIBYTE = 1 << 20


class ChildCase(Case):
    def launch(self, *flags, initialize=True):
        self.log = self.journal()
        entry = child(*flags, journal=self.log)
        peer = Peer([entry["command"], *entry["args"]], {"PATH": os.environ["PATH"]}, "/")
        self.addCleanup(self.dispose, peer)
        if initialize:
            peer.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
            peer.notify("notifications/initialized")
        return peer

    @staticmethod
    def dispose(peer):
        processes.kill(processes.descendants(peer.process.pid))
        if peer.process.poll() is None:
            peer.process.kill()
        peer.process.wait()
        for stream in (peer.process.stdin, peer.process.stdout, peer.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def call(self, peer, tool, **arguments):
        return peer.request("tools/call", {"name": tool, "arguments": arguments})

    def ask(self, peer, tool, **arguments):
        return peer.ask("tools/call", {"name": tool, "arguments": arguments})


class Behaving(ChildCase):
    def test_plain_tools(self):
        peer = self.launch()
        self.assertEqual(self.call(peer, "echo", text="hi")["content"], [{"type": "text", "text": "hi"}])
        self.assertEqual(self.call(peer, "add", a=1, b=2)["structuredContent"], {"sum": 3})
        self.assertTrue(self.call(peer, "fail", message="no")["isError"])
        self.assertEqual(len(self.call(peer, "multi")["content"]), 4)
        self.assertEqual(self.call(peer, "empty")["content"], [])
        self.assertEqual(len(self.call(peer, "big", bytes=5 * MEBIBYTE)["content"][0]["text"]), 5 * MEBIBYTE)

    def test_calls_overtake_each_other(self):
        peer = self.launch()
        slow, fast = self.ask(peer, "sleep", ms=300), self.ask(peer, "sleep", ms=10)
        self.assertLess(peer.answer(fast).time, peer.answer(slow).time)

    def test_cancellation_reaches_the_journal_and_ends_the_call(self):
        peer = self.launch()
        request = self.ask(peer, "sleep", ms=60_000)
        self.log.wait("call", tool="sleep")
        peer.notify("notifications/cancelled", requestId=request)
        self.log.wait("cancelled", id=request)
        self.call(peer, "echo", text="after")
        self.assertFalse(peer.has_answer(request))

    def test_progress_only_with_a_token(self):
        peer = self.launch()
        self.call(peer, "progress", steps=2, ms=1)
        self.assertEqual(peer.notifications("notifications/progress"), [])
        peer.request("tools/call", {"name": "progress", "arguments": {"steps": 3, "ms": 1},
                                    "_meta": {"progressToken": "t"}})
        self.assertEqual(len(peer.notifications("notifications/progress")), 3)

    def test_add_tool_announces_itself(self):
        peer = self.launch()
        self.call(peer, "add_tool", name="newcomer", notifications=5)
        self.assertEqual(len(peer.notifications("notifications/tools/list_changed")), 5)
        self.assertIn("newcomer", [tool["name"] for tool in peer.request("tools/list")["tools"]])

    def test_pages(self):
        peer = self.launch("--pages", "3", "--tools", "10")
        names, cursor = [], None
        for _ in range(3):
            page = peer.request("tools/list", {"cursor": cursor} if cursor else {})
            names += [tool["name"] for tool in page["tools"]]
            cursor = page.get("nextCursor")
        self.assertIsNone(cursor)
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("generated-00010", names)


class Misbehaving(ChildCase):
    def test_garbage_then_answer(self):
        peer = self.launch()
        self.call(peer, "garbage_then_answer")
        self.assertEqual(len(peer.stray_lines), 1)

    def test_lines_that_are_no_json(self):
        for tool in ("broken_json", "invalid_utf8"):
            with self.subTest(tool):
                peer = self.launch()
                request = self.ask(peer, tool)
                self.call(peer, "sleep", ms=1)
                self.assertFalse(peer.has_answer(request))
                self.assertEqual(len(peer.stray_lines), 1)

    def test_huge_line(self):
        peer = self.launch()
        request = self.ask(peer, "huge_line", bytes=5 * MEBIBYTE)
        self.assertGreater(len(peer.answer(request).message["result"]["content"][0]["text"]), 4 * MEBIBYTE)

    def test_answers_to_the_wrong_question(self):
        peer = self.launch()
        request = self.ask(peer, "wrong_id")
        peer.answer(987_654_321)
        self.assertFalse(peer.has_answer(request))
        twice = self.ask(peer, "twice")
        peer.answer(twice)
        peer.answer(twice)

    def test_death(self):
        peer = self.launch()
        self.ask(peer, "die", code=7)
        self.assertEqual(peer.wait_end(10), 7)

    def test_stderr_flood(self):
        peer = self.launch()
        self.call(peer, "stderr_flood", bytes=MEBIBYTE)
        wait_until(lambda: len(peer.stderr()) >= MEBIBYTE, "a mebibyte on stderr")


class Starting(ChildCase):
    def test_refuse(self):
        peer = self.launch("--refuse", initialize=False)
        self.assertEqual(peer.wait_end(10), 3)
        self.assertIn("TEST_CHILD_TOKEN", peer.stderr())

    def test_refuse_only_at_first(self):
        self.assertEqual(self.launch("--refuse-times", "1", initialize=False).wait_end(10), 3)
        self.call(self.launch("--refuse-times", "1"), "echo", text="hi")

    def test_garbage_instead_of_an_answer(self):
        peer = self.launch("--garbage-start", initialize=False)
        peer.ask("initialize", {})
        wait_until(lambda: len(peer.stray_lines) >= 3, "three lines of text")

    def test_initialize_error(self):
        peer = self.launch("--initialize-error", initialize=False)
        self.assertIn("licence", peer.exchange("initialize", {})["error"]["message"])

    def test_own_revision(self):
        peer = self.launch("--protocol", "1999-01-01", initialize=False)
        self.assertEqual(peer.request("initialize", {"protocolVersion": "2025-11-25"})["protocolVersion"], "1999-01-01")


class Ending(ChildCase):
    def test_end_of_stdin(self):
        peer = self.launch()
        peer.close_stdin()
        self.assertEqual(peer.wait_end(10), 0)
        self.assertEqual(self.log.names()[-2:], ["stdin_eof", "exit"])

    def test_sigterm(self):
        peer = self.launch()
        peer.process.send_signal(signal.SIGTERM)
        self.assertEqual(peer.wait_end(10), 143)
        self.assertEqual(self.log.names()[-2:], ["sigterm", "exit"])

    def test_stubborn(self):
        peer = self.launch("--ignore-stdin-eof", "--ignore-sigterm", "--grandchild")
        grandchild = self.log.wait("grandchild")[0]["grandchild"]
        peer.close_stdin()
        self.log.wait("stdin_eof")
        peer.process.send_signal(signal.SIGTERM)
        self.log.wait("sigterm")
        self.assertIsNone(peer.process.poll())
        self.assertIsNotNone(processes.find(grandchild))


if __name__ == "__main__":
    unittest.main()
