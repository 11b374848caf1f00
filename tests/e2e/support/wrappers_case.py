"""What tests of the files for editors share: servers whose tools are known, and a folder of each test's own."""

import json
import tempfile
from pathlib import Path

from support.case import Case
from support.config import child
from support.server import World


class WrappersCase(Case):
    """The tests of a class have the servers and the catalog together, and each a folder of its own."""

    @classmethod
    def setUpClass(cls):
        cls.there = World().configure(user=cls.servers())
        cls.addClassCleanup(cls.there.remove)
        cls.index()

    @classmethod
    def servers(cls):
        return {"kid": child(), "my fs": child()}

    @classmethod
    def index(cls):
        done = cls.there.command("index")
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def setUp(self):
        self.there.configure(user=self.servers())
        Path(self.there.home, ".code-executor.json").unlink(missing_ok=True)
        self.folder = self.there.cwd = tempfile.mkdtemp(dir=self.there.root)

    def write(self, *words):
        done = self.there.command("sync-wrappers", *(words or (".",)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def document(self, *words):
        return json.loads(self.write(*(words or (".",)), "--json").stdout)

    def put(self, name, text):
        Path(self.folder, name).write_text(text, encoding="utf-8")
        return name

    def runs(self, name, prints):
        done = self.there.command("run", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(prints, done.stderr)
