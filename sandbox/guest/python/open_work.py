"""The end of a program: when it has returned, and nothing that it has started goes on by itself. That are calls, tasks,
timers, threads and processes (those that Python waits for itself), unless they wait for something that nobody is left to do."""

import _thread
import sys
import time

import process_work

# Between two looks at threads and processes.
_POLL_SECONDS = 0.005
# Below the shortest deadline of a run, and far above what most work takes that no program awaits.
_NOTE_SECONDS = 0.8
_NAMES_SHOWN = 5
_NAME_CHARACTERS = 40


class OpenWork:
    def __init__(self, workspace, requests):
        self._workspace = workspace
        self._requests = requests
        self._threads_before = frozenset()
        self._processes_before = frozenset()
        # Where its interpreter ends with the program, `multiprocessing` waits for its processes itself.
        self._goes_on = False
        self._note_time = None

    def begin(self, goes_on):
        """A program begins. `goes_on`: others come after it."""
        self._threads_before = frozenset(_threads())
        self._processes_before = frozenset(process_work.awaited_processes())
        self._goes_on = goes_on
        if self._workspace.tasks is not None:
            self._workspace.tasks.begin()

    def wait(self):
        """Returns when nothing is open, or a callback has failed. Raises what ends a program from inside of a task."""
        self._note_time = time.monotonic() + _NOTE_SECONDS
        loop = self._workspace.loop
        if loop is not None and not loop.is_closed():
            import event_loop

            event_loop.run(self._loop_ended(loop, self._workspace.tasks), self._workspace)
        for call in self._requests.open_calls():
            self._requests.wait(call)
        while self._has_busy_threads() or self._busy_processes():
            self._note_if_late()
            time.sleep(_POLL_SECONDS)

    def unseen_call_errors(self):
        """Of calls that have failed, and nobody has looked at."""
        return self._requests.unseen_errors()

    async def _loop_ended(self, loop, tasks):
        """The same while the loop runs, whose tasks and threads may wait for each other."""
        import asyncio

        while not self._workspace.strays.has_failed_callback:
            next_time = tasks.next_time()
            if tasks.has_ready():
                await asyncio.sleep(0)
            elif next_time is not None:
                await tasks.wait(self._before_note(loop, next_time))
            elif self._requests.open_calls():
                await self._requests.open_calls()[0].future(loop)
            elif self._has_busy_threads(with_daemons=bool(tasks.open)):
                await asyncio.sleep(_POLL_SECONDS)
            elif tasks.open and tasks.has_files():
                await tasks.wait(self._before_note(loop, None))
            elif not tasks.has_ready():  # By a thread that has just ended its work.
                # What is still open waits for something that no task or thread is left to do.
                return
            self._note_if_late()

    def _before_note(self, loop, until):
        if self._note_time is None:
            return until
        note = loop.time() + max(0, self._note_time - time.monotonic())
        return note if until is None else min(note, until)

    def _has_busy_threads(self, with_daemons=False):
        """A thread that takes its next task is, for an instant, as one that waits for it; hence two looks."""
        if not self._busy_threads(with_daemons):
            if len(_threads()) <= 1:
                return False
            time.sleep(0)
            return bool(self._busy_threads(with_daemons))
        return True

    def _busy_threads(self, with_daemons=False):
        threads = _threads()
        if not threads:
            return []
        frames = sys._current_frames()
        return [thread for thread in threads if self._is_busy(thread, frames, with_daemons)]

    def _busy_processes(self):
        if not self._goes_on:
            return []
        return [process for process in process_work.awaited_processes() if process not in self._processes_before]

    def _is_busy(self, thread, frames, with_daemons):
        if (thread.daemon and not with_daemons) or thread.ident == _thread.get_ident():
            return False
        if process_work.is_manager(thread):
            return process_work.has_work(thread)
        frame = frames.get(thread.ident)
        if _is_worker(frame):
            return not _is_parked(frame)
        return thread not in self._threads_before and not (frame is not None and _is_parked(frame))

    def _note_if_late(self):
        """A run that its deadline ends would else show nothing of what it was waiting for."""
        if self._note_time is None or time.monotonic() < self._note_time:
            return
        things = self._open_things()
        if not things and not self._has_ready():
            # The last of what was open has just ended.
            return
        self._note_time = None
        what = " and ".join(things) or "something that it started"
        try:
            sys.stderr.write(f"[the program has returned, but the run goes on until its end or deadline: {what} still open]\n")
        except (AttributeError, OSError, ValueError):
            pass

    def _has_ready(self):
        tasks = self._workspace.tasks
        return tasks is not None and tasks.has_ready()

    def _open_things(self):
        things = []
        tasks = self._workspace.tasks
        if tasks is not None and tasks.open:
            names = ", ".join(_task_name(task) for task, _ in zip(tasks.open, range(_NAMES_SHOWN)))
            things.append(f"{_counted(len(tasks.open), 'task')} ({names})")
        timers = 0 if tasks is None else tasks.count_timers()
        if timers:
            things.append(_counted(timers, "timer"))
        calls = len(self._requests.open_calls())
        if calls:
            things.append(_counted(calls, "call"))
        threads = len(self._busy_threads())
        if threads:
            things.append(_counted(threads, "thread"))
        processes = len(self._busy_processes())
        if processes:
            things.append(_counted(processes, "process", "processes"))
        return things


def _threads():
    """All that `threading` knows of, once it is loaded and there is one beside this."""
    enumerate_threads = getattr(sys.modules.get("threading"), "enumerate", None)
    if enumerate_threads is None or _thread._count() == 0:
        return []
    try:
        return enumerate_threads()
    except Exception:  # What the program has made of it.
        return []


def _is_worker(frame):
    """Whether this is a thread of a pool, which lives as long as its pool."""
    pools = sys.modules.get("concurrent.futures.thread")
    code = getattr(getattr(pools, "_worker", None), "__code__", None)
    while frame is not None:
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False


def _is_parked(frame):
    """Whether a thread waits, without an end, for another one to wake it: in a pool, at a queue, for an event."""
    threading = sys.modules.get("threading")
    wait = getattr(getattr(getattr(threading, "Condition", None), "wait", None), "__code__", None)
    pools = sys.modules.get("concurrent.futures.thread")
    worker = getattr(getattr(pools, "_worker", None), "__code__", None)
    if frame.f_code is worker and worker is not None:
        queue = frame.f_locals.get("work_queue")
        return queue is None or queue.empty()
    return frame.f_code is wait and wait is not None and frame.f_locals.get("timeout") is None


def _task_name(task):
    coroutine = task.get_coro() if hasattr(task, "get_coro") else None
    return f"{getattr(coroutine, '__qualname__', 'task'):.{_NAME_CHARACTERS}}"


def _counted(count, one, many=None):
    return f"{count} {one if count == 1 else many or one + 's'}"
