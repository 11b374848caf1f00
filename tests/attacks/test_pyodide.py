"""Every attack in Python against Pyodide: as root and as an ordinary user."""

import unittest

from played import AS_ROOT, Attacks


class InPyodide(Attacks, unittest.TestCase):
    settings = {"executors": {"python": {"runtime": "pyodide"}}, "sandbox": {"pool": {"size": 2}}}
    languages = ("python",)
    python = "pyodide"


@unittest.skipUnless(AS_ROOT, "only root can become another user")
class InPyodideAsAnOrdinaryUser(InPyodide):
    as_user = True
    in_session = True


if __name__ == "__main__":
    unittest.main()
