"""A client with a person in front of it: servers may ask in the middle of calls."""

import json
import threading

from support.server import Server

FORM, URL = {"form": {}}, {"url": {}}
ALL = {"elicitation": {**FORM, **URL}, "sampling": {"tools": {}}, "roots": {"listChanged": True}}


class Asked:
    """What the client was asked. `answer` or `refuse` it, or leave it open."""

    def __init__(self, client, message):
        self._client, self.id, self.method, self.params = client, message["id"], message["method"], message.get("params") or {}

    def answer(self, result):
        self._client.send({"jsonrpc": "2.0", "id": self.id, "result": result})

    def refuse(self, message="no", code=-1):
        self._client.send({"jsonrpc": "2.0", "id": self.id, "error": {"code": code, "message": message}})


class PersonClient(Server):
    """Of 2025-11-25. `person(asked)` answers, or does not; on a thread of its own."""

    def __init__(self, servers=None, *, person, capabilities=None, **options):
        self._person, self._can = person, ALL if capabilities is None else capabilities
        self.asked = []
        super().__init__(servers, **options)

    def capabilities(self):
        return self._can

    def _take(self, line):
        super()._take(line)
        message = json.loads(line) if b'"method"' in line else {}
        if isinstance(message, dict) and "id" in message and "method" in message:
            asked = Asked(self, message)
            self.asked.append(asked)
            threading.Thread(target=self._ask, args=(asked,), daemon=True).start()

    def _ask(self, asked):
        try:
            self._person(asked)
        except (OSError, ValueError):
            """The server has left before its answer."""

    def withdrawn(self):
        """Ids of what the server needs no answer to any more."""
        return [entry.message["params"]["requestId"] for entry in self.notifications("notifications/cancelled")]
