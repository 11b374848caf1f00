"""A command at a terminal."""

import os
import pty
import select
import subprocess
import time


def shown_on_terminal(argv, env, cwd, seconds=60):
    """Exit code, and every byte that it sent to the terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    shown = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        shown += chunk
    os.close(ours)
    return process.wait(seconds), shown


class Terminal:
    """A command whose stdin and stdout are one terminal, where somebody types."""

    def __init__(self, argv, env, cwd, typed_before=""):
        self._ours, theirs = pty.openpty()
        self.type(typed_before)
        self._process = subprocess.Popen(argv, env=env, cwd=cwd, stdin=theirs, stdout=theirs, stderr=subprocess.STDOUT)
        os.close(theirs)
        self.shown = ""

    def type(self, text):
        os.write(self._ours, text.encode())

    def wait_for(self, text, seconds=60):
        """Until that was shown, or it has ended."""
        end = time.monotonic() + seconds
        while text not in self.shown and select.select([self._ours], [], [], max(0, end - time.monotonic()))[0]:
            try:
                self.shown += os.read(self._ours, 65536).decode()
            except OSError:  # the other end is closed
                return self
        return self

    def end(self, seconds=60):
        """Exit code; all that it says until then is in `shown`."""
        self.wait_for("\0", seconds)
        os.close(self._ours)
        return self._process.wait(seconds)
