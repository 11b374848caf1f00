"""What has been started in an event loop and goes on by itself: its tasks, which nobody else may hold, and its timers."""

from channel import CONTROL_FD
import loop_errors

# Failed tasks, in their order, kept to see whether the program looks at them; the loop itself tells of others when they
# are dropped.
_FAILED_MAX = 1000


class LoopTasks:
    def __init__(self, loop):
        # Of the program that runs, and of those before it. Held here, because a task that nothing holds may be
        # collected before it has ended.
        self.open = set()
        self._older = set()
        self._failed = []
        self._loop = loop
        self._create = loop.create_task
        self._waiter = None
        loop.create_task = self._create_watched

    def begin(self):
        """A program begins; what those before it have left has been told, and is not waited for."""
        self._failed.clear()
        self._older |= self.open
        self.open = set()

    def create_unwatched(self, coroutine):
        """A task of ours."""
        return self._create(coroutine)

    def take_unseen_errors(self):
        """Of tasks and futures that have failed, in loops of the program too, those that nobody has looked at; from now on
        they count as seen."""
        errors = loop_errors.take_unseen(self._failed)
        self._failed.clear()
        return errors

    def next_time(self):
        """When the next timer is due, by the loop's clock; None if there is none."""
        # A heap: its first is the next one, nearly always.
        scheduled = getattr(self._loop, "_scheduled", ())
        if scheduled and not scheduled[0].cancelled():
            return scheduled[0].when()
        timers = [timer.when() for timer in self._timers()]
        return min(timers) if timers else None

    def has_open(self, value):
        """Whether this value is a task that goes on."""
        return any(task is value for task in self.open)

    def has_ready(self):
        """Whether callbacks wait for their turn."""
        return bool(getattr(self._loop, "_ready", ()))

    def has_files(self):
        """Whether the loop watches connections or processes of the program."""
        selector = getattr(self._loop, "_selector", None)
        watched = getattr(selector, "get_map", dict)() or {}
        own = {CONTROL_FD, getattr(getattr(self._loop, "_ssock", None), "fileno", int)()}
        return any(descriptor not in own for descriptor in watched)

    def count_timers(self):
        return len(self._timers())

    def cancel_timers(self):
        for timer in self._timers():
            timer.cancel()

    async def wait(self, until):
        """Returns when no task is open any more, when `wake` is called, or at a time of the loop's clock."""
        self._waiter = self._loop.create_future()
        timer = None if until is None else self._loop.call_at(until, self.wake)
        try:
            await self._waiter
        finally:
            self._waiter = None
            if timer is not None:
                timer.cancel()

    def wake(self):
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _timers(self):
        return [timer for timer in getattr(self._loop, "_scheduled", ()) if not timer.cancelled()]

    def _create_watched(self, coroutine, **options):
        task = self._create(coroutine, **options)
        self.open.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task):
        self.open.discard(task)
        self._older.discard(task)
        if loop_errors.has_unseen_error(task) and len(self._failed) < _FAILED_MAX:
            self._failed.append(task)
        if not self.open:
            self.wake()
