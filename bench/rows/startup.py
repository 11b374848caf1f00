"""From the start of the process to its answer to initialize, and its memory then: 50 servers configured, none started."""

import time

from support import processes
from support.row import Row, expect, median, summary
from support.world import ECHO_CHILD, World

SERVERS = 50
BAR_MS = 20
BAR_MB = 25


def start_once(world):
    """Milliseconds, and resident megabytes (of 1,000,000 bytes)."""
    begin = time.perf_counter()
    with world.start() as server:
        server.initialize()
        took = (time.perf_counter() - begin) * 1000
        resident = processes.resident_bytes(server.process.pid) / 1e6
        expect(not processes.descendants(server.process.pid), "a server was started that nobody asked for")
    return took, resident


def measure(rounds):
    with World({f"server-{i}": ECHO_CHILD for i in range(SERVERS)}) as world:
        start_once(world)  # reads the binary into the page cache
        samples = [start_once(world) for _ in range(rounds.samples)]
    times, sizes = zip(*samples)
    yield Row(f"process start to initialize answer, {SERVERS} servers configured", f"{median(times):.1f} ms",
              f"<= {BAR_MS} ms", median(times) <= BAR_MS, {"ms": summary(times)})
    yield Row("resident memory after it, guests not counted", f"{median(sizes):.1f} MB", f"<= {BAR_MB} MB",
              median(sizes) <= BAR_MB, {"megabytes": summary(sizes)})
