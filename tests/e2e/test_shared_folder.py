"""A folder that several runs, and programs of the host, use at the same time."""

import json
import os
import socket
import stat

from support.case import Case
from support.server import World


class SharedFolder(Case):
    def setUp(self):
        super().setUp()
        world = World().configure(project={})
        self.addCleanup(world.remove)
        os.chmod(world.root, 0o755)
        self.folder = os.path.join(world.root, "shared")
        os.mkdir(self.folder)
        os.chmod(self.folder, 0o777)
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [self.folder], "allowNetwork": ["example.com"], "dangerousPatterns": "off"}}, file)
        self.server = self.start(world=world)

    def listen(self):
        path = os.path.join(self.folder, "host.sock")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen()
        os.chmod(path, 0o777)
        listener.setblocking(False)
        return listener, path

    def test_no_socket_of_the_host_is_reached(self):
        listener, path = self.listen()
        programs = {
            "python": [f"import socket; socket.socket(socket.AF_UNIX).connect({path!r})",
                       f"import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].connect({path!r})"],
            "typescript": [f"return await Deno.connect({{transport: 'unix', path: {path!r}}})",
                           "const net = await import('node:net');"
                           f"return await new Promise((yes, no) => net.connect({path!r}, yes).on('error', no))"]}
        for permissions in ({"read": [self.folder]}, {"write": [self.folder], "net": ["example.com"]}):
            for language, all_of_it in programs.items():
                for code in all_of_it:
                    with self.subTest(code, permissions=list(permissions)):
                        self.refuse(getattr(self.server, language)(code, permissions=permissions))
        self.assertRaises(BlockingIOError, listener.accept)

    def test_no_socket_is_made_for_another_run(self):
        for code in (f"import socket; socket.socket(socket.AF_UNIX).bind({self.folder!r} + '/s')",
                     f"import os, stat; os.mknod({self.folder!r} + '/s', stat.S_IFSOCK | 0o777)"):
            self.refuse(self.server.python(code, permissions={"write": [self.folder]}))
        self.refuse(self.server.typescript(f"Deno.listen({{transport: 'unix', path: {self.folder!r} + '/s'}})",
                                           permissions={"write": [self.folder], "net": ["example.com"]}))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_pair_of_sockets_is_had(self):
        self.assertEqual(self.succeed(self.server.python(
            "import socket\na, b = socket.socketpair()\na.send(b'x')\nb.recv(1).decode()")).result, "x")
        self.assertEqual(self.succeed(self.server.python("import asyncio\nasync def f(): return 2\nasyncio.run(f())")).result, 2)

    def test_no_file_runs_with_the_rights_of_its_owner(self):
        path = os.path.join(self.folder, "program")
        for language, code in (("python", f"import os; open({path!r}, 'w'); os.chmod({path!r}, 0o4755)"),
                               ("python", f"import os; os.open({path!r} + '2', os.O_CREAT | os.O_WRONLY, 0o4755)"),
                               ("typescript", f"await Deno.writeTextFile({path!r}, 'x'); await Deno.chmod({path!r}, 0o4755)"),
                               ("typescript", f"await Deno.writeTextFile({path!r} + '3', 'x', {{mode: 0o2755}})")):
            with self.subTest(code):
                self.refuse(getattr(self.server, language)(code, permissions={"write": [self.folder]}))
        for name in os.listdir(self.folder):
            self.assertFalse(os.stat(os.path.join(self.folder, name)).st_mode & (stat.S_ISUID | stat.S_ISGID), name)
        self.succeed(self.server.python(f"import os; os.chmod({path!r}, 0o755)", permissions={"write": [self.folder]}))
