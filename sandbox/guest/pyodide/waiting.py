"""How a guest in Pyodide waits: always in poll(2), which is the one system call that can suspend WebAssembly."""

import asyncio
import select
import selectors
import time

_MILLISECONDS = 1000


def install(channel):
    channel.Channel = _polled(channel)
    # Pyodide's own loop is driven by JavaScript, and always runs.
    asyncio.run = asyncio.runners.run
    asyncio.events._set_running_loop(None)
    asyncio.events._set_event_loop_policy(Policy())
    time.sleep = sleep


def _polled(channel):
    class Channel(channel.Channel):
        def __init__(self):
            super().__init__()
            self._waiting = select.poll()
            self._waiting.register(channel.CONTROL_FD, select.POLLIN)

        def _read(self):
            self._waiting.poll()
            return super()._read()

    return Channel


class EventLoop(asyncio.SelectorEventLoop):
    """Without the pair of sockets by which other threads wake a loop: there are no other threads."""

    def __init__(self):
        super().__init__(selectors.PollSelector())

    def _make_self_pipe(self):
        self._ssock = self._csock = None

    def _close_self_pipe(self):
        pass


class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = EventLoop


def sleep(seconds, /, *, _poll=select.poll):
    """sleep(seconds): delays execution for a given number of seconds."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    _poll().poll(seconds * _MILLISECONDS)


sleep.__module__ = "time"
