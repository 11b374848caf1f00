"""What a guest does while it waits for its program, so that the program need not: running a dummy by the very path of a
real one, and importing what programs commonly import. It stops as soon as something arrives."""

import gc

import event_loop

# Uses what programs use: functions, comprehensions, await, an expression at the end.
_PROGRAM = """
async def main():
    return [n for n in range(3)]
values = await main()
{"values": values}
"""
_SYNCHRONOUS = "1 + 1"
# So often that CPython has specialised the code for what it sees.
_REPETITIONS = 10
# A guest that has waited so long for a program may as well warm up.
_QUIET_SECONDS = 0.015
# Most wanted first, and in steps of a few milliseconds each: what arrives waits for the step in hand. What asyncio
# consists of stands before it for this reason.
MODULES = (
    "os json re datetime math random time collections.abc itertools functools string copy enum typing dataclasses "
    "collections pathlib base64 hashlib uuid decimal statistics io csv textwrap urllib.parse heapq traceback inspect "
    "threading contextlib concurrent.futures socket ssl selectors logging subprocess tempfile asyncio"
).split()


def warm_up(session, requests):
    for _ in _steps(session):
        if requests.has_order():
            return
    event_loop.prepare()
    # What is here stays; looking through it again and again would cost each collection 5 ms.
    gc.freeze()


def warm_up_template(session, further_modules):
    """For a process that forks guests. It gets no orders meanwhile, and what it opens would belong to all of them."""
    for _ in _steps(session):
        pass
    event_loop.load()
    for name in further_modules:
        __import__(name)
    gc.collect()
    gc.freeze()


def warm_up_forked(session, requests):
    """What a program writes to is the template's until then: some 800 pages, which are copied now and not when there is a program.
    Where programs come as fast as guests are forked it would only take time from them."""
    if requests.has_order(_QUIET_SECONDS):
        return
    _run_dummies(session)
    event_loop.prepare()


def _run_dummies(session):
    session.run_program(_PROGRAM, False)
    session.run_program(_SYNCHRONOUS, False)


def _steps(session):
    for _ in range(_REPETITIONS):
        _run_dummies(session)
        yield
    for name in MODULES:
        __import__(name)
        yield
