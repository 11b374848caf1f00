"""The npm package, installed into an empty folder: what it brings, its launcher, and how it gets its program."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import npm_project
import support
from npm_project import Project
from support import run

FIRST_RESULT_SECONDS_MAX = 30
NOBODY = 65534


def setUpModule():
    global installed, project, environment
    context = npm_project.installed()
    installed = context.__enter__()
    unittest.addModuleCleanup(context.__exit__, None, None, None)
    project, environment = installed.folder, installed.environment


def start(*words, path=None, **options):
    env = {**environment, **({"PATH": str(path)} if path else {})}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([installed.launcher, *words], text=True, cwd=project, env=env, **pipes, **options)


class Installed(unittest.TestCase):
    def test_first_result_comes_in_time(self):
        print(f"npm install to first result: {installed.seconds:.1f} s")
        self.assertLess(installed.seconds, FIRST_RESULT_SECONDS_MAX)

    def test_doctor_finds_deno_and_pyodide_of_the_package(self):
        report = json.loads(run(installed.launcher, "doctor", "--json", env=environment, cwd=project))
        text = json.dumps(report)
        self.assertIn(f"{project}/node_modules/@deno/linux-x64-glibc/deno", text)
        python = run(installed.launcher, "run", "-e", "import sys; sys.platform", "--python", "--timeout", "3m", cwd=project,
                     env={**environment, "CODE_EXECUTOR_CONFIG_PATH": str(self.settings({"executors": {"python": {"runtime": "pyodide"}}}))})
        self.assertEqual(python.strip(), "emscripten")

    def settings(self, content):
        file = project / "pyodide.json"
        file.write_text(json.dumps(content), encoding="utf-8")
        return file

    def test_denopath_of_the_settings_counts(self):
        """The launcher sets no variable, which would be stronger than the user's file."""
        settings = project / "deno.json"
        settings.write_text('{"executors": {"typescript": {"denoPath": "/nowhere/deno"}}}', encoding="utf-8")
        done = subprocess.run([installed.launcher, "run", "-e", "return 1"], text=True, capture_output=True, cwd=project, check=False,
                              env={**environment, "CODE_EXECUTOR_CONFIG_PATH": str(settings)})
        self.assertIn("/nowhere/deno", done.stderr)

    def test_program_uses_no_library_that_systems_may_not_have(self):
        native = project / "node_modules/code-executor/native"
        used = re.findall(r"=> (\S+)", run("ldd", native / "bin/code-executor"))
        strangers = {Path(each).name for each in used if native not in Path(each).resolve().parents}
        self.assertEqual(strangers, {"libc.so.6", "libm.so.6", "libpthread.so.0", "libgcc_s.so.1", "libstdc++.so.6"})

    def test_bill_of_materials_names_what_is_inside(self):
        folder = project / "node_modules/code-executor"
        bill = json.loads((folder / "sbom.cdx.json").read_text(encoding="utf-8"))
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.5"))
        names = {each["name"] for each in bill["components"]}
        self.assertLessEqual({"deno", "pyodide", "libcaf-core0.17", "libsqlite3-0", "libboost-json1.81-dev"}, names)
        files = {each["name"]: each["hashes"][0]["content"] for each in bill["components"] if each["type"] == "file"}
        for name, digest in files.items():
            self.assertEqual(hashlib.sha256((folder / "native" / name).read_bytes()).hexdigest(), digest, name)
        self.assertEqual(len([each for each in bill["components"] if "hashes" in each]) - len(files), len(list((folder / "native/lib").iterdir())))


