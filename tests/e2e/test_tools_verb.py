"""`code-executor tools`: the tools of all servers, typed by a person."""

import json

from support.case import Case
from support.config import child
from support.server import World


class ToolsCase(Case):
    def setUp(self):
        self.journal_of_kid = self.journal()
        self.there = self.world(user={"kid": child(journal=self.journal_of_kid), "other": child("--tools", "3")})

    def tools(self, *words, **options):
        return self.there.command("tools", *words, **options)

    def named(self, *words):
        return [tool["name"] for tool in json.loads(self.tools("--json", *words).stdout)["tools"]]

    def index(self):
        self.assertEqual(self.there.command("index").returncode, 0)
        self.starts = len(self.journal_of_kid.events("started"))


class Known(ToolsCase):
    def setUp(self):
        super().setUp()
        self.index()

    def test_all_by_server_without_any_start(self):
        names = self.named()
        self.assertEqual(names, sorted(names, key=lambda name: name.split("__")[1]))
        self.assertIn("mcp__kid__echo", names)
        self.assertIn("mcp__other__generated-00001", names)
        self.assertEqual(self.named("--server", "kid"), [name for name in names if name.startswith("mcp__kid__")])
        listed = self.tools()
        self.assertEqual([listed.returncode, listed.stderr], [0, ""])
        self.assertIn("mcp__kid__add\n    Adds two numbers.\n    takes a: number, b: number\n", listed.stdout)
        self.assertEqual(self.tools("--detail", "name").stdout.splitlines(), names)
        self.assertEqual(len(self.journal_of_kid.events("started")), self.starts)

    def test_those_that_fit(self):
        self.assertIn(self.named("adds two numbers")[0], ("mcp__kid__add", "mcp__other__add"))
        self.assertEqual(self.named("adds two numbers", "--server", "kid", "--limit", "1"), ["mcp__kid__add"])
        self.assertEqual(self.named("ad two nubmers", "--server", "other", "--limit", "1"), ["mcp__other__add"])
        full = self.tools("adds two numbers", "--limit", "1", "--detail", "full")
        self.assertIn("a: number", full.stdout)
        self.assertIn("Promise<", full.stdout)
        some = self.tools("--limit", "2", "--detail", "name")
        self.assertEqual(len(some.stdout.splitlines()), 2)
        self.assertRegex(some.stderr, r"2 of \d+ tools; --limit says how many")
        self.assertEqual(len(self.journal_of_kid.events("started")), self.starts)

    def test_documents(self):
        report = json.loads(self.tools("--json", "adds two numbers", "--detail", "full", "--server", "kid").stdout)
        self.assertEqual(report["tools"][0]["parameters"]["required"], ["a", "b"])
        self.assertGreaterEqual(report["total"], 1)

    def test_the_policy_counts(self):
        self.assertNotIn("mcp__kid__echo", json.dumps(self.with_settings({"deniedTools": ["mcp__kid__echo"]})))

    def with_settings(self, security):
        with open(f"{self.there.home}/.code-executor.json", "w", encoding="utf-8") as file:
            json.dump({"security": security}, file)
        return self.named()


class Unknown(ToolsCase):
    def test_servers_that_were_never_there(self):
        done = self.tools()
        self.assertEqual([done.returncode, done.stdout], [0, ""])
        self.assertIn("The tools of these servers are not known yet: kid, other; `code-executor index` reads them.", done.stderr)
        self.assertEqual(json.loads(self.tools("--json").stdout)["notIndexed"], ["kid", "other"])
        self.assertEqual(self.journal_of_kid.events(), [])
        self.assertIn("mcp__kid__echo", self.named("--server", "kid"))
        self.assertEqual(len(self.journal_of_kid.events("started")), 1)
        self.assertIn("mcp__kid__echo", self.named())  # it is kept
        self.assertEqual(len(self.journal_of_kid.events("started")), 1)

    def test_names_that_are_wrong(self):
        done = self.tools("--server", "kit")
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("kid", done.stderr)
        for words in (("--detail", "much"), ("--limit", "0"), ("two", "words")):
            self.assertEqual(self.tools(*words).returncode, 2)
        self.assertIn("Example: code-executor tools", self.tools("--help").stdout)

    def test_no_servers(self):
        done = self.world(user={}).command("tools")
        self.assertEqual([done.returncode, done.stdout], [0, ""])
        self.assertIn("There are no tools", done.stderr)

    def test_what_the_user_has_not_approved_does_not_start(self):
        world = World(trusts_project=False)
        self.addCleanup(world.remove)
        world.configure(project={"kid": child(journal=self.journal_of_kid)})
        done = world.command("tools", "--server", "kid")
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("code-executor trust --server kid", done.stderr)
        self.assertEqual(self.journal_of_kid.events(), [])

    def test_within_another_of_us(self):
        done = self.tools(env={"CODE_EXECUTOR_OUTER": "1"})
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("code-executor does nothing", done.stderr)

    def test_hostile_descriptions(self):
        file = f"{self.there.root}/definitions.json"
        with open(file, "w", encoding="utf-8") as to:
            json.dump({"echo": {"description": "Says \x1b]0;title\x07 \u202e again."}}, to)
        self.there.configure(user={"kid": child("--definitions", file)})
        for words in (("--server", "kid"), ("--server", "kid", "--detail", "full"), ("--server", "kid", "--json")):
            done = self.tools(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("\x1b", done.stdout)
            self.assertNotIn("\u202e", done.stdout)
