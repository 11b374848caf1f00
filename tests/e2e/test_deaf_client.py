"""Clients that read slowly, or not at all. Nothing waits for the reader of our log. A client that reads its answers is never given up, however much comes
together; one that has read nothing for a long time is, when much waits for it."""

import json
import os
import re
import subprocess
import threading
import unittest

from support.case import Case
from support.config import child
from support.paths import binary
from support.server import Server
from support.waiting import PATIENCE_SECONDS, wait_until_at_rest

# Together more than a pipe holds, and more than the server keeps: of each child 64 KiB a minute are logged.
LOUD = [f"kid{i}" for i in range(20)]
NOISE_BYTES = 100_000
# One answer. Four of them are more than may wait for a client that is deaf.
LARGE_BYTES = 40_000_000
# Small ones. Half of them are more than may wait.
MANY = 40_000
# It is deaf after 10 s, which is looked at each second.
DEAF_SECONDS = 20
# 256 MiB of answers may wait then.
SMALLEST_PROCESS = {"process": {"dataMb": 1024}}


class Deaf(Server):
    def _read_stderr(self):
        pass


class Patient(Server):
    """Reads answers only while it `reads`."""

    def __init__(self, **more):
        self.reads = threading.Event()
        self.reads.set()
        super().__init__(**more)

    def _before_line(self):
        self.reads.wait()


class StderrIsNotRead(Case):
    def test_everybody_is_answered_and_it_ends_in_time(self):
        server = Deaf(world=self.world(project={name: child() for name in LOUD}))
        self.addCleanup(server.stop) # looks at how long that takes
        for answer in (server.typescript(f"for (const kid of {json.dumps(LOUD)}) await callMCPTool(kid, 'stderr_flood', {{bytes: {NOISE_BYTES}}})",
                                         timeoutMs=120_000),
                       server.python(f"call_mcp_tool('kid0', 'stderr_flood', {{'bytes': {NOISE_BYTES}}})")):
            self.succeed(answer)
        self.assertEqual(server.request("ping"), {})


class AnswersAreNotRead(Case):
    def patient(self, settings):
        world = self.world()
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump(settings, file)
        return Patient(world=world)

    def ask_for_large_ones(self, server, count, reads=True):
        """Requests for a kept output: their ids. A client that does not read takes one line, and no more."""
        kept = self.succeed(server.python(f"'A' * {LARGE_BYTES}"))
        uri = "code-executor://outputs/" + re.search(r"out_[a-z2-7]{10}", kept.text).group()
        if not reads:
            server.reads.clear()
        return [server.ask("resources/read", {"uri": uri}) for _ in range(count)]

    def test_a_client_that_reads_gets_all_of_what_comes_together(self):
        server = self.patient({})
        self.addCleanup(server.stop)
        for each in self.ask_for_large_ones(server, 6):
            self.assertGreater(len(server.answer(each).line), LARGE_BYTES)

    def test_what_has_no_room_is_an_error_of_its_request(self):
        server = self.patient(SMALLEST_PROCESS)
        self.addCleanup(server.stop)
        asked = self.ask_for_large_ones(server, 10, reads=False)
        wait_until_at_rest(server.process.pid)
        server.reads.set()
        answers = [server.answer(each).message for each in asked]
        refused = [answer["error"]["message"] for answer in answers if "error" in answer]
        self.assertGreater(len(answers) - len(refused), 3)
        self.assertTrue(refused)
        for why in refused:
            self.assertIn("no room beside the answers that wait to be read; read them, then ask again", why)
        self.assertEqual(server.request("ping"), {})

    def test_one_that_reads_nothing_is_given_up(self):
        server = self.patient({})
        self.addCleanup(server._clear_away)
        self.ask_for_large_ones(server, 6, reads=False)
        server.wait_for(lambda: "does not read its answers" in server.stderr(), "word of it", DEAF_SECONDS)
        self.assertRegex(server.stderr(), r"the client does not read its answers: [12]\d\d MiB in \d+ messages wait for it, and it has read nothing for 1\d s")
        server.reads.set()
        self.assertEqual(server.wait_end(5), 1)

    def test_many_small_answers_wait_for_a_client_that_is_slow(self):
        server = self.patient({})
        self.addCleanup(server.stop)
        server.reads.clear()
        asked = []

        def ask():
            for _ in range(MANY):
                asked.append(server.ask("ping"))

        writer = threading.Thread(target=ask)
        writer.start()
        wait_until_at_rest(server.process.pid)
        self.assertTrue(writer.is_alive(), "the server reads no more than it can answer")
        server.reads.set()
        writer.join()
        for each in asked:
            self.assertEqual(server.answer(each).message["result"], {})


class Descriptors(Case):
    def test_flags_of_stdin_and_stdout_are_as_they_were(self):
        """They belong to the pipe, which others may have as well."""
        ours_in, theirs_in = os.pipe()
        theirs_out, ours_out = os.pipe()
        process = subprocess.Popen([binary()], env=self.world().environment({}), stdin=ours_in, stdout=ours_out, stderr=subprocess.DEVNULL)
        os.write(theirs_in, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        self.assertIn(b'"id":1', os.read(theirs_out, 1_000))
        os.close(theirs_in)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 0)
        self.assertEqual([os.get_blocking(ours_in), os.get_blocking(ours_out)], [True, True])
        for each in (ours_in, ours_out, theirs_out):
            os.close(each)


if __name__ == "__main__":
    unittest.main()
