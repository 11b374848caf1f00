"""What MCP servers and files say reaches the log and the terminal, and a terminal obeys none of it."""

import json
import subprocess

from support.case import Case
from support.paths import binary
from support.server import Server, World

TITLE = "\x1b]0;owned\x07"
COLOUR = "\x9b31m"  # C1: one character
NAME = "kid\x1b[31m"
SCRIPT = r"printf '\033]0;owned\007 \033[2J\302\233\061m\r\nforged\t\342\200\256line\n' >&2; echo 'no \033[31mJSON' ; exit 3"


def entry():
    return {"command": "/bin/sh", "args": ["-c", SCRIPT]}


class HarmlessLog(Case):
    def assert_harmless(self, text):
        found = sorted({character for character in text if (ord(character) < 32 and character not in "\n\t") or 127 <= ord(character) < 160
                        or "\u202a" <= character <= "\u202e"})
        self.assertEqual(found, [], text[-2000:])

    def test_stderr_of_a_child(self):
        server = self.start({NAME: entry()})
        for run, code in ((server.typescript, f"return await callMCPTool({NAME!r}, 'x')"), (server.python, f"call_mcp_tool({NAME!r}, 'x')")):
            answer = run(code)
            self.refuse(answer)
            self.assertIn("\\u001b]0;owned", answer.text)
            self.assertNotIn(TITLE, answer.text)
        server.end("eof")
        log = server.stderr()
        self.assertIn("\\u001b]0;owned\\u0007", log, "shown, not hidden")
        self.assert_harmless(log)

    def test_verbs_that_print(self):
        world = World().configure(project={NAME: entry(), f"other{TITLE}": {"command": f"/nowhere/{COLOUR}"}})
        self.addCleanup(world.remove)
        for verb in (["servers"], ["index"], ["trust", NAME], ["doctor"], ["servers", "--json"], ["index", "--json"], ["trust", NAME, "--json"],
                     ["doctor", "--json"], ["trust", "--server", NAME, "--show", "--json"], [f"--{COLOUR}{TITLE}"], ["trust", "a", f"--{TITLE}"]):
            with self.subTest(verb=verb):
                done = subprocess.run([binary(), *verb], env=world.environment({}), cwd=world.cwd, capture_output=True, timeout=120, check=False)
                self.assert_harmless(done.stdout.decode("utf-8"))
                self.assert_harmless(done.stderr.decode("utf-8"))


class InJson(Case):
    def test_every_line_is_one_object(self):
        server = Server(world=World().configure(project={NAME: entry()}), env={"CODE_EXECUTOR_LOG_FORMAT": "json"})
        self.addCleanup(server.stop)
        self.refuse(server.typescript(f"return await callMCPTool({NAME!r}, 'x')"))
        server.end("eof")
        lines = [json.loads(line) for line in server.stderr().splitlines() if line.startswith("{")]
        self.assertTrue(any("owned" in line["message"] for line in lines))
