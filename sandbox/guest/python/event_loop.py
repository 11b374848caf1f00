"""Programs that use asyncio. The programs of a session share one loop, so what one has made (queues, locks) can be used
by the next that awaits anything; between programs it stands still."""

import sys

import loop_errors
from loop_tasks import LoopTasks

# How long what was left by an exit or a failure may take to end, when it is told to.
_CANCEL_SECONDS = 1

_state = {"warm": False, "prepared": None, "nests": False}


def load():
    """Ahead of need: asyncio."""
    import asyncio

    _state["warm"] = True
    return asyncio


def prepare():
    """The same, and a loop for the first program that wants one."""
    _state["prepared"] = load().new_event_loop()


def is_loaded():
    """Whether something other than `prepare` has imported asyncio; if not, no code can depend on a loop."""
    return "asyncio" in sys.modules and not _state["warm"]


def run(awaitable, workspace):
    """Runs a coroutine, or anything else that can be awaited; tasks go on when it has ended, as soon as the loop runs."""
    import asyncio

    loop = _loop_of(asyncio, workspace)
    main = workspace.tasks.create_unwatched(_awaiting(awaitable))
    try:
        return loop.run_until_complete(main)
    except SystemExit:
        # Raised in a task, it leaves the loop at once. The next program of a session must not find this one waiting.
        _cancel(asyncio, loop, [main])
        raise


def run_beside(function, workspace):
    """Runs code without a top-level `await`: it finds a running loop, in which it can start tasks and timers; they go on
    whenever the code runs the loop itself, and at its end."""
    import asyncio

    loop = _loop_of(asyncio, workspace)
    asyncio._set_running_loop(loop)
    try:
        return function()
    finally:
        asyncio._set_running_loop(None)


def close_generators(workspace):
    """Of a program that ends: asynchronous generators that it has not gone through to their end do what their `finally` says, as with
    `asyncio.run`. What fails there is told on stderr, as that does."""
    loop = workspace.loop
    if loop is None or loop.is_closed() or not getattr(loop, "_asyncgens", None):
        return
    try:
        run(loop.shutdown_asyncgens(), workspace)
    finally:
        workspace.strays.tell()


def cancel_all(workspace):
    """Ends what a program that has failed has left in its loop; the next one of a session must not find it going on."""
    import asyncio

    loop, tasks = workspace.loop, workspace.tasks
    if loop is None or loop.is_closed():
        return
    tasks.cancel_timers()
    _cancel(asyncio, loop, list(tasks.open))


def _loop_of(asyncio, workspace):
    _allow_nested_run(asyncio)
    _send_without_sendmsg(asyncio)
    loop_errors.install(asyncio, workspace)
    if workspace.loop is None or workspace.loop.is_closed():
        workspace.loop = _new_loop(asyncio)
        workspace.tasks = LoopTasks(workspace.loop)
    asyncio.set_event_loop(workspace.loop)
    return workspace.loop


def _new_loop(asyncio):
    prepared, _state["prepared"] = _state["prepared"], None
    return prepared or asyncio.new_event_loop()


def _cancel(asyncio, loop, tasks):
    left = {task for task in tasks if not task.done()}
    if not left or loop.is_closed():
        return
    for task in left:
        task.cancel()
    try:
        loop.run_until_complete(asyncio.wait(left, timeout=_CANCEL_SECONDS))
    except BaseException:  # noqa: B036 - whatever it raises on its way out, the exit is what counts
        pass


async def _awaiting(awaitable):
    return await awaitable


def _allow_nested_run(asyncio):
    """Most programs start with `asyncio.run(main())` or run a loop of their own, although one runs already."""
    if _state["nests"]:
        return
    _state["nests"] = True
    swap_task = _task_swapping(asyncio)
    base = asyncio.base_events.BaseEventLoop
    asyncio.run = _nesting(asyncio, asyncio.run, swap_task)
    base.run_until_complete = _nesting(asyncio, base.run_until_complete, swap_task)
    base.run_forever = _nesting(asyncio, base.run_forever, swap_task)
    if hasattr(asyncio, "Runner"):
        asyncio.Runner.run = _nesting(asyncio, asyncio.Runner.run, swap_task)


def _task_swapping(asyncio):
    """Takes the current task of a loop, and puts another in its place. Python 3.14 knows one current task, not one for each loop."""
    swap = getattr(asyncio.tasks, "_swap_current_task", None)

    def swap_task(loop, task):
        # Python 3.12 takes it for an error that there is none to take.
        if swap is None or (task is None and asyncio.current_task(loop) is None):
            return None
        return swap(loop, task)

    return swap_task


def _send_without_sendmsg(asyncio):
    """That call is denied. From Python 3.12 on transports prefer it to send() where they know it."""
    asyncio.selector_events._HAS_SENDMSG = False


def _nesting(asyncio, original, swap_task):
    def run(*args, **options):
        running = asyncio._get_running_loop()
        if running is None:
            return original(*args, **options)
        task = swap_task(running, None)
        asyncio._set_running_loop(None)
        try:
            return original(*args, **options)
        finally:
            asyncio._set_running_loop(running)
            asyncio.set_event_loop(running)
            swap_task(running, task)

    run.__name__, run.__qualname__, run.__doc__ = original.__name__, original.__qualname__, original.__doc__
    run.__module__ = original.__module__
    return run
