"""Processes that a program has started: those of `multiprocessing` and of `concurrent.futures`, as far as they are work that its end waits
for, and those that its end ends."""

import posix
import sys
import time

_TASKS = "/proc/self/task"
_READ_BYTES = 1 << 16
# For those that have just been told to end.
_END_SECONDS = 0.05
_POLL_SECONDS = 0.01
_NAMES_SHOWN = 5
# Which `multiprocessing` starts for itself. Module, object, number
_HELPERS = (("resource_tracker", "_resource_tracker", "_pid"), ("forkserver", "_forkserver", "_forkserver_pid"))


def is_manager(thread):
    """Whether this is the thread of a ProcessPoolExecutor, which lives as long as that."""
    kind = getattr(sys.modules.get("concurrent.futures.process"), "_ExecutorManagerThread", None)
    return kind is not None and isinstance(thread, kind)


def has_work(manager):
    """Whether something was submitted that has not ended."""
    return bool(manager.pending_work_items)


def end_executors():
    """As Python does before the handlers of `atexit`; that of `multiprocessing` would wait for their workers for ever."""
    module = sys.modules.get("concurrent.futures.process")
    for _ in range(1 + len(getattr(module, "_threads_wakeups", ()))):
        try:
            return module and module._python_exit()
        except OSError:
            # One was just ending by itself, and has closed what wakes it; the next look leaves it out.
            continue


def awaited_processes():
    """Those that `multiprocessing` would wait for at the end of the interpreter."""
    active_children = getattr(sys.modules.get("multiprocessing.process"), "active_children", None)
    try:
        children = [child for child in active_children() if not child.daemon] if active_children else []
        ended_otherwise = {id(each) for each in (*_workers(), *_ended_by_finalizers())} if children else ()
    except Exception:  # What the program has made of it.
        return []
    return [child for child in children if id(child) not in ended_otherwise]


def _workers():
    """Of executors, which live as long as those."""
    threading = sys.modules.get("threading")
    managers = [thread for thread in threading.enumerate() if is_manager(thread)] if threading else []
    return [worker for manager in managers for worker in list((manager.processes or {}).values())]


def _ended_by_finalizers():
    """Such as the server of a `multiprocessing.Manager`."""
    finalizers = getattr(sys.modules.get("multiprocessing.util"), "_finalizer_registry", {})
    return [argument for finalizer in list(finalizers.values()) for argument in finalizer._args]


def left_note():
    """Of processes that the program has left, which end with it; empty if there are none. Whatever they had in hand is lost."""
    until = time.monotonic() + _END_SECONDS
    left = _left()
    while left and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
        left = _left()
    if not left:
        return ""
    names = [_name_of(child) for child in left[:_NAMES_SHOWN]]
    more = f" and {len(left) - len(names)} more" if len(left) > len(names) else ""
    what, were = ("1 process", "was") if len(left) == 1 else (f"{len(left)} processes", "were")
    return (
        f"{what} {were} still running when the program ended and {were} ended: {', '.join(names)}{more} "
        "(a program waits for what it needs of them: wait(), join())"
    )


def _left():
    return [child for child in living_children() if child not in _helpers()]


def _helpers():
    found = [(sys.modules.get(f"multiprocessing.{module}"), name, number) for module, name, number in _HELPERS]
    return [getattr(getattr(module, name, None), number, None) for module, name, number in found]


def living_children():
    """The numbers of the processes that this one has started itself."""
    try:
        posix.waitid(posix.P_ALL, 0, posix.WEXITED | posix.WNOHANG | posix.WNOWAIT)
    except (ChildProcessError, AttributeError):  # WebAssembly has none.
        return []
    children = [int(child) for task in posix.listdir(_TASKS) for child in read(f"{_TASKS}/{task}/children").split()]
    return [child for child in children if _stat(child)[1].split()[0] not in (b"Z", b"X")]


def _name_of(child):
    return _stat(child)[0].partition(b"(")[2].decode("utf-8", "replace")


def _stat(child):
    """What is before and after the end of its name."""
    try:
        before, _, after = read(f"/proc/{child}/stat").rpartition(b")")
        return before, after
    except (FileNotFoundError, ProcessLookupError):
        return b"", b"X"


def read(path):
    """The beginning of a file of the kernel."""
    descriptor = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        return posix.read(descriptor, _READ_BYTES)
    finally:
        posix.close(descriptor)
