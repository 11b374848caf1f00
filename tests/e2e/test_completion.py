"""`code-executor completion` in real shells, and the man page: both know every word of `--help`."""

import os
import re
import shutil
import subprocess
import unittest

from support.case import Case
from support.config import child
from support.paths import binary
from support.waiting import PATIENCE_SECONDS

HOSTILE = "it's $(touch hacked) `x` \"q\""
# Prints what bash would offer for a line, one word each.
BASH = """
source <("$PROGRAM" completion bash)
compopt() { :; }
COMP_LINE=$1 COMP_POINT=${#1}
_code_executor
printf '%s\\n' "${COMPREPLY[@]}"
"""


class CompletionCase(Case):
    @classmethod
    def setUpClass(cls):
        cls.help = {}

    def setUp(self):
        self.there = self.world(user={"kid": child(), "my server": child(), HOSTILE: child(), "bang!x": child(), "two\nlines": child()})
        self.bin = f"{self.there.root}/bin"
        os.mkdir(self.bin)
        os.symlink(binary(), f"{self.bin}/code-executor")

    def shell(self, *words):
        variables = {**self.there.environment({}), "PROGRAM": binary()}
        variables["PATH"] = f"{self.bin}:{variables.get('PATH', os.environ['PATH'])}"
        done = subprocess.run(words, env=variables, cwd=self.there.cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_SECONDS,
                              check=False)
        self.assertEqual([done.returncode, done.stderr], [0, ""])
        return done.stdout.splitlines()

    def offered(self, *words):
        """The words, without what they are about."""
        done = self.there.command("complete", "words", "--", *words)
        self.assertEqual([done.returncode, done.stderr], [0, ""])
        kind, *lines = done.stdout.splitlines()
        return kind, [line.split("\t")[0] for line in lines]

    def words_of_help(self, *verb):
        """Options and verbs that `--help` lists."""
        text = self.there.command(*verb, "--help").stdout
        options = re.findall(r"(?<![\w-])(--?[a-z][\w-]*)", "\n".join(re.findall(r"^  (-.*?)(?:  |$)", text, re.MULTILINE)))
        verbs = re.findall(r"^  ([a-z][\w-]*)", text.split("Subcommands:\n")[1], re.MULTILINE) if "Subcommands:\n" in text else []
        return options, verbs


class Words(CompletionCase):
    def test_every_word_of_help(self):
        manual = self.there.command("manual").stdout.replace("\\-", "-")
        left, seen = [()], 0
        while left:
            verb = left.pop()
            options, verbs = self.words_of_help(*verb)
            self.assertEqual(set(options) - set(self.offered(*verb, "-")[1]), set(), verb)
            self.assertEqual(set(verbs) - set(self.offered(*verb, "")[1]), set(), verb)
            for word in (*options, *verbs):
                self.assertIn(word, manual)
            if verb:
                self.assertIn(f"\\fBcode-executor {' '.join(verb)}\\fR", manual)
            left += [(*verb, below) for below in verbs]
            seen += 1
        self.assertGreater(seen, 30)
        self.assertNotIn("complete", self.offered("")[1])
        self.assertNotIn("manual", self.offered("")[1])

    def test_values(self):
        self.assertEqual(self.offered("tools", "--detail", ""), ("words", ["name", "summary", "full"]))
        self.assertEqual(self.offered("tools", "--detail=f"), ("words", ["--detail=full"]))
        self.assertEqual(self.offered("replay", "x", "--on-miss", "c")[1], ["call"])
        self.assertEqual(self.offered("completion", "")[1], ["bash", "zsh", "fish"])
        self.assertEqual(self.offered("run", ""), ("files", []))
        self.assertEqual(self.offered("types", ""), ("folders", []))
        self.assertEqual(self.offered("run", "--timeout", "")[1], [])
        self.assertEqual(self.offered("tools", "--", "-")[1], [])
        self.assertIn("tail", self.offered("audit", "")[1])
        self.assertEqual(self.offered("nothing", "such", "--x")[1], [])

    def test_names_of_servers_and_tools(self):
        self.assertEqual(self.offered("call", "")[1], ["bang!x", HOSTILE, "kid", "my server"])  # what has line ends is no word
        self.assertEqual(self.offered("tools", "--server", "k")[1], ["kid"])
        self.assertEqual(self.offered("tools", "--server=my")[1], ["--server=my server"])
        self.assertEqual(self.offered("call", "kid", "")[1], [], "nothing is started")
        self.assertEqual(self.there.command("index", "kid", HOSTILE).returncode, 0)
        self.assertEqual(self.offered("call", "kid", "read")[1], ["read-file"])
        self.assertEqual(self.offered("call", "kid", "add", ""), ("beginnings", ["a=", "b="]))
        self.assertEqual(self.offered("call", "kid", "add", "a=1", "b")[1], ["b="])
        self.assertEqual(self.offered("login", "ki")[1], ["kid"])

    def test_wrong_settings_are_no_reason_to_fail(self):
        with open(f"{self.there.home}/.code-executor.json", "w", encoding="utf-8") as file:
            file.write("{")
        self.assertIn("call", self.offered("")[1])
        self.assertEqual(self.offered("call", "")[1], [])


