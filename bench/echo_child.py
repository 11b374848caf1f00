"""A very fast MCP server for the bench: `echo`, answered without looking at anything else, `large`, and `never`, which is not answered. Next to it the cost
of a call is nearly all code-executor's and the guest's. Python 3, standard library only."""

import json
import os

TOOL = {"name": "echo", "description": "Echoes back the message",
        "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}}
LARGE = {"name": "large", "description": "Answers with that many bytes of text",
         "inputSchema": {"type": "object", "properties": {"bytes": {"type": "integer"}}, "required": ["bytes"]}}
NEVER = {"name": "never", "description": "Gives no answer", "inputSchema": {"type": "object"}}


def result_of(request):
    method, params = request["method"], request.get("params") or {}
    if method == "tools/call" and params["name"] == "large":
        return {"content": [{"type": "text", "text": "x" * params["arguments"]["bytes"]}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": params["arguments"]["message"]}]}
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1"}}
    return {"tools": [TOOL, LARGE, NEVER]} if method == "tools/list" else {}


def answer(line):
    request = json.loads(line)
    if "id" in request and "method" in request and (request.get("params") or {}).get("name") != "never":
        message = {"jsonrpc": "2.0", "id": request["id"], "result": result_of(request)}
        text = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        while text:
            text = text[os.write(1, text):]


def serve():
    buffer = b""
    while chunk := os.read(0, 1 << 16):
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in filter(None, lines):
            answer(line)


serve()
