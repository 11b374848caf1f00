"""An issuer of access tokens on this machine: its metadata, its keys, and tokens signed by the `openssl` command."""

import base64
import http.server
import json
import os
import subprocess
import threading
import time


def coded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    """`folder`: for its keys, which live as long as the folder."""

    def __init__(self, folder):
        self._folder = folder
        self.make_key("first")
        self.asked = []  # paths
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.asked.append(self.path)
                body = issuer.answer_to(self.path)
                self.send_response(200 if body else 404)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/tenant"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def make_key(self, name):
        """From now on it is the only one."""
        self._key_id, self._key = name, os.path.join(self._folder, f"{name}.pem")
        subprocess.run(["openssl", "genrsa", "-out", self._key, "2048"], check=True, capture_output=True)
        modulus = subprocess.run(["openssl", "rsa", "-in", self._key, "-noout", "-modulus"], check=True, capture_output=True, text=True).stdout
        self._modulus = bytes.fromhex(modulus.strip().removeprefix("Modulus="))

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def answer_to(self, path):
        if path == "/.well-known/openid-configuration/tenant":
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        if path == "/tenant/keys":
            return {"keys": [{"kty": "RSA", "kid": self._key_id, "use": "sig", "n": coded(self._modulus), "e": "AQAB"}]}
        return None

    def token(self, audience, *, key_id=None, **claims):
        head = coded(json.dumps({"alg": "RS256", "kid": key_id or self._key_id}).encode())
        body = coded(json.dumps({"iss": self.url, "aud": audience, "sub": "ann", "exp": int(time.time()) + 600, **claims}).encode())
        signed = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self._key], input=f"{head}.{body}".encode(), check=True, capture_output=True)
        return f"{head}.{body}.{coded(signed.stdout)}"
