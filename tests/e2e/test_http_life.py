"""Serving over HTTP: many clients beside each other, the one on stdin among them, and the end."""

import json
import os
import re
import signal
import socket
import threading
import time

from support.case import WITHOUT_POOL, Case
from support.config import child
from support.http_client import HOST, MODERN, HttpServer, LegacyClient, ModernClient
from support.paths import SLOWNESS
from support.record import lines_of, wait_for_line
from support.run import ToolAnswer
from support.server import NEWEST
from support.waiting import PATIENCE_SECONDS, wait_until

NEVER = "await new Promise(() => setInterval(() => {}, 1000))"
END_SECONDS = 3
HANDLE = re.compile(r"out_[a-z2-7]{10}")
LARGE = "return Array.from({length: 12034}, (_, id) => ({id, name: `n${id}`}))"
CONNECTIONS_MAX = 256
RUNS = 40
ABSENCE_SECONDS = 30
UNFINISHED = (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              b"Content-Length: 100\r\n\r\n{")


def sleep(milliseconds):
    return f"await new Promise(done => setTimeout(done, {milliseconds}))"


class LifeCase(Case):
    def serve(self, *, settings=None, env=None, **options):
        world = self.world(project={"kid": child()})
        if settings:
            with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
                json.dump(settings, file)
        server = HttpServer(world=world, env=env or WITHOUT_POOL, **options)
        self.addCleanup(server.stop)
        return server

    def client(self, server, kind=LegacyClient, **options):
        client = kind(server, **options)
        self.addCleanup(client.close)
        return client

    def answer_of(self, exchange):
        return ToolAnswer(exchange.message()["result"], 0)


