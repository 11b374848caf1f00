"""The server's memory while a guest prints 1 GB."""

import threading
import time

from support import processes
from support.programs import PYTHON, run
from support.row import Row, expect
from support.world import World

BAR_MB = 64
PROGRAM = "import os\nblock = b'x' * 1_000_000\nfor _ in range(1_000):\n    n = 0\n    while n < len(block):\n        n += os.write(1, block[n:])\n'printed'"
LOOK_SECONDS = 0.005


class Watch(threading.Thread):
    """The largest resident memory of a process until stopped, in bytes."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.largest, self.stopped = pid, 0, False

    def run(self):
        while not self.stopped:
            self.largest = max(self.largest, processes.resident_bytes(self.pid))
            time.sleep(LOOK_SECONDS)


def measure(rounds):
    with World({}) as world, world.start() as server:
        server.initialize()
        run(server, PYTHON, "1")
        idle = processes.resident_bytes(server.process.pid)
        watch = Watch(server.process.pid)
        watch.start()
        report, took = run(server, PYTHON, PROGRAM)
        watch.stopped = True
        watch.join()
        expect(report["result"] == "printed", "the program did not print everything")
    above = (watch.largest - idle) / 1e6
    yield Row("server memory above idle while a guest prints 1 GB", f"{above:.0f} MB (in {took:.0f} ms)", f"<= {BAR_MB} MB",
              above <= BAR_MB, {"megabytes": round(above, 1), "ms": round(took)})
