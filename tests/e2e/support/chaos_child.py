"""An MCP server over HTTP, of either era, whose troubles are switched on and off while it serves: as attributes, or by
who posts them to its `control`. Its contacts are kept in SQLite: a call that was lost, or made twice, is seen there.

    child = ChaosChild(era="legacy")
    child.fails_every = 3
    fetch(child.control.origin, json.dumps({"delay_ms": [0, 50]}).encode())
"""

import json
import random
import sqlite3
import threading
import time

from support.http_child import event, Reply, rpc
from support.modern_child import JSON, ModernChild
from support.protected_child import Protection
from support.small_server import json_reply, SmallServer

from modern_catalogue import legacy_result, ModernTool  # where it is: support.modern_child
from modern_protocol import POLL_SECONDS, Refusal

ERAS = ("modern", "legacy")
TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
PERSON = {"type": "object", "properties": {"first": TEXT, "last": TEXT}, "required": ["first", "last"]}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def words(text):
    return {"content": [{"type": "text", "text": text}]}


def value(of):
    return {**words(json.dumps(of)), "structuredContent": of}


def failure(text):
    return {**words(text), "isError": True}


class Contacts:
    """A list of people. No two have one address."""

    def __init__(self):
        self._lock = threading.Lock()  # one connection for all threads
        self._database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._database.row_factory = sqlite3.Row
        self.run("CREATE TABLE contacts (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE)")

    def run(self, statement, *values):
        with self._lock:
            cursor = self._database.execute(statement, values)
            return cursor, [dict(row) for row in cursor.fetchall()]

    def all(self):
        return self.run("SELECT * FROM contacts ORDER BY id")[1]

    # ---- tools

    def create(self, given):
        try:
            cursor, _ = self.run("INSERT INTO contacts (name, email) VALUES (?, ?)", given["name"], given["email"])
        except sqlite3.IntegrityError:
            return failure(f"somebody has the address {given['email']} already")
        return value({"id": cursor.lastrowid})

    def search(self, given):
        pattern = f"%{given.get('query', '')}%"
        _, found = self.run("SELECT * FROM contacts WHERE name LIKE ? OR email LIKE ? ORDER BY id", pattern, pattern)
        return value({"contacts": found})

    def update(self, given):
        return self._changed(given, "UPDATE contacts SET email = ? WHERE id = ?", given["email"], given["id"])

    def delete(self, given):
        return self._changed(given, "DELETE FROM contacts WHERE id = ?", given["id"])

    def _changed(self, given, statement, *values):
        cursor, _ = self.run(statement, *values)
        return value({"changed": cursor.rowcount}) if cursor.rowcount else failure(f"there is no contact {given['id']}")


class Control(SmallServer):
    """Takes a JSON object: attributes of the child, by name. `tells_change`: it says that its tools are others."""

    NAMES = ("status", "wanted_headers", "fails_every", "delay_ms", "gone", "greets_in")

    def __init__(self, child):
        super().__init__()
        self._child = child

    def answer(self, asked):
        wanted = asked.json()
        unknown = set(wanted) - {*self.NAMES, "tells_change"}
        if unknown:
            return json_reply({"unknown": sorted(unknown)}, 400)
        for name in set(wanted) & set(self.NAMES):
            setattr(self._child, name, wanted[name])
        if wanted.get("tells_change"):
            self._child.tell_change()
        return json_reply({name: getattr(self._child, name) for name in self.NAMES})


