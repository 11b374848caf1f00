"""What many runs leave behind: bytes on stdout that are not the protocol, open descriptors, processes. The programs try:
they write to stdout past every wrapper, start processes and leave calls unanswered."""

import time

from support import processes
from support.programs import PYTHON, TYPESCRIPT, ask_run, report_of
from support.row import Row, expect
from support.world import ECHO_CHILD, NO_POOL, World

AT_ONCE = 4
SETTLE_SECONDS = 5

PROGRAMS = {
    TYPESCRIPT: """
console.log("printed"); console.error("complained");
const { writeSync } = await import("node:fs");
writeSync(1, "not JSON\\n");
callMCPTool("mcp__child__echo", { message: "nobody waits" });
return await mcp.child.echo({ message: "hello" });
""",
    PYTHON: """
import os
print("printed")
os.write(1, b"not JSON\\n")
if os.fork() == 0:
    while True:
        os.read(os.pipe()[0], 1)
mcp.child.echo(message="hello")
""",
}


def run_some(server, count):
    """`count` runs, half of them in each language, a few at once."""
    languages = [language for _ in range(count // 2) for language in PROGRAMS]
    for i in range(0, len(languages), AT_ONCE):
        asked = [ask_run(server, language, PROGRAMS[language]) for language in languages[i:i + AT_ONCE]]
        for request in asked:
            report = report_of(server.answer(request))
            expect(report["result"] == "hello" and "not JSON" in report["output"], f"a run ended with {report}")


def census(server):
    pid = server.process.pid
    return processes.open_descriptors(pid), len(processes.descendants(pid))


def settled_census(server, wanted):
    """The last guests may still be dying when their runs are answered."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while (now := census(server)) != wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    return now


def measure(rounds):
    with World({"child": ECHO_CHILD}, NO_POOL) as world, world.start() as server:
        server.initialize()
        run_some(server, AT_ONCE)  # starts the child and what else lives as long as the server
        time.sleep(0.5)
        before = census(server)
        run_some(server, rounds.runs)
        after = settled_census(server, before)
        family = processes.descendants(server.process.pid)
        code = server.close()
        left = {"stray bytes": server.stray_bytes, "descriptors": after[0] - before[0], "processes": after[1] - before[1],
                "processes after the end": len(processes.alive(family))}
    expect(code == 0, f"the server ended with exit code {code}")
    yield Row(f"left after {rounds.runs} runs", ", ".join(f"{n} {what}" for what, n in left.items()), "0",
              not any(left.values()), left)
