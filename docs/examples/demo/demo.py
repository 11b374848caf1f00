#!/usr/bin/env python3
"""The main job, shown: an MCP client starts code-executor with two real MCP servers behind it and sends it one program
in each language. `./dev demo` runs this after installing and building. Exit code 1 if anything is not as it should be."""

import json
import os
import shutil
import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "bench"))

from support import processes  # noqa: E402
from support.mcp_client import McpClient, McpFailure  # noqa: E402
from support.tokens import count_tokens  # noqa: E402
from support.world import World, binary, npm_server  # noqa: E402
from terminal import Terminal  # noqa: E402

SHOPS = {
    "new-york.csv": "product,pieces,price\numbrella,12,20\nscarf,3,15\n",
    "chicago.csv": "product,pieces,price\nscarf,14,15\numbrella,2,20\n",
    "los-angeles.csv": "product,pieces,price\nsunglasses,9,30\n",
}
# Worked out by hand from the table above.
REVENUE = [("New York", 285), ("Los Angeles", 270), ("Chicago", 250)]
BEST_SELLER = {"best": "scarf", "pieces": 17, "with the second": "The sum of 17 and 14 is 31."}


class DemoFailure(Exception):
    """What is not as it should be; a whole sentence."""


def check(condition, otherwise):
    if not condition:
        raise DemoFailure(otherwise)


def check_installed(servers):
    check(os.access(binary(), os.X_OK), f"{binary()} is missing; build it with ./dev build, or name it by CODE_EXECUTOR.")
    check(shutil.which("node"), "node is not in PATH; it runs the MCP servers of this demo. ./dev demo installs it.")
    for argv in servers.values():
        check(os.path.exists(argv[1]), f"{argv[1]} is missing; ./dev demo installs it.")


def run_program(terminal, server, tool, file):
    """Sends the program and shows what came of it; gives its result."""
    code = (HERE / file).read_text(encoding="utf-8")
    terminal.title(f"{tool}  (demo/{file})")
    terminal.code(code)
    report = server.call_tool(tool, {"code": code})["_meta"]["code-executor/report"]
    terminal.calls(report.get("toolCallSummary", []))
    terminal.output(report["output"])
    if "result" in report:
        terminal.result(json.dumps(report["result"], indent=2, ensure_ascii=False))
    check(report["success"], f"The program of demo/{file} failed: {report.get('error')}")
    terminal.note(f"{report['executionTimeMs']:.0f} ms in all")
    return report["result"]


def run_programs(terminal, server, folder):
    shops = run_program(terminal, server, "run-typescript-code", "program.ts")
    check([(shop["city"], shop["revenue"]) for shop in shops] == REVENUE and all(shop["conditions"] for shop in shops),
          f"The TypeScript program returned something else than {REVENUE} with the weather.")
    terminal.note("The first search started both servers, which is most of that time. They run from now on.")
    best = run_program(terminal, server, "run-python-code", "program.py")
    check(best == BEST_SELLER, f"The Python program returned something else than {BEST_SELLER}.")
    report = folder / "report.txt"
    check(report.exists() and report.read_text() == "scarf: 17\n", f"The Python program did not write {report}.")


def tool_list_text(client):
    """The results of tools/list as compact JSON, which is what the model's client receives."""
    return "".join(json.dumps(page, separators=(",", ":"), ensure_ascii=False) for page in client.list_tools())


def child_tool_list(argv):
    with McpClient(argv) as child:
        child.initialize()
        return tool_list_text(child)


def show_sizes(terminal, server, servers):
    terminal.title("tools/list: what a model pays for before it has done anything")
    ours = tool_list_text(server)
    theirs = {name: child_tool_list(argv) for name, argv in servers.items()}
    rows = [(f"{name}, asked directly", text) for name, text in theirs.items()]
    rows += [("the two together", "".join(theirs.values())), ("code-executor, whatever is behind it", ours)]
    terminal.sizes([(name, len(text.encode()), count_tokens(text)) for name, text in rows])
    check(len(ours) < sum(map(len, theirs.values())), "The tool list of code-executor is larger than those of its servers.")


def end_server(server):
    """In order, as a client does: by closing its stdin."""
    family = processes.descendants(server.process.pid)
    code = server.close()
    check(code == 0, f"The server ended with exit code {code} instead of 0.\n{server.stderr()}")
    check(server.stray_bytes == 0, f"The server wrote {server.stray_bytes} bytes to stdout that are not the protocol.")
    left = processes.alive(family)
    check(not left, f"Processes of the server are left: {sorted(pid for pid, _ in left)}.")


def demo(terminal):
    with World({}) as world:
        folder = world.folder / "shops"
        servers = {"filesystem": npm_server("server-filesystem", folder), "everything": npm_server("server-everything")}
        check_installed(servers)
        folder.mkdir()
        for name, text in SHOPS.items():
            (folder / name).write_text(text, encoding="utf-8")
        world.configure(servers)
        terminal.title("two MCP servers from npm, in a configuration of this demo's own")
        terminal.code(world.config.read_text(encoding="utf-8"))
        with world.start() as server:
            identity = server.initialize()
            terminal.note(f"{identity['serverInfo']['name']} {identity['serverInfo']['version']} answers over stdio, "
                          f"MCP {identity['protocolVersion']}; neither server is running yet")
            run_programs(terminal, server, folder)
            show_sizes(terminal, server, servers)
            end_server(server)


def main():
    terminal = Terminal(sys.stdout)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as an exception, so that everything is cleared away
    try:
        demo(terminal)
    except (DemoFailure, McpFailure, OSError) as failure:
        terminal.failure(f"The demo failed: {failure}")
        return 1
    except KeyboardInterrupt:
        return 130
    terminal.note("Everything worked, and nothing is left running.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
