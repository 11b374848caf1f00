"""Entries by which clients reach us over HTTP: they stand in the files that we read too."""

import json
import signal

from support.case import TRY_TYPESCRIPT, WITHOUT_POOL, Case
from support.config import child
from support.http_client import HttpServer, LegacyClient, ModernClient


def entry(server, host="127.0.0.1"):
    return {"type": "http", "url": f"http://{host}:{server.port}/mcp"}


class ItselfCase(Case):
    def serve(self, world, **options):
        server = HttpServer(world=world, env=WITHOUT_POOL, **options)
        self.addCleanup(server.stop)
        return server

    def client(self, server, kind=LegacyClient):
        client = kind(server)
        self.addCleanup(client.close)
        return client


class Served(ItselfCase):
    def names(self, server):
        return sorted(one["name"] for one in self.client(server).tool("health").json()["servers"]["list"])

    def test_our_own_entry_is_none_of_our_servers(self):
        """The port is the same after a restart, and the entries were made before."""
        world = self.world(user={"kid": child()})
        first = self.serve(world)
        port = first.port
        self.assertEqual(self.names(first), ["kid"])  # it has read them by now, and what comes is a change
        world.configure(user={"kid": child(), "code-executor": entry(first), "by-name": entry(first, "localhost"),
                              "elsewhere": {"type": "http", "url": f"http://127.0.0.1:{port}/other"}})
        self.wait_until(lambda: "elsewhere" in self.names(first), "the new servers")
        self.assertEqual(self.names(first), ["elsewhere", "kid"])
        self.wait_until(lambda: "configuration: read again; added: elsewhere\n" in first.stderr(), "what was read again")
        first.end(signal.SIGTERM)
        again = self.serve(world, address=f"127.0.0.1:{port}")
        self.assertEqual(self.names(again), ["elsewhere", "kid"])
        client = self.client(again, ModernClient)
        self.assertNotIn("by-name", json.dumps(client.call("server/discover")))
        found = self.succeed(client.typescript("return await listServers()"))
        self.assertNotIn("by-name", json.dumps(found.result))


class Elsewhere(ItselfCase):
    """In another process it is known by what it answers."""

    def setUp(self):
        self.http = self.serve(self.world(user={"secret": child()}))

    def test_nothing_of_it_is_used(self):
        server = self.start(world=self.world(user={"tools": entry(self.http), "kid": child()}))
        call = "callMCPTool('tools', 'run-typescript-code', {code: 'return 1'})"
        outcome = self.succeed(server.typescript(TRY_TYPESCRIPT + f"return await attempt(() => {call})",
                                                 allowedTools=["mcp__tools__run-typescript-code"])).result
        self.mcp_error(outcome, "server_start_failed", "'tools' is this program")

    def test_an_index_says_what_it_is(self):
        done = self.world(user={"tools": entry(self.http), "kid": child()}).command("index")
        told = done.stdout + done.stderr
        self.assertIn("'tools' is this program", told)
        self.assertNotIn("run-typescript-code", told)

    def test_a_call_of_a_program_is_refused(self):
        for kind in (LegacyClient, ModernClient):
            run = self.client(self.http, kind).begin_run("run-typescript-code", "return 1", {"code-executor/run": "x"})
            result = run.message()["result"]
            self.assertTrue(result["isError"])
            self.assertIn("does nothing for a program of code-executor, its own or", json.dumps(result))
