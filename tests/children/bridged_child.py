#!/usr/bin/env python3
"""The server behind a bridge (bridged.py) on stdin and stdout, of either era: `--era modern` or `--era legacy`. The other flags are those of
modern_child.py; of the legacy one only `--journal` counts."""

import json
import os
import sys
import threading

from bridged import BridgedCatalogue, LegacyServer, ModernBridged
from mcp_child import Journal
from modern_child import ModernStdioChild, parse_flags


def serve_legacy(journal):
    """Every request gets its own thread."""
    writing = threading.Lock()

    def send(message):
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with writing:
            while line:
                line = line[os.write(1, line):]

    session = LegacyServer(journal.write, BridgedCatalogue()).begin(send)
    journal.write("started")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        is_request = "method" in message and "id" in message
        if is_request:
            threading.Thread(target=session.receive, args=(message, send), daemon=True).start()
        else:
            session.receive(message, send)
    journal.write("stdin_eof")
    os._exit(0)  # calls in flight are given up


def main():
    flags = parse_flags()
    if flags.era == "legacy":
        serve_legacy(Journal(flags.journal))
    else:
        ModernStdioChild(flags, BridgedCatalogue(), ModernBridged).serve()


if __name__ == "__main__":
    main()