class Shells(CompletionCase):
    def bash(self, line):
        return self.shell("bash", "--norc", "-c", BASH, "bash", line)

    def test_bash(self):
        self.assertEqual(self.bash("code-executor sync"), ["sync-wrappers"])
        self.assertIn("--dry-run", self.bash("code-executor sync-wrappers --"))
        self.assertEqual(self.bash("code-executor call my"), ["my\\ server"])
        self.assertEqual(self.bash("code-executor call my\\ s"), ["my\\ server"])
        self.assertEqual(self.bash("code-executor call 'my s"), ["my server"])
        self.assertEqual(self.bash("code-executor tools --detail=f"), ["full"])
        self.assertEqual(self.bash("code-executor tools --server=ki"), ["kid"])
        self.assertEqual(self.bash("code-executor nothing x"), [""])
        quoted = self.bash("code-executor call 'it")[0]
        self.assertEqual(self.shell("bash", "-c", f"printf '%s' '{quoted}'"), [HOSTILE])
        self.assertEqual(self.bash('code-executor call "ba'), [""], "a line of the history would stand there")
        self.assertEqual(self.bash("code-executor call 'ba"), ["bang!x"])
        word = self.bash("code-executor call it")[0]
        self.assertEqual(self.shell("bash", "-c", f"printf '%s' {word}"), [HOSTILE])
        self.assertFalse(os.path.exists(f"{self.there.cwd}/hacked"))

    def test_an_interactive_bash_completes(self):
        script = 'source <(code-executor completion bash); complete -p code-executor'
        self.assertEqual(self.shell("bash", "--norc", "-c", script), ["complete -F _code_executor code-executor"])

    def test_scripts_are_valid(self):
        for shell, words in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])):
            script = f"{self.there.root}/{shell}.script"
            with open(script, "w", encoding="utf-8") as file:
                file.write(self.there.command("completion", shell).stdout)
            with self.subTest(shell):
                if not shutil.which(shell):
                    self.skipTest(f"{shell} is not installed")
                self.shell(shell, *words, script)
        self.assertEqual(self.there.command("completion", "tcsh").returncode, 2)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        script = "compdef() { :; }; compadd() { print -rl -- $names }; source <(code-executor completion zsh); " \
                 "words=(code-executor call my); CURRENT=3; _code-executor"
        self.assertEqual(self.shell("zsh", "-f", "-c", script), ["my server"])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        script = "code-executor completion fish | source; complete -C 'code-executor call my'"
        self.assertEqual(self.shell("fish", "--no-config", "-c", script), ["my server"])


class Manual(CompletionCase):
    def test_is_the_same_again(self):
        first = self.there.command("manual")
        self.assertEqual(first.returncode, 0)
        self.assertEqual(self.there.command("manual").stdout, first.stdout)

    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "man is not installed")
    def test_man_finds_nothing_wrong(self):
        page = f"{self.there.root}/code-executor.1"
        with open(page, "w", encoding="utf-8") as file:
            file.write(self.there.command("manual").stdout)
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
                              env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        self.assertEqual([done.returncode, done.stderr], [0, ""])
        if shutil.which("mandoc"):
            said = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
            self.assertEqual(said.stdout, "")