class ChaosChild(ModernChild):
    """Attributes, which are its troubles:

    status           every request is answered with that status of HTTP; None: as usual
    wanted_headers   values by name in small letters; a request without one of them is answered with 401
    fails_every      each so manieth call of a tool reports an error, and does nothing; 0: none
    delay_ms         of each call: least and most
    gone             names of tools that are not there any more
    greets_in        the version of the tool `greet`: 1 takes a name, 2 a person
    """

    def __init__(self, *, era="modern", **how):
        self.status, self.wanted_headers, self.fails_every, self.delay_ms = None, {}, 0, (0, 0)
        self.contacts, self.done = Contacts(), []  # (tool, arguments) of all calls that were carried out
        self.hurry = threading.Event()  # once it is set, no call waits any more
        self._streams, self._calls, self._counting, self._chance = {}, 0, threading.Lock(), random.Random(7)
        super().__init__(era=era, **how)
        self._all = self._own_tools()
        self._gone, self._version = (), 1
        self._list()
        self.answers, self.on_get = self._answer_older, lambda seen: self._stream
        self.control = Control(self)

    def close(self):
        self.hurry.set()
        self.end_listening()
        self.control.close()
        super().close()

    # ---- tools

    def _own_tools(self):
        contacts, email = self.contacts, {"email": TEXT}
        rows = (("say", lambda given: words(given["text"]), {"text": TEXT}),
                ("create_contact", contacts.create, {"name": TEXT, **email}),
                ("update_contact", contacts.update, {"id": WHOLE, **email}),
                ("delete_contact", contacts.delete, {"id": WHOLE}))
        tools = {name: ModernTool(name, self._troubled(name, run), takes, tuple(takes)) for name, run, takes in rows}
        found = self._troubled("search_contacts", contacts.search)
        return {**tools, "search_contacts": ModernTool("search_contacts", found, {"query": TEXT})}

    def _greeting(self):
        if self._version == 1:
            run, takes = lambda given: words(f"Hello {given['name']}"), {"name": TEXT}
        else:
            run, takes = lambda given: words("Hello {first} {last}".format(**given["person"])), {"person": PERSON}
        return ModernTool("greet", self._troubled("greet", run), takes, tuple(takes))

    def _list(self):
        """A new dict: another thread may be reading the old one."""
        tools = {**self._all, "greet": self._greeting()}
        self.catalogue.tools = {name: tool for name, tool in tools.items() if name not in self._gone}

    @property
    def gone(self):
        return self._gone

    @gone.setter
    def gone(self, names):
        self._gone = tuple(names)
        self._list()

    @property
    def greets_in(self):
        return self._version

    @greets_in.setter
    def greets_in(self, version):
        self._version = version
        self._list()

    def _troubled(self, name, run):
        def troubled(exchange, given):
            self._pause(exchange)
            if self._is_to_fail():
                return failure(f"out of luck with {json.dumps(given, sort_keys=True)}")
            self.done.append((name, given))
            return run(given)
        return troubled

    def _pause(self, exchange):
        with self._counting:
            until = time.monotonic() + self._chance.uniform(*self.delay_ms) / 1000
        while (left := until - time.monotonic()) > 0 and not self.hurry.wait(min(left, POLL_SECONDS)):
            if left > POLL_SECONDS:
                exchange.wait(POLL_SECONDS)  # raises if its client has left; in the older era it does nothing

    def _is_to_fail(self):
        with self._counting:
            self._calls += 1
            return self.fails_every and self._calls % self.fails_every == 0

    # ---- changes of its tools

    def is_listened_to(self):
        return bool(self._streams or self.core.listeners())

    def tell_change(self):
        self.core.changed("tools")
        for handler in list(self._streams):
            self.write(handler, event(CHANGED))

    def end_listening(self):
        self.core.end_listening()
        for ended in list(self._streams.values()):
            ended.set()

    def _stream(self, handler):
        """Whoever is left by it may come back at once."""
        self.begin_stream(handler)
        self.write(handler, b"retry: 100\n\n")
        ended = self._streams[handler] = threading.Event()
        ended.wait()
        del self._streams[handler]

    # ---- what it answers

    def _answer(self, handler, seen):
        wrong = [name for name, wanted in self.wanted_headers.items() if seen.headers.get(name) != wanted]
        if wrong:
            came = {name: seen.headers.get(name) for name in wrong}
            details = {"error": "wrong or missing headers", "came": came}
            return self.send(handler, Reply(401, JSON, json.dumps(details).encode()))
        if self.status:
            challenge = {"WWW-Authenticate": 'Bearer error="invalid_token"'} if self.status == 401 else {}
            return self.send(handler, Reply(self.status, challenge, b"switched on by the test"))
        return super()._answer(handler, seen)

    def _answer_older(self, request):
        try:
            return rpc(request, result=legacy_result(self.catalogue, request["params"]))
        except Refusal as refusal:
            return rpc(request, error=refusal.error())


class ProtectedChaosChild(Protection, ChaosChild):
    """For who has a token."""
