"""Requests to the host, and who waits for their replies; and what the host sends of its own accord.

Both arrive on one descriptor for everybody: blocking calls of any thread, and event loops. Of the threads that
block, one (the leader) reads and settles what arrives, whoever it is for; when it has its own reply it hands the
reading to another one. Event loops watch the descriptor too and read only while no leader does.
"""

import _thread
import posix
import sys

from channel import CONTROL_FD, FORKED
from mcp_error import MCPError, MCPTypeError
import own_selector
import sent_values
import wire

# Requests without a reply; more wait here. Half of what the host lets a run have open.
_OPEN_MAX = 500

# The `error` of what a thread asks for that a program before has left.
_LEFT = {
    "code": "cancelled",
    "message": "the run that this belongs to is over: it is asked for by a thread, or by work of a pool, that an earlier run of the session has "
    "left, and that has no part in the rights and limits of this one; start it again in this run",
}
# Taken now, because user code may empty or replace `sys.modules`.
_modules = sys.modules


class Call:
    """A request that was sent. Awaiting it gives its result; asyncio takes it for a coroutine."""

    __slots__ = ("_requests", "_shape", "done", "_value", "_error", "gate", "_futures", "_steps", "is_seen", "is_left")

    def __init__(self, requests, shape=None):
        self._requests = requests
        # Makes what the caller gets from the reply's result.
        self._shape = shape
        self.done = False
        self._value = None
        self._error = None
        self.gate = None
        self._futures = None
        self._steps = None
        # Whether the program has got the reply; whether it has stopped to wait for it.
        self.is_seen = False
        self.is_left = False

    @classmethod
    def settled(cls, value):
        """A call that is over; awaiting it gives the value."""
        call = cls(None)
        call.settle({"result": value})
        return call

    def result(self):
        """Blocks until the reply is there."""
        # At once: the end of a program is another thread's, and may come before this one goes on.
        self.is_seen = True
        if not self.done:
            self._requests.wait(self)
        if self._error is not None:
            raise self._error
        return self._value if self._shape is None else self._shape(self._value)

    def __await__(self):
        if not self.done:
            loop = _running_loop()
            if loop is not None:
                try:
                    yield from self.future(loop)
                except BaseException:
                    self.is_left = True
                    raise
        return self.result()

    # asyncio.create_task and others insist on a coroutine: something with these three methods.

    def send(self, value):
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.send(value)

    def throw(self, *error):
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.throw(*error)

    def close(self):
        if self._steps is not None:
            self._steps.close()

    def future(self, loop):
        """Of this loop; it is done when the reply is there."""
        self._requests.watch(loop)
        future = loop.create_future()
        if self._futures is None:
            self._futures = []
        self._futures.append((loop, future))
        if self.done:
            self._resolve_futures()
        return future

    @property
    def error(self):
        """None, as long as there is no reply."""
        return self._error

    def settle(self, reply):
        error = reply.get("error")
        if error is None:
            self._value = reply.get("result")
        else:
            self._error = MCPError.from_failure(error)
        self.done = True
        if self.gate is not None:
            _open(self.gate)
        if self._futures is not None:
            self._resolve_futures()

    def _resolve_futures(self):
        while self._futures:
            loop, future = self._futures.pop()
            try:
                if loop is _running_loop():
                    _resolve(future)
                else:
                    loop.call_soon_threadsafe(_resolve, future)
            except RuntimeError:
                pass  # The loop was closed: no task waits any more.


