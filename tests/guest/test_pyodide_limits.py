"""What Pyodide cannot do, what a snapshot must not give away, and attempts to get from Python to JavaScript."""

import subprocess
import tempfile
import unittest

import fake_host
from fake_host import Guest, python_command, run_python

def setUpModule():
    fake_host.use_pyodide()


def tearDownModule():
    fake_host.use_cpython()


class MissingTest(unittest.TestCase):
    """What WebAssembly does not have says so, and the program goes on if it catches the error."""

    # name: (code, name of the error, part of its message)
    PROGRAMS = {
        "threads": ("import threading\nthreading.Thread(target=print).start()", "RuntimeError", "can't start new thread"),
        "to_thread": ("import asyncio\nawait asyncio.to_thread(print)", "RuntimeError", "can't start new thread"),
        "subprocess": ("import subprocess\nsubprocess.run(['ls'])", "OSError", "does not support processes"),
        "os.system": ("import os\nos.system('ls')", "OSError", "cannot start processes"),
        "fork": ("import os\nos.fork()", "OSError", "not implemented"),
        "multiprocessing": (
            "import multiprocessing\nmultiprocessing.Process(target=print).start()",
            "ModuleNotFoundError",
            "no processes",
        ),
        "sockets": ("import socket\nsocket.socket()", "OSError", "has no sockets"),
        "connections": ("import socket\nsocket.create_connection(('127.0.0.1', 80))", "gaierror", "has no network"),
        "ctypes": ("import ctypes", "ModuleNotFoundError", "no foreign function interface"),
        "packages": ("import micropip", "ModuleNotFoundError", "cannot be installed"),
        "input": ("input()", "EOFError", ""),
    }

    def test_errors(self):
        with fake_host.GuestForMany():
            for name, (code, kind, message) in self.PROGRAMS.items():
                with self.subTest(name):
                    error = run_python(code).error
                    self.assertEqual(error["name"], kind, error)
                    self.assertIn(message, error["message"])

    def test_crashes_are_reported(self):
        programs = {
            "RecursionError": "x = []\nfor i in range(200_000):\n    x = [x]\nrepr(x)",
            "SystemError": "import os\nos.abort()",
        }
        for kind, code in programs.items():
            with self.subTest(kind):
                self.assertEqual(run_python(code).error["name"], kind)


