"""README.md and docs/: their programs and commands run, their configurations are read, their links lead somewhere, and the pages of the reference are
those of the program. What no test can run has a comment that says why."""

import concurrent.futures
import json
import os
import re
import signal
import subprocess
import unittest
import xml.etree.ElementTree
from pathlib import Path

from support.documented import (BEFORE, EXIT_CODES, SERVERS, DocumentedCase, as_servers_file, at_any_port, entry_of,
                                goes_on, has_words_alone, is_form, is_of_logins, read_verbs, wrong_words)
from support.documents import all_blocks, anchors_of, commands_in_sentences, documents, links_of, literals_joined, messages_of, sources, stands_in, text_of
from support.models import ModelProvider, provider_at
from support.paths import ROOT
from support.waiting import PATIENCE_SECONDS

# Each is a decision: it has its reason in the document.
BLOCKS_NOT_RUN = 20
PAGES = ("settings", "variables", "commands", "tools", "errors")
AT_ONCE = 2
# Between processes of the program, and of tests.
OWN_VARIABLES = {"CODE_EXECUTOR_FAULTS_TRACE", "CODE_EXECUTOR_OUTER", "CODE_EXECUTOR_SITE", "CODE_EXECUTOR_TEST_KILL", "CODE_EXECUTOR_TOKEN"}
# Messages of Deno, V8, Python and the kernel.
OF_OTHERS = ("NotCapable:", "Temporary failure", "Failed to reserve", "cannot start ...: Too many open files")
SAMPLING = {"enableSampling": True}


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for document in documents():
            for path, anchor in links_of(document):
                with self.subTest(document, path=path, anchor=anchor):
                    self.assertTrue(path.exists())
                    if anchor and path.suffix == ".md":
                        self.assertIn(anchor, anchors_of(str(path.relative_to(ROOT))))

    def test_each_page_is_in_the_table_of_contents(self):
        reached = {path for path, _ in links_of("docs/README.md")}
        missing = [document for document in documents() if document not in ("README.md", "docs/README.md") and ROOT / document not in reached]
        self.assertEqual(missing, [])

    def test_the_readme_is_short(self):
        self.assertLess(len(text_of("README.md").splitlines()), 200)

    def test_the_readme_has_every_verb_of_dev(self):
        verbs = re.search(r"^  (help \| .*)\) \"\$verb\"", text_of("dev"), re.MULTILINE).group(1).split(" | ")
        told = text_of("README.md")
        self.assertEqual([verb for verb in ("test", *verbs) if not re.search(rf"^\| `{verb}[` ]", told, re.MULTILINE)], [])

    def test_the_readme_has_measured_numbers_only(self):
        told = re.findall(r"[\d.]+(?: to [\d.]+)? (?:ms|us|tokens)\b", text_of("README.md"))
        self.assertGreater(len(told), 5)
        self.assertEqual([number for number in told if number not in text_of("docs/performance.md")], [])

    def test_pictures_are_small_and_need_nothing_else(self):
        pictures = list((ROOT / "docs" / "pictures").glob("*.svg"))
        self.assertGreaterEqual(len(pictures), 2)
        for picture in pictures:
            text = picture.read_text(encoding="utf-8")
            self.assertLess(len(text.encode()), 100_000, picture.name)
            self.assertTrue(xml.etree.ElementTree.fromstring(text).tag.endswith("svg"))
            self.assertIn("prefers-color-scheme: dark", text)
            for word in ("<script", "<image", "<foreignObject", "@import", "url(http"):
                self.assertNotIn(word, text, picture.name)


class Reference(DocumentedCase):
    def printed(self, page):
        done = self.there.command("manual", "--reference", page)
        self.assertEqual([done.returncode, done.stderr], [0, ""])
        return done.stdout

    def setUp(self):
        self.there = self.world()

    def test_pages_are_those_of_the_program(self):
        for page in PAGES:
            with self.subTest(page):
                self.assertEqual(self.printed(page), text_of(f"docs/reference/{page}.md"), "./dev documents writes them")

    def test_each_error_code_is_explained(self):
        enumeration = re.search(r"enum class errc : uint8_t \{(.*?)\};", text_of("messages/errors.hpp"), re.DOTALL).group(1)
        codes = [line.split(",")[0].strip() for line in enumeration.splitlines() if line.strip()]
        rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", text_of("docs/reference/errors.md"), re.MULTILINE)
        told = text_of("docs/troubleshooting.md")
        for code in codes[1:]:
            self.assertIn(code, [row[0] for row in rows])
        for code, meaning, advice in rows:
            self.assertGreater(min(len(meaning.strip()), len(advice.strip())), 3, code)
            self.assertIn(f"`{code}`", told)

    def test_messages_of_troubleshooting_are_those_of_the_program(self):
        source, told = literals_joined(sources()), messages_of("docs/troubleshooting.md")
        wrong = [(message, part) for message, parts in told for part in parts if not message.startswith(OF_OTHERS) and not stands_in(part, source)]
        self.assertGreater(sum(len(parts) for _, parts in told), 100)
        self.assertEqual(wrong, [])

    def test_each_variable_is_told(self):
        named = set(re.findall(r'"((?:CODE_EXECUTOR|MCP_BRIDGE|MCP|POOL|CIRCUIT_BREAKER|HEALTH_CHECK|AUDIT_LOG|ENABLE)_[A-Z_]*[A-Z])"', sources()))
        self.assertGreater(len(named), 30)
        self.assertEqual({name for name in named - OWN_VARIABLES if f"`{name}`" not in text_of("docs/reference/variables.md")}, set())

    def test_each_verb_is_in_a_page(self):
        told = "\n".join(text_of(document) for document in documents() if "/reference/" not in document)
        missing = [verb for verb in read_verbs(text_of("docs/reference/commands.md")) if not re.search(rf"(code-executor |`){verb}\b", told)]
        self.assertEqual(missing, [])


