"""Every attack of the tables against the ordinary sandbox: as root and as an ordinary user."""

import unittest

from played import AS_ROOT, ATTACKS_MIN, Attacks
from support.server import FORKED, STARTED
from table import attacks


class AsTheUserOfTheTests(Attacks, unittest.TestCase):
    environment = STARTED


class MadeByTemplates(Attacks, unittest.TestCase):
    environment = FORKED

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stage.server.wait_for_forked_guests()


@unittest.skipUnless(AS_ROOT, "only root can become another user")
class AsAnOrdinaryUser(Attacks, unittest.TestCase):
    as_user = True
    in_session = True


class Tables(unittest.TestCase):
    def test_are_large_and_complete(self):
        for language in ("typescript", "python"):
            table = attacks(language)
            self.assertGreaterEqual(len(table), ATTACKS_MIN)
            self.assertEqual(len({(a.area, a.title) for a in table}), len(table), "two attacks of one name")
            for attack in table:
                self.assertTrue(attack.code and attack.seen, attack.title)


if __name__ == "__main__":
    unittest.main()
