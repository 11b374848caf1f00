"""Programs that use asyncio. The programs of a session share one loop, so what one has made (tasks, queues, locks)
goes on in the next that awaits anything; between programs it stands still."""

import sys

import stray_errors

# How long a main coroutine that was left by an exit may take to end, when it is told to.
_CANCEL_SECONDS = 1

_state = {"warm": False, "prepared": None, "nests": False}


def prepare():
    """Ahead of need: asyncio, and a loop for the first program that wants one."""
    import asyncio

    _state["warm"] = True
    _state["prepared"] = asyncio.new_event_loop()


def is_loaded():
    """Whether something other than `prepare` has imported asyncio; if not, no code can depend on a loop."""
    return "asyncio" in sys.modules and not _state["warm"]


def run(coroutine, workspace):
    """Runs a coroutine, or anything else that can be awaited; tasks that are left wait for the next program."""
    import asyncio

    _allow_nested_run(asyncio)
    if workspace.loop is None or workspace.loop.is_closed():
        workspace.loop = _new_loop(asyncio)
        workspace.loop.set_exception_handler(lambda _, context: stray_errors.report_task(context, workspace.sources))
    loop = workspace.loop
    asyncio.set_event_loop(loop)
    main = loop.create_task(_awaiting(coroutine))
    try:
        return loop.run_until_complete(main)
    except SystemExit:
        # Raised in a task, it leaves the loop at once. The next program of a session must not find this one waiting.
        _cancel(asyncio, loop, main)
        raise


def _new_loop(asyncio):
    prepared, _state["prepared"] = _state["prepared"], None
    return prepared or asyncio.new_event_loop()


def _cancel(asyncio, loop, main):
    if main.done() or loop.is_closed():
        return
    main.cancel()
    try:
        loop.run_until_complete(asyncio.wait({main}, timeout=_CANCEL_SECONDS))
    except BaseException:  # noqa: B036 - whatever it raises on its way out, the exit is what counts
        pass


async def _awaiting(awaitable):
    return await awaitable


def _allow_nested_run(asyncio):
    """Most programs start with `asyncio.run(main())`, also those with a top-level `await`, whose loop runs already."""
    if _state["nests"]:
        return
    _state["nests"] = True
    original = asyncio.run
    # Python 3.14 knows one current task, not one for each loop.
    swap_task = getattr(asyncio.tasks, "_swap_current_task", lambda loop, task: None)

    def run(main, **options):
        running = asyncio._get_running_loop()
        task = None if running is None else swap_task(running, None)
        asyncio._set_running_loop(None)
        try:
            return original(main, **options)
        finally:
            asyncio._set_running_loop(running)
            if running is not None:
                asyncio.set_event_loop(running)
                swap_task(running, task)

    asyncio.run = run
