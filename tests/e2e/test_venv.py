"""Packages of a virtual environment, and the version of Python: what the settings promise, and what goes wrong.

The environments are made by `python3 -m venv` of the system, without pip; numpy and the like are Debian's, through
--system-site-packages. Where they are not installed, their tests are skipped."""

import base64
import json
import os
import subprocess
import unittest

from support.case import Case
from support.paths import binary
from support.server import Server, World
from support.users import as_nobody, require_another_user, world_of_nobody

PYTHON = "/usr/bin/python3"
PACKAGES = "/usr/lib/python3/dist-packages"
SETTINGS = ".code-executor.json"


def version_of_system():
    """That of PYTHON, by the file that it leads to; skips where there is none."""
    name = os.path.basename(os.path.realpath(PYTHON))
    if not name.startswith("python3."):
        raise unittest.SkipTest(f"needs {PYTHON}")
    return name[len("python"):]


def make_venv(folder, *options):
    version_of_system()
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", *options, folder], check=True, timeout=60)
    return folder


def require(*libraries):
    for library in libraries:
        if not os.path.isdir(f"{PACKAGES}/{library}"):
            raise unittest.SkipTest(f"needs the Debian package python3-{library}")


def world_with(python, **more):
    """A world that guests can walk into, and whose settings have this for Python."""
    world = World().configure(project={})
    os.chmod(world.root, 0o755)
    write_settings(world, python, **more)
    return world


def write_settings(world, python, **more):
    with open(os.path.join(world.home, SETTINGS), "w", encoding="utf-8") as file:
        json.dump({"executors": {"python": python}, **more}, file)


def packages_of(venv):
    return os.path.join(venv, "lib", f"python{version_of_system()}", "site-packages")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Libraries(Case):
    """numpy, pandas and matplotlib in a --system-site-packages environment."""

    @classmethod
    def setUpClass(cls):
        require("numpy", "pandas", "matplotlib")
        world = world_with({"venv": "../venv"})
        make_venv(os.path.join(world.root, "venv"), "--system-site-packages")
        cls.server = Server(world=world)
        cls.addClassCleanup(cls.server.stop)

    def result(self, code, **parameters):
        return self.succeed(self.server.python(code, **parameters)).result

    def test_numpy(self):
        code = "import numpy\nnumpy.linalg.inv(numpy.array([[2.0, 0.0], [0.0, 4.0]]))"
        for _ in range(2):  # also by a guest that was kept warm
            self.assertEqual(self.result(code), [[0.5, 0], [0, 0.25]])

    def test_numpy_in_threads_of_the_program(self):
        code = ("import numpy\nfrom concurrent.futures import ThreadPoolExecutor\na = numpy.ones((200, 200))\n"
                "with ThreadPoolExecutor(4) as pool:\n    list(pool.map(lambda i: float((a @ a)[0][0]), range(16)))")
        self.succeed(self.server.python(code))
        self.assertEqual(self.result(code + "\nfloat((a @ a).sum())"), 200.0 ** 3)

    def test_threads_of_libraries_are_bounded(self):
        threads = self.result("import os\nint(os.environ['OMP_NUM_THREADS'])")
        self.assertTrue(1 <= threads <= 4, threads)

    def test_the_memory_limit_holds(self):
        for elements in (10 ** 8, 10 ** 10):  # as it is written to; when it is asked for
            answer = self.server.python(f"import numpy\nnumpy.ones({elements}).sum()")
            self.assertRegex(self.refuse(answer), "memory limit|MemoryError")

    def test_pandas(self):
        answer = self.succeed(self.server.python("import pandas\nd = pandas.DataFrame({'a': [1, 2]})\ndisplay(d)\nd.a.sum()"))
        self.assertEqual(answer.result, 3)
        self.assertEqual(answer.raw["content"][-1]["text"], "   a\n0  1\n1  2")

    def test_figures(self):
        drawing = "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 2])\naxes.set_title('t')\n"
        answer = self.succeed(self.server.python(drawing + "display(figure)\nplt.show()"))
        images = [block for block in answer.raw["content"] if block["type"] == "image"]
        self.assertEqual([block["mimeType"] for block in images], ["image/png"] * 2)
        for block in images:
            self.assertTrue(base64.b64decode(block["data"]).startswith(b"\x89PNG"))
        self.assertNotIn("rror", answer.output or "")

    def test_in_a_session(self):
        self.succeed(self.server.python("import numpy as np\na = np.arange(4)", session="s"))
        self.assertEqual(self.result("a.sum() + np.int64(1)", session="s"), 7)

    def test_nothing_else_becomes_visible(self):
        code = ("import os\nmounts = [line.split()[1] for line in open('/proc/self/mounts')]\n"
                "links = {name: os.readlink(f'/etc/alternatives/{name}') for name in os.listdir('/etc/alternatives')} "
                "if os.path.exists('/etc/alternatives') else {}\n"
                "{'mounts': mounts, 'etc': os.listdir('/etc') if os.path.exists('/etc') else [], 'links': links}")
        seen = self.result(code)
        plain = Server()
        self.addCleanup(plain.stop)
        without = self.succeed(plain.python(code)).result
        venv = os.path.join(self.server.world.root, "venv")
        expected = {venv, PACKAGES, f"/usr/local/lib/python{version_of_system()}/dist-packages", "/etc/matplotlibrc",
                    "/usr/share/matplotlib", "/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/truetype/lyx",
                    "/runtime/python-cache"}  # our own bytecode, once it is made
        self.assertLessEqual(set(seen["mounts"]) - set(without["mounts"]), expected)
        self.assertLessEqual(set(seen["etc"]), {"matplotlibrc", "alternatives"})
        for name, target in seen["links"].items():
            self.assertIn(".so.", name)
            self.assertTrue(target.startswith("/usr/lib/"), target)
        self.assertEqual(without["links"], {})


