"""`code-executor servers` while processes serve: how the servers are in each of them."""

import json
import os
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path

from support.case import Case
from support.config import child
from support.paths import SLOWNESS, binary


class LiveServers(Case):
    def setUp(self):
        self.there = self.world(user={"kid": child(), "broken": {"command": "false"}, "idle": child()})
        self.running = f"{self.there.home}/.code-executor/running"

    def document(self):
        done = self.there.command("servers", "--json")
        self.assertEqual([done.returncode, done.stderr], [0, ""])
        return json.loads(done.stdout)

    def live(self, name):
        return next(server.get("live", []) for server in self.document()["servers"] if server["name"] == name)

    def test_nobody_serves(self):
        self.assertEqual(self.document()["running"], [])
        self.assertEqual(self.live("kid"), [])

    def test_how_they_are(self):
        server = self.start(world=self.there)
        self.succeed(server.typescript("return await mcp.kid.add({a: 1, b: 2})"))
        server.typescript("return await mcp.broken.x()")
        other = self.start({}, env={"CODE_EXECUTOR_STATE_DIR": os.path.dirname(self.running)})
        self.succeed(other.typescript("return 1"))
        document = self.document()
        pids = [one["pid"] for one in document["running"]]
        self.assertEqual(sorted(pids), sorted((server.process.pid, other.process.pid)))
        self.assertRegex(document["running"][0]["since"], r"^20\d\d-\d\d-\d\dT")
        live = self.live("kid")
        self.assertEqual([[one["pid"], one["state"], one["starts"], one["callsInFlight"]] for one in live], [[server.process.pid, "connected", 1, 0]])
        self.assertGreater(live[0]["tools"], 10)
        self.assertTrue(self.live("broken")[0]["lastError"])
        self.assertEqual(self.live("idle"), [])
        text = self.there.command("servers").stdout
        self.assertRegex(text, rf"\n    connected in process {server.process.pid}: \d+ tools, 1 start\n")
        self.assertIn("2 processes serve just now", text)
        self.assertEqual(stat.S_IMODE(os.stat(self.running).st_mode), 0o700)
        for one in (server, other):
            one.end("eof")
        self.assertEqual(self.document()["running"], [])
        self.assertEqual(os.listdir(self.running), [])

    def test_what_a_killed_process_has_left_is_removed(self):
        server = self.start(world=self.there)
        self.succeed(server.typescript("return 1"))
        server.end(signal.SIGKILL)
        self.assertNotEqual(os.listdir(self.running), [])
        self.assertEqual(self.document()["running"], [])
        self.assertEqual(os.listdir(self.running), [])

    def test_what_does_not_answer_is_not_waited_for(self):
        server = self.start(world=self.there)
        self.succeed(server.typescript("return 1"))
        os.kill(server.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, server.process.pid, signal.SIGCONT)
        begin = time.monotonic()
        self.assertEqual(self.document()["running"], [])
        self.assertLess(time.monotonic() - begin, 0.5 + 1 * SLOWNESS)

    def test_lies_do_no_harm(self):
        os.makedirs(self.running, 0o700)
        listeners = []
        for number, said in enumerate((b"", b"no JSON", b"[1]", b'{"pid": "x"}', b'{"pid": 7, "since": 1000000000000000000, "servers": [1, {"name": "kid", "tools": -1, "state": "\\u001b[2J", "lastError": "\\u001b"}]}')):
            listener = socket.socket(socket.AF_UNIX)
            self.addCleanup(listener.close)
            listener.bind(f"{self.running}/{number + 1}.sock")
            listener.listen()
            listeners.append((listener, said))
        mine = ("notes.sock", "4194305.sock")  # of no process, and no sockets
        for name in mine:
            Path(self.running, name).write_text("mine", encoding="utf-8")
        command = subprocess.Popen([binary(), "servers"], env=self.there.environment({}), cwd=self.there.cwd, stdout=subprocess.PIPE, text=True)
        for listener, said in listeners:
            with listener.accept()[0] as connection:
                connection.sendall(said)
        text = command.communicate()[0]
        self.assertEqual(command.returncode, 0)
        self.assertIn("in process 7: 0 tools", text)
        self.assertNotIn("\x1b", text)
        self.assertLessEqual(set(mine), set(os.listdir(self.running)))
