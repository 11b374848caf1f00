"""A small MCP server: tickets in a file. usage: tickets.py FILE"""

import json
import os
import sys

FILE = sys.argv[1]
TITLE = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
TOOLS = [
    {"name": "create", "description": "Creates a ticket.", "inputSchema": TITLE},
    {"name": "list", "description": "All tickets.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
]


def tickets():
    if not os.path.exists(FILE):
        return []
    with open(FILE, encoding="utf-8") as file:
        return [{"title": line.rstrip("\n")} for line in file]


def call(name, arguments):
    if name == "create":
        with open(FILE, "a", encoding="utf-8") as file:
            file.write(arguments["title"] + "\n")
        return {"created": True}
    return {"tickets": tickets()}


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "tickets", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        result = call(params["name"], params.get("arguments", {}))
        return {"content": [{"type": "text", "text": json.dumps(result)}], "structuredContent": result}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message["method"], message.get("params", {}))
    said = {"result": result} if result is not None else {"error": {"code": -32601, "message": "Method not found"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
