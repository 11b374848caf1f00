"""What Deno's own permissions let a TypeScript guest do, and what is said about the rest."""

import os
import pathlib
import socket
import tempfile
import threading
import unittest

from fake_host import Guest, deno_path, typescript_command


def run(code, flags=(), environment=None):
    with Guest(typescript_command(flags), environment) as guest:
        return guest.run(code)


class Proxy:
    """Notes the first line of every request; answers those that are no tunnel."""

    def __init__(self):
        self.lines = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                head = b""
                while b"\r\n\r\n" not in head and (part := connection.recv(65536)):
                    head += part
                self.lines.append(head.split(b"\r\n")[0].decode())
                status = "403 Forbidden" if head.startswith(b"CONNECT") else "200 OK"
                connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi".encode())

    def environment(self):
        url = f"http://127.0.0.1:{self.port}"
        names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
        return {**dict.fromkeys(names, url), "NODE_USE_ENV_PROXY": "1"}


@unittest.skipIf(deno_path() is None, "there is no Deno to run it with")
class NetworkTest(unittest.TestCase):
    """Names end in .test and .invalid, which resolve nowhere: whatever asks for their address fails."""

    def setUp(self):
        self.proxy = Proxy()
        self.addCleanup(self.proxy.listener.close)

    def run_with_net(self, code):
        return run(code, ["--allow-net"], self.proxy.environment())

    def test_fetch_goes_through_the_proxy(self):
        outcome = self.run_with_net("const r = await fetch('http://name.test/x'); return [r.status, await r.text()]")
        self.assertEqual(outcome.result, [200, "hi"], outcome)
        self.assertEqual(self.proxy.lines, ["GET http://name.test/x HTTP/1.1"])

    def test_encrypted_fetch_asks_the_proxy_for_a_tunnel(self):
        outcome = self.run_with_net("await fetch('https://name.test/x')")
        self.assertEqual(outcome.error["name"], "TypeError")
        self.assertIn("unsuccessful tunnel", outcome.error["stack"])
        self.assertEqual(self.proxy.lines, ["CONNECT name.test:443 HTTP/1.1"])

    def test_modules_of_node_go_through_the_proxy(self):
        code = (
            "import http from 'node:http'; import https from 'node:https';\n"
            "const get = (m, url) => new Promise((r) => m.get(url, (x) => r(x.statusCode)).on('error', (e) => r(e.code)));\n"
            "return [await get(http, 'http://name.test/y'), await get(https, 'https://name.test/y')]"
        )
        self.assertEqual(self.run_with_net(code).result, [200, "ERR_PROXY_TUNNEL"])
        self.assertEqual(self.proxy.lines, ["GET http://name.test/y HTTP/1.1", "CONNECT name.test:443 HTTP/1.1"])

    def test_without_permission_nothing_is_asked(self):
        for call in (
            "fetch('http://name.test/')",
            "fetch('https://name.test/')",
            "Deno.connect({ hostname: 'name.test', port: 80 })",
        ):
            with self.subTest(call):
                error = run(f"\nawait {call}", environment=self.proxy.environment()).error
                self.assertEqual((error["name"], error["line"]), ("NotCapable", 2))
                self.assertRegex(
                    error["message"],
                    r'^Requires net access to "name.test:\d+", which the run must be given: permissions.net$',
                )
        self.assertEqual(self.proxy.lines, [])

    def test_modules_of_the_network(self):
        for module in ("npm:lodash", "jsr:@std/path", "https://deno.land/x.ts", "http://name.invalid/x.ts", "lodash"):
            for code in (f"\nimport x from '{module}'", f"\nawait import('{module}')"):
                for flags in ([], ["--allow-net"]):
                    with self.subTest(code=code, flags=flags):
                        error = run(code, flags, self.proxy.environment()).error
                        self.assertIn(error["name"], ("ImportError", "TypeError"))
                        self.assertIn('only "node:" modules', error["message"])
                        self.assertEqual(error["line"], 2)
        self.assertEqual(self.proxy.lines, [])


@unittest.skipIf(deno_path() is None, "there is no Deno to run it with")
class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))
        for name in ("given", "writable", "secret"):
            (self.folder / name).mkdir()
            (self.folder / name / "file").write_text(name)
        self.flags = [
            f"--allow-read={self.folder}/given,{self.folder}/writable",
            f"--allow-write={self.folder}/writable",
        ]

    def run_with_files(self, code):
        return run(code.replace("FOLDER", str(self.folder)), self.flags)

    def test_reading(self):
        for code in (
            "return await Deno.readTextFile('FOLDER/given/file')",
            "import fs from 'node:fs'; return fs.readFileSync('FOLDER/given/file', 'utf8')",
            "import { readFile } from 'node:fs/promises'; return await readFile('FOLDER/given/file', 'utf8')",
        ):
            with self.subTest(code):
                self.assertEqual(self.run_with_files(code).result, "given")

    def test_writing(self):
        code = (
            "import fs from 'node:fs'; fs.mkdirSync('FOLDER/writable/a/b', { recursive: true });\n"
            "fs.writeFileSync('FOLDER/writable/a/b/x', '1'); await Deno.writeTextFile('FOLDER/writable/file', 'new')"
        )
        self.assertIsNone(self.run_with_files(code).error)
        self.assertEqual((self.folder / "writable/a/b/x").read_text(), "1")
        self.assertEqual((self.folder / "writable/file").read_text(), "new")

    def test_what_was_not_given(self):
        for kind, code in (
            ("read", "await Deno.readTextFile('FOLDER/secret/file')"),
            ("read", "await Deno.readTextFile('FOLDER/given/../secret/file')"),
            ("read", "(await import('node:fs')).readFileSync('FOLDER/secret/file')"),
            ("write", "await Deno.writeTextFile('FOLDER/given/file', 'x')"),
            ("write", "(await import('node:fs')).writeFileSync('FOLDER/given/file', 'x')"),
            ("write", "await Deno.remove('FOLDER/secret/file')"),
        ):
            with self.subTest(code):
                error = self.run_with_files(code).error
                self.assertEqual(error["name"], "NotCapable")
                self.assertTrue(error["message"].endswith(f", which the run must be given: permissions.{kind}"), error)
        self.assertEqual((self.folder / "given/file").read_text(), "given")

    def test_what_nobody_is_given(self):
        error = run("Deno.env.get('HOME')").error
        self.assertEqual(error["message"], 'Requires env access to "HOME", which no program has here')


if __name__ == "__main__":
    unittest.main()
