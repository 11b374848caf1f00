"""What of a Python program is done when it exits, or ends without having closed or joined what it has."""

import os
import tempfile
import unittest

from fake_host import run_python

EXITS = {
    "thread": "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), print('done'))).start()\n{0}",
    "timer": "import threading\nthreading.Timer(0.2, lambda: print('done')).start()\n{0}",
    "pool": "import time\nfrom concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor(1).submit(lambda: (time.sleep(0.2), print('done')))\n{0}",
    "before handlers": (
        "import atexit, threading, time\nrows = []\nthreading.Thread(target=lambda: (time.sleep(0.2), rows.append(1))).start()\n"
        "atexit.register(lambda: print('done' if rows else 'too early'))\n{0}"
    ),
}
WAYS = {"sys.exit": "import sys\nsys.exit(0)", "exit": "exit()", "raise": "raise SystemExit"}

# Files that nobody closes: what stands in {0} afterwards. Name: (code, bytes, or None where they must only be a whole archive)
UNCLOSED = {
    "open": ("f = open('{0}', 'w')\nf.write('text')", b"text"),
    "csv": ("import csv\nf = open('{0}', 'w', newline='')\ncsv.writer(f).writerow([1, 2])", b"1,2\r\n"),
    "object in a cycle": (
        "class Log:\n    def __init__(self):\n        self.file, self.me = open('{0}', 'w'), self\nlog = Log()\nlog.file.write('text')", b"text"),
    "bytes": ("f = open('{0}', 'wb')\nf.write(b'text')", b"text"),
    "in a function that has not returned": ("def go():\n    f = open('{0}', 'w')\n    f.write('text')\n    yield f\nrunning = go()\nnext(running)", b"text"),
    "after an exit": ("import sys\nf = open('{0}', 'w')\nf.write('text')\nsys.exit(0)", b"text"),
    "beside a daemon": (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\nf = open('{0}', 'w')\nf.write('text')", b"text"),
}
ARCHIVES = {
    "zipfile": ("import zipfile\nz = zipfile.ZipFile('{0}', 'w')\nz.writestr('a', 'text')", "zipfile.ZipFile('{0}').read('a')"),
    "gzip": ("import gzip\ng = gzip.open('{0}', 'wt')\ng.write('text')", "gzip.open('{0}').read()"),
}
FINALIZERS = {
    "__del__": "class Last:\n    def __del__(self):\n        print('done')\nlast = Last()\n1",
    "finally of a generator": "def steps():\n    try:\n        yield 1\n    finally:\n        print('done')\nrunning = steps()\nnext(running)",
    "finally of an asynchronous generator": (
        "import asyncio\nasync def steps():\n    try:\n        yield 1\n    finally:\n        await asyncio.sleep(0)\n        print('done')\n"
        "running = steps()\nawait running.__anext__()"),
    "weakref": "import weakref\nclass Thing: pass\nthing = Thing()\nweakref.finalize(thing, print, 'done')\n1",
}


class Exits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "written")

    def run_program(self, code):
        """What it has printed."""
        outcome = run_python(code)
        self.assertIsNone(outcome.error)
        return outcome.stdout

    def test_threads_are_waited_for(self):
        for way, end in WAYS.items():
            for name, code in EXITS.items():
                with self.subTest(f"{name}, {way}"):
                    self.assertIn("done", self.run_program(code.format(end)))

    def test_files_are_written_out(self):
        for name, (code, wanted) in UNCLOSED.items():
            with self.subTest(name):
                self.run_program(code.format(self.path))
                with open(self.path, "rb") as file:
                    self.assertEqual(file.read(), wanted)

    def test_archives_are_whole(self):
        import gzip
        import zipfile

        for name, (code, look) in ARCHIVES.items():
            with self.subTest(name):
                self.run_program(code.format(self.path))
                self.assertEqual(eval(look.format(self.path), {"gzip": gzip, "zipfile": zipfile}), b"text")

    def test_finalizers_run(self):
        for name, code in FINALIZERS.items():
            with self.subTest(name):
                self.assertIn("done", self.run_program(code))
