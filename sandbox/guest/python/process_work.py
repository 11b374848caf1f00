"""Processes of `multiprocessing` and of `concurrent.futures`, as far as they are work that the end of a program waits for."""

import sys


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
