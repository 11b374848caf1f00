"""What a program must not see, in guests that a template forks; and what such guests could have in common."""

import test_isolation
from support.server import FORKED, IS_FORKED


class Files(test_isolation.Files):
    guests = FORKED


class Environment(test_isolation.Environment):
    guests = FORKED


class Network(test_isolation.Network):
    guests = FORKED


class Separation(test_isolation.Separation):
    guests = FORKED

    DRAWS = """
import hashlib, os, random, ssl, tempfile, uuid
[random.random(), ssl.RAND_bytes(8).hex(), uuid.uuid4().hex, os.urandom(8).hex(), next(tempfile._get_candidate_names())]
"""

    def test_no_two_draw_the_same_random_numbers(self):
        draws = [self.succeed(self.server.python(self.DRAWS)).result for _ in range(4)]
        for source in zip(*draws):
            self.assertEqual(len(set(source)), len(draws), source)

    def test_they_see_nothing_of_each_other(self):
        """While another one lives: its files, its processes, its shared memory and its memory."""
        self.succeed(self.server.python("""
import os
open('/tmp/mine', 'w').write('x')
open('/dev/shm/mine', 'w').write('x')
kept = 'a value of one program'""", session="other"))
        self.assertTrue(self.succeed(self.server.python(IS_FORKED, session="other")).result)
        seen = self.succeed(self.server.python("""
import gc, os
[os.listdir('/tmp'), os.listdir('/dev/shm'), sorted(n for n in os.listdir('/proc') if n.isdigit()), 'kept' in globals()]"""))
        self.assertEqual(seen.result, [[], [], ["1", "2"], False])


class Walls(test_isolation.Walls):
    guests = FORKED

    def test_the_template_can_not_be_reached(self):
        """Its orders are on the number that is the channel of a guest."""
        self.assertEqual(self.python("""
import os
sorted(n for n in os.listdir('/proc') if n.isdigit()) + [os.getppid(), os.getsid(0), os.getpgid(0)]"""), ["1", "2", 1, 1, 1])

    def test_its_stdin_is_its_own(self):
        """Flags of an open file are shared by all who have it."""
        append = "import fcntl, os\nold = fcntl.fcntl(0, fcntl.F_GETFL)\nfcntl.fcntl(0, fcntl.F_SETFL, old | os.O_APPEND)\nold & os.O_APPEND"
        self.assertEqual([self.python(append) for _ in range(3)], [0, 0, 0])
