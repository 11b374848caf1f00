"""Files that a run is granted: inside the settings' folders, and bound to what was looked at."""

import json
import os

from support.case import Case
from support.paths import binary
from support.server import Server, World
from support.users import NOBODY, as_nobody, require_another_user, world_of_nobody


class StateFolder(Case):
    """What is of other programs is not seen through a grant of a folder above it. Root's is closed to nobody, whom its programs are, anyway."""

    def test_is_empty_below_what_is_granted(self):
        require_another_user()
        for may_write in (False, True):
            world = world_of_nobody(project={})
            settings = os.path.join(world.home, ".code-executor.json")
            with open(settings, "w", encoding="utf-8") as file:
                json.dump({"security": {"allowRead": [world.root], "allowWrite": [world.root] if may_write else []}}, file)
            os.chown(settings, NOBODY, NOBODY)
            server = Server(world=world, argv=as_nobody(binary()))
            self.addCleanup(server.stop)
            state = os.path.join(world.home, ".code-executor")
            self.succeed(server.python("save_memory('k', 1)"))
            self.assertTrue(os.listdir(state))
            for language, code in (("python", f"import os\nos.listdir({state!r})"),
                                   ("typescript", f"return [...Deno.readDirSync({state!r})]")):
                for asked in ({}, {"session": "s"}):
                    with self.subTest(f"{language} {asked} {may_write}"):
                        run = getattr(server, language)(code, permissions={"read": [world.root]}, **asked)
                        self.assertEqual(self.succeed(run).result, [])
                self.refuse(getattr(server, language)(code, permissions={"read": [state]}), "kept from programs")


