"""A call of a server over HTTP from a program, against the same server called by libcurl itself on a kept connection. The reference server of npm; the
guest's own way there is part of the call."""

import json
import os
import socket
import subprocess
import time

from support.curl_client import CurlClient
from support.programs import TYPESCRIPT
from support.row import Row, median, summary
from support.world import World, npm_server
from rows.tool_calls import call_directly, call_from_run

CALLS = 100
WARM_UP_CALLS = 1_000
BAR = 1.5
START_SECONDS = 30


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class HttpChild:
    def __init__(self):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._process = subprocess.Popen(npm_server("server-everything", "streamableHttp"), env={**os.environ, "PORT": str(self.port)},
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()


class HttpWorld(World):
    def configure(self, servers):
        self.config.write_text(json.dumps({"mcpServers": {name: {"type": "http", "url": url} for name, url in servers.items()}}), encoding="utf-8")


def measure(rounds):
    with HttpChild() as child, HttpWorld({"child": child.url}) as world, world.start() as server, CurlClient(child.url) as curl:
        server.initialize()
        curl.initialize()
        call_directly(curl, WARM_UP_CALLS)
        call_from_run(server, TYPESCRIPT, WARM_UP_CALLS)
        direct, total = [], []
        for _ in range(rounds.samples):
            before = call_directly(curl, CALLS)
            total.append(call_from_run(server, TYPESCRIPT, CALLS)[0])
            direct.append((before + call_directly(curl, CALLS)) / 2)
        ratio = median([t / d for t, d in zip(total, direct)])
        yield Row("call of a server over HTTP from a program, against libcurl", f"{ratio:.2f} x ({median(total):.2f} and {median(direct):.2f} ms)",
                  f"<= {BAR} x", ratio <= BAR, {"ratio": ratio, "program_ms": summary(total), "curl_ms": summary(direct)})