class Environment(Case):
    """An environment with packages of its own."""

    @classmethod
    def setUpClass(cls):
        world = world_with({"venv": "../venv"}, security={"allowRead": [".."], "allowWrite": True})
        os.chmod(world.root, 0o777)
        cls.venv = make_venv(os.path.join(world.root, "venv"))
        site = packages_of(cls.venv)
        write(os.path.join(site, "mine", "__init__.py"), "from mine.part import value\n")
        write(os.path.join(site, "mine", "part.py"), "value = 5\n")
        write(os.path.join(site, "extra.pth"), f"beside\n{world.root}/outside\nimport sys; sys.executed = True\n")
        write(os.path.join(site, "beside", "named.py"), "value = 6\n")
        write(os.path.join(world.root, "outside", "hidden.py"), "value = 7\n")
        os.symlink(os.path.join(world.root, "outside"), os.path.join(site, "linked"))
        cls.server = Server(world=world)
        cls.addClassCleanup(cls.server.stop)

    def result(self, code, **parameters):
        return self.succeed(self.server.python(code, **parameters)).result

    def test_packages_and_pth_files(self):
        self.assertEqual(self.result("import mine, named, sys\n[mine.value, named.value, hasattr(sys, 'executed')]"), [5, 6, False])

    def test_what_lies_outside_stays_hidden(self):
        for code in ("import hidden", "import linked.hidden", "import numpy"):
            self.refuse(self.server.python(code), "ModuleNotFoundError")
        self.assertEqual(self.result(f"import os\nsorted(os.listdir({self.server.world.root!r}))"), ["venv"])

    def test_it_is_read_only(self):
        code = f"open({self.venv!r} + '/new', 'w')"
        self.refuse(self.server.python(code), "Read-only file system")
        around = {"write": [self.server.world.root]}
        self.succeed(self.server.python("1", permissions=around))
        self.refuse(self.server.python(code, permissions=around), "Read-only file system")

    def test_beside_a_folder_that_the_run_may_read(self):
        root = self.server.world.root
        code = f"import mine\n[mine.value, open({root!r} + '/outside/hidden.py').read()]"
        self.assertEqual(self.result(code, permissions={"read": [root]}), [5, "value = 7\n"])

    def test_in_a_session(self):
        self.succeed(self.server.python("import mine", session="s"))
        self.assertEqual(self.result("mine.value", session="s"), 5)


