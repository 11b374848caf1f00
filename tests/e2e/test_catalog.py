"""The catalog of tools: what is known of servers that are not connected, and `code-executor index`."""

import glob
import json
import os
import subprocess

from support.case import Case
from support.config import child
from support.paths import SLOWNESS, binary


class CatalogCase(Case):
    def session(self, world, **options):
        """A server in that world; ended before another one begins, if `ended` is called."""
        return self.start(world=world, **options)

    def ended(self, server):
        code, _ = server.end("eof")
        self.assertEqual(code, 0, server.stderr()[-2000:])

    def learn(self, world):
        """One run of the program in which all servers are connected once."""
        ended = self.index(world)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def index(self, world, *arguments, env=None):
        return subprocess.run([binary(), "index", *arguments], env=world.environment(env or {}), cwd=world.cwd,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)

    def search(self, program, query, **arguments):
        answer = program.tool("search_tools", {"query": query, **arguments})
        self.assertFalse(answer.is_error, answer.text)
        return answer.structured

    def names(self, found):
        return [f"{tool['server']}.{tool['tool']}" for tool in found["tools"]]

    def files(self, world, pattern="*"):
        return [os.path.basename(path) for path in glob.glob(os.path.join(world.home, ".code-executor", pattern))]

    def database(self, world):
        return os.path.join(world.home, ".code-executor", "catalog.db")


class Restart(CatalogCase):
    def test_finds_tools_and_starts_nothing(self):
        journal = self.journal()
        world = self.world(project={"kid": child(journal=journal)})
        first = self.session(world)
        self.succeed(first.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))
        self.ended(first)
        started = len(journal.events("started"))
        again = self.session(world)
        found = self.search(again, "add two numbers")
        self.assertEqual(self.names(found)[0], "kid.add")
        self.assertNotIn("lazyLoaded", found)
        self.assertEqual(self.names(self.search(again, "ad two numbrs"))[0], "kid.add")
        signature = again.tool("get_tool_signature", {"server": "kid", "tool": "add"})
        self.assertFalse(signature.is_error, signature.text)
        self.assertIn("a: number", signature.text)
        listed = again.tool("list_servers").structured
        self.assertEqual(listed["available"], ["kid"])
        self.assertIn("add", listed["indexed"][0]["tools"])
        run = self.succeed(again.typescript("""
            const [hit] = await searchTools('add two numbers');
            const schema = await getToolSchema(hit.name);
            return [schema.tool, Object.keys(schema.parameters.properties)]"""))
        self.assertEqual(run.result, ["add", ["a", "b"]])
        run = self.succeed(again.python("[t['name'] for t in search_tools('add two numbers')][0]"))
        self.assertEqual(run.result, "mcp__kid__add")
        self.assertEqual(len(journal.events("started")), started, "nothing of this needs the server")
        self.assertEqual(self.succeed(again.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})")).result, "x")
        self.assertEqual(len(journal.events("started")), started + 1, "a call does")

    def test_an_edited_entry_is_not_served_stale(self):
        world = self.world(project={"kid": child()})
        self.learn(world)
        world.configure(project={"kid": child("--tools", "1")})
        edited = self.session(world)
        found = self.search(edited, "says again what it is told")
        self.assertEqual(found["tools"], [])
        self.assertIn("kid", found["hint"])
        self.assertIn("generated-00001", self.search(edited, "generated", server="kid")["tools"][0]["tool"])

    def test_a_damaged_catalog_is_put_aside(self):
        world = self.world(project={"kid": child()})
        self.learn(world)
        with open(self.database(world), "r+b") as file:
            file.write(b"no database" * 1000)
        server = self.session(world)
        found = self.search(server, "add two numbers", server="kid")
        self.assertEqual(self.names(found)[0], "kid.add")
        server.wait_for(lambda: "damaged" in server.stderr(), "a complaint on stderr")
        self.assertEqual(len([f for f in self.files(world, "*.damaged-*") if f.endswith("Z")]), 1)
        self.ended(server)
        self.assertEqual(self.names(self.search(self.session(world), "add two numbers"))[0], "kid.add")

    def test_a_catalog_that_is_lost_while_the_program_runs_is_told_again(self):
        world = self.world(project={"kid": child()})
        server = self.session(world)
        self.search(server, "add", server="kid")
        for name in self.files(world, "catalog*"):
            os.remove(os.path.join(world.home, ".code-executor", name))
        self.assertEqual(self.names(self.search(server, "add two numbers"))[0], "kid.add")

    def test_without_a_folder_everything_is_in_memory(self):
        world = self.world(project={"kid": child()})
        server = self.session(world, env={"CODE_EXECUTOR_STATE_DIR": "/proc/nowhere"})
        self.assertEqual(self.names(self.search(server, "add two numbers", server="kid"))[0], "kid.add")
        self.assertEqual(self.names(self.search(server, "add two numbers"))[0], "kid.add")
        server.wait_for(lambda: "memory only" in server.stderr(), "a complaint on stderr")

    def test_the_index_is_on_disk_after_a_while(self):
        world = self.world(project={"kid": child()})
        server = self.session(world)
        self.search(server, "add", server="kid")
        self.wait_until(lambda: len(self.files(world, "catalog-*.index")) == 1, "the index on disk")
        self.assertEqual(oct(os.stat(self.database(world)).st_mode & 0o777), "0o600")


