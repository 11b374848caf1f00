"""What examples of the documents need to be run: their servers, files and words, in a fresh home."""

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

from support.authorization_server import AuthorizationServer, browse
from support.case import Case
from support.paths import ROOT, binary
from support.protected_child import ProtectedModernChild
from support.waiting import PATIENCE_SECONDS

SERVERS = ("filesystem", "files", "github", "notion")
# Files that commands name, as somebody would have them.
FILES = {
    "report.ts": "return (await mcp.github.list_issues({repo: 'a/b'})).issues.length",
    "issue.json": '{"repo": "a/b", "title": "Door squeaks", "body": "and how"}',
    "plan.json": '{"seed": 7, "rules": [{"match": "mcp__github__*", "kind": "error", "text": "no", "nth": 2}]}',
    # As a user would have written them who has read of faults: the one asks again, the other goes on without.
    "close-tickets.ts": "const issues = () => mcp.github.list_issues({repo: 'a/b'}); await issues(); return await issues().catch(issues)",
    "daily-report.py": "mcp.github.search(q='a')\ntry:\n    found = mcp.github.search(q='b')\nexcept MCPError as error:\n    found = error.code\nreturn found",
    "agent.py": "import subprocess, sys\nsys.exit(subprocess.run(['code-executor', 'run', 'close-tickets.ts'], check=False).returncode)",
}
# Programs that commands name: as much of them as matters here. An agent starts code-executor, and `npx` a server.
PROGRAMS = {
    "claude": "echo '{\"type\": \"result\", \"result\": \"done\"}'\ncode-executor run close-tickets.ts >/dev/null",
    "pytest": "code-executor run close-tickets.ts",
    "npx": f"exec {sys.executable} {ROOT / 'tests' / 'children' / 'documented_child.py'} github",
}
# What stands for something, and says that a line is a form and not a command.
FORM = re.compile(r"\b[A-Z]{2,}\b(?!-)|[\[\]]|\.\.\.")
# Those that go on until somebody ends them.
SERVING = ("serve --http", "bridge github --http", "bridge --http")
# Those that ask somebody, or take what is not there: only their words are looked at.
WORDS_ALONE = ("bridge https:", "faults run plan.json -- COMMAND", "manual")
# At a server over HTTP, with a person at a browser.
LOGINS = ("login", "logout")
# What a line needs that was typed before, on another day.
BEFORE = {"code-executor trust github": "code-executor index github",
          "code-executor replay session.jsonl": "code-executor record --out session.jsonl -- claude"}
# Where nobody can be asked.
EXIT_CODES = {"code-executor setup": 2, "code-executor setup --client claude-code --client codex": 2, "code-executor setup --behind": 2,
              "code-executor setup --settings --index": 2, "code-executor setup --remove": 2}


def entry_of(server):
    return {"command": sys.executable, "args": [str(ROOT / "tests" / "children" / "documented_child.py"), server]}


class DocumentedCase(Case):
    """`verbs`: options of each, by its words, as the reference has them."""

    def documented_world(self, **others):
        """`others`: entries of more servers."""
        there = self.world(user={server: entry_of(server) for server in SERVERS} | others)
        os.mkdir(os.path.join(there.root, "bin"))
        os.makedirs(os.path.join(there.home, ".config", "fish", "completions"))
        os.symlink(binary(), os.path.join(there.root, "bin", "code-executor"))
        for name, text in PROGRAMS.items():
            program = Path(there.root, "bin", name)
            program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            program.chmod(0o755)
        for name, text in FILES.items():
            with open(os.path.join(there.cwd, name), "w", encoding="utf-8") as file:
                file.write(text)
        return there

    @staticmethod
    def type_in(there, line):
        """In bash, in the folder of the project."""
        env = there.environment({})
        env["PATH"] = f"{there.root}/bin:{env['PATH']}"
        return subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], env=env, cwd=there.cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=4 * PATIENCE_SECONDS, check=False)


    @contextlib.contextmanager
    def world_with_login(self, server):
        """`server` is one that wants a login."""
        with contextlib.closing(AuthorizationServer()) as authority, contextlib.closing(ProtectedModernChild(authority)) as child:
            yield self.documented_world(**{server: child.entry()})

    @staticmethod
    def log_in(there, line):
        """Types it, reads the address, and goes there as a browser does."""
        env = there.environment({})
        env["PATH"] = f"{there.root}/bin:{env['PATH']}"
        with subprocess.Popen(["bash", "-c", f"exec {line}"], env=env, cwd=there.cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            told = ""
            for said in process.stderr:
                told += said
                if said.strip().startswith("http"):
                    threading.Thread(target=browse, args=(said.strip(),), daemon=True).start()
            out, _ = process.communicate(timeout=PATIENCE_SECONDS)
        return subprocess.CompletedProcess(line, process.returncode, out, told)


def read_verbs(reference):
    """{verb: its options}, of docs/reference/commands.md."""
    verbs = {"manual": {"--reference"}}  # hidden in --help
    for chapter in reference.split("\n## ")[1:]:
        name, text = chapter.split("\n", 1)
        rows = re.findall(r"^\| `([^`]*)` \|", text, re.MULTILINE)
        verbs[name] = {option for row in rows for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", row)}
    return verbs


def wrong_words(line, verbs):
    """What of a line, or of a form of one, no verb knows; empty: nothing."""
    line = re.split(r"\| (?=[a-z])", line)[0]  # what follows is another program
    words = re.sub(r"[\[\]|]", " ", line.split(" -- ")[0]).split()[1:]
    name = ""
    while words and f"{name} {words[0]}".strip() in verbs:
        name = f"{name} {words.pop(0)}".strip()
    if not name and words and words[0] not in ("--help", "--version"):
        return [words[0]]
    known = verbs.get(name, set()) | {"--help", "--version", "-h"}
    return [word for word in words if re.match(r"--?[a-z]", word) and word.split("=")[0] not in known]


def is_form(line):
    return bool(FORM.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", line)))


def begins_with(line, verbs):
    rest = line.removeprefix("code-executor ")
    return any(rest == verb or rest.startswith((verb + " ", verb + "//")) for verb in verbs)


def has_words_alone(line):
    return begins_with(line, WORDS_ALONE)


def is_of_logins(line):
    return begins_with(line, LOGINS)


def goes_on(line):
    return begins_with(line, SERVING)


def at_any_port(line):
    """The addresses of documents are those of other machines, and their ports may be taken."""
    return re.sub(r"--http(?: [\d.]+:\d+)?", "--http 127.0.0.1:0", line)


def as_servers_file(text):
    """Whether a configuration is a client's list of servers."""
    value = json.loads(text)
    lists = [value[key] for key in ("mcpServers", "servers", "mcp", "context_servers") if key in value]
    return bool(lists) and all(isinstance(entry, dict) for entry in lists[0].values())
