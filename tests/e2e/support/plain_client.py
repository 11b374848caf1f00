"""Clients that the fixtures of logins and of revision 2026-07-28 are tried with: correct ones, whose requests a test may spoil."""

import http.client
import json
import secrets
import urllib.error
import urllib.request
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from support import mirrored_headers
from support.authorization_grants import challenge_of
from support.small_server import json_reply, SmallServer

META = "io.modelcontextprotocol/"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Answer(NamedTuple):
    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)

    def messages(self):
        """Of a stream of events, or the only one."""
        if not self.headers.get("content-type", "").startswith("text/event-stream"):
            return [self.json()]
        return [json.loads(line[len("data: "):]) for line in self.body.decode().split("\n") if line.startswith("data: ")]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def fetch(url, data=None, headers=None, timeout=30):
    """GET, or POST of `data`: a dict is a form."""
    body = urlencode(data).encode() if isinstance(data, dict) else data
    asked = urllib.request.Request(url, body, headers or {})
    try:
        with urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({})).open(asked, timeout=timeout) as answer:
            return Answer(answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, {k.lower(): v for k, v in error.headers.items()}, error.read())


class RedirectListener(SmallServer):
    """Where the browser ends, with code and state."""

    def answer(self, asked):
        return json_reply({"you": "may close this page"})

    @property
    def url(self):
        return f"{self.origin}/callback"


def meta(version="2026-07-28", capabilities=None, **more):
    needed = {META + "protocolVersion": version, META + "clientCapabilities": {} if capabilities is None else capabilities}
    return {**needed, META + "clientInfo": {"name": "plain", "version": "1"}, **more}


def request(method, request_id=1, the_meta=None, **params):
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {**params, "_meta": meta() if the_meta is None else the_meta}}


def headers_for(message, tools=()):
    """The ones that belong to a request. `tools`: definitions, of those that have headers for arguments."""
    method, params = message["method"], message.get("params", {})
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Method": method,
               "MCP-Protocol-Version": params.get("_meta", {}).get(META + "protocolVersion", "2026-07-28")}
    if method in NAMED:
        headers["Mcp-Name"] = mirrored_headers.coded(params[NAMED[method]])
    for tool in tools:
        if tool["name"] == params.get("name"):
            for path, name, _ in mirrored_headers.annotated(tool["inputSchema"]):
                value = mirrored_headers.value_at(params.get("arguments", {}), path)
                if value is not None:
                    headers[f"Mcp-Param-{name}"] = mirrored_headers.coded(value if isinstance(value, str) else json.dumps(value))
    return headers


def send(child, message, headers=None, without=(), tools=()):
    """`headers`: other ones; `without`: names of those that are forgotten."""
    kept = {name: value for name, value in headers_for(message, tools).items() if name not in without}
    return fetch(child.url, json.dumps(message).encode(), {**kept, **(headers or {})})


class OpenRequest:
    """Whose answer is a stream that is read piece by piece, or left."""

    def __init__(self, child, message):
        self._connection = http.client.HTTPConnection("127.0.0.1", child.port, timeout=30)
        self._connection.request("POST", child.path, json.dumps(message), headers_for(message))

    def next_message(self):
        """None: the stream has ended."""
        if not hasattr(self, "_answer"):
            self._answer = self._connection.getresponse()
        for line in iter(self._answer.readline, b""):
            if line.startswith(b"data: "):
                return json.loads(line[len(b"data: "):])
        return None

    def leave(self):
        if hasattr(self, "_answer"):
            self._answer.close()
        self._connection.close()


class Login:
    """The whole dance of a public client. Attributes are what a test looks at or spoils between its steps."""

    def __init__(self, server, listener, resource, scope=""):
        self.server, self.listener, self.resource, self.scope = server, listener, resource, scope
        self.verifier, self.state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        self.client_id = None

    def register(self, **more):
        wanted = {"client_name": "plain", "redirect_uris": [self.listener.url], "application_type": "native", "token_endpoint_auth_method": "none",
                  "grant_types": ["authorization_code", "refresh_token"], **more}
        answer = fetch(f"{self.server.issuer}/register", json.dumps(wanted).encode(), {"Content-Type": "application/json"})
        self.client_id = answer.json().get("client_id")
        return answer

    def authorization_url(self, **other):
        query = {"response_type": "code", "client_id": self.client_id, "redirect_uri": self.listener.url, "state": self.state, "resource": self.resource,
                 "code_challenge": challenge_of(self.verifier), "code_challenge_method": "S256", "scope": self.scope, **other}
        return f"{self.server.issuer}/authorize?{urlencode({name: value for name, value in query.items() if value})}"

    def authorize(self, **other):
        """What comes back by the address of the redirect; else the Answer of who does not redirect."""
        answer = fetch(self.authorization_url(**other))
        return dict(parse_qsl(urlsplit(answer.headers["location"]).query)) if answer.status == 302 else answer

    def redeem(self, code, **other):
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.listener.url, "client_id": self.client_id,
                "code_verifier": self.verifier, "resource": self.resource, **other}
        return self.ask_for_tokens(form)

    def refresh(self, token, **other):
        return self.ask_for_tokens({"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id, "resource": self.resource, **other})

    def ask_for_tokens(self, form, headers=None):
        return fetch(f"{self.server.issuer}/token", {name: value for name, value in form.items() if value}, headers)
