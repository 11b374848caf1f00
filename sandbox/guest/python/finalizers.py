"""What Python does with a program's objects when it ends: finalizers run, and files get what is still in buffers. The process itself is
ended by the host, without any of that."""

import gc
import posix
import sys

_WRITERS = ("TextIOWrapper", "BufferedWriter", "BufferedRandom", "BufferedRWPair")
_STANDARD_DESCRIPTORS = 3
_KIND_OF_FILE, _ON_DISK = 0o170000, 0o100000


def run(names):
    """`names`: the globals of the program, which are gone afterwards. Of what else holds its objects nothing is known."""
    holds_files = _holds_files()
    if holds_files:
        # First: a collection ends the parts of a file in any order.
        write_out()
    # Daemons go on with their variables; Python would have stopped them.
    if len(sys._current_frames()) == 1:
        _forget(names)
        # It takes 2 ms of a forked guest, and 8 of one that was started.
        if holds_files:
            gc.collect()
    if holds_files:
        write_out()


def write_out_files():
    """Between the programs of a session, whose end may come at any time. Whatever reads from a pipe may take its time."""
    if _holds_files():
        write_out(_is_on_disk)


def write_out(is_wanted=lambda thing: True):
    """Files that are open still get what was written to them."""
    import _io

    kinds = tuple(getattr(_io, name) for name in _WRITERS)
    # Texts before the bytes that they become.
    opened = [thing for thing in gc.get_objects() if issubclass(type(thing), kinds)]
    opened.sort(key=lambda thing: not issubclass(type(thing), _io.TextIOWrapper))
    for thing in opened:
        try:
            if is_wanted(thing):
                thing.flush()
        except BaseException:  # noqa: B036 - closed, only readable, or of a class of the program
            pass


def _is_on_disk(thing):
    return posix.fstat(thing.fileno()).st_mode & _KIND_OF_FILE == _ON_DISK


def _forget(names):
    """In the order of Python: names that begin with one underscore first; the names themselves stay."""
    for private in (True, False):
        for name in list(names):
            if name != "__builtins__" and (name[:1] == "_" and name[1:2] != "_") is private:
                names[name] = None


def _holds_files():
    """Files, pipes and devices: what a guest has itself are sockets and event queues."""
    for number in posix.listdir("/proc/self/fd"):
        try:
            if int(number) > _STANDARD_DESCRIPTORS and posix.readlink(f"/proc/self/fd/{number}")[:5] not in ("socke", "anon_"):
                return True
        except OSError:  # The one that has listed them.
            pass
    return False
