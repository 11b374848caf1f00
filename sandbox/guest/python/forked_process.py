"""The end of a process that a program has forked and that has left the program's code: as Python would end it."""

import atexit
import posix
import sys

import failures
import finalizers

_STATUS_OF_ERROR = 1


def end(raised, sources, output):
    """Never returns. `raised`: what the program was left by, or None."""
    status = 0
    if isinstance(raised, SystemExit):
        status = failures.exit_status(raised, output)
    elif raised is not None:
        output.error_line(failures.stack_text(raised, sources))
        status = _STATUS_OF_ERROR
    # Threads that this process has started; then what it wants done. No handler of its parent is left.
    wait_for_threads = getattr(sys.modules.get("threading"), "_shutdown", None)
    for finish in (wait_for_threads, atexit._run_exitfuncs, finalizers.write_out):
        try:
            if finish is not None:
                finish()
        except BaseException as error:  # noqa: B036 - user code may raise anything; it changes no status
            output.error_line(failures.stack_text(error, sources))
    output.flush()
    posix._exit(status)
