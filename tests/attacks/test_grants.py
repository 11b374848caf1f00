"""Attacks by what a program was granted: a folder, the way to the network, a session."""

import json
import os
import socket
import threading
import unittest
from pathlib import Path

from stage import Listener
from support.case import Case
from support.server import Server, WITHOUT_PATTERN_CHECK, World

SECRET = "secret-beside-the-granted-folder"
SWAPS = 20

# Says to the proxy what no library would; gives the first line of the answer. Nothing must come through.
RAW_REQUEST = """
import socket
s = socket.create_connection(('127.0.0.1', 3128), 5)
s.sendall({request!r})
s.settimeout(5)
answer = b''
while chunk := s.recv(65536):
    answer += chunk
answer.decode('latin-1')
"""
HOSTS = ("127.0.0.1", "localhost", "localhost.", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::]", "0.0.0.0",
         "0", "169.254.169.254", "[fd00:ec2::254]", "metadata.google.internal", "10.0.0.1", "①②⑦.0.0.1", "127.0.0.1%00.example.com",
         "www.example.com@127.0.0.1", "127.0.0.1#.example.com", "www.example.com\t127.0.0.1")
SMUGGLED = {
    "two lengths": b"POST http://www.example.com/ HTTP/1.1\r\nHost: www.example.com\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nhello",
    "a length and chunks": b"POST http://www.example.com/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a bare LF": b"GET http://www.example.com/ HTTP/1.1\nHost: www.example.com\n\n",
    "a folded line": b"GET http://www.example.com/ HTTP/1.1\r\nHost: www.example.com\r\n X: y\r\n\r\n",
    "another host in the header": b"GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: www.example.com\r\n\r\n",
    "no host in the line": b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
    "a file": b"GET file:///etc/passwd HTTP/1.1\r\nHost: www.example.com\r\n\r\n",
    "a tunnel to a path": b"CONNECT /tmp/socket HTTP/1.1\r\nHost: x\r\n\r\n",
    "a second request behind a refused one": b"GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n\r\nGET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n\r\n",
}


def settled(world, settings):
    Path(world.home, ".code-executor.json").write_text(json.dumps(settings), encoding="utf-8")
    return world


class Folders(Case):
    """A folder that may be read and written, and a secret beside it."""

    @classmethod
    def setUpClass(cls):
        world = World().configure(project={})
        os.chmod(world.root, 0o755)
        cls.granted, cls.beside = (os.path.join(world.root, name) for name in ("granted", "beside"))
        for folder in (cls.granted, cls.beside):
            os.mkdir(folder)
            os.chmod(folder, 0o777)
        cls.secret = os.path.join(cls.beside, "secret.txt")
        Path(cls.secret).write_text(SECRET, encoding="utf-8")
        os.chmod(cls.secret, 0o666)
        os.symlink(cls.secret, os.path.join(cls.granted, "link"))
        os.symlink(cls.beside, os.path.join(cls.granted, "folder"))
        cls.server = Server(world=settled(world, {"security": {"allowRead": [cls.granted], "allowWrite": [cls.granted]}}), env=WITHOUT_PATTERN_CHECK)
        cls.addClassCleanup(cls.server.stop)
        cls.grant = {"read": [cls.granted], "write": [cls.granted]}

    def refused(self, answer):
        self.assertNotIn(SECRET, str(answer.raw))
        self.refuse(answer)
        self.assertEqual(Path(self.secret).read_text(encoding="utf-8"), SECRET)

    def test_reads_and_writes_nothing_beside_it(self):
        paths = [self.secret, f"{self.granted}/../beside/secret.txt", f"{self.granted}/link", f"{self.granted}/folder/secret.txt",
                 f"{self.granted}/./..//beside/secret.txt", f"/proc/self/root{self.secret}", f"/proc/self/cwd/../..{self.secret}"]
        for path in paths:
            with self.subTest(path):
                self.refused(self.server.python(f"open({path!r}).read()", permissions=self.grant))
                self.refused(self.server.typescript(f"return await Deno.readTextFile({path!r})", permissions=self.grant))
                self.refused(self.server.python(f"open({path!r}, 'r+').write('x')", permissions=self.grant))
                self.refused(self.server.typescript(f"await Deno.writeTextFile({path!r}, 'x')", permissions=self.grant))

    def test_links_moves_and_removes_nothing_beside_it(self):
        inside = f"{self.granted}/mine"
        for call in (f"os.link({self.secret!r}, {inside!r})", f"os.rename({self.secret!r}, {inside!r})", f"os.remove({self.secret!r})",
                     f"os.rename({self.granted!r}, {self.granted + '2'!r})", f"os.rmdir({self.granted!r})", f"os.chmod({self.secret!r}, 0)"):
            with self.subTest(call):
                self.refused(self.server.python(f"import os\n{call}", permissions=self.grant))
        for call in ("link", "rename"):
            with self.subTest(f"Deno.{call}"):
                self.refused(self.server.typescript(f"await Deno.{call}({self.secret!r}, {inside!r})", permissions=self.grant))
        self.assertFalse(os.path.exists(inside))

    def test_a_link_that_a_program_makes_leads_no_later_program_out(self):
        for target in (self.secret, "../beside/secret.txt"):
            link = f"{self.granted}/planted"
            self.succeed(self.server.python(f"import os\nos.symlink({target!r}, {link!r})", permissions=self.grant))
            for language, code in (("python", f"open({link!r}).read()"), ("typescript", f"return await Deno.readTextFile({link!r})")):
                self.refused(getattr(self.server, language)(code, permissions=self.grant))
            self.refused(self.server.python(f"open({link!r}).read()", permissions={"read": [link]}))
            os.remove(link)

    def test_a_granted_name_that_is_swapped_for_a_link_opens_nothing_else(self):
        name = os.path.join(self.granted, "swapped")
        stop = threading.Event()

        def swap():
            while not stop.is_set():
                Path(name + "1").write_text("own", encoding="utf-8")
                os.replace(name + "1", name)
                os.symlink(self.secret, name + "2")
                os.replace(name + "2", name)

        swapper = threading.Thread(target=swap)
        swapper.start()
        try:
            for _ in range(SWAPS):
                answer = self.server.python(f"open({name!r}).read()", permissions={"read": [name]})
                self.assertNotIn(SECRET, str(answer.raw))
        finally:
            stop.set()
            swapper.join()

    def test_a_special_file_in_it_gives_no_rights(self):
        for call in ("os.mknod({}, 0o60666, os.makedev(8, 0))", "os.mknod({}, 0o20666, os.makedev(1, 1))"):
            self.refused(self.server.python(f"import os\n{call.format(repr(self.granted + '/device'))}", permissions=self.grant))
        self.succeed(self.server.python(
            f"import os, shutil\nshutil.copy('/lib64/ld-linux-x86-64.so.2', {self.granted + '/suid'!r})\n"
            f"try: os.chmod({self.granted + '/suid'!r}, 0o6755)\nexcept OSError: pass", permissions=self.grant))
        made = os.stat(f"{self.granted}/suid")
        self.assertNotEqual((made.st_uid, made.st_mode & 0o4000), (0, 0o4000), "a program of root's, made by a guest")


