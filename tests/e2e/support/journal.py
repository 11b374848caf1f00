"""What a test child has written about itself."""

import json
import os

from support.waiting import PATIENCE_SECONDS, wait_until


class Journal:
    def __init__(self, path):
        self.path = path

    def events(self, name=None, **details):
        """Events so far, of that name and with those details."""
        if not os.path.exists(self.path):
            return []
        with open(self.path, encoding="utf-8") as file:
            # A line without its end is still being written.
            events = [json.loads(line) for line in file if line.endswith("\n")]
        wanted = {**details, **({"event": name} if name else {})}
        return [event for event in events if all(event.get(key) == value for key, value in wanted.items())]

    def names(self):
        return [event["event"] for event in self.events()]

    def wait(self, name, count=1, seconds=PATIENCE_SECONDS, **details):
        """The first `count` events of that name and with those details."""
        def enough():
            found = self.events(name, **details)
            return found if len(found) >= count else None
        return wait_until(enough, lambda: f"{count} x {name} {details or ''} in the child's journal {self.names()}",
                          seconds)