class Unusable(Case):
    """Programs in Python do not run then, and the reason names the setting."""

    def refused(self, python, *words, world=None):
        world = world or world_with(python)
        write_settings(world, python)
        server = self.start(world=world)
        text = self.refuse(server.python("1"), *words)
        self.assertIn(text.removeprefix("Error: ").removeprefix("Python is not available: "), server.tool("health").text.replace('\\"', '"'))
        self.succeed(server.typescript("return 1"))
        return text

    def test_no_folder(self):
        self.refused({"venv": "/nowhere/venv"}, "executors.python.venv", "/nowhere/venv", "python3 -m venv")

    def test_no_environment(self):
        self.refused({"venv": "/usr"}, "executors.python.venv", "/usr is no virtual environment", "pyvenv.cfg")

    def test_its_interpreter_is_gone(self):
        world = world_with({})
        venv = make_venv(os.path.join(world.root, "venv"))
        os.remove(os.path.join(venv, "bin", "python3"))
        os.symlink("/nowhere/python3", os.path.join(venv, "bin", "python3"))
        self.refused({"venv": venv}, "executors.python.venv", "leads to no interpreter", "--clear", world=world)

    def test_of_another_version(self):
        world = world_with({})
        venv = make_venv(os.path.join(world.root, "venv"))
        os.rename(os.path.dirname(packages_of(venv)), os.path.join(venv, "lib", "python3.4"))
        self.refused({"venv": venv}, "executors.python.venv", "was made for Python 3.4", f"programs run in {version_of_system()}", world=world)

    @unittest.skipUnless(os.geteuid() == 0, "only guests of root are somebody else")
    def test_closed_to_guests(self):
        world = world_with({})
        venv = make_venv(os.path.join(world.root, "closed", "venv"))
        os.chmod(os.path.join(world.root, "closed"), 0o700)
        self.refused({"venv": venv}, "executors.python.venv", "they are nobody", f"chmod o+x {world.root}/closed", world=world)

    @unittest.skipUnless(os.geteuid() == 0, "only guests of root are somebody else")
    def test_packages_closed_to_guests(self):
        world = world_with({})
        venv = make_venv(os.path.join(world.root, "venv"))
        os.chmod(packages_of(venv), 0o700)
        self.refused({"venv": venv}, "executors.python.venv", "they are nobody", "chmod -R o+rX", world=world)

    def test_with_a_runtime_that_has_no_use_for_it(self):
        for setting, value in (("venv", "/nowhere/venv"), ("version", "3.11")):
            for runtime in ("pyodide", "container"):
                world = self.world()
                write_settings(world, {"runtime": runtime, setting: value})
                ended = subprocess.run([binary()], env=world.environment({}), cwd=world.cwd, stdin=subprocess.DEVNULL,
                                       capture_output=True, text=True, timeout=30, check=False)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(f"executors.python.{setting}", ended.stderr)
                self.assertIn(runtime, ended.stderr)


class OfAnOrdinaryUser(Case):
    def test_in_a_closed_home(self):
        require_another_user()
        world = world_of_nobody(project={})
        subprocess.run(as_nobody(PYTHON, "-m", "venv", "--without-pip", os.path.join(world.home, "venv")), check=True, timeout=60)
        write(os.path.join(packages_of(os.path.join(world.home, "venv")), "mine.py"), "value = 5\n")
        os.chmod(world.home, 0o700)
        write_settings(world, {"venv": "~/venv"})
        server = self.start(world=world, argv=as_nobody(binary()))
        self.assertEqual(self.succeed(server.python("import mine\nmine.value")).result, 5)


class Version(Case):
    def test_that_of_the_system(self):
        version = version_of_system()
        server = self.start(world=world_with({"version": version}))
        self.assertEqual(self.succeed(server.python("import sys\n'%d.%d' % sys.version_info[:2]")).result, version)

    def test_that_of_an_environment(self):
        world = world_with({"version": version_of_system(), "venv": "../venv"})
        make_venv(os.path.join(world.root, "venv"))
        self.succeed(self.start(world=world).python("1"))

    def test_another_one(self):
        found = f"wanted 3.4, found {version_of_system()} at {os.path.realpath(PYTHON)}"
        for more, advice in (({}, "install python3.4"), ({"pythonPath": PYTHON}, "executors.python.pythonPath")):
            server = self.start(world=world_with({"version": "3.4", **more}))
            self.refuse(server.python("1"), found, advice)
            self.assertIn(found, server.tool("health").text)
            self.assertEqual([tool["name"] for tool in server.request("tools/list")["tools"]], ["run-typescript-code"])

    def test_doctor_tells(self):
        world = world_with({"version": "3.4"})
        self.addCleanup(world.remove)
        ended = subprocess.run([binary(), "doctor", "--json"], env=world.environment({}), cwd=world.cwd, stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=120, check=False)
        python = next(check for check in json.loads(ended.stdout)["checks"] if check["name"] == "Python")
        self.assertEqual(python["status"], "missing")
        self.assertIn(f"wanted 3.4, found {version_of_system()}", python["found"])
        self.assertEqual(ended.returncode, 0, "TypeScript runs")


if __name__ == "__main__":
    unittest.main()
