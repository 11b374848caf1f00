"""stdout and stderr of the program."""

import sys


class Output:
    """At once, so that whatever was printed survives a timeout or a crash."""

    def __init__(self):
        # Kept, because user code may close, replace or delete the names in `sys`.
        self._streams = (sys.stdout, sys.stderr)
        self._sys = sys
        self._told = set()
        for stream in self._streams:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", write_through=True)

    def flush(self):
        """Flushes our streams and those that user code put in their place."""
        replaced = (getattr(self._sys, "stdout", None), getattr(self._sys, "stderr", None))
        for stream in (*self._streams, *replaced):
            try:
                stream.flush()
            except BaseException:  # noqa: B036 - closed by user code, or not a stream at all
                pass

    def begin(self):
        """A program begins, which has been told nothing."""
        self._told = set()

    def tell_once(self, text):
        """A line on stderr, once a program."""
        if text not in self._told:
            self._told.add(text)
            self.error_line(text)

    def error_line(self, text):
        try:
            self._streams[1].write(f"{text}\n")
        except (OSError, ValueError):
            pass
