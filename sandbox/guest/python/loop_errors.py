"""Errors in event loops that nobody handles. They count the same in the loop of the workspace and in those that a program
makes itself, by `asyncio.run` say; a handler that the program has set is asked instead."""

import _thread

_state = {"installed": False, "workspace": None, "thread": None, "tasks": None}


def install(asyncio, workspace):
    """From now on they are this workspace's."""
    _state.update(workspace=workspace, thread=_thread.get_ident())
    if _state["installed"]:
        return
    from weakref import WeakValueDictionary

    _state.update(installed=True, tasks=WeakValueDictionary())
    base = asyncio.base_events.BaseEventLoop
    base.default_exception_handler = _handler(base.default_exception_handler)
    base.create_task = _noting(base.create_task)


def leave_to_parent():
    """In a child that user code has forked: it has no run that could fail, and tells them at once, as other threads do."""
    _state["thread"] = None


def take_unseen(futures):
    """The errors of tasks and futures, among these and the tasks of loops that the program has made, that nobody has looked
    at. Each is given once."""
    noted, _state["tasks"] = _state["tasks"], None if _state["tasks"] is None else type(_state["tasks"])()
    errors = []
    for future in (*futures, *(noted.values() if noted else ())):
        if not has_unseen_error(future):
            continue
        error = future.exception()
        loop = future.get_loop()
        if loop.get_exception_handler() is None:
            errors.append(error)
        else:
            message = f"{type(future).__name__} exception was never retrieved"
            loop.call_exception_handler({"message": message, "exception": error, "future": future})
    return errors


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
        elif _thread.get_ident() != _state["thread"]:
            workspace.strays.tell_of_thread(error)
        else:
            workspace.strays.add_of_loop(error, "handle" in context)
            if workspace.tasks is not None and workspace.strays.has_failed_callback:
                workspace.tasks.wake()

    return _named_as(original, default_exception_handler)


def _noting(original):
    """Those of the workspace's loop are held by LoopTasks."""

    def create_task(self, *args, **options):
        task = original(self, *args, **options)
        if self is not _state["workspace"].loop and _thread.get_ident() == _state["thread"]:
            _state["tasks"][id(task)] = task
        return task

    return _named_as(original, create_task)


def _named_as(original, function):
    function.__name__, function.__qualname__, function.__doc__ = original.__name__, original.__qualname__, original.__doc__
    function.__module__ = original.__module__
    return function
