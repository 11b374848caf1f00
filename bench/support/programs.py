"""Sending programs to the server, in either language."""

import time
from typing import NamedTuple

from support.reports import report_in
from support.row import expect


class Language(NamedTuple):
    name: str
    tool: str


TYPESCRIPT = Language("TypeScript", "run-typescript-code")
PYTHON = Language("Python", "run-python-code")


def report_of(result):
    """The report of a run that must have succeeded."""
    report = report_in(result)
    expect(report["success"], f"a program of the bench failed: {report.get('error')}")
    return report


def ask_run(server, language, code):
    """Sends the program and does not wait; gives the request's id."""
    return server.ask("tools/call", {"name": language.tool, "arguments": {"code": code}})


def run(server, language, code):
    """Report, and milliseconds from the request's first byte to the answer's last, as the client sees it."""
    begin = time.perf_counter()
    report = report_of(server.call_tool(language.tool, {"code": code}))
    return report, (time.perf_counter() - begin) * 1000