class Naming(CatalogCase):
    def test_a_server_that_was_never_indexed_is_started_when_its_name_is_said(self):
        said, silent = self.journal("said"), self.journal("silent")
        world = self.world(project={"weather-report": child(journal=said), "mail": child(journal=silent)})
        server = self.session(world)
        found = self.search(server, "echo the weather")
        self.assertEqual(found["lazyLoaded"], ["weather-report"])
        self.assertEqual(self.names(found)[0], "weather-report.echo")
        self.assertEqual(len(said.events("started")), 1)
        self.assertEqual(silent.names(), [])

    def test_a_server_that_is_known_is_started_only_when_it_is_named(self):
        journal = self.journal()
        world = self.world(project={"weather-report": child(journal=journal)})
        self.learn(world)
        server = self.session(world)
        self.assertNotIn("lazyLoaded", self.search(server, "echo the weather"))
        self.assertEqual(len(journal.events("started")), 1)
        self.assertEqual(self.search(server, "echo of weather-report")["lazyLoaded"], ["weather-report"])
        self.assertEqual(len(journal.events("started")), 2)
        self.assertNotIn("lazyLoaded", self.search(server, "echo of weather-report"), "it runs already")

    def test_what_may_not_be_used_is_neither_found_nor_started(self):
        journal = self.journal()
        world = self.world(project={"kid": child(journal=journal), "other": child()})
        self.learn(world)
        server = self.session(world)
        code = "return (await searchTools('kid add two numbers')).map(t => t.name)"
        run = self.succeed(server.typescript(code, allowedTools=["mcp__other__*"]))
        self.assertTrue(run.result)
        self.assertTrue(all(name.startswith("mcp__other__") for name in run.result), run.result)
        self.assertEqual(len(journal.events("started")), 1)
        self.assertEqual(self.succeed(server.typescript(code, allowedTools=[])).result, [])

    def test_the_same_tool_of_two_servers_is_one_hit(self):
        world = self.world(project={"kid-a": child(), "kid-b": child()})
        self.learn(world)
        server = self.session(world)
        hits = self.search(server, "waits that many milliseconds")["tools"]
        same = [hit for hit in hits if hit["tool"] == "sleep"]
        self.assertEqual(len(same), 1)
        self.assertEqual({same[0]["server"], *same[0]["alsoOn"]}, {"kid-a", "kid-b"})

    def test_nothing_fits(self):
        world = self.world(project={"kid": child()})
        self.learn(world)
        server = self.session(world)
        found = self.search(server, "quux zyzzyva")
        self.assertEqual(found["tools"], [])
        self.assertEqual(found["hint"], "No tool was found.")
        run = self.succeed(server.typescript("return await searchTools('quux zyzzyva')"))
        self.assertEqual(run.result, [])
        self.assertIn("No tool was found.", run.text)


