"""An MCP server over HTTP that wants a bearer token of an authorization server of the tests.

    server = AuthorizationServer(scopes=("mcp:read", "mcp:write"))
    child = ProtectedChild(server, scope="mcp:read", tool_scopes={"write": "mcp:write"})
"""

import json
import threading
from urllib.parse import parse_qsl

from support.authorization_faults import with_lies
from support.authorization_server import AuthorizationServer
from support.http_child import HttpChild, Reply, TOOL
from support.modern_child import ModernChild
from support.small_server import Asked, json_reply

WELL_KNOWN = "/.well-known/oauth-protected-resource"


def said(value):
    """As a header has it: a quoted-string."""
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


class Protection:
    """Put before a child of any era. Attributes, which are also keywords:

    metadata_at      where its metadata is: "path", "root", both of them as a tuple, any other path, or None: nowhere
    says_metadata    whether WWW-Authenticate has resource_metadata; a text: that address, whatever is there
    scope            in the challenge of a 401; None: not there
    needs            without which no request at all is answered: scopes, separated by spaces
    tool_scopes      by tool: the scopes that a call needs
    hides_tools      tools/list has only the tools that the token may call
    is_never_content calls of tools in `tool_scopes` are refused whatever the token may do: for clients that ask again and again
    challenges       a list of other texts of WWW-Authenticate instead of the usual one; []: none
    scopes_supported in its metadata; None: not there
    metadata_fault   instead of its metadata: authorization_faults.py
    lies             other members of its metadata, as of with_lies()
    checks_resource  whether tokens for another resource are refused
    dies_after       so many calls of tools; after each of them all access tokens have expired. None: never
    """

    def __init__(self, server: AuthorizationServer, *, metadata_at="path", says_metadata=True, scope=None, needs="", tool_scopes=None, hides_tools=False,
                 is_never_content=False, challenges=None, scopes_supported=None, lies=None, metadata_fault=None, checks_resource=True,
                 dies_after=None, **how):
        self.server, self.metadata_at, self.says_metadata, self.scope = server, metadata_at, says_metadata, scope
        self.needs, self.tool_scopes, self.hides_tools, self.is_never_content = needs, tool_scopes or {}, hides_tools, is_never_content
        self.challenges, self.scopes_supported, self.lies, self.checks_resource = challenges, scopes_supported, lies or {}, checks_resource
        self.metadata_fault, self.dies_after, self.is_closed = metadata_fault, dies_after, threading.Event()
        self.authorizations = []  # the header of each request that is not for metadata; None: it had none
        self.refusals = []        # (status, why) of all that were not let in
        self.metadata_asked = []  # paths
        self._calls = 0
        super().__init__(**how)

    # ---- its metadata

    def metadata_paths(self):
        named = {"path": WELL_KNOWN + self.path, "root": WELL_KNOWN}
        places = self.metadata_at if isinstance(self.metadata_at, tuple) else (self.metadata_at,)
        return [named.get(place, place) for place in places if place]

    @property
    def metadata_url(self):
        return f"{self.origin}{(self.metadata_paths() or [WELL_KNOWN + self.path])[0]}"

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def close(self):
        self.is_closed.set()
        super().close()

    def usual(self, _asked):
        """What a fault takes the place of."""
        document = {"resource": self.url, "authorization_servers": [self.server.issuer], "bearer_methods_supported": ["header"]}
        if self.scopes_supported is not None:
            document["scopes_supported"] = list(self.scopes_supported)
        return json_reply(with_lies(document, self.lies), headers={"Access-Control-Allow-Origin": "*"})

    def _answer_with_metadata(self, handler, seen, path):
        if path not in self.metadata_paths():
            return self.send(handler, Reply(404))
        asked = Asked(seen.method, path, dict(parse_qsl(seen.path.partition("?")[2])), seen.headers, b"", {}, ())
        reply = (self.metadata_fault and self.metadata_fault(self, asked)) or self.usual(asked)
        return reply(handler) if callable(reply) else self.send(handler, reply)

    # ---- who may do what

    def _answer(self, handler, seen):
        path = seen.path.partition("?")[0]
        if "/.well-known/" in path or path in self.metadata_paths():
            self.metadata_asked.append(path)
            return self._answer_with_metadata(handler, seen, path)
        self.authorizations.append(seen.headers.get("authorization"))
        token, why = self._token_of(seen)
        if token is None:
            return self._refuse(handler, 401, why, None if why == "no token" else "invalid_token", self.scope)
        missing = self._missing(token, seen.message)
        if missing:
            return self._refuse(handler, 403, f"the token lacks {missing}", "insufficient_scope", missing)
        self._count(seen)
        return super()._answer(handler, seen)

    def _token_of(self, seen):
        header = seen.headers.get("authorization")
        if "access_token=" in seen.path:
            return None, "a token in the address"
        if header is None:
            return None, "no token"
        if not header.startswith("Bearer "):
            return None, "no bearer token"
        token = self.server.token(header[len("Bearer "):])
        if token is None:
            return None, "expired, revoked or never given"
        if self.checks_resource and token.resource != self.url:
            return None, f"the token is for {token.resource}"
        return token, None

    def _missing(self, token, message):
        """The scopes that would do; empty: the request may be carried out."""
        is_call = isinstance(message, dict) and message.get("method") == "tools/call"
        named = message["params"].get("name") if is_call and isinstance(message.get("params"), dict) else None
        of_tool = self.tool_scopes.get(named, "")
        if of_tool and self.is_never_content:
            return of_tool
        wanted = f"{self.needs} {of_tool}".split()
        return " ".join(wanted) if not set(wanted) <= set(token.scope) else ""

    def _count(self, seen):
        if self.dies_after is not None and seen.message and seen.message.get("method") == "tools/call":
            self._calls += 1
            if self._calls % self.dies_after == 0:
                self.server.expire_access_tokens()

    def tools_for(self, seen):
        tools = super().tools_for(seen)
        return [tool for tool in tools if self._may_call(seen, tool["name"])] if self.hides_tools else tools

    def _may_call(self, seen, name):
        token, _ = self._token_of(seen)
        return token is not None and set(self.tool_scopes.get(name, "").split()) <= set(token.scope)

    def _refuse(self, handler, status, why, error, scope):
        self.refusals.append((status, why))
        parts = {"error": error, "scope": scope}
        if self.says_metadata:
            parts["resource_metadata"] = self.says_metadata if isinstance(self.says_metadata, str) else self.metadata_url
        usual = "Bearer " + ", ".join(f"{name}={said(value)}" for name, value in parts.items() if value)
        body = json.dumps({"error": error or "unauthorized", "error_description": why}).encode()
        handler.send_response(status)
        for challenge in [usual.strip()] if self.challenges is None else self.challenges:
            handler.send_header("WWW-Authenticate", challenge)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


class ProtectedChild(Protection, HttpChild):
    """Of 2025-11-25."""

    def __init__(self, server, **how):
        super().__init__(server, **how)
        self.tools = self.tools + [{**TOOL, "name": name} for name in self.tool_scopes if name != TOOL["name"]]


class ProtectedModernChild(Protection, ModernChild):
    """Of 2026-07-28; keywords of ModernChild besides."""

    def __init__(self, server, **how):
        super().__init__(server, **how)
        for name in sorted(set(self.tool_scopes) - set(self.catalogue.tools)):
            self.catalogue.add_tool(name)