class Configurations(DocumentedCase):
    def test_settings_lists_of_servers_and_plans_are_right(self):
        seen = 0
        for block in all_blocks():
            if block.kind not in ("json", "toml", "yaml") or block.not_run or block.run_by:
                continue
            with self.subTest(block.place):
                seen += 1
                self.check(block)
        self.assertGreater(seen, 15)

    def check(self, block):
        there = self.world()
        path = os.path.join(there.cwd, f"example.{block.kind}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(block.text)
        if block.kind != "json" or as_servers_file(block.text):
            return self.check_servers(there, path)
        if "rules" in json.loads(block.text):
            return self.expect(there.command("faults", "check", path))
        named = {name: "x" for name in re.findall(r"env:(\w+)", block.text)}
        os.chmod(path, 0o600)
        return self.expect(there.command("config", "check", env={"CODE_EXECUTOR_CONFIG_PATH": path, **named}))

    def check_servers(self, there, path):
        found = json.loads(self.expect(there.command("servers", "--json", env={"MCP_CONFIG_PATH": path, "NOTION_TOKEN": "x"})).stdout)
        named = [server for server in found["servers"] if server.get("file") == path]
        self.assertTrue(named, found)
        self.assertEqual(found.get("problems", []), [])

    def expect(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done


class Programs(DocumentedCase):
    def test_programs_run(self):
        blocks = [block for block in all_blocks() if block.kind in ("ts", "python") and not block.not_run and not block.run_by]
        self.assertGreater(len(blocks), 5)
        with ModelProvider() as provider:
            server = self.start({name: entry_of(name) for name in SERVERS}, env=provider_at(provider.url))
            for block in blocks:
                with self.subTest(block.place):
                    run = server.typescript if block.kind == "ts" else server.python
                    self.succeed(run(block.text, **SAMPLING))


class Commands(DocumentedCase):
    @classmethod
    def setUpClass(cls):
        cls.verbs = read_verbs(text_of("docs/reference/commands.md"))

    def test_commands_of_the_program(self):
        """Forms, and those that go on until they are ended, by their words; all others are typed."""
        blocks = [block for block in all_blocks() if block.is_commands and not block.not_run and not block.run_by]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            wrong = [each for found in pool.map(self.wrong_in, blocks) for each in found]
        self.assertEqual(wrong, [])

    def wrong_in(self, block):
        there, wrong = self.documented_world(), []
        for line in block.commands():
            found = self.wrong_of(there, line)
            wrong += [f"{block.place}: {line}: {each}" for each in found]
        return wrong

    def wrong_of(self, there, line):
        line = line.replace("build/code-executor", "code-executor")
        if line.startswith("./dev"):
            verb = (line.split() + ["help"])[1]
            return [] if f"./dev {verb}" in text_of("dev") else ["no such verb"]
        if line.startswith(("python3 docs/", ".ci/")):
            return [] if (ROOT / line.removeprefix("python3 ").split()[0]).exists() else ["no such file"]
        if "code-executor" not in line:
            return ["is no command of ours: it needs a comment that says why it is not run"]
        said = wrong_words(line[line.index("code-executor"):], self.verbs)
        if said or is_form(line) or has_words_alone(line):
            return said
        if is_of_logins(line):
            return self.wrong_of_login(line)
        if goes_on(line):
            return self.wrong_while_it_serves(there, at_any_port(line))
        for beginning, before in BEFORE.items():
            if line.startswith(beginning):
                self.type_in(there, before)
        done = self.type_in(there, line)
        return [] if done.returncode == EXIT_CODES.get(line, 0) else [f"exit code {done.returncode}: {done.stdout[-500:]}{done.stderr[-1000:]}"]

    def wrong_of_login(self, line):
        verb, server = line.split()[1:3]
        with self.world_with_login(server) as there:
            done = self.log_in(there, f"code-executor login {server} --no-browser" if verb == "logout" else line)
            if verb == "logout" and done.returncode == 0:
                done = self.type_in(there, line)
        return [] if done.returncode == 0 else [f"exit code {done.returncode}: {done.stdout[-500:]}{done.stderr[-1000:]}"]

    def wrong_while_it_serves(self, there, line):
        env = there.environment({})
        env["PATH"] = f"{there.root}/bin:{env['PATH']}"
        with subprocess.Popen(["bash", "-c", f"exec {line}"], env=env, cwd=there.cwd, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as served:
            log = ""
            while "clients are served at" not in log and (told := served.stderr.readline()):
                log += told
            served.send_signal(signal.SIGTERM)
            log += served.communicate(timeout=PATIENCE_SECONDS)[1]
        return [] if served.returncode == 0 and "clients are served at" in log else [f"exit code {served.returncode}: {log[-1000:]}"]

    def test_commands_in_sentences(self):
        told = [(document, line) for document in documents() for line in commands_in_sentences(document)]
        self.assertGreater(len(told), 50)
        self.assertEqual([(*each, wrong) for each in told if (wrong := wrong_words(each[1], self.verbs))], [])

    def test_what_is_not_run_says_why(self):
        blocks = [block for block in all_blocks() if block.not_run]
        for block in blocks:
            self.assertGreater(len(block.not_run), 8, block.place)
        self.assertEqual(len(blocks), BLOCKS_NOT_RUN, [block.place for block in blocks])
        for block in all_blocks():
            if block.run_by:
                self.assertTrue(Path(block.document).stem in text_of(block.run_by), block.place)
            if block.kind not in ("", "indented"):
                self.assertTrue(block.kind in ("ts", "python", "json", "toml", "yaml", "sh") or block.not_run or block.run_by, block.place)
