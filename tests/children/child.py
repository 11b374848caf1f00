#!/usr/bin/env python3
"""An MCP server for tests. Its tools are in tools.py; how it starts, lists and ends is chosen by flags."""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time

from mcp_child import Child, Journal, NoAnswer, ProtocolError, Tool, text_result
from tools import all_tools


def parse_flags():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    flag = parser.add_argument
    flag("--name", default="test-child", help="serverInfo.name")
    flag("--journal", metavar="FILE", help="append one JSON line per event to FILE")
    flag("--protocol", metavar="VERSION", help="answer initialize with that revision")
    flag("--start-delay-ms", type=int, default=0, help="do nothing for that long before reading stdin")
    flag("--refuse", action="store_true", help="exit 3 with a message on stderr, without any answer")
    flag("--refuse-times", type=int, default=0, metavar="N", help="as --refuse, but only in the first N starts that "
         "the journal knows of")
    flag("--banner", action="store_true", help="print text on stdout first, then behave")
    flag("--garbage-start", action="store_true", help="print text on stdout and never answer initialize")
    flag("--hang-initialize", action="store_true", help="never answer initialize")
    flag("--initialize-error", action="store_true", help="answer initialize with a JSON-RPC error")
    flag("--pages", type=int, default=1, metavar="N", help="tools/list in N pages")
    flag("--repeat-cursor", action="store_true", help="tools/list gives the same nextCursor for ever")
    flag("--duplicate-tools", action="store_true", help="list every tool twice")
    flag("--tools", type=int, default=0, metavar="N", help="N more tools")
    flag("--definitions", metavar="FILE", help="what its tools say of themselves: a JSON object, by name of the tool, that is read for every list")
    flag("--grandchild", action="store_true", help="start a process that sleeps, in the same group, on the same pipes")
    flag("--ignore-stdin-eof", action="store_true")
    flag("--ignore-sigterm", action="store_true")
    flag("--hangs-up", action="store_true", help="the tool `hang` closes stdout, and the process lives on until SIGKILL")
    flag("--closes-stdin", action="store_true", help="the tool `hang` closes stdin, and the process lives on until SIGTERM")
    flag("--noisy", action="store_true", help="print lines on stderr all the time")
    return parser.parse_args()


def generated_tools(count):
    def tool(number):
        name = f"generated-{number:05}"
        return Tool(name, lambda _call, _arguments: text_result(name), description=f"Generated tool {number}.")
    return [tool(number) for number in range(1, count + 1)]


class ConfigurableChild(Child):
    def __init__(self, flags, journal):
        super().__init__(all_tools() + generated_tools(flags.tools), journal, flags.name, flags.protocol)
        self._flags = flags
        self.hangs_up = flags.hangs_up

    def _receive(self, message):
        super()._receive(message)
        if self._flags.closes_stdin and message.get("method") == "tools/call" and message["params"]["name"] == "hang":
            os.close(0) # in the thread that reads: else its read goes on
            threading.Event().wait()

    def initialize(self, params):
        if self._flags.garbage_start:
            self.write(b"Ready. Open http://localhost:8080 in your browser.\n")
            raise NoAnswer
        if self._flags.hang_initialize:
            raise NoAnswer
        if self._flags.initialize_error:
            raise ProtocolError(-32603, "The licence of this server has expired")
        return super().initialize(params)

    def list_tools(self, params):
        tools = self._as_defined(super().list_tools(params)["tools"])
        if self._flags.duplicate_tools:
            tools = tools + tools
        if self._flags.repeat_cursor:
            return {"tools": tools, "nextCursor": "again"}
        return self._page(tools, params.get("cursor"))

    def _as_defined(self, tools):
        if not self._flags.definitions:
            return tools
        with open(self._flags.definitions, encoding="utf-8") as file:
            others = json.load(file)
        return [{**tool, **others.get(tool["name"], {})} for tool in tools]

    def _page(self, tools, cursor):
        pages = self._flags.pages
        page = 0 if cursor is None else self._page_of(cursor)
        per_page = -(-len(tools) // pages)
        result = {"tools": tools[page * per_page:(page + 1) * per_page]}
        if page + 1 < pages:
            result["nextCursor"] = f"page-{page + 1}"
        return result

    @staticmethod
    def _page_of(cursor):
        try:
            return int(cursor.removeprefix("page-"))
        except ValueError:
            raise ProtocolError(-32602, f"Invalid cursor: {cursor}") from None


def starts_so_far(flags):
    if not flags.journal:
        return 0
    with open(flags.journal, encoding="utf-8") as lines:
        return sum('"event": "started"' in line for line in lines)


def refuse_if_told(flags, journal):
    if flags.refuse or (flags.refuse_times and starts_so_far(flags) <= flags.refuse_times):
        token = os.environ.get("TEST_CHILD_TOKEN") # and who has one blurts it out
        print(f"error: TEST_CHILD_TOKEN is {token or 'not set'}", file=sys.stderr, flush=True)
        journal.write("exit", code=3)
        sys.exit(3)


def handle_sigterm(flags, journal):
    def on_sigterm(_signal, _frame):
        journal.write("sigterm")
        if not flags.ignore_sigterm and not flags.hangs_up:
            journal.write("exit", code=143)
            os._exit(143)
    signal.signal(signal.SIGTERM, on_sigterm)


def make_noise():
    def noise():
        while True:
            print("debug: still here", file=sys.stderr, flush=True)
            time.sleep(0.01)
    threading.Thread(target=noise, daemon=True).start()


def prepare(flags, journal):
    handle_sigterm(flags, journal)
    journal.write("started", ppid=os.getppid(), pgid=os.getpgid(0))
    refuse_if_told(flags, journal)
    if flags.grandchild:
        journal.write("grandchild", grandchild=subprocess.Popen(["sleep", "600"]).pid)
    if flags.noisy:
        make_noise()
    time.sleep(flags.start_delay_ms / 1000)


def main():
    flags = parse_flags()
    journal = Journal(flags.journal)
    prepare(flags, journal)
    child = ConfigurableChild(flags, journal)
    if flags.banner or flags.garbage_start:
        child.write(b"Welcome to the test child!\n  loading plugins: none\n")
    child.serve()
    while flags.ignore_stdin_eof or flags.hangs_up:
        signal.pause()
    journal.write("exit", code=0)
    # Not sys.exit: calls in flight on other threads are given up, as a real server does.
    os._exit(0)


if __name__ == "__main__":
    main()
