"""Every attack in Python against containers, where the engine works."""

import unittest

from played import Attacks
from support import containers


@unittest.skipIf(containers.problem(), containers.problem())
class InContainers(Attacks, unittest.TestCase):
    where = ("container",)
    settings = {"executors": {"python": {"runtime": "container"}}, "sandbox": {"pool": {"size": 2}}}
    languages = ("python",)

    @classmethod
    def setUpClass(cls):
        cls.environment = {**containers.environment(), "MCP_BRIDGE_RUNTIME": containers.TOOL, "MCP_BRIDGE_IMAGE": containers.image()}
        super().setUpClass()


if __name__ == "__main__":
    unittest.main()
