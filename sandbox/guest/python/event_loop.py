"""Programs that use asyncio."""

import stray_errors


def run(coroutine, source):
    """Runs a coroutine, or anything else that can be awaited, in an event loop; tasks that are left are abandoned."""
    import asyncio

    _allow_nested_run(asyncio)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.set_exception_handler(lambda _, context: stray_errors.report_task(context, source))
    return loop.run_until_complete(_awaiting(coroutine))


async def _awaiting(awaitable):
    return await awaitable


def _allow_nested_run(asyncio):
    """Most programs start with `asyncio.run(main())`, also those with a top-level `await`, whose loop runs already."""
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
