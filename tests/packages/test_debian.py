"""The Debian package, installed into a root file system that has nothing but what it depends on."""

import json
import re
import shutil
import unittest

import root_file_system
import support
from root_file_system import ORDINARY_USER
from support import NPM_PACKAGES, ROOT, run

CHILDREN = (ROOT / "tests/children", "/srv")
DENO = (NPM_PACKAGES / "@deno/linux-x64-glibc/deno", "/usr/local/bin/deno")
SERVERS = {"mcpServers": {"child": {"command": "python3", "args": ["/srv/child.py"]}}}
IN_PYTHON = "(await call_mcp_tool('child', 'echo', {'text': 'from a program'}))"
IN_TYPESCRIPT = "return await callMCPTool('child', 'echo', {text: 'from a program'})"


def names_in(field, package):
    value = run("dpkg-deb", "--field", package, field)
    return [re.split(r"[ (|]", each.strip())[0] for each in value.split(",") if each.strip()]


def setUpModule():
    global package, root, before
    problem = root_file_system.problem()
    if problem:
        raise unittest.SkipTest(problem)
    package = support.only(support.made("deb"), "code-executor_*.deb")
    made = root_file_system.unpacked(names_in("Depends", package))
    root = made.__enter__()
    unittest.addModuleCleanup(made.__exit__, None, None, None)
    before = root.files()
    install()


def install():
    copy = root.folder / "code-executor.deb"
    shutil.copy(package, copy)
    root.run("dpkg", "--force-unsafe-io", "-i", "/code-executor.deb")
    copy.unlink()
    (root.folder / "home/user/servers.json").write_text(json.dumps(SERVERS), encoding="utf-8")


class DebianPackage(unittest.TestCase):
    def as_user(self, *words, **options):
        return root.run("code-executor", *words, user=ORDINARY_USER, env={"MCP_CONFIG_PATH": "/home/user/servers.json"}, **options)

    def test_main_job_as_an_ordinary_user(self):
        self.assertIn("from a program", self.as_user("run", "--python", "-e", IN_PYTHON, binds=[CHILDREN]))
        self.assertIn("from a program", self.as_user("run", "-e", IN_TYPESCRIPT, binds=[CHILDREN, DENO]))

    def test_doctor_says_that_deno_is_missing_and_what_to_do(self):
        report = json.loads(self.as_user("doctor", "--json"))
        found = {each["name"]: each for each in report["checks"]}
        self.assertEqual((found["Python"]["status"], found["isolation"]["status"]), ("ok", "ok"))
        self.assertEqual(found["TypeScript"]["status"], "missing")
        self.assertRegex(found["TypeScript"]["found"], "Deno was not found .* DENO_PATH")

    def test_purge_leaves_nothing(self):
        self.as_user("run", "--python", "-e", "1")
        self.addCleanup(install) # for the other tests
        root.run("dpkg", "--force-unsafe-io", "-P", "code-executor")
        mounted = "./usr/local/bin/deno" # by another test
        self.assertEqual({each for each in root.files() - before if not each.startswith("./home/user/")} - {mounted}, set())

    def test_has_its_documents(self):
        for name in ("doc/code-executor/README.Debian", "doc/code-executor/copyright", "doc/code-executor/changelog.gz", "man/man1/code-executor.1.gz"):
            self.assertTrue((root.folder / "usr/share" / name).exists(), name)
        readme = (root.folder / "usr/share/doc/code-executor/README.Debian").read_text(encoding="utf-8")
        self.assertIn("@deno/linux-x64-glibc@", readme)
        self.assertNotRegex(readme, "PYODIDE|DENO_PACKAGE")

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian(self):
        run("lintian", "--fail-on", "error,warning", "--allow-root", package)

    def test_bill_of_materials_names_what_it_depends_on(self):
        bill = json.loads((package.parent / "code-executor-deb.cdx.json").read_text(encoding="utf-8"))
        names = {each["name"] for each in bill["components"]}
        virtual = {"libspdlog1.10-fmt9"} # libspdlog1.10 provides it
        self.assertLessEqual(set(names_in("Depends", package)) - virtual | {"libspdlog1.10"}, names)


if __name__ == "__main__":
    unittest.main()