class Isolation(LifeCase):
    def test_sessions_of_programs_belong_to_one_client(self):
        server = self.serve()
        clients = [self.client(server, kind) for kind in (LegacyClient, LegacyClient, ModernClient, ModernClient)]
        for i, client in enumerate(clients):
            self.succeed(client.typescript(f"let mine = {i}", session="same"))
            self.succeed(client.python(f"mine = {i}", session="same"))
        for i, client in enumerate(clients):
            self.assertEqual(self.succeed(client.typescript("return mine", session="same")).result, i)
            self.assertEqual(self.succeed(client.python("mine", session="same")).result, i)

    def test_outputs_belong_to_one_client(self):
        server = self.serve()
        owner, other, modern = self.client(server), self.client(server), self.client(server, ModernClient)
        handle = self.succeed(owner.typescript(LARGE)).result["handle"]
        self.assertRegex(handle, HANDLE)
        read = f"return (await readOutput('{handle}')).length"
        uri = f"code-executor://outputs/{handle}"
        self.assertEqual(self.succeed(owner.typescript(read)).result, 12034)
        self.assertEqual(len(owner.call("resources/read", {"uri": uri})["contents"]), 1)
        for stranger in (other, modern):
            self.refuse(stranger.typescript(read), handle)
            self.assertIn(stranger.begin("resources/read", {"uri": uri}).error()["code"], (-32002, -32602))
            self.assertNotIn(handle, json.dumps(stranger.call("resources/list")))
        self.assertIn(handle, json.dumps(owner.call("resources/list")))

    def test_memory_belongs_to_one_client(self):
        server = self.serve()
        owner, other = self.client(server), self.client(server)
        self.succeed(owner.typescript("await memory.save('k', 1)"))
        self.assertEqual(self.succeed(owner.typescript("return await memory.load('k')")).result, 1)
        self.assertIsNone(self.succeed(other.typescript("return await memory.load('k')")).result)

    def test_memory_of_who_does_not_come_back_ends_with_it(self):
        server = self.serve()
        stays, leaves = self.client(server), self.client(server)
        modern = ModernClient(server)
        self.succeed(stays.typescript("await memory.save('of who stays', 1)"))
        for client in (leaves, modern):
            self.succeed(client.typescript("await memory.save('k', 1)"))
            self.succeed(client.python("def f(x):\n    return x\nsave_tool(f)"))
        self.assertEqual(len(self.kept(server)), 5)
        self.assertEqual(leaves.delete().status, 204)
        modern.close()
        self.wait_until(lambda: self.kept(server) == ["of who stays"], "the end of what the others had kept")
        self.assertEqual(self.succeed(stays.typescript("return await memory.load('of who stays')")).result, 1)

    def test_memory_of_clients_of_a_killed_server_is_swept(self):
        server = self.serve()
        self.succeed(self.client(server).typescript("await memory.save('k', 1)"))
        server.end(signal.SIGKILL)
        self.assertEqual(self.kept(server), ["k"])
        again = HttpServer(world=server.world, env=WITHOUT_POOL)
        self.addCleanup(again.stop)
        self.wait_until(lambda: not self.kept(again), "the end of what it had left")

    def kept(self, server):
        return [each["name"] for each in json.loads(server.world.command("memory", "list", "--json").stdout)]

    def test_a_connection_of_a_later_process_is_somebody_else(self):
        first = self.serve()
        self.succeed(self.client(first, ModernClient).typescript("await memory.save('k', 1)"))
        first.end(signal.SIGKILL)
        second = HttpServer(world=first.world, env=WITHOUT_POOL)
        self.addCleanup(second.stop)
        self.assertIsNone(self.succeed(self.client(second, ModernClient).typescript("return await memory.load('k')")).result)

    def test_a_client_can_not_cancel_the_run_of_another(self):
        server = self.serve()
        client, other = self.client(server), self.client(server)
        started = client.begin_run("run-typescript-code", f"{sleep(2000)}; return 'whole'")
        self.assertEqual(started.type, "text/event-stream")
        self.assertEqual(other.notify("notifications/cancelled", requestId=started.request_id), 202)
        self.assertEqual(self.succeed(self.answer_of(started)).result, "whole")

    def test_what_a_client_had_ends_with_its_session(self):
        server = self.serve()
        client = self.client(server)
        self.succeed(client.typescript("let x = 1", session="s"))
        self.assertEqual(client.delete().status, 204)
        again = self.client(server)
        self.assertEqual(self.succeed(again.typescript("return typeof x", session="s")).result, "undefined")


class Turns(LifeCase):
    def test_who_asks_for_much_does_not_hold_up_the_others(self):
        server = self.serve(settings={"runs": {"maxConcurrent": 2, "queueTimeoutMs": 300_000},
                                      "server": {"maxStreams": 100}})
        greedy, modest = self.client(server), self.client(server)
        self.succeed(modest.typescript("return 1"))
        asked = [greedy.begin_run("run-typescript-code", sleep(200)) for _ in range(RUNS)]
        answered = []
        readers = [threading.Thread(target=lambda each=each: answered.append(each.message())) for each in asked]
        for reader in readers:
            reader.start()
        self.wait_until(lambda: answered, "the first answer")
        self.succeed(modest.typescript("return 1"))
        before = len(answered)
        for reader in readers:
            reader.join(PATIENCE_SECONDS)
        self.assertEqual(len(answered), RUNS)
        self.assertFalse([answer for answer in answered if answer["result"].get("isError")])
        self.assertLess(before, RUNS / 2)


    def test_each_client_has_its_own_rate(self):
        server = self.serve(settings={"rateLimit": {"enabled": True, "maxRequests": 2, "windowMs": 600_000}})
        for kind in (LegacyClient, ModernClient, LegacyClient):
            client = self.client(server, kind)
            for _ in range(2):
                self.succeed(client.typescript("return 1"))
            self.refuse(client.typescript("return 1"), "rateLimit")


    def test_many_clients_at_once_get_each_its_own_answer(self):
        server = self.serve(settings={"runs": {"maxConcurrent": 4}})
        kinds = (LegacyClient, ModernClient)
        clients = [self.client(server, kinds[i % len(kinds)]) for i in range(20)]
        asked = [client.begin_run("run-typescript-code", f"return {i}") for i, client in enumerate(clients)]
        for i, each in enumerate(asked):
            self.assertEqual(self.succeed(self.answer_of(each)).result, i)


