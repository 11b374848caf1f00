"""A command whose output is a terminal."""

import os
import pty
import subprocess


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
