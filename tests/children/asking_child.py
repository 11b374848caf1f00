#!/usr/bin/env python3
"""An MCP server of 2025-11-25 over stdio that asks its client in the middle of calls. `ask` sends one request of any method and answers with
what came of it, and with the capabilities that it was told of; `withdraw` cancels those that are open. usage: asking_child.py [--journal FILE]"""

import argparse
import json
import threading

from mcp_child import Child, Journal, Tool, text_result

STRING, OBJECT, INTEGER = {"type": "string"}, {"type": "object"}, {"type": "integer"}


class AskingChild(Child):
    def __init__(self, journal):
        tools = [Tool("ask", self.ask, {"method": STRING, "params": OBJECT}, ["method"]),
                 Tool("withdraw", self.withdraw),
                 Tool("ask_many", self.ask_many, {"method": STRING, "params": OBJECT, "times": INTEGER}, ["method", "times"]),
                 Tool("echo", lambda _call, given: text_result(given["text"]), {"text": STRING}, ["text"])]
        super().__init__(tools, journal, "asking-child")
        self.capabilities = None
        self._last, self._open, self._lock = 0, {}, threading.Lock()

    def initialize(self, params):
        self.capabilities = params.get("capabilities")
        self.journal.write("capabilities", capabilities=self.capabilities)
        return super().initialize(params)

    def _receive(self, message):
        if "method" in message:
            return super()._receive(message)
        self.journal.write("response", message=message)
        with self._lock:
            waiting = self._open.pop(message.get("id"), None)
        if waiting:
            waiting[1].update(message)
            waiting[0].set()
        return None

    def request(self, method, params):
        """Its number, and how to wait for the response to it."""
        waiting = (threading.Event(), {})
        with self._lock:
            self._last += 1
            number = f"ask-{self._last}"
            self._open[number] = waiting
        self.send({"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params is not None else {})})

        def wait():
            waiting[0].wait()
            return waiting[1].get("result", {"error": waiting[1].get("error")})
        return number, wait

    def ask(self, call, given):
        _, wait = self.request(given["method"], given.get("params"))
        return text_result(json.dumps({"got": wait(), "capabilities": self.capabilities}))

    def withdraw(self, _call, _given):
        """All that is open."""
        with self._lock:
            left, self._open = self._open, {}
        for number, waiting in left.items():
            self.notify("notifications/cancelled", requestId=number, reason="not needed")
            waiting[1]["result"] = "withdrawn"
            waiting[0].set()
        return text_result(str(len(left)))

    def ask_many(self, call, given):
        waits = [self.request(given["method"], given.get("params"))[1] for _ in range(given["times"])]
        return text_result(json.dumps({"got": [wait() for wait in waits]}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--journal")
    AskingChild(Journal(parser.parse_args().journal)).serve()


if __name__ == "__main__":
    main()