class Connections(LifeCase):
    def sessions(self, client):
        """Names, and what is told of those of others."""
        return [session.get("name", session.get("ofAnotherClient")) for session in client.tool("health").json()["sessions"]]

    def connect(self, server):
        connection = socket.create_connection((HOST, server.port), timeout=PATIENCE_SECONDS)
        self.addCleanup(connection.close)
        return connection

    def test_those_that_ask_for_nothing_give_way_and_the_others_go_on(self):
        server = self.serve()
        client = self.client(server)
        self.assertEqual(client.call("ping"), {})
        idle = [self.connect(server) for _ in range(CONNECTIONS_MAX - 1)]
        self.assertEqual(self.client(server).call("ping"), {}, "one beyond the bound")
        self.assertEqual(idle[0].recv(1), b"", "the first of those that have said nothing")
        self.assertEqual(client.call("ping"), {}, "who is there is served")

    def test_as_many_as_are_allowed_may_be_idle(self):
        server = self.serve(settings={"server": {"maxConnections": 310}})
        idle = [self.connect(server) for _ in range(300)]
        client = self.client(server)
        self.assertEqual(self.succeed(client.typescript("return 1")).result, 1)
        self.assertEqual(client.call("ping"), {})
        for each in idle:
            each.setblocking(False)
            self.assertRaises(BlockingIOError, each.recv, 1)

    def test_connections_that_come_and_go_push_out_no_session(self):
        server = self.serve(settings={"server": {"maxSessions": 20}})
        client = self.client(server)
        self.succeed(client.typescript("let kept = 1", session="s"))
        guest = self.client(server, ModernClient)
        for _ in range(30):
            self.assertEqual(guest.status_of("server/discover"), 200)
        self.assertEqual(client.status_of("ping"), 200)
        self.assertEqual(self.succeed(client.typescript("return kept", session="s")).result, 1)

    def test_what_a_connection_had_ends_with_it(self):
        server = self.serve()
        client, watcher = self.client(server, ModernClient), self.client(server)
        self.succeed(client.typescript("let kept = 1", session="of-a-connection"))
        self.assertEqual(self.sessions(client), ["of-a-connection"])
        self.assertEqual(self.sessions(watcher), [True], "its name is not told")
        client.close()
        self.wait_until(lambda: not self.sessions(watcher), "the end of its session")

    def test_a_client_that_leaves_in_the_middle_changes_nothing(self):
        server = self.serve()
        client = self.client(server)
        for _ in range(20):
            connection = self.connect(server)
            connection.sendall(UNFINISHED)
            connection.close()
        self.assertEqual(self.succeed(client.typescript("return 1")).result, 1)


class Absence(LifeCase):
    """Runs of a session whose client was ended or killed, and says nothing of it."""

    def cancelled(self, server, name):
        return [line for line in lines_of(server.world)
                if line["event"] == "run" and line["clientId"].startswith(name + "#") and line["state"] == "cancelled"]

    def test_runs_of_a_client_that_is_gone_are_cancelled(self):
        server = self.serve()
        gone, there = self.client(server, name="gone"), self.client(server, name="there")
        own = there.listen()
        self.assertEqual(own.status, 200)
        for client in (gone, there):
            run = client.begin_run("run-typescript-code", NEVER, timeoutMs=300_000)
            next(run.events())
            run.leave()
        left = time.monotonic()
        gone.close()
        while time.monotonic() - left < ABSENCE_SECONDS - 5:
            self.assertEqual(self.cancelled(server, "gone"), [], "it may come back")
            time.sleep(1)
        self.wait_until(lambda: self.cancelled(server, "gone"), "the end of the run")
        self.assertEqual(self.cancelled(server, "there"), [], "it reads its own stream")