class Requests:
    def __init__(self, channel):
        self._channel = channel
        self._pending = {}
        self._last_id = 0
        self._open = 0
        # The last one of the programs before, which may never be answered.
        self._before = 0
        # Program, number and frame of those that are not sent yet.
        self._held = []
        # The module that knows of threads that a program before has left, once there are some.
        self._left = None
        # Those of the program that failed.
        self._failed = []
        self._numbering = _thread.allocate_lock()
        self._reading = _thread.allocate_lock()
        self._followers = []
        self._watched_loops = []
        # What the host sends of its own accord, and who waits for it.
        self._orders = []
        self._awaited_order = None

    def begin(self):
        """A program begins: what is left of the ones before does not count."""
        with self._numbering:
            self._before = self._last_id
            self._open = 0
            held, self._held = self._held, []
            self._failed.clear()
        for _, number, _ in held:
            self._pending.pop(number).settle({"error": _LEFT})

    def leave_threads(self):
        """A program of a session is about to begin: what the threads do that are there now is no part of it."""
        if self._left is not None or _has_other_threads():
            import left_threads

            left_threads.begin(self._channel.program + 1)
            self._left = left_threads

    def open_calls(self):
        """Of the program that runs: those without a reply that nobody has stopped to wait for."""
        pending = list(self._pending.items())
        return [call for number, call in pending if number > self._before and not call.is_left]

    def unseen_errors(self):
        """Of calls of the program that have failed, and nobody has looked at."""
        return [call.error for call in self._failed if not (call.is_seen or call.is_left)]

    def ask(self, method, params, shape=None):
        """Sends a request as soon as there is room, and blocks until its result is there."""
        # From the beginning: the program may end in another thread when the reply has come and this one has not gone on.
        return self.start(method, params, shape, is_seen=True).result()

    def start(self, method, params, shape=None, is_seen=False):
        """Sends a request as soon as there is room, and returns its Call. `is_seen`: the caller will look at it in any case."""
        self._channel.check_owner()
        call = Call(self, shape)
        call.is_seen = is_seen
        with self._numbering:
            self._last_id += 1
            number = self._last_id
        # In this order: what has a number of the program that runs, and is not of it, is never among its open calls.
        current = self._channel.program
        program = current if self._left is None else self._left.program_of_thread(current)
        try:
            frame = sent_values.encode({"type": "request", "id": number, "method": method, "params": params})
        except (TypeError, ValueError, RecursionError) as error:
            message = f"the arguments{sent_values.tool_of(params)} cannot be sent as JSON: {sent_values.reason(error, params)}"
            raise MCPTypeError(message, code="invalid_argument") from None
        if program != current:
            call.settle({"error": _LEFT})
            return call
        self._pending[number] = call
        with self._numbering:
            self._held.append((program, number, frame))
        self._send_held()
        return call

    def start_in_finalizer(self, method, params):
        """The same where a finalizer may be: in the middle of `start`, whose locks it would wait for. Then it is not sent."""
        if self._channel.is_owned() and not self._numbering.locked() and not self._channel.is_sending():
            self.start(method, params).is_left = True

    def _send_held(self):
        while True:
            with self._numbering:
                if not self._held or self._open >= _OPEN_MAX:
                    return
                program, number, frame = self._held.pop(0)
                self._open += 1
            if not self._channel.send_of(program, frame):
                self._refuse(number)

    def _refuse(self, number):
        with self._numbering:
            if number > self._before:
                self._open -= 1
        self._pending.pop(number).settle({"error": _LEFT})

    def display(self, block):
        """Raises ValueError if it is larger than a message can be."""
        self._channel.display(wire.encode_message({"type": "display", "block": block}))

    def next_order(self):
        """Blocks until the host sends something that is no reply, such as the next program. For one thread only."""
        call = self._awaited_order = Call(self)
        if not self._orders:
            self.wait(call)
        self._awaited_order = None
        return self._orders.pop(0)

    def has_order(self, within=0):
        """Whether something arrives in so many seconds, which may be an order."""
        return bool(self._orders) or self._channel.is_readable(within)

    def wait(self, call):
        """Blocks the calling thread until the call is done, reading replies if nobody else does."""
        while not call.done:
            # By its own name: a signal handler may fork a child here, which gets another lock.
            reading = self._reading
            if reading.acquire(False):
                try:
                    while not call.done:
                        self._settle_next()
                finally:
                    reading.release()
                    self._wake_follower()
            else:
                self._follow(call)
        # The leader may have chosen this thread as the next one just when its own reply arrived.
        if self._followers and not self._reading.locked():
            self._wake_follower()

    def leave_to_parent(self):
        """In a child that user code has forked: no reply will come here, and threads that held a lock are not here."""
        self._numbering = _thread.allocate_lock()
        self._reading = _thread.allocate_lock()
        for kept in (self._followers, self._held, self._orders, self._failed):
            kept.clear()
        for loop in self._watched_loops:
            if not loop.is_closed():
                loop.remove_reader(CONTROL_FD)
                own_selector.replace(loop)
        self._watched_loops.clear()
        calls = list(self._pending.values())
        self._pending.clear()
        for call in calls:
            call.gate = None
            call.settle({"error": FORKED})

    def watch(self, loop):
        """Lets an event loop deliver replies while it runs."""
        if any(watched is loop for watched in self._watched_loops):
            return
        self._watched_loops = [watched for watched in self._watched_loops if not watched.is_closed()]
        self._watched_loops.append(loop)
        loop.add_reader(CONTROL_FD, self._on_readable)

    def _follow(self, call):
        gate = _thread.allocate_lock()
        gate.acquire()
        call.gate = gate
        self._followers.append(gate)
        # The thread that read may have stopped, or may have settled this very call, before it could see the gate.
        if not call.done and self._reading.locked():
            gate.acquire()
        try:
            self._followers.remove(gate)
        except ValueError:
            pass

    def _wake_follower(self):
        try:
            _open(self._followers.pop(0))
        except IndexError:
            pass

    def _on_readable(self):
        if not self._reading.acquire(False):
            return
        try:
            # A leader may have read it since the loop saw that something is there.
            if self._channel.is_readable():
                self._settle_next()
        finally:
            self._reading.release()
            self._wake_follower()

    def _make_room(self, number):
        with self._numbering:
            if number > self._before:
                self._open -= 1
        self._send_held()

    def _settle_next(self):
        for message in self._channel.receive():
            if message.get("type") == "reply":
                number = message.get("id")
                call = self._pending.pop(number, None)
                if call is not None:
                    self._make_room(number)
                    if message.get("error") is not None and number > self._before:
                        self._failed.append(call)
            else:
                self._orders.append(message)
                call = self._awaited_order
            if call is not None:
                call.settle(message)


def _has_other_threads():
    """Also those that are just being started, which Python does not count yet; WebAssembly has none."""
    try:
        return len(posix.listdir("/proc/self/task")) > 1
    except OSError:
        return False


def _running_loop():
    events = _modules.get("asyncio.events")
    return events and events._get_running_loop()


def _resolve(future):
    if not future.done():
        future.set_result(None)


def _open(gate):
    try:
        gate.release()
    except RuntimeError:
        pass  # Opened already, by a reply and a leader that stopped at the same time.
