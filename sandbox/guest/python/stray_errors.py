"""Errors of threads, tasks and destructors: reported, but they do not end the program."""

import _thread
import sys

import failures


def install(source):
    """From now on such errors are reported with the user's lines. `threading` takes its hook from `_thread`."""

    def thread_hook(details):
        if details.exc_type is not SystemExit:
            name = details.thread.name if details.thread is not None else "?"
            _report(f"Unhandled exception in thread {name}:", details.exc_value, source)

    def unraisable_hook(details):
        _report("Exception ignored:", details.exc_value, source)

    _thread._excepthook = thread_hook
    if "threading" in sys.modules:
        sys.modules["threading"].excepthook = thread_hook
    sys.unraisablehook = unraisable_hook


def report_task(context, source):
    """The exception handler of an event loop."""
    error = context.get("exception")
    if error is not None:
        _report(f"Unhandled exception: {context.get('message')}", error, source)


def _report(headline, error, source):
    text = failures.stack_text(error, source) if error is not None else ""
    try:
        sys.stderr.write(f"{headline}\n{text}\n")
    except (AttributeError, OSError, ValueError):
        pass