class SnapshotTest(unittest.TestCase):
    def test_guests_of_one_snapshot_draw_different_random_numbers(self):
        code = (
            "import os, random, secrets, tempfile, uuid\n"
            "[random.random(), secrets.token_hex(8), os.urandom(8).hex(), uuid.uuid4(), tempfile.mktemp()]"
        )
        first, second = run_python(code).result, run_python(code).result
        for one, other in zip(first, second):
            self.assertNotEqual(one, other)

    def test_a_guest_that_is_made_without_one_has_no_other_files(self):
        code = "import os\n[os.path.join(folder, name) for folder, _, names in os.walk('/') for name in names if not folder.startswith('/proc')]"
        with Guest(fake_host.pyodide_command("main.ts")) as guest:
            alone = guest.run(code).result
        self.assertEqual([path for path in alone if path.startswith("/guest")], [])
        self.assertEqual(alone, run_python(code).result)

    def test_environment(self):
        code = "import os\n[os.getcwd(), os.listdir('/tmp'), dict(os.environ)]"
        environment = {"HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        self.assertEqual(run_python(code).result, ["/tmp", [], environment])

    def test_files_of_the_host_are_not_there(self):
        for path in (fake_host.pyodide_folder(), str(fake_host.GUESTS), "/etc/passwd", "/proc/self/environ"):
            with self.subTest(path):
                self.assertEqual(run_python(f"import os\nos.path.exists({path!r})").result, False)

    def test_sleeping_takes_no_time_of_the_processor(self):
        code = "import time\nstart = time.monotonic()\ntime.sleep(0.3)\ntime.monotonic() - start"
        self.assertGreaterEqual(run_python(code).result, 0.29)


# Finds what is left of Pyodide's own modules; the rest of the attempts use it.
FIND = """
import gc, sys, types
def bridge(name):
    return isinstance(name, str) and name.partition(".")[0] in ("js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core")
def everything():
    seen, todo = {}, [gc.get_objects(), sys._getframe(), object.__subclasses__()]
    while todo:
        value = todo.pop()
        if id(value) not in seen:
            seen[id(value)] = value
            todo += gc.get_referents(value)
    return list(seen.values())
"""


class EscapeTest(unittest.TestCase):
    """From Python to JavaScript. Every program gives what it has got hold of."""

    # name: code whose result must be empty
    NOTHING_FOUND = {
        "proxies among all objects": "[repr(v) for v in everything() if 'JsProxy' in [c.__name__ for c in type(v).__mro__]]",
        "functions that make proxies": "[v.__name__ for v in everything() if type(v) is type(len) and bridge(v.__module__)]",
        "modules": "[name for name in sys.modules if bridge(name)]",
        "modules in the heap": (
            "[v for v in everything() if type(v) is types.ModuleType and bridge(v.__dict__.get('__name__'))]"
        ),
        "frames of callers": (
            "frame, found = sys._getframe(), []\nwhile frame:\n"
            "    found += [k for k, v in frame.f_locals.items() if bridge(type(v).__module__)]\n    frame = frame.f_back\nfound"
        ),
        "imports": (
            "import importlib\nfound = []\n"
            "for name in ('js', 'pyodide_js', 'pyodide', 'pyodide.ffi', 'pyodide.code', 'pyodide.http', '_pyodide',\n"
            "             '_pyodide_core', '_ctypes', '_testcapi', '_testinternalcapi', '_remote_debugging'):\n"
            "    try:\n        found.append(importlib.import_module(name))\n    except ImportError:\n        pass\nfound"
        ),
        "imports without our finder": (
            "from importlib.machinery import BuiltinImporter, PathFinder\n"
            "sys.meta_path[:] = [BuiltinImporter, PathFinder]\nfound = []\n"
            "for name in ('js', 'pyodide_js', '_pyodide_core', 'ctypes', '_ctypes', '_testcapi'):\n"
            "    try:\n        found.append(repr(__import__(name)))\n    except ImportError:\n        pass\n"
            "found"
        ),
        "creating built-in modules": (
            "import _imp\nfrom importlib.machinery import ModuleSpec\nfound = []\n"
            "for name in ('_pyodide_core', '_ctypes', '_testcapi', '_testinternalcapi', '_testlimitedcapi', '_xxtestfuzz'):\n"
            "    found.append(_imp.create_builtin(ModuleSpec(name, None)))\n[module for module in found if module is not None]"
        ),
        "sockets around the class": (
            "import _socket\nfound = []\ntry:\n    s = _socket.socket(2, 1)\n    s.connect(('127.0.0.1', 1))\n"
            "    found.append(s)\nexcept OSError:\n    pass\nfound"
        ),
    }

    # name: code that a guest does not survive
    ENDED = {
        "an exception of JavaScript": (
            "for v in everything():\n"
            "    if isinstance(v, type) and v.__name__ == 'JsException':\n        v('Error', 'x')"
        ),
        "loading a library": (
            "import importlib.machinery, importlib.util\nopen('/tmp/m.so', 'wb').write(b'\\0asm\\1\\0\\0\\0')\n"
            "loader = importlib.machinery.ExtensionFileLoader('m', '/tmp/m.so')\n"
            "importlib.util.module_from_spec(importlib.util.spec_from_loader('m', loader))"
        ),
    }

    def test_nothing_is_found(self):
        for name, code in self.NOTHING_FOUND.items():
            with self.subTest(name):
                outcome = run_python(FIND + code)
                self.assertIsNone(outcome.error, outcome)
                self.assertEqual(outcome.result, [], name)

    def test_guests_that_try_are_ended(self):
        for name, code in self.ENDED.items():
            with self.subTest(name), Guest(python_command()) as guest:
                guest.expect_ready()
                guest.send({"type": "run", "code": FIND + code})
                self.assertEqual(guest.process.wait(fake_host.TIMEOUT_SECONDS), 72)
                guest.finish()
                self.assertIn("tried to get from Python to JavaScript", guest.output("stderr"))


class LockdownTest(unittest.TestCase):
    """Whoever gets to JavaScript all the same finds nothing there."""

    SCRIPT = """
import { lockDown } from "%s/pyodide/host.ts";
const { readTextFileSync } = Deno;
const file = import.meta.filename!;
const found: string[] = [];
const attempt = (name: string, action: () => unknown) => {
  try {
    action();
    found.push(name);
  } catch { /* as it must be */ }
};
readTextFileSync(file);
lockDown();
attempt("read", () => readTextFileSync(file));
attempt("eval", () => (0, eval)("1"));
attempt("Function", () => Function("return 1")());
attempt("constructor", () => (lockDown as any).constructor("return 1")());
for (const name of ["Deno", "process", "fetch", "Worker", "WebSocket", "navigator", "localStorage", "require"]) {
  if (name in globalThis) found.push(name);
}
console.log(found.join() || "nothing");
"""

    def test_nothing_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            script = f"{folder}/attempts.ts"
            with open(script, "w") as file:
                file.write(self.SCRIPT % fake_host.GUESTS)
            command = [argument for argument in python_command() if not argument.startswith("--allow-read")]
            main = next(index for index, argument in enumerate(command) if argument.endswith("main.ts"))
            command[main:] = [f"--allow-read={folder}", script]
            output = subprocess.run(command, capture_output=True, text=True, timeout=fake_host.TIMEOUT_SECONDS)
            self.assertEqual(output.stdout.strip(), "nothing", output.stderr)


if __name__ == "__main__":
    unittest.main()
