"""Errors that no code of the program gets to see. Those of tasks and timers fail the run; those of threads and destructors
are only told, as Python does."""

import _thread
import sys

import failures

# More of one run are counted only.
_KEPT_MAX = 20


class Strays:
    """Of one workspace."""

    def __init__(self, sources):
        self._sources = sources
        self._errors = []
        self._dropped = 0
        # Of a timer, say: no code can handle it any more.
        self.has_failed_callback = False

    def begin(self):
        self._errors.clear()
        self._dropped = 0
        self.has_failed_callback = False

    def add(self, error):
        if len(self._errors) < _KEPT_MAX:
            self._errors.append(error)
        else:
            self._dropped += 1

    def add_of_loop(self, error, is_of_callback):
        """What an event loop tells."""
        self.has_failed_callback = self.has_failed_callback or is_of_callback
        self.add(error)

    def tell_of_other(self, error):
        """Of another thread, or of a program before: on stderr, at once."""
        _report("Unhandled exception:", error, self._sources)

    def take_first(self):
        """The error of a run that has no other; None if there is none."""
        return self._errors.pop(0) if self._errors else None

    def tell(self):
        """What is left, on stderr."""
        for error in self._errors:
            _report("Unhandled exception:", error, self._sources)
        if self._dropped:
            _write(f"... and {self._dropped} more exceptions that nobody handled\n")
        self.begin()


def install(sources):
    """From now on such errors are reported with the user's lines. `threading` takes its hook from `_thread`."""

    def thread_hook(details):
        if details.exc_type is not SystemExit:
            name = details.thread.name if details.thread is not None else "?"
            _report(f"Unhandled exception in thread {name}:", details.exc_value, sources)

    def unraisable_hook(details):
        _report("Exception ignored:", details.exc_value, sources)

    _thread._excepthook = thread_hook
    if "threading" in sys.modules:
        sys.modules["threading"].excepthook = thread_hook
    sys.unraisablehook = unraisable_hook


def _report(headline, error, sources):
    text = failures.stack_text(error, sources) if error is not None else ""
    _write(f"{headline}\n{text}\n")


def _write(text):
    try:
        sys.stderr.write(text)
    except (AttributeError, OSError, ValueError):
        pass