class Proxy(Case):
    """One host is allowed; the host of the server listens, and nobody may reach it."""

    @classmethod
    def setUpClass(cls):
        cls.listener = Listener(socket.AF_INET, ("127.0.0.1", 0))
        cls.addClassCleanup(cls.listener.close)
        cls.port = cls.listener.address[1]
        cls.server = Server(world=settled(World().configure(project={}), {"security": {"allowNetwork": True}}), env=WITHOUT_PATTERN_CHECK)
        cls.addClassCleanup(cls.server.stop)

    def say(self, request):
        return self.succeed(self.server.python(RAW_REQUEST.format(request=request), permissions={"net": ["*"]}, session="proxy")).result

    def expect_refusal(self, request):
        answer = self.say(request)
        self.assertRegex(answer, r"^(HTTP/1\.1 [45]\d\d |$)")
        self.assertEqual(answer.count("HTTP/1.1 "), 1 if answer else 0)
        self.assertEqual(self.listener.visitors, 0)

    def test_tunnels_to_no_spelling_of_what_is_not_public(self):
        for host in HOSTS:
            with self.subTest(host):
                self.expect_refusal(f"CONNECT {host}:{self.port} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                self.expect_refusal(f"GET http://{host}:{self.port}/ HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())

    def test_smuggles_nothing(self):
        for name, request in SMUGGLED.items():
            with self.subTest(name):
                self.expect_refusal(request.replace(b"%d", str(self.port).encode()))

    def test_is_for_those_only_who_were_granted_it(self):
        self.refuse(self.server.python("import socket\nsocket.create_connection(('127.0.0.1', 3128), 2)"), "ConnectionRefusedError")
        self.refuse(self.server.typescript("return await Deno.connect({hostname: '127.0.0.1', port: 3128})"))

    def test_is_no_way_around_for_typescript(self):
        for host in ("127.0.0.1", "[::1]", "2130706433"):
            with self.subTest(host):
                answer = self.server.typescript(f"return (await fetch('http://{host}:{self.port}/')).status", permissions={"net": ["*"]})
                self.assertTrue(answer.is_error or answer.result >= 400, answer.text)
        self.assertEqual(self.listener.visitors, 0)


class Leftovers(Case):
    """What one session leaves is not there for another."""

    CODE = {
        "typescript": ("globalThis.left = 1; Object.prototype.left = 1; Array.prototype.map = null; return 1",
                       "return [globalThis.left ?? null, ({}).left ?? null, typeof [].map]", [None, None, "function"]),
        "python": ("import builtins, json, os, sys\nbuiltins.left = 1\njson.dumps = None\nsys.path.insert(0, '/tmp')\nopen('/tmp/left.py', 'w').write('x = 1')\n"
                   "os.environ['LEFT'] = '1'\n1",
                   "import builtins, json, os\n[hasattr(builtins, 'left'), json.dumps(1), os.listdir('/tmp'), 'LEFT' in os.environ]", [False, "1", [], False]),
    }

    def test_neither_another_session_nor_a_run_nor_a_reset_sees_them(self):
        server = Server(world=World().configure(project={}))
        self.addCleanup(server.stop)
        for language, (leave, look, clean) in self.CODE.items():
            run = getattr(server, language)
            self.succeed(run(leave, session="one"))
            for name, parameters in (("another", {"session": "two"}), ("none", {}), ("reset", {"session": "one", "resetSession": True})):
                with self.subTest(f"{language}: {name}"):
                    self.assertEqual(self.succeed(run(look, **parameters)).result, clean)


if __name__ == "__main__":
    unittest.main()
