"""Configured servers and the files they stand in."""

import json
import os

from support.journal import Journal
from support.paths import CHILD, PYTHON, real_server


def child(*flags, journal=None, env=None, **fields):
    """Entry of a test child."""
    arguments = ["--journal", journal.path] if journal else []
    command, *options = PYTHON
    entry = {"command": command, "args": [*options, str(CHILD), *flags, *arguments], **fields}
    return {**entry, "env": env} if env else entry


def node(server, *arguments):
    """Entry of a real server from npm."""
    return {"command": "node", "args": [real_server(server), *arguments]}


def journal_in(folder, name="journal"):
    return Journal(os.path.join(folder, f"{name}.jsonl"))


def with_mark(servers, mark):
    """The same servers, recognisable among all processes by their environment."""
    def add(entry):
        if not isinstance(entry, dict) or not isinstance(entry.get("env", {}), dict):
            return entry
        return {**entry, "env": {**entry.get("env", {}), **mark}}
    return {name: add(entry) for name, entry in servers.items()}


def write_servers(path, servers, mark):
    """`servers`: a dict of entries, or the text of the file when it has to be wrong."""
    text = servers if isinstance(servers, str) else json.dumps({"mcpServers": with_mark(servers, mark)})
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