class Stdin(LifeCase):
    def test_a_client_there_is_served_as_well(self):
        server = self.serve()
        server.initialize(NEWEST)
        client = self.client(server)
        self.succeed(server.typescript("let mine = 'stdin'", session="s"))
        self.succeed(client.typescript("let mine = 'http'", session="s"))
        self.assertEqual(self.succeed(server.typescript("return mine", session="s")).result, "stdin")
        self.assertEqual(self.succeed(client.typescript("return mine", session="s")).result, "http")

    def test_when_the_one_who_spoke_there_leaves_all_ends(self):
        server = self.serve()
        server.request("ping")
        self.client(server).listen().status  # an open stream
        code, seconds = server.end("eof")
        self.assertEqual(code, 0)
        self.assertLess(seconds, END_SECONDS * SLOWNESS)

    def test_without_a_word_its_end_ends_nothing(self):
        server = self.serve()
        client = self.client(server)
        server.close_stdin()
        self.assertEqual(self.succeed(client.typescript("return 1")).result, 1)
        self.assertEqual(self.succeed(self.client(server, ModernClient).typescript("return 2")).result, 2)

    def test_both_eras_are_served_there(self):
        server = self.serve()
        envelope = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
        self.assertEqual(server.request("server/discover", {"_meta": envelope})["resultType"], "complete")
        self.assertEqual(server.initialize(NEWEST)["protocolVersion"], NEWEST)
        self.assertEqual(server.request("tools/list", {"_meta": envelope})["resultType"], "complete")
        self.assertNotIn("resultType", server.request("tools/list"))


class End(LifeCase):
    def end(self, server):
        code, seconds = server.end(signal.SIGTERM)
        self.assertEqual(code, 0, server.stderr()[-2000:])
        self.assertLess(seconds, END_SECONDS * SLOWNESS)

    def test_open_streams_and_runs_end_in_order(self):
        server = self.serve()
        client, modern = self.client(server), self.client(server, ModernClient)
        own = client.listen()
        self.assertEqual(own.status, 200)
        run = client.begin_run("run-typescript-code", NEVER, timeoutMs=60_000)
        self.assertEqual(run.type, "text/event-stream")
        listening = modern.begin("subscriptions/listen", {"notifications": {}}, request_id=7)
        events = listening.events()
        next(events)
        self.end(server)
        self.assertEqual([event.message()["id"] for event in events if event.data], [7], "the subscription is answered")
        self.assertEqual([event for event in own.events() if event.data], [])
        self.assertTrue(run.message()["result"]["isError"])

    def test_a_run_that_has_not_answered_yet_is_answered(self):
        server = self.serve()
        client = self.client(server)
        run = client.begin_run("run-python-code", "import time\ntime.sleep(60)", timeoutMs=60_000)
        wait_until(lambda: client.tool("health").json()["connectionPool"]["active"], "the run")
        self.end(server)
        self.assertTrue(run.message()["result"]["isError"])

    def test_a_client_that_reads_nothing_does_not_hold_it_up(self):
        server = self.serve()
        with socket.create_connection((HOST, server.port), timeout=PATIENCE_SECONDS) as deaf:
            deaf.sendall(UNFINISHED)
            self.client(server).listen().status  # an open stream
            self.end(server)

    def test_at_the_end_the_record_is_whole(self):
        server = self.serve()
        client = self.client(server, name="recorded")
        started = client.begin_run("run-typescript-code", NEVER, timeoutMs=60_000)
        self.assertEqual(started.type, "text/event-stream")
        self.end(server)
        line = wait_for_line(server.world, lambda line: line["event"] == "run", "the run")
        self.assertTrue(line["clientId"].startswith("recorded#"))
        self.assertEqual(len([line for line in lines_of(server.world) if line["event"] == "run"]), 1)
