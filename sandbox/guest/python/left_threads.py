"""What threads do that an earlier program of a session has left. Of a thread that is no daemon, of a task and of a timer the end is waited
for; but daemons go on, and so do the others after a failure. The host would take what they ask for as asked by the program that runs."""

import _thread
import posix
import sys

_TASKS = "/proc/self/task"
# On threads and on work of pools: the program that has started it.
_MARK = "_code_executor_program"
# By module: class and method, which is the first that a thread or the work of a pool comes by.
_STARTS = {"threading": ("Thread", "start"), "concurrent.futures.thread": ("_WorkItem", "__init__")}
_NONE = 0

_state = {"program": _NONE, "main": None, "native_ids": frozenset(), "marked": frozenset(), "first_job": 0}


def begin(program):
    """The program with this number begins, in this thread. All others belong to those before it."""
    _state.update(
        program=program,
        main=_thread.get_ident(),
        native_ids=_native_ids(),
        marked=frozenset(name for name, (kind, method) in _STARTS.items() if _mark(name, kind, method)),
        first_job=_next_job(),
    )


def program_of_thread(current):
    """The number of the program that this thread works for; `current`: of the one that runs."""
    if _thread.get_ident() == _state["main"]:
        return current
    work = _work_of_pool(current)
    if work is not None:
        return work
    threads = sys.modules.get("threading")
    mark = threads.current_thread().__dict__.get(_MARK) if threads is not None else None
    if mark is not None:
        return mark
    return _NONE if _thread.get_native_id() in _state["native_ids"] else current


def _work_of_pool(current):
    """The same of a thread of a pool that is at work, which may be younger than the thread; None for other threads."""
    executor = _code("concurrent.futures.thread", "_worker")
    pool = _code("multiprocessing.pool", "worker")
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code is executor:
            work = frame.f_locals.get("work_item")
            unmarked = _NONE if "concurrent.futures.thread" in _state["marked"] else current
            return None if work is None else work.__dict__.get(_MARK, unmarked)
        if frame.f_code is pool:
            job = frame.f_locals.get("job")
            return None if job is None else current if job >= _state["first_job"] else _NONE
        frame = frame.f_back
    return None


def _code(module, function):
    return getattr(getattr(sys.modules.get(module), function, None), "__code__", function)


def _native_ids():
    try:
        return frozenset(map(int, posix.listdir(_TASKS)))
    except OSError:
        return frozenset()


def _next_job():
    """Jobs of pools are numbered."""
    try:
        return next(sys.modules["multiprocessing.pool"].job_counter)
    except Exception:  # Not loaded; or what the program has made of it.
        return 0


def _mark(module, kind, method):
    """Lets instances of this class know their program, from now on; whether it is so."""
    try:
        kind = getattr(sys.modules[module], kind)
        original = getattr(kind, method)
        if not hasattr(original, _MARK):
            setattr(kind, method, _marking(original))
        return True
    except Exception:  # The same.
        return False


def _marking(original):
    def marking(self, *args, **kwargs):
        self.__dict__[_MARK] = program_of_thread(_state["program"])
        return original(self, *args, **kwargs)

    marking.__name__, marking.__qualname__, marking.__doc__ = original.__name__, original.__qualname__, original.__doc__
    marking.__dict__[_MARK] = True
    return marking
