"""What a Python guest does before its first program: warming up, its own modules, and the packages that it is given."""

import marshal
import os
import shutil
import subprocess
import tempfile
import unittest

import languages
import start_cases
import test_python_guest
from fake_host import GUESTS, Guest, python_command, run_python


class WarmUpTest(start_cases.WarmUpTests, languages.PythonTest):
    def warm_run(self, code):
        with self.guest() as guest:
            guest.warm_up()
            outcome = guest.program(code)
            guest.finish(outcome)
            return outcome

    def test_programs_see_no_difference(self):
        awaited = {"our own awaitables without a loop": ("[await mcp.s.t(i=1)][0]['args']", {"i": 1})}
        results = {**self.own(test_python_guest.TablesTest.RESULTS), **awaited}
        for name in (
            "value",
            "top-level await",
            "list of global names",
            "our modules are not importable",
            "globals are the module's",
            "pickle of own class",
            "builtins can be changed",
            "asyncio.run beside top-level await",
            "our own awaitables without a loop",
        ):
            with self.subTest(name):
                code, expected = results[name]
                outcome = self.warm_run(code)
                self.assertEqual((outcome.error, outcome.result), (None, expected))

    def test_leaves_no_trace(self):
        code = (
            "import sys\n"
            "[sys.argv, sys.modules['__main__'].__dict__ is globals(), mcp is sys.modules['mcp'],\n"
            " 'values' in globals()]"
        )
        outcome = self.warm_run(code)
        self.assertEqual(outcome.result, [[""], True, True, False])
        self.assertEqual((outcome.stdout, outcome.stderr), ("", ""))
        self.assertEqual(self.warm_run("mcp.s.t()").requests[0]["id"], 1)

    def test_errors_and_tracebacks(self):
        outcome = self.warm_run(
            "import traceback\ntry:\n    1 / 0\nexcept Exception:\n    traceback.print_exc()\nraise ValueError('v')"
        )
        self.assertEqual((outcome.error["name"], outcome.error["line"]), ("ValueError", 6))
        self.assertIn('File "<code>", line 3, in <module>\n    1 / 0\n', outcome.stderr)

    def test_stray_errors(self):
        outcome = self.warm_run("import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()")
        self.assertIn('File "<code>", line 2, in <lambda>', outcome.stderr)

    def test_common_modules_are_there(self):
        code = "import sys\nsorted({'asyncio', 'json', 're', 'datetime', 'collections', 'math'} - set(sys.modules))"
        self.assertEqual(self.warm_run(code).result, [])

    def test_modules_that_are_used_less_are_not(self):
        self.assertEqual(self.warm_run("import sys\n'unittest' in sys.modules").result, False)
        self.assertEqual(run_python("import sys\n'json' in sys.modules or 'asyncio' in sys.modules").result, False)

    def test_program_that_is_queued_behind_it(self):
        """It does not wait for all that could still be warmed up."""
        with self.guest() as guest:
            guest.send({"type": "warm_up"}, {"type": "run", "code": "import sys\n'asyncio' in sys.modules"})
            self.assertEqual([guest.receive(), guest.receive()], [{"type": "warm"}, {"type": "done", "result": False}])


class CompiledAheadTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = os.path.join(folder.name, "modules")
        self.guest = os.path.join(folder.name, "python")
        shutil.copytree(GUESTS / "python", self.guest, ignore=shutil.ignore_patterns("__pycache__"))

    def command(self, program):
        return [*python_command()[:-1], os.path.join(self.guest, program), self.cache]

    def make_cache(self):
        subprocess.run(self.command("make_cache.py"), check=True)

    def result(self, code):
        with Guest(self.command("main.py")) as guest:
            return guest.run(code).result

    def test_starts_from_the_file(self):
        self.make_cache()
        for module in ("own_modules", "session", "display"):
            with open(os.path.join(self.guest, f"{module}.py"), "w") as file:
                file.write("raise RuntimeError('not from the file')")
        self.assertEqual(self.result("display(1)\n2"), 2)

    def test_starts_without_the_file(self):
        self.assertEqual(self.result("1 + 1"), 2)

    def test_starts_with_a_file_that_is_not_its_own(self):
        self.make_cache()
        with open(self.cache, "rb") as file:
            whole = file.read()
        for content in (b"", b"text", whole[: len(whole) // 2], marshal.dumps((b"other", {})), marshal.dumps(5)):
            with self.subTest(content=content[:20]):
                with open(self.cache, "wb") as file:
                    file.write(content)
                self.assertEqual(self.result("1 + 1"), 2)


class SiteFoldersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def run_with_folders(self, code, *folders):
        folders = ":".join(os.path.join(self.folder, folder) for folder in folders)
        outcome = run_python(code, environment={"CODE_EXECUTOR_SITE": folders})
        self.assertIsNone(outcome.error, outcome)
        return outcome.result

    def test_packages(self):
        self.write("a/one.py", "x = 1")
        self.write("b/two/__init__.py", "from two.inner import x")
        self.write("b/two/inner.py", "x = 2")
        self.write("b/json.py", "raise ImportError('the standard library comes first')")
        code = "import one, two, json, sys\n[one.x, two.x, sys.path[-2:]]"
        self.assertEqual(self.run_with_folders(code, "a", "b"), [1, 2, [f"{self.folder}/a", f"{self.folder}/b"]])

    def test_the_variable_is_not_passed_on(self):
        self.write("a/one.py", "x = 1")
        code = (
            "import os, subprocess\n"
            "['CODE_EXECUTOR_SITE' in os.environ, b'CODE_EXECUTOR' in subprocess.check_output(['env'])]"
        )
        self.assertEqual(self.run_with_folders(code, "a"), [False, False])

    def test_pth_files(self):
        self.write("beside/three.py", "x = 3")
        self.write("a/sub/four.py", "x = 4")
        lines = [
            "# comment",
            "",
            f"{self.folder}/beside",
            "sub",
            "import sys; sys.executed = True",
            f"{self.folder}/nosuch",
            "sub",
        ]
        self.write("a/some.pth", "\n".join(lines))
        self.write("a/not_one.txt", f"{self.folder}/b")
        code = "import sys, three, four\n[three.x, four.x, hasattr(sys, 'executed'), sys.path[-3:]]"
        expected = [3, 4, False, [f"{self.folder}/a", f"{self.folder}/beside", f"{self.folder}/a/sub"]]
        self.assertEqual(self.run_with_folders(code, "a"), expected)

    def test_too_many_lines_in_pth_files(self):
        for index in range(300):
            os.makedirs(f"{self.folder}/many/{index}")
        self.write("a/many.pth", "\n".join(f"{self.folder}/many/{index}" for index in range(300)))
        self.assertEqual(
            self.run_with_folders("import sys\nlen([path for path in sys.path if '/many/' in path])", "a"), 200
        )

    def test_folders_that_are_not_there(self):
        self.write("a/one.py", "x = 1")
        self.assertEqual(self.run_with_folders("import one\none.x", "nosuch", "a/one.py", "a"), 1)

    def test_libraries_get_an_event_loop(self):
        self.write("a/library.py", "async def f():\n    import asyncio\n    await asyncio.sleep(0)\n    return 5")
        self.assertEqual(self.run_with_folders("import library\nawait library.f()", "a"), 5)


class NetworkTest(unittest.TestCase):
    """The proxy of the host is whoever listens there; here nobody does."""

    PROXY = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}

    def test_urllib_uses_the_proxy(self):
        code = "import urllib.request\nurllib.request.getproxies()"
        self.assertEqual(
            run_python(code, environment=self.PROXY).result,
            {"http": "http://127.0.0.1:9", "https": "http://127.0.0.1:9"},
        )

    def test_errors_say_what_is_missing(self):
        raised = "import errno, os, socket, urllib.error\nraise {}"
        for error in (
            "OSError(errno.ENETUNREACH, 'Network is unreachable')",
            "socket.gaierror(socket.EAI_AGAIN, 'Temporary failure in name resolution')",
            "urllib.error.URLError(socket.gaierror(socket.EAI_AGAIN, 'Temporary failure'))",
        ):
            with self.subTest(error):
                message = run_python(raised.format(error)).error["message"]
                self.assertIn("a program has no network unless the run's permissions.net grants a host", message)
                message = run_python(raised.format(error), environment=self.PROXY).error["message"]
                self.assertIn("only through the proxy", message)

    def test_other_errors_are_as_they_were(self):
        message = run_python("open('/nosuch')").error["message"]
        self.assertEqual(message, "[Errno 2] No such file or directory: '/nosuch'")


if __name__ == "__main__":
    unittest.main()
