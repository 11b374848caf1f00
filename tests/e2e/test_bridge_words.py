"""What is typed after `code-executor bridge`: names, addresses, commands, and what is wrong with them; and what a server gets to see of us."""

import json
import os

from support.bridge_case import BridgeCase
from support.bridge_clients import CLIENTS
from support.bridged import command_of, HTTP, LEGACY, MODERN, STDIO
from support.config import child
from support.journal import Journal
from support.paths import CHILD, PYTHON
from support.waiting import wait_until

SECRET = "hunter2-4711"
WRONG_USE = 2
# What any program gets that is started by one; the last is a word of ours to ourselves, if we are started by it.
USUAL_VARIABLES = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
                   "CODE_EXECUTOR_OUTER"}


def plain(*flags):
    command, *options = PYTHON
    return ["--", command, *options, str(CHILD), *flags]


class Wrong(BridgeCase):
    def refused(self, *words, world=None, expect=()):
        done = (world or self.world()).command("bridge", *words)
        self.assertEqual((done.returncode, done.stdout), (WRONG_USE, ""), done.stderr)
        for word in expect:
            self.assertIn(word, done.stderr)
        return done.stderr

    def test_no_target(self):
        self.refused(expect=("bridge NAME", "bridge URL", "bridge -- COMMAND"))
        self.refused("--", expect=("bridge -- COMMAND",))
        self.refused("--http", expect=("bridge NAME",))

    def test_an_unknown_name(self):
        world = self.world(user={"github": child(), "other": child()})
        self.refused("githib", world=world, expect=("'githib'", "did you mean 'github'?"))
        self.refused("something-else-entirely", world=world, expect=("code-executor servers", "--"))
        self.refused("python3", "-m", "server", expect=())

    def test_a_name_and_a_command(self):
        self.refused("kid", "--", "true", world=self.world(user={"kid": child()}), expect=("'kid'", "one of the two"))

    def test_variables_without_a_command(self):
        self.refused("kid", "--env", "A=b", world=self.world(user={"kid": child()}), expect=("--env", "after --"))

    def test_variables_without_a_name(self):
        for wrong in ("=b", ""):
            self.refused("--env", wrong, "--", "true", expect=("--env", "NAME=VALUE"))

    def test_what_is_no_address(self):
        for wrong in ("nonsense:1:2", "127.0.0.1:70000", "example.com:80", "127.0.0.1:"):
            self.refused("--http", wrong, *plain(), expect=(wrong, "127.0.0.1:3333"))

    def test_what_is_no_url(self):
        self.refused("ftp://example.com/mcp", expect=("ftp://example.com/mcp",))
        self.refused("http://", expect=("http://",))

    def test_unknown_words(self):
        self.assertIn("--htpp", self.refused("--htpp", *plain()))

    def test_an_address_that_others_reach(self):
        """Not without a token."""
        done = self.world().command("bridge", "--http", "0.0.0.0:0", *plain())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("token new", done.stderr)

    def test_help(self):
        done = self.world().command("bridge", "--help")
        self.assertEqual(done.returncode, 0)
        for word in ("--http", "--env", "NAME=VALUE", "Examples"):
            self.assertIn(word, done.stdout)
        self.assertIn("bridge", self.world().command("--help").stdout)
        self.assertIn("bridge", self.world().command("brigde").stderr)


