"""Every attack of the tables where there are no namespaces: as root and as an ordinary user."""

import sys
import unittest

from played import AS_ROOT, Attacks
from support.paths import ROOT

NO_NAMESPACES = (sys.executable, str(ROOT / "tests" / "e2e" / "support" / "no_namespaces.py"))


class WithoutNamespaces(Attacks, unittest.TestCase):
    where = ("bare",)
    wrapper = NO_NAMESPACES
    settings = {"sandbox": {"pool": {"size": 2}}}
    python = "pyodide"


@unittest.skipUnless(AS_ROOT, "only root can become another user")
class WithoutNamespacesAsAnOrdinaryUser(WithoutNamespaces):
    as_user = True
    in_session = True


if __name__ == "__main__":
    unittest.main()
