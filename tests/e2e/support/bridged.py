"""Servers to put behind a bridge, of either era and over either transport (tests/children/bridged.py), and the words that name them to it."""

import json
import sys
import threading
import uuid

from support.http_child import event, HttpChild, Reply
from support.journal import Journal
from support.modern_child import ModernChild
from support.paths import CHILD, PYTHON
from support.waiting import PATIENCE_SECONDS, wait_until

sys.path.insert(0, str(CHILD.parent))
from bridged import BridgedCatalogue, LegacyServer, ModernBridged  # noqa: E402

LEGACY, MODERN = "legacy", "modern"
STDIO, HTTP = "stdio", "http"


class Recorded:
    """The journal of a server that lives in the test: as support/journal.py."""

    def wait(self, name, count=1, seconds=PATIENCE_SECONDS, **details):
        def enough():
            found = self.events(name, **details)
            return found if len(found) >= count else None
        return wait_until(enough, lambda: f"{count} x {name} {details or ''} in {[each['event'] for each in self.journal]}", seconds)


class ModernFar(Recorded, ModernChild):
    def __init__(self, **how):
        super().__init__(catalogue=BridgedCatalogue(), kind=ModernBridged, **how)


class LegacyFar(Recorded, HttpChild):
    """Each request is answered by a stream of its own, on which it asks; what belongs to no request comes on that of GET."""

    def __init__(self, revision=None):
        self.journal, self.core, self.by_id = [], LegacyServer(self._record, BridgedCatalogue(), revision), {}
        super().__init__()

    def _record(self, what, **details):
        self.journal.append({"event": what, **details})

    def events(self, name, **details):
        wanted = {"event": name, **details}
        return [each for each in list(self.journal) if all(each.get(key) == value for key, value in wanted.items())]

    def close(self):
        for unasked in list(self.by_id.values()):
            unasked.end()
        super().close()

    def _answer(self, handler, seen):
        number, message = seen.headers.get("mcp-session-id"), seen.message
        if message and message.get("method") == "initialize":
            return self._begin(handler, message)
        unasked = self.by_id.get(number)
        if not unasked:
            return self.send(handler, Reply(404 if number else 400))
        if seen.method == "GET":
            return unasked.serve(handler)
        if seen.method == "DELETE":
            self._record("deleted", session=number)
            unasked.end()
            self.by_id.pop(number)
            return self.send(handler, Reply(200))
        if "id" not in message or "method" not in message:
            unasked.session.receive(message, None)
            return self.send(handler, Reply(202))
        writing = threading.Lock()

        def send(told):
            with writing:
                self.write(handler, event(told))
        self.begin_stream(handler)
        return unasked.session.receive(message, send)

    def _begin(self, handler, message):
        number, answers = uuid.uuid4().hex, []
        unasked = self.by_id[number] = Unasked(self)
        unasked.session.receive(message, answers.append)
        self.send_json(handler, answers[0], {"Mcp-Session-Id": number})


class Unasked:
    """The stream of one client, which may come later than what is said on it."""

    def __init__(self, far):
        self.session = far.core.begin(self._say)
        self._far, self._waiting, self._changed, self._has_ended = far, [], threading.Condition(), False

    def _say(self, message):
        with self._changed:
            self._waiting.append(message)
            self._changed.notify_all()

    def serve(self, handler):
        self._far.begin_stream(handler)
        self._far.write(handler, b": here\n\n")
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._has_ended)
                if self._has_ended:
                    return
                told, self._waiting = self._waiting, []
            self._far.write(handler, *[event(each) for each in told])

    def end(self):
        self.session.end()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()


class Target:
    """`words`: what names it to `bridge`. `journal`: what it has been told."""

    def __init__(self, era, transport, folder):
        self.era, self.transport, self.far = era, transport, None
        if transport == HTTP:
            self.far = self.journal = (ModernFar if era == MODERN else LegacyFar)()
            self.words = [self.far.url]
            return
        self.journal = Journal(f"{folder}/journal-{uuid.uuid4().hex}.jsonl")
        self.words = ["--", *command_of(era, self.journal)]

    def close(self):
        if self.far:
            self.far.close()

    def received(self, method=None, **members):
        """Messages, as they reached the server; requests of that method."""
        messages = [each["message"] for each in self.journal.events("received")]
        return [each for each in messages if (method is None or each.get("method") == method) and all(each.get(k) == v for k, v in members.items())]

    def wait_received(self, method, count=1):
        def enough():
            found = self.received(method)
            return found if len(found) >= count else None
        return wait_until(enough, lambda: f"{count} x {method} in {json.dumps(self.received())[-2000:]}")

    @property
    def deviations(self):
        """What a client of 2026-07-28 does not do, and the bridge did. For a client of the earlier era it tries that one first."""
        return [each["text"] for each in self.journal.events("deviation") if each["text"] != "initialize"]


def command_of(era, journal, *flags):
    command, *options = PYTHON
    return [command, *options, str(CHILD.parent / "bridged_child.py"), "--era", era, "--journal", journal.path, *flags]
