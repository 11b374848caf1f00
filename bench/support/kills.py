"""SIGKILL of the server at random moments of its work, in one home: whether the next one starts and works, whether what is on disk is whole,
and whether a process is left."""

import os
import random
import signal
import sqlite3
import subprocess
import time

from support import processes
from support.mcp_client import McpFailure
from support.programs import PYTHON, TYPESCRIPT
from support.reports import report_in
from support.row import expect
from support.world import SOAK_CHILD, World, binary

WORK_SECONDS_MAX = 1.5
# The guardian, bubblewrap and the kernel see to it; a loaded machine takes its time.
LEFT_SECONDS = 10
AUDIT_SECONDS = 60
TOOLS = 50

SERVERS = {f"child-{i}": [*SOAK_CHILD, f"tools={TOOLS}"] for i in range(3)}
CALL_TYPESCRIPT = "return await callMCPTool('mcp__child-{}__echo', {{message: 'x'}})"
CALL_PYTHON = "call_mcp_tool('mcp__child-{}__echo', {{'message': 'x'}})"


def give_work(server, number):
    """Much at once, of every kind that writes something; nobody waits for it."""
    for i in range(len(SERVERS)):
        server.ask("tools/call", {"name": "search_tools", "arguments": {"query": "echo", "server": f"child-{i}"}})
        server.ask("tools/call", {"name": TYPESCRIPT.tool, "arguments": {"code": CALL_TYPESCRIPT.format(i)}})
        server.ask("tools/call", {"name": PYTHON.tool, "arguments": {"code": CALL_PYTHON.format(i)}})
    server.ask("tools/call", {"name": PYTHON.tool, "arguments": {"code": f"for i in range(200): save_memory(f'key-{{i}}', {number})"}})
    server.ask("tools/call", {"name": PYTHON.tool, "arguments": {"code": "print('line\\n' * 100_000)"}})


def works(server):
    result = server.call_tool(TYPESCRIPT.tool, {"code": CALL_TYPESCRIPT.format(0)})
    report = report_in(result)
    return report["success"] and report["result"] == "x"


def kill(server):
    """Gives the processes that it leaves to others to end: nothing is started between looking and killing."""
    os.kill(server.process.pid, signal.SIGSTOP)
    below = processes.descendants(server.process.pid)
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    return below


def left_after(below):
    deadline = time.monotonic() + LEFT_SECONDS
    while (left := processes.alive(below)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def damages(state):
    """What is wrong with the files of the servers."""
    wrong = []
    for path in sorted(state.iterdir()):
        if ".damaged-" in path.name:
            wrong.append(f"{path.name} was put aside")
        elif path.suffix == ".db":
            with sqlite3.connect(path) as database:
                found = database.execute("PRAGMA integrity_check").fetchone()[0]
            if found != "ok":
                wrong.append(f"{path.name}: {found}")
    return wrong


def audit_problems(world):
    """None: this binary has no `audit verify`."""
    asked = subprocess.run([binary(), "audit", "verify"], env=world.environment(), cwd=world.folder, capture_output=True, text=True,
                           timeout=AUDIT_SECONDS, check=False)
    if asked.returncode == 2:
        return None
    return [] if asked.returncode == 0 else [f"the audit log is not whole: {asked.stdout}{asked.stderr}"]


def kill_at_random(moments, seed=1):
    """What went wrong, one line each, and whether the audit log was looked at."""
    wrong, chance = [], random.Random(seed)
    with World(SERVERS) as world:
        state = world.folder / "home" / ".code-executor"
        for moment in range(moments):
            after = chance.uniform(0, WORK_SECONDS_MAX)
            with world.start() as server:
                try:
                    server.initialize()
                    give_work(server, moment)
                    time.sleep(after)
                except McpFailure as failure:
                    wrong.append(f"start {moment} did not work: {failure}")
                left = left_after(kill(server))
            wrong += [f"killed after {after:.2f} s: process {pid} is left: {processes.command_line(pid)}" for pid, _ in left]
        with world.start() as server:
            server.initialize()
            expect(works(server), "the last server does not work")
        wrong += damages(state)
        audit = audit_problems(world)
        return wrong + (audit or []), audit is not None
