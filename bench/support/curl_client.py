"""A client of an MCP server over HTTP by libcurl itself, on one kept connection: what a program in C would need for a call."""

import ctypes
import ctypes.util
import json

from support.mcp_client import REVISION, McpFailure

URL, POSTFIELDS, POSTFIELDSIZE, HTTPHEADER, WRITEFUNCTION, HEADERFUNCTION = 10002, 10015, 60, 10023, 20011, 20079
WRITE = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p)


def library():
    found = ctypes.CDLL(ctypes.util.find_library("curl") or "libcurl.so.4")
    found.curl_easy_init.restype = ctypes.c_void_p
    found.curl_easy_setopt.argtypes = [ctypes.c_void_p, ctypes.c_int]  # and one more, whose type depends
    found.curl_easy_perform.argtypes = found.curl_easy_cleanup.argtypes = [ctypes.c_void_p]
    found.curl_slist_append.restype = ctypes.c_void_p
    found.curl_slist_append.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    found.curl_slist_free_all.argtypes = [ctypes.c_void_p]
    return found


class CurlClient:
    def __init__(self, url):
        self._curl, self._body, self._session, self._last_id, self._fields = library(), [], None, 0, None
        self._easy = self._curl.curl_easy_init()
        self._take_body = WRITE(lambda data, size, count, _: self._body.append(data[:size * count]) or size * count)
        self._take_head = WRITE(self._note_session)
        self._set(URL, ctypes.c_char_p(url.encode()))
        self._set(WRITEFUNCTION, self._take_body)
        self._set(HEADERFUNCTION, self._take_head)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._curl.curl_easy_cleanup(self._easy)
        self._curl.curl_slist_free_all(self._fields)

    def _set(self, option, value):
        self._curl.curl_easy_setopt(self._easy, option, value)

    def _note_session(self, data, size, count, _):
        name, _, value = data[:size * count].decode("latin-1").partition(":")
        if name.lower() == "mcp-session-id":
            self._session = value.strip()
        return size * count

    def _say_fields(self):
        fields = ["Content-Type: application/json", "Accept: application/json, text/event-stream", f"MCP-Protocol-Version: {REVISION}"]
        fields += [f"Mcp-Session-Id: {self._session}"] if self._session else []
        old, self._fields = self._fields, None
        for field in fields:
            self._fields = self._curl.curl_slist_append(self._fields, field.encode())
        self._set(HTTPHEADER, ctypes.c_void_p(self._fields))
        self._curl.curl_slist_free_all(old)

    def _post(self, message):
        text = json.dumps(message).encode()
        self._body.clear()
        self._set(POSTFIELDS, ctypes.c_char_p(text))
        self._set(POSTFIELDSIZE, ctypes.c_long(len(text)))
        if code := self._curl.curl_easy_perform(self._easy):
            raise McpFailure(f"libcurl: {code}")
        return b"".join(self._body).decode()

    def initialize(self):
        self._say_fields()
        self.request("initialize", {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self._say_fields()
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method, params):
        self._last_id += 1
        text = self._post({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")] or [text]
        answer = json.loads(lines[-1])
        if "result" not in answer:
            raise McpFailure(text[:500])
        return answer["result"]

    def call_tool(self, name, arguments):
        return self.request("tools/call", {"name": name, "arguments": arguments})
