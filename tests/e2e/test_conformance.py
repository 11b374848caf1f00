"""The same programs in every runtime that this machine has."""

import json
import os
import sys
import unittest

from support import conformance, containers
from support.case import Case
from support.config import child
from support.paths import ROOT, binary
from support.server import Server, World

NO_NAMESPACES = [sys.executable, str(ROOT / "tests" / "e2e" / "support" / "no_namespaces.py"), binary()]


class Runtime:
    settings = {}
    environment = {}
    argv = None

    @classmethod
    def setUpClass(cls):
        world = World().configure(project={"kid": child()})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump(cls.settings, file)
        cls.server = Server(world=world, argv=cls.argv, env=cls.environment)
        cls.addClassCleanup(cls.server.stop)

    def conform(self, run, programs):
        for program in programs:
            with self.subTest(program.name):
                answer = run(program.code)
                if program.error:
                    self.assertIn(program.error, self.refuse(answer))
                    continue
                self.succeed(answer)
                self.assertEqual(answer.structured.get("result"), program.result)
                if program.output is not None:
                    self.assertEqual(answer.structured["output"], program.output)


class InBoxes(Runtime, Case):
    def test_typescript(self):
        self.conform(self.server.typescript, conformance.TYPESCRIPT)

    def test_cpython(self):
        self.conform(self.server.python, conformance.PYTHON)


class Pyodide(Runtime, Case):
    settings = {"executors": {"python": {"runtime": "pyodide"}}}

    def test_python(self):
        self.conform(self.server.python, conformance.PYTHON)


class WithoutNamespaces(Runtime, Case):
    argv = NO_NAMESPACES

    def test_typescript(self):
        self.conform(self.server.typescript, conformance.TYPESCRIPT)


@unittest.skipIf(containers.problem(), containers.problem())
class Container(Runtime, Case):
    settings = {"executors": {"python": {"runtime": "container"}}}

    @classmethod
    def setUpClass(cls):
        cls.environment = {**containers.environment(), "MCP_BRIDGE_RUNTIME": containers.TOOL, "MCP_BRIDGE_IMAGE": containers.image()}
        super().setUpClass()

    def test_python(self):
        programs = [p for p in conformance.PYTHON if p.name != "sqlite"]  # the image of the tests has no library of SQLite
        self.conform(self.server.python, programs)
