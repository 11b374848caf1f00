"""What programs keep belongs to the client and project that wrote it, until a person shares it."""

import contextlib
import json
import os
import sqlite3
import subprocess
import time

from support.case import Case
from support.paths import SLOWNESS, binary
from support.server import Server
from support.terminal import shown_on_terminal


class Contention(Case):
    def test_updates_of_many_programs_at_once_all_happen(self):
        server = self.start()
        programs = {
            "run-python-code": "for _ in range(15):\n    update_memory('k', lambda n: (n or 0) + 1)",
            "run-typescript-code": "for (let i = 0; i < 15; i++) await memory.update('k', (n: number = 0) => n + 1)",
        }
        sent = time.monotonic()
        asked = [(tool, server.ask_tool(tool, {"code": code, "timeoutMs": 60_000})) for tool, code in programs.items() for _ in range(4)]
        for tool, request in asked:
            self.succeed(server.tool_answer(tool, request, sent, 120))
        self.assertEqual(self.succeed(server.python("load_memory('k')")).result, 120)


class Scopes(Case):
    def setUp(self):
        self.world_ = self.world(project={})
        with self.client("one") as first:
            self.succeed(first.python("def double(x):\n    return 2 * x\nsave_tool(double)\nsave_memory('k', {'v': 1})"))

    @contextlib.contextmanager
    def client(self, name, folder="project"):
        """One after the other: a world has room for one server."""
        self.world_.cwd = os.path.join(self.world_.root, folder)
        os.makedirs(self.world_.cwd, exist_ok=True)
        server = Server(client=name, world=self.world_)
        self.addCleanup(server.stop)
        try:
            yield server
            self.assertEqual(server.end("eof")[0], 0)
        finally:
            self.world_.cwd = os.path.join(self.world_.root, "project")

    def memory(self, *arguments):
        return subprocess.run([binary(), "memory", *arguments], env=self.world_.environment({}), cwd=self.world_.cwd, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)

    def expect_nothing(self, server):
        self.assertIsNone(self.succeed(server.typescript("return await memory.load('k')")).result)
        self.assertIsNone(self.succeed(server.python("load_memory('k')")).result)
        self.refuse(server.python("from user_tools import double"), "double")

    def test_others_are_offered_nothing(self):
        for name, folder in (("two", "project"), ("one", "elsewhere")):
            with self.client(name, folder) as other:
                self.expect_nothing(other)
        with self.client("one") as again:
            self.assertEqual(self.succeed(again.typescript("return await memory.load('k')")).result, {"v": 1})
            self.assertEqual(self.succeed(again.python("from user_tools import double\ndouble(21)")).result, 42)

    def test_a_program_may_be_called_like_a_client_that_does_not_come_back(self):
        with self.client("connection 3") as program:
            self.succeed(program.typescript("await memory.save('k', 3)"))
        with self.client("connection 3") as again:
            self.assertEqual(self.succeed(again.typescript("return await memory.load('k')")).result, 3)

    def test_what_a_person_shares_is_offered_to_all(self):
        listed = json.loads(self.memory("list", "--json").stdout)
        self.assertEqual([(k["kind"], k["name"], k["client"], k["shared"]) for k in listed],
                         [("memory", "k", "one", False), ("tool", "double", "one", False)])
        self.assertEqual(os.path.realpath(listed[0]["project"]), os.path.realpath(self.world_.cwd))
        self.assertIn("return 2 * x", self.memory("show", "double", "--tool").stdout)
        for arguments in (("share", "double", "--tool"), ("share", "k")):
            shared = self.memory(*arguments)
            self.assertEqual(shared.returncode, 0, shared.stderr)
        with self.client("one") as first:
            self.succeed(first.python("def double(x):\n    return 3 * x\nsave_tool(double)\nsave_memory('k', 'changed later')"))
        for name, folder in (("two", "project"), ("one", "elsewhere")):
            with self.client(name, folder) as other:
                self.assertEqual(self.succeed(other.python("from user_tools import double\ndouble(21)")).result, 42)
                self.assertEqual(self.succeed(other.typescript("return await memory.load('k')")).result, {"v": 1})
        self.assertEqual(self.memory("unshare", "k").returncode, 0)
        with self.client("three") as other:
            self.assertIsNone(self.succeed(other.typescript("return await memory.load('k')")).result)

    def test_what_is_kept_does_nothing_to_a_terminal(self):
        with self.client("one") as first:
            self.succeed(first.python("def sly(x):\n    '''\x1b]0;mine\x07\x1b[2J'''\n    return x\nsave_tool(sly)"))
            self.succeed(first.typescript("await memory.save('a name of before', 1)"))
        with contextlib.closing(sqlite3.connect(os.path.join(self.world_.home, ".code-executor", "memory.db"))) as db:  # before, keys could have such characters
            db.execute("UPDATE memory SET key = CAST(? AS BLOB) WHERE key = CAST('a name of before' AS BLOB)",
                       ("k\x1b]0;mine\x07\nmemory  another",))
            db.commit()
        for words, line in ((("show", "sly", "--tool"), b"def sly(x):\r\n"), (("list",), b"mine")):
            code, shown = shown_on_terminal([binary(), "memory", *words], self.world_.environment({}), self.world_.cwd)
            self.assertEqual(code, 0)
            self.assertIn(line, shown)
            self.assertNotIn(b"\x1b", shown)
            self.assertNotIn(b"\x07", shown)
            self.assertNotIn(b"\nmemory  another", shown)

    def test_the_command_says_what_is_wrong(self):
        for arguments, word in ((("share", "nothing"), "memory list"), (("share",), "which one"), (("share", "double"), "--tool"),
                                (("unshare", "k"), "is shared")):
            ended = self.memory(*arguments)
            self.assertEqual(ended.returncode, 2, arguments)
            self.assertIn(word, ended.stderr)
        with self.client("two") as other:
            self.succeed(other.typescript("await memory.save('k', 2)"))
        ended = self.memory("share", "k")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("more than one", ended.stderr)
        self.assertEqual(self.memory("share", "k", "--client", "two").returncode, 0)

    def test_a_person_deletes_what_is_kept(self):
        with self.client("two") as other:
            self.succeed(other.typescript("await memory.save('k', 2); await memory.save('l', 3)"))
        self.assertEqual(self.memory("share", "k", "--client", "two").returncode, 0)
        for arguments, word in ((("k",), "more than one"), ((), "--all"), (("k", "--all"), "either"), (("nothing",), "memory list")):
            ended = self.memory("delete", *arguments)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""), arguments)
            self.assertIn(word, ended.stderr)
        deleted = self.memory("delete", "k", "--client", "two")
        self.assertEqual(deleted.returncode, 0, deleted.stderr)
        self.assertIn("deleted memory k", deleted.stdout)
        deleted = json.loads(self.memory("delete", "--all", "--client", "one", "--json").stdout)
        self.assertEqual([(k["kind"], k["name"], k["client"]) for k in deleted], [("memory", "k", "one"), ("tool", "double", "one")])
        listed = json.loads(self.memory("list", "--json").stdout)
        self.assertEqual([(k["name"], k["client"], k["shared"]) for k in listed], [("k", "two", True), ("l", "two", False)])
        self.assertIn("deleted memory l", self.memory("delete", "--all").stdout)
        self.assertEqual(self.memory("delete", "--all").stdout, "nothing of that is kept\n")

    def test_what_an_older_version_kept_is_offered_to_nobody_until_it_is_shared(self):
        path = os.path.join(self.world_.home, ".code-executor", "memory.db")
        os.remove(path)
        with sqlite3.connect(path) as old:
            old.executescript("""
                CREATE TABLE memory(key BLOB PRIMARY KEY, value BLOB NOT NULL, metadata BLOB NOT NULL, version INTEGER NOT NULL,
                                    bytes INTEGER NOT NULL, created_at BLOB NOT NULL, updated_at BLOB NOT NULL);
                CREATE TABLE tools(name BLOB PRIMARY KEY, source BLOB NOT NULL, description BLOB NOT NULL,
                                   bytes INTEGER NOT NULL, updated_at BLOB NOT NULL);
                CREATE TABLE counter(last_version INTEGER NOT NULL);
                CREATE INDEX memory_bytes ON memory(bytes);
                CREATE INDEX tools_bytes ON tools(bytes);
                INSERT INTO counter VALUES(1);
                INSERT INTO memory VALUES(CAST('k' AS BLOB), CAST('{"v":1}' AS BLOB), CAST('null' AS BLOB), 1, 9, X'', X'');
                INSERT INTO tools VALUES(CAST('double' AS BLOB), CAST('def double(x):\n    return 2 * x' AS BLOB), X'', 9, X'');
                PRAGMA application_id = 1131373637;
                PRAGMA user_version = 1;
            """)
        old.close()
        with self.client("one") as server:
            self.expect_nothing(server)
            self.wait_until(lambda: "memory share --unclaimed" in server.stderr(), "a word about it on stderr")
            shared = self.memory("share", "--unclaimed")
            self.assertEqual((shared.returncode, shared.stdout), (0, "2 shared with all programs\n"), shared.stderr)
            self.assertEqual(self.succeed(server.python("from user_tools import double\ndouble(21)")).result, 42)
            self.assertEqual(self.succeed(server.typescript("return await memory.load('k')")).result, {"v": 1})


class Fairness(Case):
    """One program does not fill the queue of the store."""

    FLOODS = {"run-python-code": """
import asyncio
async def one(i):
    while True:
        try:
            await runtime.save_memory(f'k{i}', 'y' * 50000)
        except Exception:
            await asyncio.sleep(0.001)
await asyncio.gather(*[one(i) for i in range(1000)])
""", "run-typescript-code": """
await Promise.all(Array.from({length: 1000}, async (_, i) => {
  for (;;)
    try { await memory.save(`k${i}`, 'y'.repeat(50000)) } catch { await new Promise(done => setTimeout(done, 1)) }
}))
"""}

    def test_others_do_not_wait_for_it(self):
        server = self.start({})
        for tool, code in self.FLOODS.items():
            hostile = server.ask_tool(tool, {"code": code, "timeoutMs": 20_000})
            for i in range(3):
                answer = self.succeed(server.typescript(f"await memory.save('mine', {i}); return await memory.load('mine')"))
                self.assertEqual(answer.result, i)
                self.assertLess(answer.seconds, 0.5 * SLOWNESS, "with the whole queue of the store before it, it took seconds")
            server.notify("notifications/cancelled", requestId=hostile)
