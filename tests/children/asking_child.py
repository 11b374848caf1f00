#!/usr/bin/env python3
"""An MCP server of 2025-11-25 over stdio that asks its client in the middle of calls. `ask` sends one request of any method and answers with
what came of it, and with the capabilities that it was told of; `withdraw` cancels those that are open; `log` writes into its log, at any level until
it is told one; `guarded` refuses calls until a person has been at an address. usage: asking_child.py [--journal FILE]"""

import argparse
import json
import os
import threading

from mcp_child import Child, Journal, ProtocolError, Tool, text_result

STRING, OBJECT, INTEGER = {"type": "string"}, {"type": "object"}, {"type": "integer"}


class AskingChild(Child):
    def __init__(self, journal):
        tools = [Tool("ask", self.ask, {"method": STRING, "params": OBJECT}, ["method"]),
                 Tool("withdraw", self.withdraw),
                 Tool("ask_many", self.ask_many, {"method": STRING, "params": OBJECT, "times": INTEGER}, ["method", "times"]),
                 Tool("log", self.log, {"lines": {"type": "array"}, "times": INTEGER, "env": STRING, "holdMs": INTEGER}),
                 Tool("steps", self.steps, {"count": INTEGER}, ["count"]),
                 Tool("guarded", self.guarded, {"says": STRING, "never": {"type": "boolean"}}),
                 Tool("echo", lambda _call, given: text_result(given["text"]), {"text": STRING}, ["text"])]
        super().__init__(tools, journal, "asking-child")
        self.capabilities, self.visits = None, 0
        self._last, self._open, self._lock = 0, {}, threading.Lock()

    def initialize(self, params):
        self.capabilities = params.get("capabilities")
        self.journal.write("capabilities", capabilities=self.capabilities)
        result = super().initialize(params)
        return {**result, "capabilities": {**result["capabilities"], "logging": {}}}

    def _answer(self, request):
        if request["method"] != "logging/setLevel":
            return super()._answer(request)
        self.journal.write("level", level=request["params"]["level"])
        return self.send({"jsonrpc": "2.0", "id": request["id"], "result": {}})

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

    def log(self, call, given):
        """`lines`: parameters of each; `env`: a variable, whose value is said instead; `holdMs`: then the call goes on for so long."""
        for _ in range(given.get("times", 1)):
            for line in given["lines"]:
                self.notify("notifications/message", **line, **({"data": os.environ[given["env"]]} if "env" in given else {}))
        call.cancelled.wait(given.get("holdMs", 0) / 1000)
        return text_result("logged")

    def steps(self, call, given):
        for step in range(1, given["count"] + 1):
            call.progress(step, given["count"], f"step {step}")
            call.cancelled.wait(0.3)
        return text_result("done")

    def guarded(self, _call, given):
        """`says`: what it says once the person was asked: "complete", or nothing. `never`: it refuses for good."""
        self.visits += 1
        if self.visits % 2 == 0 and not given.get("never"):
            return text_result("let in")
        number = f"visit-{self.visits}"
        if given.get("says") == "complete":
            threading.Timer(0.5, self.notify, ("notifications/elicitation/complete",), {"elicitationId": number}).start()
        visit = {"mode": "url", "elicitationId": number, "url": "https://example.com/visit?n=1", "message": "Please agree there."}
        raise ProtocolError(-32042, "This needs an agreement", {"elicitations": [visit]})

    def ask_many(self, call, given):
        waits = [self.request(given["method"], given.get("params"))[1] for _ in range(given["times"])]
        return text_result(json.dumps({"got": [wait() for wait in waits]}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--journal")
    AskingChild(Journal(parser.parse_args().journal)).serve()


if __name__ == "__main__":
    main()
