"""Has code-executor run a program beside a server of tickets, and says by its exit code whether all is well then.

usage: client.py PROGRAM        CODE_EXECUTOR: path of code-executor; else it is looked for in PATH"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
WANTED = ["Leak in the roof", "Door squeaks", "Light is out"]


def run(program, folder):
    """The result of a run."""
    servers = os.path.join(folder, "servers.json")
    entry = {"command": sys.executable, "args": [str(HERE / "tickets.py"), os.path.join(folder, "tickets.txt")], "timeoutMs": 4000}
    with open(servers, "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {"tickets": entry}}, file)
    server = subprocess.Popen([os.environ.get("CODE_EXECUTOR", "code-executor")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "MCP_CONFIG_PATH": servers})

    def ask(number, method, params):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        while True:
            message = json.loads(server.stdout.readline())
            if message.get("id") == number:
                return message["result"]

    ask(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "example", "version": "1"}})
    code = pathlib.Path(program).read_text(encoding="utf-8")
    result = ask(2, "tools/call", {"name": "run-typescript-code", "arguments": {"code": code}})
    server.stdin.close()
    server.wait()
    return result


def main():
    with tempfile.TemporaryDirectory() as folder:
        result = run(sys.argv[1], folder)
        text = result["content"][0]["text"]
        if result.get("isError"):
            sys.exit(text)
        if json.loads(text) != WANTED:
            sys.exit(f"other tickets than wanted: {text}")
    print("all tickets are there, once")


if __name__ == "__main__":
    main()
