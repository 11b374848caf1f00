"""Errors in event loops that nobody handles. They count the same in the loop of the workspace and in those that a program
makes itself, by `asyncio.run` say; a handler that the program has set is asked instead."""

import _thread
import gc

_state = {"installed": False, "workspace": None, "thread": None, "kinds": (), "left": None}


def install(asyncio, workspace):
    """From now on they are this workspace's."""
    _state.update(workspace=workspace, thread=_thread.get_ident())
    if _state["installed"]:
        return
    from weakref import WeakValueDictionary

    # Futures that the programs before have left unfinished, by their ids.
    kinds = (asyncio.Future, asyncio.futures._PyFuture)
    _state.update(installed=True, kinds=kinds, left=WeakValueDictionary())
    base = asyncio.base_events.BaseEventLoop
    base.default_exception_handler = _handler(base.default_exception_handler)


def leave_to_parent():
    """In a child that user code has forked: it has no run that could fail, and tells them at once, as other threads do."""
    _state["thread"] = None


def take_unseen(first):
    """At the end of a program: the errors of tasks and futures that nobody has looked at, those of `first` before all others.
    None of them is told again, and what becomes of the unfinished ones is no later program's failure."""
    futures = _all_futures()
    errors = []
    for future in (*first, *futures):
        if not has_unseen_error(future):
            continue
        error = future.exception()
        loop = future.get_loop()
        if isinstance(error, SystemExit):
            continue  # It has left the loop, and has ended what there was to end.
        if _is_of_other(future, loop):
            _state["workspace"].strays.tell_of_other(error)
        elif loop.get_exception_handler() is None:
            errors.append(error)
        else:
            message = f"{type(future).__name__} exception was never retrieved"
            loop.call_exception_handler({"message": message, "exception": error, "future": future})
    _state["left"].update((id(future), future) for future in futures if not future.done())
    return errors


def _all_futures():
    """Wherever they are held: loops do not know theirs, and some are made without a loop's help."""
    try:
        objects = gc.get_objects()
    except MemoryError:  # A program that fills its memory has its result all the same.
        return []
    # There are far fewer types than objects.
    kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, _state["kinds"])}
    return [each for each in objects if type(each) in kinds]


def _is_of_other(future, loop):
    """Whether it belongs to a program before, or to a loop that another thread runs."""
    is_left = future is not None and _state["left"].get(id(future)) is future
    return is_left or getattr(loop, "_thread_id", None) not in (None, _state["thread"])


def has_unseen_error(value):
    """Of tasks and futures; for any other value it is false."""
    return hasattr(type(value), "_asyncio_future_blocking") and getattr(value, "_log_traceback", False) is True


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
