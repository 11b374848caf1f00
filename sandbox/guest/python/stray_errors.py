"""Errors of threads, tasks and destructors: reported, but they do not end the program."""

import _thread
import sys

import failures


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


def report_task(context, sources):
    """The exception handler of an event loop."""
    error = context.get("exception")
    if error is not None:
        _report(f"Unhandled exception: {context.get('message')}", error, sources)


def _report(headline, error, sources):
    text = failures.stack_text(error, sources) if error is not None else ""
    try:
        sys.stderr.write(f"{headline}\n{text}\n")
    except (AttributeError, OSError, ValueError):
        pass