class Named(BridgeCase):
    def expect_served(self, world, name, **options):
        client = CLIENTS[LEGACY, STDIO](self.bridge_to([name], STDIO, world=world, **options))
        self.assertEqual(client.call("echo", {"text": "x"}).outcome()["result"]["content"][0]["text"], "x")
        return client

    def test_of_the_user(self):
        client = self.expect_served(self.world(user={"kid": child("--name", "theirs")}), "kid")
        self.assertEqual(client.hello["serverInfo"]["name"], "theirs")

    def test_of_the_project_once_it_is_approved(self):
        world = self.unapproved()
        done = world.command("bridge", "kid")
        self.assertEqual((done.returncode, done.stdout), (WRONG_USE, ""))
        self.assertIn("code-executor trust --server kid", done.stderr)
        self.expect_served(world.approve("kid"), "kid")

    def unapproved(self):
        world = self.world().configure(project={"kid": child()})
        world.write_client_settings()
        return world

    def test_with_variables_of_its_entry(self):
        entry = child(env={"TEST_CHILD_TOKEN": "${TOKEN}", "PLAIN": "x"})
        client = self.expect_served(self.world(user={"kid": entry}), "kid", env={"TOKEN": SECRET})
        env = json.loads(client.call("env").outcome()["result"]["content"][0]["text"])
        self.assertEqual((env["TEST_CHILD_TOKEN"], env["PLAIN"]), (SECRET, "x"))

    def test_with_an_address(self):
        target = self.target_of((LEGACY, HTTP))
        world = self.world(user={"far": target.far.entry(headers={"X-Key": SECRET})})
        client = CLIENTS[MODERN, STDIO](self.bridge_to(["far"], STDIO, world=world))
        self.assertEqual(client.call("echo", {"message": "x"}).outcome()["result"]["content"][0]["text"], "x")
        self.assertEqual({seen.headers.get("x-key") for seen in target.far.seen}, {SECRET})

    def test_secrets_are_in_no_error_and_no_log(self):
        world = self.world(user={"kid": child("--refuse", env={"TEST_CHILD_TOKEN": SECRET})})
        bridge = self.bridge_to(["kid"], STDIO, world=world)
        answer = CLIENTS[MODERN, STDIO](bridge).begin("tools/list", {}).outcome()
        self.assertIn("TEST_CHILD_TOKEN is ***", answer["error"]["message"])
        self.assertIn("'kid'", answer["error"]["message"])
        self.assertNotIn(SECRET, json.dumps(answer) + bridge.stderr())

    def test_secrets_in_what_it_says_on_stdout_and_stderr(self):
        """Its stderr is its own log, which is shown; but not these."""
        world = self.world(user={"kid": child("--banner", env={"TEST_CHILD_TOKEN": SECRET})})
        client = self.expect_served(world, "kid")
        broken = client.call("raw_answer", {"line": '{"jsonrpc":"2.0","id":@id,"result":{"token":"%s}' % SECRET}).outcome()
        self.assertEqual(broken["error"]["code"], -32603)
        self.assertNotIn(SECRET, json.dumps(broken) + client.bridge.stderr())

    def test_of_an_entry_that_can_not_be_used(self):
        world = self.world(user={"kid": {"args": ["x"]}})
        done = world.command("bridge", "kid")
        self.assertEqual(done.returncode, WRONG_USE)
        self.assertIn("kid", done.stderr)


class Commands(BridgeCase):
    def environment_of(self, *words, env=None):
        client = CLIENTS[LEGACY, STDIO](self.bridge_to([*words, *plain()], STDIO, env=env))
        return client.bridge.world, json.loads(client.call("env").outcome()["result"]["content"][0]["text"])

    def test_the_environment_of_a_command(self):
        world, env = self.environment_of(env={"AWS_SECRET_ACCESS_KEY": SECRET, "MINE": "1"})
        self.assertLessEqual(set(env), USUAL_VARIABLES)
        self.assertEqual(env["HOME"], world.home)
        self.assertNotIn(SECRET, json.dumps(env))

    def test_variables_that_are_given(self):
        _, env = self.environment_of("--env", "ONE=1=2 $HOME", "--env", "MINE", "--env", "EMPTY=", env={"MINE": SECRET, "OTHER": "x"})
        self.assertEqual((env["ONE"], env["MINE"], env["EMPTY"]), ("1=2 $HOME", SECRET, ""))
        self.assertNotIn("OTHER", env)

    def test_one_that_is_not_set_here(self):
        """Is not set there, or the bridge says so."""
        client = CLIENTS[MODERN, STDIO](self.bridge_to(["--env", "NOWHERE_SET", *plain()], STDIO))
        answer = client.call("env").outcome()
        if "error" in answer:
            self.assertIn("NOWHERE_SET", answer["error"]["message"])
        else:
            self.assertNotIn("NOWHERE_SET", json.loads(answer["result"]["content"][0]["text"]))

    def test_its_words_are_its_own(self):
        """Also those that look like ours, and all that a shell would have read."""
        words = ["--http", "--env", "$HOME", "${HOME}", "*", "", "a b", "--", "\\", "'"]
        show = "import json, sys; sys.stdin.readline(); print(json.dumps(sys.argv[1:]), file=sys.stderr); sys.exit(3)"
        command, *options = PYTHON
        bridge = self.bridge_to(["--", command, *options, "-c", show, *words], STDIO)
        answer = CLIENTS[MODERN, STDIO](bridge).begin("tools/list", {}).outcome()
        self.assertIn(json.dumps(words), answer["error"]["message"])

    def test_it_runs_where_it_was_typed(self):
        client = CLIENTS[LEGACY, STDIO](self.bridge_to(plain(), STDIO))
        said = json.loads(client.call("pid").outcome()["result"]["content"][0]["text"])
        self.assertEqual(os.path.realpath(said["cwd"]), os.path.realpath(client.bridge.world.cwd))

    def test_what_it_says_on_stderr_is_shown(self):
        client = CLIENTS[LEGACY, STDIO](self.bridge_to(plain("--noisy"), STDIO))
        wait_until(lambda: "debug: still here" in client.bridge.stderr(), "its log")

    def test_a_modern_one(self):
        journal = Journal(f"{self.world().root}/journal")
        client = CLIENTS[MODERN, STDIO](self.bridge_to(["--", *command_of(MODERN, journal)], STDIO))
        self.assertIn("tools", client.get("tools/list"))
        self.assertEqual(journal.events("deviation"), [])
