"""stdout and stderr of the program."""

import sys


class Output:
    """Line by line, so that what was printed survives a timeout."""

    def __init__(self):
        # Kept, because user code may close, replace or delete the names in `sys`.
        self._streams = (sys.stdout, sys.stderr)
        self._sys = sys
        for stream in self._streams:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True, write_through=False)

    def flush(self):
        """Flushes our streams and those that user code put in their place."""
        replaced = (getattr(self._sys, "stdout", None), getattr(self._sys, "stderr", None))
        for stream in (*self._streams, *replaced):
            try:
                stream.flush()
            except BaseException:  # noqa: B036 - closed by user code, or not a stream at all
                pass

    def error_line(self, text):
        try:
            self._streams[1].write(f"{text}\n")
        except (OSError, ValueError):
            pass
