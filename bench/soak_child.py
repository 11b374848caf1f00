"""An MCP server for the soak: quick and steady, unless an argument says otherwise. `crash=P`: with that probability a call ends the process
instead of being answered. `hang=P`: a call is never answered. `tools=N`: so many more tools. Python 3, standard library only."""

import json
import os
import random
import sys

SCHEMA = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}


def options():
    given = dict(argument.split("=", 1) for argument in sys.argv[1:])
    return float(given.get("crash", 0)), float(given.get("hang", 0)), int(given.get("tools", 0))


def tool(name, description):
    return {"name": name, "description": description, "inputSchema": SCHEMA}


def result_of(request, tools):
    method, params = request["method"], request.get("params") or {}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": params["arguments"]["message"]}]}
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "soak", "version": "1"}}
    return {"tools": tools} if method == "tools/list" else {}


def write(message):
    text = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
    while text:
        text = text[os.write(1, text):]


def serve(crash, hang, more):
    tools = [tool("echo", "Echoes back the message")]
    what = "Generated tool number {} of a server that has many, with a description of ordinary length."
    tools += [tool(f"generated_{i}", what.format(i)) for i in range(more)]
    buffer = b""
    while chunk := os.read(0, 1 << 16):
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in filter(None, lines):
            request = json.loads(line)
            if "id" not in request or "method" not in request:
                continue
            if request["method"] == "tools/call":
                if random.random() < crash:
                    os._exit(1)
                if random.random() < hang:
                    continue
            write({"jsonrpc": "2.0", "id": request["id"], "result": result_of(request, tools)})


serve(*options())
