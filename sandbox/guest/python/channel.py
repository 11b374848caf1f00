"""The control channel to the host: descriptor 3, a stream socket that carries frames of a 4-byte big-endian length and
that many bytes of UTF-8 JSON."""

import _thread
import posix

from mcp_error import MCPError
import wire

CONTROL_FD = 3
_HEADER_BYTES = 4
_READ_BYTES = 1 << 16
# Exit status when the channel ends or carries something that is not a frame: there is no host left to tell.
EXIT_CHANNEL_LOST = 70
# The `error` of whatever a forked process asks of the host.
FORKED = {
    "code": "forked_process",
    "message": "this process was forked from the program, and only the program itself can ask the host for anything "
    "(tools, searches, memory, models, display): call them in the program or in its threads, and hand the results to processes",
}
# What is displayed between two programs of a session is held, as much as the host takes of one run.
_HELD_MAX = 100
_HELD_BYTES_MAX = 16 * 1024 * 1024
_TOO_MUCH = {
    "code": "limit_exceeded",
    "message": f"display: between two runs of a session, {_HELD_MAX} blocks of {_HELD_BYTES_MAX >> 20} MiB in all are kept for the next one",
}


class Channel:
    def __init__(self):
        # Programs that the user's code starts have no business with the host.
        posix.set_inheritable(CONTROL_FD, False)
        self._writing = _thread.allocate_lock()
        self._unread = bytearray()
        # Of a session: the number of the program that runs, and between two of them the frames that the next one displays.
        self.program = 0
        self._held = None
        # The process that the host talks with. Children that user code forks have the descriptor, but no part in it.
        self._owner = posix.getpid()

    def leave(self):
        """Ends the process: the host cannot be understood."""
        posix._exit(EXIT_CHANNEL_LOST)

    def send(self, body):
        """Writes one frame. Raises ValueError if it is larger than the host accepts."""
        frame = self._frame(body)
        with self._writing:
            self._write(frame)

    def send_of(self, program, body):
        """The same of the program with this number; false if that is over."""
        frame = self._frame(body)
        with self._writing:
            if program != self.program:
                return False
            self._write(frame)
            return True

    def display(self, body):
        """The same of what is displayed. Raises MCPError if too much is waiting for the next program."""
        frame = self._frame(body)
        with self._writing:
            if self._held is None:
                return self._write(frame)
            if len(self._held) >= _HELD_MAX or sum(map(len, self._held)) + len(frame) > _HELD_BYTES_MAX:
                raise MCPError.from_failure(_TOO_MUCH)
            self._held.append(frame)

    def begin_program(self, begun):
        """Of a session. From now on what those before it ask for is not sent."""
        frame = self._frame(begun)
        with self._writing:
            self.program += 1
            self._write(frame)
            while self._held:
                self._write(self._held[0])
                del self._held[0]
            self._held = None

    def end_program(self, done):
        """Of a session. What is displayed from now on is for the next one."""
        frame = self._frame(done)
        with self._writing:
            self._write(frame)
            self._held = []

    def _frame(self, body):
        self.check_owner()
        wire.check_size(body)
        return len(body).to_bytes(_HEADER_BYTES, "big") + body

    def _write(self, frame):
        try:
            sent = posix.write(CONTROL_FD, frame)
            while sent < len(frame):
                frame = memoryview(frame)[sent:]
                sent = posix.write(CONTROL_FD, frame)
        except OSError:
            self.check_owner()
            posix._exit(EXIT_CHANNEL_LOST)

    def is_sending(self):
        """Whether some thread is in the middle of a frame."""
        return self._writing.locked()

    def receive(self):
        """The messages of the next read, perhaps none; blocks until there are bytes. One thread at a time."""
        self.check_owner()
        data = self._read()
        # Nearly always exactly one frame arrives, with nothing left over from before.
        if not self._unread and _frame_end(data) == len(data):
            return [_parse(data)]
        self._unread += data
        return self._complete_messages()

    def is_readable(self, within=0):
        """Whether `receive` would not block, or will not any more in so many seconds."""
        from select import select

        return self.is_owned() and bool(select([CONTROL_FD], [], [], within)[0])

    def is_owned(self):
        """Whether this is the process that the host talks with."""
        return posix.getpid() == self._owner

    def check_owner(self):
        """Raises MCPError in any other process: it would take what is meant for this one."""
        if not self.is_owned():
            raise MCPError.from_failure(FORKED)

    def leave_to_parent(self):
        """In a child that user code has forked, before any of its code: all further traffic is the parent's."""
        self._owner = None
        # Whoever had it may be a thread that is not in this process.
        self._writing = _thread.allocate_lock()
        self._unread = bytearray()
        _close_descriptor()

    def _read(self):
        try:
            data = posix.read(CONTROL_FD, _READ_BYTES)
        except OSError:
            data = b""
        if not data:
            self.check_owner()
            posix._exit(EXIT_CHANNEL_LOST)
        return data

    def _complete_messages(self):
        messages = []
        while len(self._unread) >= _HEADER_BYTES:
            end = _frame_end(self._unread)
            if end > len(self._unread):
                break
            messages.append(_parse(self._unread[:end]))
            del self._unread[:end]
        return messages


def _close_descriptor():
    """Something that has ended takes its place: a read in whose middle a signal handler has forked goes on in the child, and
    no file of the child may come to have the number, which selectors know."""
    try:
        reading, writing = posix.pipe()
        posix.close(writing)
        posix.dup2(reading, CONTROL_FD, False)
    except OSError:
        reading = CONTROL_FD  # Without descriptors to spare.
    posix.close(reading)


def _frame_end(data):
    size = int.from_bytes(data[:_HEADER_BYTES], "big")
    if len(data) >= _HEADER_BYTES and size > wire.MAX_FRAME_BYTES:
        posix._exit(EXIT_CHANNEL_LOST)
    return _HEADER_BYTES + size


def _parse(frame):
    try:
        message = wire.decode(frame[_HEADER_BYTES:].decode())
    except (ValueError, StopIteration):
        posix._exit(EXIT_CHANNEL_LOST)
    if not isinstance(message, dict):
        posix._exit(EXIT_CHANNEL_LOST)
    return message
