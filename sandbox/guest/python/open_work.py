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
        self._work_before = {}
        self._processes_before = frozenset()
        # Where its interpreter ends with the program, `multiprocessing` waits for its processes itself.
        self._goes_on = False
        self._note_time = None

    def begin(self, goes_on):
        """A program begins. `goes_on`: others come after it."""
        self._threads_before = frozenset(_threads())
        self._work_before = _work_of_pools(self._threads_before)
        self._processes_before = frozenset(process_work.awaited_processes())
        self._goes_on = goes_on
        if self._workspace.tasks is not None:
            self._workspace.tasks.begin()

    def wait(self):
        """Returns when nothing is open, or a callback has failed. Raises what ends a program from inside of a task."""
        self._note_time = time.monotonic() + _NOTE_SECONDS
        while True:
            self._wait_for_loop_and_calls()
            if not self._is_busy_elsewhere():
                return
            self._wait_elsewhere()

    def wait_after_exit(self):
        """The same of threads and processes alone: an exit waits for these, and for nothing in the loop."""
        self._note_time = time.monotonic() + _NOTE_SECONDS
        self._wait_elsewhere()

    def _wait_elsewhere(self):
        while self._is_busy_elsewhere():
            self._note_if_late()
            time.sleep(_POLL_SECONDS)

    def _wait_for_loop_and_calls(self):
        loop = self._workspace.loop
        if loop is not None and not loop.is_closed():
            import event_loop

            event_loop.run(self._loop_ended(loop, self._workspace.tasks), self._workspace)
        for call in self._requests.open_calls():
            self._requests.wait(call)

    def _is_busy_elsewhere(self):
        """In threads and processes, which may start something in the loop."""
        return bool(self._busy_processes()) or self._has_busy_threads()

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
        """`with_daemons`: they may do what tasks wait for, although nobody waits for their end."""
        threads = _threads()
        if not threads:
            return False
        import thread_waits

        frames = sys._current_frames()
        if any(self._is_awaited(thread, frames) for thread in threads):
            return not thread_waits.are_in_vain()
        watched = [thread for thread in threads if self._is_watched(thread, frames, with_daemons)]
        if not all(thread_waits.is_parked(frames[thread.ident]) for thread in watched):
            return True
        return bool(watched) and thread_waits.have_moved([thread.native_id for thread in watched])

    def _busy_processes(self):
        if not self._goes_on:
            return []
        return [process for process in process_work.awaited_processes() if process not in self._processes_before]

    def _is_awaited(self, thread, frames):
        """Whether Python would wait for its end, or for that of what it does in a pool. What programs before have left is not
        waited for, unless it runs in a pool."""
        import thread_waits

        frame = frames.get(thread.ident)
        if thread.daemon or thread.ident == _thread.get_ident():
            return False
        if process_work.is_manager(thread):
            return process_work.has_work(thread)
        worker = thread_waits.worker_frame(frame)
        if worker is None:
            return thread not in self._threads_before
        if thread_waits.is_idle(frame):
            return False
        is_older = _is_work(worker, self._work_before.get(thread.ident))
        return not (is_older and thread_waits.is_parked(frame))

    def _is_watched(self, thread, frames, with_daemons):
        """Whether what this thread does next, of which Python waits for nothing yet, counts."""
        import thread_waits

        frame = frames.get(thread.ident)
        if frame is None or thread.ident == _thread.get_ident() or process_work.is_manager(thread):
            return False
        if thread_waits.worker_frame(frame) is not None:
            return True
        return with_daemons and thread.daemon and thread not in self._threads_before

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
        frames = sys._current_frames()
        threads = sum(self._is_awaited(thread, frames) for thread in _threads())
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


def _work_of_pools(threads):
    """By the thread that does it."""
    if not threads:
        return {}
    from _weakref import ref

    import thread_waits

    frames = sys._current_frames()
    workers = {thread.ident: thread_waits.worker_frame(frames.get(thread.ident)) for thread in threads}
    work = {ident: worker.f_locals.get("work_item") for ident, worker in workers.items() if worker is not None}
    return {ident: ref(item) for ident, item in work.items() if item is not None}


def _is_work(worker, reference):
    return reference is not None and reference() is worker.f_locals.get("work_item")


def _task_name(task):
    coroutine = task.get_coro() if hasattr(task, "get_coro") else None
    return f"{getattr(coroutine, '__qualname__', 'task'):.{_NAME_CHARACTERS}}"


def _counted(count, one, many=None):
    return f"{count} {one if count == 1 else many or one + 's'}"
