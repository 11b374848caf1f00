"""The selector of an event loop in a child that user code has forked."""

import posix
import sys

from channel import CONTROL_FD


def replace(loop):
    """The loop has its parent's selector, and may be waiting at it, if a signal handler has forked: what happens there the parent
    may see first. It gets one of its own, with the same descriptor, which wakes it at once."""
    select, selectors = sys.modules.get("select"), sys.modules.get("selectors")
    inherited = getattr(loop, "_selector", None)
    if not isinstance(inherited, getattr(selectors, "EpollSelector", ())):
        return
    own = type(inherited)()
    try:
        for key in list(inherited.get_map().values()):
            own.register(key.fd, key.events)
        # The channel, which has ended here. Once: nobody takes it from there.
        own._selector.register(CONTROL_FD, select.EPOLLIN | select.EPOLLONESHOT)
        posix.dup2(own.fileno(), inherited.fileno(), False)
    except (OSError, ValueError):
        pass  # Without descriptors to spare, or with one that is closed; then it keeps its parent's.
    own.close()