class Shown(CatalogCase):
    """What lists and signatures tell programs, in both languages."""

    SEARCH = {"typescript": "return await searchTools('{query}', {{limit: {limit}, detail: '{detail}'}})",
              "python": "search_tools('{query}', limit={limit}, detail='{detail}')"}
    DISCOVER = {"typescript": "return await discoverMCPTools({server: 'kid'})", "python": "discover_mcp_tools(server='kid')"}
    SCHEMA = {"typescript": "return await getToolSchema('kid', 'add')", "python": "get_tool_schema('kid', 'add')"}
    SIGNATURE = {"typescript": "return await getToolSignature('{server}', '{tool}')", "python": "get_tool_signature('{server}', '{tool}')"}
    LANGUAGES = ("typescript", "python")

    def run_in(self, server, language, code):
        return self.succeed(getattr(server, language)(code)).result

    def search_in(self, server, language, query, detail="standard", limit=10):
        return self.run_in(server, language, self.SEARCH[language].format(query=query, detail=detail, limit=limit))

    def test_ten_hits_are_short(self):
        world = self.world(project={"kid": child("--tools", "20")})
        self.learn(world)
        server = self.session(world)
        for language in self.LANGUAGES:
            with self.subTest(language):
                hits = self.search_in(server, language, "tool that says or waits or adds")
                self.assertEqual(len(hits), 10)
                self.assertLessEqual(len(json.dumps(hits, ensure_ascii=False)), 4000)
                self.assertEqual({tuple(hit) for hit in hits}, {("name", "description", "parameters")})
                self.assertEqual(self.search_in(server, language, "add two numbers")[0]["parameters"], "a: number, b: number")
                self.assertEqual(len(self.search_in(server, language, "tool", limit=100)), len(self.search_in(server, language, "tool", limit=5000)))
        found = self.search(server, "tool that says or waits or adds")
        self.assertEqual(len(found["tools"]), 10)
        self.assertLessEqual(len(json.dumps(found, ensure_ascii=False)), 4000)

    def test_one_set_of_keys(self):
        world = self.world(project={"kid": child()})
        self.learn(world)
        server = self.session(world)
        for language in self.LANGUAGES:
            with self.subTest(language):
                whole = self.run_in(server, language, self.SCHEMA[language])
                self.assertEqual(list(whole)[:5], ["name", "server", "tool", "description", "parameters"])
                listed = [tool for tool in self.run_in(server, language, self.DISCOVER[language]) if tool["name"] == "mcp__kid__add"][0]
                self.assertEqual(list(listed), ["name", "description", "parameters"])
                full = [hit for hit in self.search_in(server, language, "add two numbers", "full") if hit["name"] == "mcp__kid__add"][0]
                signature = self.run_in(server, language, self.SIGNATURE[language].format(server="kid", tool="add"))
                for key, value in listed.items():
                    self.assertEqual(value, {**whole, "parameters": {k: v for k, v in whole["parameters"].items() if k != "$schema"}}[key])
                self.assertEqual(set(full), set(whole))
                self.assertEqual(set(signature) - {"call", "signature"}, set(whole))

    def test_calls_work_as_they_are_written(self):
        world = self.world(project={"kid": child(), "odd kid.2": child(), "odd-kid.2": child()})
        self.learn(world)
        server = self.session(world)
        for tool, said in (("echo", "..."), ("read-file", None), ("add", None), ("json_text", None)):
            for name in ("kid", "odd kid.2", "odd-kid.2"):
                for language in self.LANGUAGES:
                    with self.subTest(tool=tool, server=name, language=language):
                        doc = self.run_in(server, language, self.SIGNATURE[language].format(server=name, tool=tool))
                        self.assertEqual(doc["name"], f"mcp__{name}__{tool}")
                        program = doc["call"] if language == "python" else f"return {doc['call']}"
                        answer = getattr(server, language)(program)
                        result = self.succeed(answer).result
                        self.assertEqual([name for name in answer.summary], [doc["name"]])
                        if said is not None:
                            self.assertEqual(result, said)

    def test_signatures_are_valid(self):
        world = self.world(project={"kid": child()})
        self.learn(world)
        server = self.session(world)
        names = [tool["name"] for tool in self.run_in(server, "typescript", self.DISCOVER["typescript"])]
        self.assertGreater(len(names), 20)
        stubs = self.run_in(server, "python", f"[get_tool_signature(name)['signature'] for name in {names!r}]")
        for stub in stubs:
            exec(stub, {})  # pylint: disable=exec-used
        signature = self.run_in(server, "typescript", self.SIGNATURE["typescript"].format(server="kid", tool="add"))["signature"]
        self.assertEqual(self.run_in(server, "typescript", f"{signature}\nreturn (await mcp.kid.add({{a: 1, b: 2}})).sum"), 3)


