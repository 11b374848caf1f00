"""`serve --http` with a certificate."""

import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import unittest

from support.case import Case
from support.http_client import BOTH, META, MODERN, HttpServer, status_of, talk

NAME = "mcp.example.com"


@unittest.skipUnless(shutil.which("openssl"), "makes the certificates")
class Tls(Case):
    def setUp(self):
        self.where = self.world()
        self.certificate, self.key = (os.path.join(self.where.root, name) for name in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
                        "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", self.key, "-out", self.certificate], check=True, capture_output=True)

    def configure(self, **tls):
        with open(os.path.join(self.where.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"server": {"allowedHosts": [NAME], "tls": tls}}, file)

    def serve(self):
        self.configure(cert=self.certificate, key=self.key)
        server = HttpServer(world=self.where, env={"CODE_EXECUTOR_POOL_SIZE": "0"})
        self.addCleanup(server.stop)
        return server

    def ask(self, server, method, params):
        context = ssl.create_default_context(cafile=self.certificate)
        connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=60)
        connection.sock = context.wrap_socket(http.client.socket.create_connection(("127.0.0.1", server.port)), server_hostname=NAME)
        self.addCleanup(connection.close)
        meta = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        fields = {"Host": NAME, "Accept": BOTH, "Content-Type": "application/json", "MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if "name" in params:
            fields["Mcp-Name"] = params["name"]
        connection.request("POST", "/mcp", json.dumps(message), fields)
        response = connection.getresponse()
        body = response.read().decode()
        return json.loads(body if body.startswith("{") else re.findall(r"(?m)^data: (\{.*)$", body)[-1])

    def test_programs_run(self):
        server = self.serve()
        self.assertIn("https://127.0.0.1:", server.stderr())
        answer = self.ask(server, "tools/call", {"name": "run-typescript-code", "arguments": {"code": "return 6 * 7"}})
        self.assertEqual("42", answer["result"]["content"][0]["text"])

    def test_nothing_else_is_spoken_there(self):
        server = self.serve()
        self.assertEqual(400, status_of(talk(server.port, b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")))

    def test_what_is_wrong_with_the_files_is_told(self):
        for tls, told in (({"cert": self.certificate}, "both 'cert' and 'key'"), ({"cert": "/nowhere.pem", "key": self.key}, "/nowhere.pem"),
                          ({"cert": self.key, "key": self.key}, self.key)):
            with self.subTest(told):
                self.configure(**tls)
                done = self.where.command("serve", "--http", "127.0.0.1:0")
                self.assertEqual(2, done.returncode)
                self.assertIn(told, done.stderr)
                self.assertNotIn("PRIVATE", done.stderr)
