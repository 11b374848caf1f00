"""Stands for a test or a client of the user: starts a server of ours by itself, has it run a program, and prints what comes of it.

usage: lone_client.py BINARY CODE      exit code 1: the run failed, and its text is on stderr"""

import json
import subprocess
import sys

server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(number, method, params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    while True:
        answer = json.loads(server.stdout.readline())
        if answer.get("id") == number:
            return answer


ask(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
result = ask(2, "tools/call", {"name": "run-typescript-code", "arguments": {"code": sys.argv[2]}})["result"]
server.stdin.close()
server.wait()
print(result["content"][0]["text"], file=sys.stderr if result.get("isError") else sys.stdout)
sys.exit(1 if result.get("isError") else 0)