class Launcher(unittest.TestCase):
    def test_is_the_program_itself(self):
        with start() as process:
            deadline = time.monotonic() + 10
            while "native/bin" not in os.readlink(f"/proc/{process.pid}/exe") and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(os.readlink(f"/proc/{process.pid}/exe"), str(project / "node_modules/code-executor/native/bin/code-executor"))
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            process.communicate()
        self.assertEqual(process.returncode, 0)

    def test_exit_code_is_its_own(self):
        with start("wrong-word") as process:
            _, said = process.communicate()
        self.assertEqual(process.returncode, 2, said)

    def test_serves_mcp(self):
        greeting = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}
        done = subprocess.run(["npx", "code-executor"], input=json.dumps(greeting) + "\n", text=True, capture_output=True, check=True,
                              cwd=project, env=environment)
        self.assertEqual(json.loads(done.stdout)["result"]["serverInfo"]["name"], "code-executor")

    def test_old_or_other_c_library(self):
        for printed, said in (("echo 'glibc 2.31'", "glibc 2.36 or newer .* has glibc 2.31"), ("exit 1", "has another C library")):
            with self.subTest(printed):
                folder = project.parent / "tools"
                folder.mkdir(exist_ok=True)
                (folder / "getconf").write_text(f"#!/bin/sh\n{printed}\n", encoding="utf-8")
                (folder / "getconf").chmod(0o755)
                with start("--version", path=f"{folder}:{os.environ['PATH']}") as process:
                    _, stderr = process.communicate()
                self.assertEqual(process.returncode, 1)
                self.assertRegex(stderr, said)

    def test_takes_newer_c_libraries(self):
        folder = project.parent / "tools"
        folder.mkdir(exist_ok=True)
        for version in ("2.36", "2.41", "2.100", "3.0", "2.38.9000"):
            (folder / "getconf").write_text(f"#!/bin/sh\necho 'glibc {version}'\n", encoding="utf-8")
            (folder / "getconf").chmod(0o755)
            with start("--version", path=f"{folder}:{os.environ['PATH']}") as process:
                process.communicate()
            self.assertEqual(process.returncode, 0, version)


class WithoutInstallScripts(unittest.TestCase):
    """As npm does where nobody has allowed them: the first start unpacks."""

    @classmethod
    def setUpClass(cls):
        cls.bare = Project(installed.packed, project.parent / "bare", environment).install("--ignore-scripts")
        cls.package = cls.bare.package

    def setUp(self):
        shutil.rmtree(self.package / "native", ignore_errors=True)

    def version(self, **options):
        return subprocess.run([self.bare.launcher, "--version"], text=True, capture_output=True, check=False, cwd="/", **{"env": environment, **options})

    def test_first_start_unpacks(self):
        self.assertFalse((self.package / "native").exists())
        self.assertRegex(self.version().stdout, r"^code-executor \d")
        self.assertTrue((self.package / "native/bin/deno").exists())

    def test_many_first_starts_at_once(self):
        with ThreadPoolExecutor(6) as pool:
            done = list(pool.map(lambda _: self.version(), range(6)))
        self.assertEqual([each.returncode for each in done], [0] * 6, done)
        self.assertEqual(sorted(each.name for each in self.package.iterdir() if each.name.startswith("native")), ["native", "native.tar.br"])

    def test_broken_archive(self):
        archive = self.package / "native.tar.br"
        whole = archive.read_bytes()
        try:
            archive.write_bytes(whole[:len(whole) // 2])
            done = self.version()
        finally:
            archive.write_bytes(whole)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "can not be read.*install the package code-executor again")
        self.assertFalse((self.package / "native").exists())

    @unittest.skipIf(os.geteuid() != 0, "needs a second user")
    def test_folder_of_somebody_else(self):
        """It goes into the cache of the user, once."""
        cache = project.parent / "cache"
        cache.mkdir(exist_ok=True)
        os.chown(cache, NOBODY, NOBODY)
        env = {**environment, "XDG_CACHE_HOME": str(cache)}
        self.addCleanup(shutil.rmtree, cache)
        done = self.version(user=NOBODY, group=NOBODY, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.package / "native").exists())
        program = support.only(cache, "code-executor/*/native/bin/code-executor")
        self.assertTrue((program.parent / "deno").exists())
        again = self.version(user=NOBODY, group=NOBODY, env={**env, "PATH": "/usr/bin:/bin"} if shutil.which("node", path="/usr/bin:/bin") is None else env)
        self.assertEqual(again.returncode, 0, again.stderr)


if __name__ == "__main__":
    unittest.main()
