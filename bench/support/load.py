"""Runs in both languages, so many a second, from one client; and whether each was answered as it should be."""

import itertools
import random
import threading
import time
from typing import Callable, NamedTuple

from support.mcp_client import McpFailure
from support.programs import PYTHON, TYPESCRIPT, Language
from support.reports import report_in

STEADY = [f"steady-{i}" for i in range(7)]
CRASHING = ["crashing-0", "crashing-1"]
HANGING = "hanging"
# Of a soak with faults: all but two of the steady ones.
FAULTED = [*STEADY[2:], *CRASHING, HANGING]
RUN_TIMEOUT_MS = 60_000
# A program waits for its open calls, so the server that hangs holds the one that wakes all until its time is over.
WAKE_TIMEOUT_MS = 15_000
SHORT_TIMEOUT_MS = 1_000
# Of programs whose calls may never be answered: as many as that hold a place at once.
FAULTY_TIMEOUT_MS = 5_000
FAILURES_KEPT = 20
# A server that crashes is one of these to its caller, by what it was doing.
CRASHES = {"server_died", "server_unavailable", "server_start_failed"}


class Program(NamedTuple):
    weight: int
    language: Language
    code: str
    is_right: Callable  # of the structured content
    parameters: dict = {}


def succeeds_with(*results):
    return lambda report: report["success"] and report.get("result") in results


def prints_much(report):
    return report["success"] and report.get("truncated")


def fails_as_meant(report):
    return not report["success"] and "as meant" in report["error"]


def echoes_or_times_out(report):
    return report.get("result") == "x" or "timed out" in report.get("error", "")


def without(others, names):
    return [name for name in names if name not in others]


def ends_somehow(report):
    return report["success"] or bool(report.get("error"))


def programs(number, faulted):
    """Those of client `number`: every server is called by both languages. Calls of `faulted` servers may come to anything."""
    typescript = lambda server: f"return await callMCPTool('mcp__{server}__echo', {{message: 'x'}})"
    python = lambda server: f"call_mcp_tool('mcp__{server}__echo', {{'message': 'x'}})"
    caught_ts = "try {{ {} }} catch (e) {{ return e.code }}"
    caught_py = "try:\n    found = {}\nexcept MCPError as e:\n    found = e.code\nfound"
    crash = succeeds_with("x", *CRASHES)
    short = {"timeoutMs": SHORT_TIMEOUT_MS}
    out = []
    faulty = {"timeoutMs": FAULTY_TIMEOUT_MS}
    for server in faulted:
        out += [Program(1, TYPESCRIPT, typescript(server), ends_somehow, faulty), Program(1, PYTHON, python(server), ends_somehow, faulty)]
    for server in without(faulted, STEADY):
        out += [Program(2, TYPESCRIPT, typescript(server), succeeds_with("x")), Program(2, PYTHON, python(server), succeeds_with("x"))]
    for server in without(faulted, CRASHING):
        out += [Program(1, TYPESCRIPT, caught_ts.format(typescript(server)), crash), Program(1, PYTHON, caught_py.format(python(server)), crash)]
    for server in without(faulted, [HANGING]):
        out += [Program(1, TYPESCRIPT, typescript(server), echoes_or_times_out, short), Program(1, PYTHON, python(server), echoes_or_times_out, short)]
    out += [
        Program(1, TYPESCRIPT, "console.log('line\\n'.repeat(20_000)); return 1", prints_much),
        Program(1, PYTHON, "print('line\\n' * 20_000)", prints_much),
        Program(1, TYPESCRIPT, "throw new Error('as meant')", fails_as_meant),
        Program(1, PYTHON, "raise ValueError('as meant')", fails_as_meant),
        Program(1, TYPESCRIPT, "return (await searchTools('echo a message', 3)).length", succeeds_with(3)),
        Program(1, PYTHON, "len(search_tools('echo a message', 3))", succeeds_with(3)),
        Program(1, TYPESCRIPT, "globalThis.n = (globalThis.n ?? 0) + 1; return globalThis.n > 0", succeeds_with(True), {"session": f"s{number}"}),
        Program(1, PYTHON, f"save_memory('soak-{number}', 'x')\nload_memory('soak-{number}')", lambda report: report["success"]),
    ]
    return out


def wake(server):
    """Starts all MCP servers, so that what follows finds them running."""
    calls = ", ".join(f"callMCPTool('mcp__{name}__echo', {{message: 'x'}})" for name in [*STEADY, *CRASHING, HANGING])
    server.call_tool(TYPESCRIPT.tool, {"code": f"await Promise.allSettled([{calls}])", "timeoutMs": WAKE_TIMEOUT_MS})


class Load(threading.Thread):
    """Asks `rate` times a second until `seconds` are over, then waits for what is open. Never waits for an answer before it asks again."""

    def __init__(self, number, server, rate, seconds, answer_seconds, faulted=()):
        super().__init__(daemon=True)
        self.server, self.answered, self.slowest, self.failures, self.failed = server, 0, 0.0, [], 0
        self._rate, self._seconds, self._patience = rate, seconds, answer_seconds
        self._programs = programs(number, faulted)
        self._random = random.Random(number)
        self._open = {}  # id -> program, when it was asked

    def run(self):
        begin = time.monotonic()
        try:
            for count in itertools.count():
                due = begin + count / self._rate
                if due > begin + self._seconds:
                    break
                while (left := due - time.monotonic()) > 0:
                    self._take(left)
                self._ask()
            while self._open and time.monotonic() < begin + self._seconds + self._patience:
                self._take(1)
        except (McpFailure, OSError) as failure:
            self._fail(str(failure))
        for program, _ in self._open.values():
            self._fail(f"no answer within {self._patience} s after the last request: {program.code}")

    def open_runs(self):
        return len(self._open)

    def _ask(self):
        program = self._random.choices(self._programs, [p.weight for p in self._programs])[0]
        arguments = {"code": program.code, "timeoutMs": RUN_TIMEOUT_MS, **program.parameters}
        asked = self.server.ask("tools/call", {"name": program.language.tool, "arguments": arguments})
        self._open[asked] = program, time.monotonic()

    def _take(self, seconds):
        for request, message in self.server.take_answers(seconds).items():
            program, asked = self._open.pop(request)
            self.answered += 1
            self.slowest = max(self.slowest, time.monotonic() - asked)
            report = report_in(message.get("result", {}))
            if report is None or not program.is_right(report):
                self._fail(f"{program.language.name} {program.code!r} was answered with {str(report or message)[:500]}")

    def _fail(self, what):
        self.failed += 1
        if len(self.failures) < FAILURES_KEPT:
            self.failures.append(what)
