"""The template of guests: a process that has loaded and warmed up what a guest needs, and forks one for each order of
the server. It never runs a program. What makes a guest of a fork is sandbox/isolation/guest_fork.cpp.

Every guest begins with the same layout of memory and the same hash seed; sources of random numbers are seeded anew: those
of Python and OpenSSL by themselves, as in any fork, NumPy's here."""

import ctypes
import posix
# Of hints: it could not be loaded when memory is full.
import resource  # noqa: F401
import sys
import threading

import session
import warm_up

_LIBRARY = "/runtime/guest-fork.so"
_PRELOAD = "preload="


def become_guests(arguments):
    """Returns in each of the guests. `arguments`: preload=NAME for each module, and what `guest_fork_prepare` takes."""
    modules = [text.removeprefix(_PRELOAD) for text in arguments if text.startswith(_PRELOAD)]
    texts = [text.encode() for text in arguments if not text.startswith(_PRELOAD)]
    library = ctypes.PyDLL(_LIBRARY)
    kept = (ctypes.c_char_p * len(texts))(*texts)
    library.guest_fork_prepare(len(texts), kept)
    warm_up.warm_up_template(session.Session(), modules)
    if library.guest_fork_try() == 0:
        posix._exit(0)
    library.guest_fork_ready()
    python = ctypes.pythonapi
    while True:
        library.guest_fork_wait()
        python.PyOS_BeforeFork()
        if library.guest_fork_make() == 0:
            python.PyOS_AfterFork_Child()
            return _begin_anew()
        python.PyOS_AfterFork_Parent()


def _begin_anew():
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
    # Python keeps the number of the template's thread.
    threading.main_thread()._set_native_id()