class Change(CatalogCase):
    def test_a_new_tool_counts_at_once(self):
        world = self.world(project={"kid": child()})
        server = self.session(world)
        self.succeed(server.typescript("return await callMCPTool('kid', 'add_tool', {name: 'brandnewthing'})"))
        self.wait_until(lambda: self.names(self.search(server, "brandnewthing")) == ["kid.brandnewthing"], "the new tool")
        self.ended(server)
        again = self.session(world)
        self.assertEqual(self.names(self.search(again, "brandnewthing")), ["kid.brandnewthing"], "as far as is known")

    def test_a_tool_that_the_catalog_does_not_know_may_be_new(self):
        world = self.world(project={"kid": child()})
        self.learn(world)
        server = self.session(world)
        answer = server.tool("get_tool_signature", {"server": "kid", "tool": "ecko"})
        self.assertTrue(answer.is_error)
        self.assertIn("echo", answer.text)

    def test_two_programs_share_what_they_learn(self):
        world = self.world(project={"kid": child(), "two": child("--tools", "3")})
        one, other = self.session(world), self.session(world)
        self.assertEqual(self.search(other, "generated tool")["tools"], [])
        self.search(one, "generated", server="two")
        self.assertEqual(self.names(self.search(other, "generated tool 2"))[0], "two.generated-00002")
        for server in (one, other):
            self.ended(server)


class Index(CatalogCase):
    def test_reads_all_servers(self):
        journal = self.journal()
        servers = {f"kid{number}": child("--start-delay-ms", "300", journal=journal) for number in range(6)}
        world = self.world(project=servers)
        ended = self.index(world)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertEqual(ended.stderr, "", "progress is for terminals")
        lines = sorted(ended.stdout.splitlines())
        self.assertEqual(len(lines), 6)
        for number, line in enumerate(lines):
            self.assertRegex(line, rf"^kid{number}: \d+ tools \(\d+ ms\)$")
        events = sorted((event["time"], 1 if event["event"] == "started" else -1)
                        for event in journal.events() if event["event"] in ("started", "stdin_eof"))
        running = most = 0
        for _, step in events:
            running += step
            most = max(most, running)
        self.assertEqual((running, most <= 4), (0, True), "at most four at once, and all are stopped")
        self.assertEqual(self.names(self.search(self.session(world), "add two numbers", limit=1))[0].split(".")[1], "add")

    def test_of_named_servers_as_json(self):
        journal = self.journal()
        world = self.world(project={"kid": child(), "idle": child(journal=journal)})
        ended = self.index(world, "kid", "--json")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        document = json.loads(ended.stdout)
        self.assertEqual([server["name"] for server in document["servers"]], ["kid"])
        self.assertEqual(document["servers"][0]["tools"], document["totalTools"])
        self.assertGreater(document["totalTools"], 20)
        self.assertEqual(journal.names(), [])

    def test_one_that_fails_harms_no_other(self):
        world = self.world(project={"bad": child("--refuse"), "kid": child()})
        ended = self.index(world, "--json")
        self.assertEqual(ended.returncode, 1)
        by_name = {server["name"]: server for server in json.loads(ended.stdout)["servers"]}
        self.assertIn("exit code 3", by_name["bad"]["error"])
        self.assertGreater(by_name["kid"]["tools"], 20)
        self.assertIn("bad: ", self.index(world).stdout)

    def test_wrong_use(self):
        world = self.world(project={"kid": child()})
        ended = self.index(world, "kdi")
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("did you mean 'kid'", ended.stderr)
        self.assertEqual(self.index(self.world(project="{}")).returncode, 0)
        self.assertEqual(self.index(world, "--nonsense").returncode, 2)

    def test_a_folder_that_can_not_be_written_is_a_failure(self):
        world = self.world(project={"kid": child()})
        ended = self.index(world, env={"CODE_EXECUTOR_STATE_DIR": "/proc/nowhere"})
        self.assertEqual(ended.returncode, 1)
        self.assertIn("/proc/nowhere", ended.stderr)

    def test_a_running_program_hears_of_it(self):
        world = self.world(project={"kid": child()})
        server = self.session(world)
        self.assertEqual(self.search(server, "add two numbers")["tools"], [])
        self.learn(world)
        self.assertEqual(self.names(self.search(server, "add two numbers"))[0], "kid.add")

    def test_an_interrupted_one_leaves_nothing_behind(self):
        journal = self.journal()
        world = self.world(project={f"kid{number}": child("--start-delay-ms", "20000", journal=journal) for number in range(6)})
        with subprocess.Popen([binary(), "index"], env=world.environment({}), cwd=world.cwd, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            journal.wait("started", count=4)
            process.terminate()
            process.communicate(timeout=5 * SLOWNESS)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(len(journal.events("started")), 4)
        self.wait_until(lambda: not [event for event in journal.events("started") if os.path.exists(f"/proc/{event['pid']}")],
                        "the end of the servers")
