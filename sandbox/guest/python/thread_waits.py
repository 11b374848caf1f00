"""Whether threads of this process may still do something, or wait for what nobody is left to do."""

import _signal
import _thread
import posix
import sys
import time

import process_work

_TASKS = "/proc/self/task"
# In which whoever was woken would have run. A thread that waits for the interpreter tries again every 5 ms.
_PAUSE_SECONDS = 0.02
_PAUSE_SECONDS_MAX = 0.2
_TIMERS = tuple(getattr(_signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(_signal, name))


def is_parked(frame):
    """Whether a thread waits, without an end, for another one to wake it: in a pool, at a queue, for an event."""
    if is_idle(frame):
        return True
    threading = sys.modules.get("threading")
    wait = getattr(getattr(getattr(threading, "Condition", None), "wait", None), "__code__", None)
    return frame.f_code is wait and wait is not None and frame.f_locals.get("timeout") is None


def is_idle(frame):
    """Whether this is a thread of a pool that has nothing to do."""
    if frame.f_code is not _worker_code():
        return False
    queue = frame.f_locals.get("work_queue")
    return frame.f_locals.get("work_item") is None and (queue is None or queue.empty())


def worker_frame(frame):
    """The outermost of a thread of a pool, which lives as long as its pool; None for other threads."""
    code = _worker_code()
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


def _worker_code():
    pools = sys.modules.get("concurrent.futures.thread")
    return getattr(getattr(pools, "_worker", None), "__code__", None)


def are_in_vain():
    """Whether it is certain that nobody can wake any thread but this one: each waits for another, no timer or child of this
    process is there that could, and the kernel says that none of them has run for a while. Whoever was woken runs at once, if
    only to wait for the interpreter. Otherwise, and where the kernel does not say it, they are waited for, as Python does."""
    if not _all_are_parked():
        return False
    try:
        before = _switches()
        # Looked at once more, because the threads may have run until `before`.
        if before is None or _all_are_parked() != len(before) or _has_timer() or process_work.living_children():
            return False
        time.sleep(max(_PAUSE_SECONDS, _patience()))
        return _switches() == before
    except (OSError, ValueError, LookupError):
        return False


def have_moved(native_ids):
    """Whether one of these threads, which seem to be parked, has been woken; false where the kernel does not say it."""
    try:
        are_all = len(native_ids) + 1 == len(posix.listdir(_TASKS))
    except OSError:
        time.sleep(0)
        return False
    try:
        before = _switches(native_ids)
        # One of those that wait for the interpreter is woken whenever it is free; it may be another one.
        time.sleep(0 if are_all else _patience())
        return before is None or _switches(native_ids) != before
    except FileNotFoundError:  # One has just ended.
        return True
    except (OSError, ValueError, LookupError):
        return False


def _patience():
    """Longer than a thread waits for the interpreter before it asks for it."""
    return min(2 * sys.getswitchinterval(), _PAUSE_SECONDS_MAX)


def _all_are_parked():
    """How many threads there are beside this one, if all of them are parked; else 0."""
    frames = sys._current_frames()
    frames.pop(_thread.get_ident(), None)
    return len(frames) if all(map(is_parked, frames.values())) else 0


def _switches(native_ids=None):
    """How often each of these threads, or each but this one, has begun to wait; None if one does not wait."""
    if native_ids is None:
        native_ids = {int(name) for name in posix.listdir(_TASKS)}
        native_ids.remove(_thread.get_native_id())
    found = {number: _switches_of(number) for number in native_ids}
    return None if None in found.values() else found


def _switches_of(native_id):
    status = process_work.read(f"{_TASKS}/{native_id}/status")
    fields = dict(line.partition(b":")[::2] for line in status.split(b"\n"))
    if not fields[b"State"].strip().startswith(b"S"):
        return None
    return int(fields[b"voluntary_ctxt_switches"]), int(fields[b"nonvoluntary_ctxt_switches"])


def _has_timer():
    """Whose signal handler could wake a thread."""
    return any(_signal.getitimer(timer)[0] > 0 for timer in _TIMERS)
