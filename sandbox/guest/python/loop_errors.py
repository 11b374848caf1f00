"""Errors in event loops that nobody handles. They count the same in the loop of the workspace and in those that a program
makes itself, by `asyncio.run` say; a handler that the program has set is asked instead."""

import _thread
import gc

_state = {"installed": False, "workspace": None, "thread": None, "kinds": (), "left": None, "of_threads": None}
# What asyncio waits for in its own objects. Nobody has to await it, and those look at it when they are dropped (the latter from
# Python 3.12 on). Class, method that makes it fail, name
_OF_ASYNCIO = (
    ("StreamReaderProtocol", "connection_lost", "_closed"),
    ("SubprocessStreamProtocol", "pipe_connection_lost", "_stdin_closed"),
)


def install(asyncio, workspace):
    """From now on they are this workspace's."""
    _state.update(workspace=workspace, thread=_thread.get_ident())
    if _state["installed"]:
        return
    from weakref import WeakValueDictionary

    # By their ids: futures that the programs before have left unfinished, and loops that another thread was the last to run.
    kinds = (asyncio.Future, asyncio.futures._PyFuture)
    _state.update(installed=True, kinds=kinds, left=WeakValueDictionary(), of_threads=WeakValueDictionary())
    base = asyncio.base_events.BaseEventLoop
    base.default_exception_handler = _handler(base.default_exception_handler)
    base.run_forever = _noting_thread(base.run_forever)
    for name, method, future in _OF_ASYNCIO:
        kind = getattr(asyncio.streams, name, None) or getattr(asyncio.subprocess, name)
        setattr(kind, method, _looking_at(getattr(kind, method), future))


def leave_to_parent():
    """In a child that user code has forked: it has no run that could fail, and tells them at once, as other threads do."""
    _state["thread"] = None


def take_unseen(first):
    """At the end of a program: the errors of tasks and futures that nobody has looked at, those of `first` before all others.
    None of them is told again, and what becomes of the unfinished ones is no later program's failure."""
    futures = _all_futures()
    errors = []
    for future in (*first, *futures):
        error, loop = _take_error(future)
        if error is None or issubclass(type(error), SystemExit):
            continue  # An exit has left the loop, and has ended what there was to end.
        if _is_of_other(future, loop):
            _state["workspace"].strays.tell_of_other(error)
        elif not _is_handled(loop, future, error):
            errors.append(error)
    _state["left"].update((id(future), future) for future in futures if not _is_done(future))
    return errors


def _all_futures():
    """Wherever they are held: loops do not know theirs, and some are made without a loop's help. Types are told apart by their
    ids, because a class may have made anything of what is equal to it."""
    from itertools import compress

    try:
        objects = gc.get_objects()
        # There are far fewer types than objects.
        types = dict(zip(map(id, map(type, objects)), map(type, objects)))
        kinds = {number for number, kind in types.items() if issubclass(kind, _state["kinds"])}
        return list(compress(objects, map(kinds.__contains__, map(id, map(type, objects)))))
    except MemoryError:  # A program that fills its memory has its result all the same.
        return []


# Subclasses of the program may have made anything of these methods: asyncio's own are asked.


def _kind_of(value):
    """The class of asyncio that has made a future what it is; None for what only looks like one."""
    return next((kind for kind in _state["kinds"] if issubclass(type(value), kind)), None)


def has_unseen_error(value):
    """Of tasks and futures; for any other value it is false."""
    kind = _kind_of(value)
    try:
        if kind is not None:
            return kind._log_traceback.__get__(value) is True
        return hasattr(type(value), "_asyncio_future_blocking") and getattr(value, "_log_traceback", False) is True
    except Exception:
        return False


def _take_error(future):
    """The error that nobody has looked at, which counts as seen from now on, and the loop; (None, None) if there is none."""
    if not has_unseen_error(future):
        return None, None
    kind = _kind_of(future) or type(future)
    try:
        return kind.exception(future), kind.get_loop(future)
    except Exception:
        return None, None


def _is_done(future):
    try:
        return _kind_of(future).done(future)
    except Exception:
        return True


def _is_handled(loop, future, error):
    """Asks the handler that the program has set; false if there is none."""
    try:
        if loop.get_exception_handler() is None:
            return False
        message = f"{type(future).__name__} exception was never retrieved"
        loop.call_exception_handler({"message": message, "exception": error, "future": future})
        return True
    except Exception:
        return False


def _is_of_other(future, loop):
    """Whether it belongs to a program before, or to a loop of another thread: one that it runs, or was the last to run."""
    if future is not None and _state["left"].get(id(future)) is future:
        return True
    thread = getattr(loop, "_thread_id", None)
    return _state["of_threads"].get(id(loop)) is loop if thread is None else thread != _state["thread"]


def _noting_thread(original):
    def run_forever(self):
        if _thread.get_ident() == _state["thread"]:
            _state["of_threads"].pop(id(self), None)
        else:
            _state["of_threads"][id(self)] = self
        return original(self)

    return _named_as(original, run_forever)


def _looking_at(original, name):
    def lost(self, *details):
        original(self, *details)
        future = getattr(self, name, None)
        if has_unseen_error(future):
            future._log_traceback = False

    return _named_as(original, lost)


def _handler(original):
    def default_exception_handler(self, context):
        workspace = _state["workspace"]
        error = context.get("exception")
        if error is None:
            # A task that was left, for example. In the workspace's loop that is told otherwise.
            if self is not workspace.loop:
                original(self, context)
        elif _thread.get_ident() != _state["thread"] or _is_of_other(context.get("future"), self):
            workspace.strays.tell_of_other(error)
        else:
            workspace.strays.add_of_loop(error, "handle" in context)
            if workspace.tasks is not None and workspace.strays.has_failed_callback:
                workspace.tasks.wake()

    return _named_as(original, default_exception_handler)


def _named_as(original, function):
    function.__name__, function.__qualname__, function.__doc__ = original.__name__, original.__qualname__, original.__doc__
    function.__module__ = original.__module__
    return function