class Permissions(Case):
    @classmethod
    def setUpClass(cls):
        world = World().configure(project={})
        os.chmod(world.root, 0o755)
        cls.folder = os.path.join(world.root, "data")
        cls.out = os.path.join(cls.folder, "out, with comma")
        cls.plain = os.path.join(cls.folder, "out")
        for folder in (cls.folder, cls.out, cls.plain):
            os.mkdir(folder)
        os.chmod(cls.plain, 0o777)
        cls.file = os.path.join(cls.folder, "a.txt")
        with open(cls.file, "w", encoding="utf-8") as file:
            file.write("of the host")
        os.symlink("/etc", os.path.join(cls.folder, "etc"))
        os.symlink(cls.file, os.path.join(cls.folder, "link.txt"))
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowRead": [cls.folder], "allowWrite": [cls.plain]}}, file)
        cls.server = Server(world=world)
        cls.addClassCleanup(cls.server.stop)

    def read(self, language, path, **permissions):
        code = f"return await Deno.readTextFile({path!r})" if language == "typescript" else f"open({path!r}).read()"
        return getattr(self.server, language)(code, permissions=permissions)

    def test_a_granted_file_is_read(self):
        for language in ("typescript", "python"):
            for granted in (self.file, self.folder):
                with self.subTest(f"{language} {granted}"):
                    self.assertEqual(self.succeed(self.read(language, self.file, read=[granted])).result, "of the host")

    def test_nothing_is_read_without_a_grant(self):
        for language in ("typescript", "python"):
            self.refuse(self.read(language, self.file))

    def test_a_link_inside_may_be_granted(self):
        link = os.path.join(self.folder, "link.txt")
        self.assertEqual(self.succeed(self.read("python", link, read=[link])).result, "of the host")

    def test_what_lies_outside_is_refused_with_the_call(self):
        for path in ("/etc/passwd", os.path.join(self.folder, "etc", "passwd"), os.path.join(self.folder, "..", ".."), "/", "/proc/self"):
            with self.subTest(path):
                self.refuse(self.read("python", path, read=[path]), "permissions.read")

    def test_a_link_in_a_granted_folder_opens_nothing(self):
        self.refuse(self.read("python", os.path.join(self.folder, "etc", "hostname"), read=[self.folder]))

    def test_new_files_are_written_where_that_is_granted(self):
        for language, code in (("python", f"open({self.plain!r} + '/py', 'w').write('x')"),
                               ("typescript", f"await Deno.writeTextFile({self.plain!r} + '/ts', 'x')")):
            self.succeed(getattr(self.server, language)(code, permissions={"write": [self.plain]}))
        self.assertEqual(sorted(os.listdir(self.plain)), ["py", "ts"])

    def test_reading_is_not_writing(self):
        for language, code in (("python", f"open({self.plain!r} + '/no', 'w')"),
                               ("typescript", f"await Deno.writeTextFile({self.plain!r} + '/no', 'x')")):
            self.refuse(getattr(self.server, language)(code, permissions={"read": [self.plain]}))
        self.refuse(self.server.python("1", permissions={"write": [self.folder]}), "security.allowWrite")

    def test_a_new_file_needs_its_folder(self):
        self.refuse(self.server.python("1", permissions={"write": [os.path.join(self.plain, "new.txt")]}), "name its folder")

    def test_network_is_off_unless_the_settings_say_otherwise(self):
        self.refuse(self.server.typescript("return 1", permissions={"net": ["example.com"]}), "security.allowNetwork")

    def test_a_nul_is_not_the_end_of_a_path(self):
        """Bubblewrap's arguments were separated by NUL on their way: this ran the host's Python outside of every wall."""
        mark = os.path.join(self.plain, "broken-out")
        program = f"open({mark!r}, 'w')"
        for path in ("\0".join((self.plain, "--bind", "/", "/", "--", "/usr/bin/python3", "-c", program)), self.file + "\0", "\0"):
            for kind in ("read", "write"):
                for run in (self.server.typescript, self.server.python):
                    with self.subTest(f"{kind} {path!r}"):
                        self.refuse(run("1", permissions={kind: [path]}), "permissions", kind, "control characters")
        self.assertFalse(os.path.exists(mark))

    def test_no_parameter_holds_a_control_character(self):
        for name, value in (("session", "a\0b"), ("allowedTools", ["mcp__a__*\0"]), ("allowedSamplingModels", ["\x1b[31m"]),
                            ("samplingSystemPrompt", "\0")):
            for run in (self.server.typescript, self.server.python):
                with self.subTest(name):
                    self.refuse(run("1", **{name: value}), f"'{name}'", "control characters")

    def test_code_holds_lines_and_no_nul(self):
        for run, code in ((self.server.typescript, "return [\n\t40\r\n][0] + 2"), (self.server.python, "[\n\t40][0] + 2\n\f")):
            self.assertEqual(self.succeed(run(code)).result, 42)
            self.refuse(run("'a\0b'"), "'code'", "NUL")

    def test_shape_is_checked(self):
        for wrong in ({"reed": []}, {"read": "x"}, {"read": [1]}, [], {"net": [""]}):
            with self.subTest(str(wrong)):
                self.refuse(self.server.python("1", permissions=wrong), "permissions")


class Network(Case):
    """There is no Internet in the tests: what can be seen is what is refused, by whom, and that the way exists."""

    @classmethod
    def setUpClass(cls):
        world = World().configure(project={})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowNetwork": ["*.example.com"]}}, file)
        cls.server = Server(world=world)
        cls.addClassCleanup(cls.server.stop)

    def test_addresses_that_can_never_be_reached_are_refused_with_the_call(self):
        for host in ("127.0.0.1", "2130706433", "0x7f.1", "[::1]", "169.254.169.254", "10.0.0.1", "localhost", "metadata.google.internal"):
            with self.subTest(host):
                self.refuse(self.server.typescript("return 1", permissions={"net": [host]}))

    def test_other_hosts_are_refused_by_the_proxy(self):
        error = self.refuse(self.server.python(
            "import urllib.request\nurllib.request.urlopen('http://other.test/', timeout=5)", permissions={"net": ["*"]}))
        self.assertIn("403", error)

    def test_a_name_that_is_allowed_is_looked_up_by_the_server(self):
        for language, code in (("python", "import urllib.request\nurllib.request.urlopen('http://no-such-host.example.com/', timeout=10)"),
                               ("typescript", "const r = await fetch('http://no-such-host.example.com/'); throw new Error(r.status + ' ' + await r.text())")):
            with self.subTest(language):
                error = self.refuse(getattr(self.server, language)(code, permissions={"net": ["*.example.com"]}))
                self.assertRegex(error, "50[0-9]|403")
