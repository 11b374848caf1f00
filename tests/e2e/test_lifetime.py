"""How the server ends: in time, with exit code 0, and with nothing left behind."""

import os
import signal

from support.case import Case
from support.config import child
from support.paths import SLOWNESS
from support.server import END_SECONDS

STUBBORN = ("--ignore-stdin-eof", "--ignore-sigterm", "--grandchild")
WAYS = ("eof", signal.SIGTERM)
OUTPUT_LINES = 3_000  # of 1 KiB, of each run
RUNS = 5
ANSWERED_SECONDS = 1  # all is said before the end

# Sanitizers look for leaks at the end, which takes its time.
END_ALLOWANCE_SECONDS = END_SECONDS if SLOWNESS == 1 else END_SECONDS + 1


class Ending(Case):
    def assert_clean_end(self, server, how):
        code, seconds = server.end(how)
        self.assertEqual(code, 0, server.stderr()[-3000:])
        self.assertLess(seconds, END_ALLOWANCE_SECONDS)
        server.expect_no_leftovers()

    def test_idle(self):
        for how in WAYS:
            with self.subTest(how):
                self.assert_clean_end(self.start(), how)

    def test_before_initialize(self):
        for how in WAYS:
            with self.subTest(how):
                server = self.start(revision=None)
                server.request("ping")
                self.assert_clean_end(server, how)

    def test_sigint(self):
        code, seconds = self.start().end(signal.SIGINT)
        self.assertIsNotNone(code)
        self.assertLess(seconds, END_ALLOWANCE_SECONDS)

    def test_with_children(self):
        for how in WAYS:
            with self.subTest(how):
                journal = self.journal(f"journal-{how}")
                server = self.start({"kid": child(journal=journal), "other": child()},
                                    env={"CONNECTED_SERVERS": "kid,other"})
                journal.wait("tools_list")
                self.assert_clean_end(server, how)
                self.assertEqual(journal.names()[-2:], ["stdin_eof", "exit"], "a willing child is not sent signals")

    def test_with_children_that_will_not_go(self):
        for how in WAYS:
            with self.subTest(how):
                journal = self.journal(f"journal-{how}")
                server = self.start({"stubborn": child(*STUBBORN, journal=journal),
                                     "stubborn too": child(*STUBBORN)},
                                    env={"CONNECTED_SERVERS": "stubborn,stubborn too"})
                journal.wait("tools_list")
                self.assert_clean_end(server, how)
                end = [name for name in journal.names() if name in ("stdin_eof", "sigterm")]
                self.assertEqual(end, ["stdin_eof", "sigterm"], "stdin is closed first, then comes the signal")

    def test_with_children_in_the_middle_of_their_handshake(self):
        for how in WAYS:
            with self.subTest(how):
                journal = self.journal(f"journal-{how}")
                server = self.start({"stuck": child("--hang-initialize", *STUBBORN, journal=journal),
                                     "asleep": child("--start-delay-ms", "60000")},
                                    env={"CONNECTED_SERVERS": "stuck,asleep"})
                journal.wait("started")
                self.assert_clean_end(server, how)

    def test_with_runs_in_flight(self):
        for how in WAYS:
            with self.subTest(how):
                journal = self.journal(f"journal-{how}")
                server = self.start({"kid": child(journal=journal)})
                server.ask_tool("run-typescript-code", {"code": "await callMCPTool('kid', 'hang')"})
                server.ask_tool("run-python-code", {"code": "call_mcp_tool('mcp__kid__hang', {})"})
                server.ask_tool("run-python-code", {"code": "while True: pass"})
                journal.wait("call", count=2, tool="hang")
                self.assert_clean_end(server, how)

    def test_runs_with_much_output_are_answered(self):
        code = f"for (let i = 0; i < {OUTPUT_LINES}; i++) console.log('x'.repeat(1023)); await callMCPTool('kid', 'hang')"
        for how in (*WAYS, signal.SIGHUP):
            with self.subTest(how):
                journal = self.journal(f"journal-{how}")
                server = self.start({"kid": child(journal=journal)})
                runs = [server.ask_tool("run-typescript-code", {"code": code}) for _ in range(RUNS)]
                journal.wait("call", count=RUNS, tool="hang")
                self.assert_clean_end(server, how)
                for run in runs:
                    self.assertIn("xxx", server.answer(run, ANSWERED_SECONDS).message["result"]["content"][0]["text"])

    def test_with_a_line_cut_off(self):
        server = self.start()
        server.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"meth')
        self.assert_clean_end(server, "eof")

    def test_end_of_stdin_right_after_a_request(self):
        server = self.start()
        server.ask_tool("run-python-code", {"code": "1 + 1"})
        self.assert_clean_end(server, "eof")

    def test_second_sigterm_does_no_harm(self):
        journal = self.journal()
        server = self.start({"stubborn": child(*STUBBORN, journal=journal)}, env={"CONNECTED_SERVERS": "stubborn"})
        journal.wait("tools_list")
        server.process.send_signal(signal.SIGTERM)
        self.assert_clean_end(server, signal.SIGTERM)


class Killed(Case):
    """SIGKILL: the server can do nothing any more, and still leaves no process."""

    def assert_nobody_survives(self, server):
        code, _ = server.end(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        server.expect_no_leftovers()

    def test_children_and_grandchildren(self):
        journal = self.journal()
        server = self.start({"stubborn": child(*STUBBORN, journal=journal)}, env={"CONNECTED_SERVERS": "stubborn"})
        journal.wait("tools_list")
        self.assertGreaterEqual(len(server.family()), 2)
        self.assert_nobody_survives(server)

    def test_children_in_the_middle_of_their_handshake(self):
        journal = self.journal()
        server = self.start({"stuck": child("--hang-initialize", *STUBBORN, journal=journal)},
                            env={"CONNECTED_SERVERS": "stuck"})
        journal.wait("grandchild")
        self.assert_nobody_survives(server)

    def test_guests(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        server.ask_tool("run-python-code", {"code": "call_mcp_tool('kid', 'echo', {'text': 'x'})\nwhile True: pass"})
        server.ask_tool("run-typescript-code", {"code": "await callMCPTool('kid', 'echo', {text: 'x'}); for (;;);"})
        journal.wait("call", count=2)
        self.assertGreaterEqual(len(server.family()), 3)
        self.assert_nobody_survives(server)


class Inheritance(Case):
    def test_children_lead_their_own_process_group(self):
        server = self.start({"kid": child()})
        who = self.succeed(server.typescript("return await callMCPTool('kid', 'pid')")).result
        self.assertEqual(who["pid"], who["pgid"])
        self.assertNotEqual(who["pgid"], os.getpgid(server.process.pid))

    def test_children_inherit_nothing_open(self):
        server = self.start({"kid": child()})
        pid = self.succeed(server.typescript("return await callMCPTool('kid', 'pid')")).result["pid"]
        self.assertEqual(sorted(os.listdir(f"/proc/{pid}/fd"), key=int), ["0", "1", "2"])
