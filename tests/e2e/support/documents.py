"""What stands in README.md and docs/: programs, configurations and commands, with their places."""

import re
from dataclasses import dataclass

from support.paths import ROOT

# In the line before a block: why no test runs it, or which one does.
NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
RUN_BY = re.compile(r"<!-- run by (\S+) -->")
# What the first word of a command may be. Other indented lines are pictures, lists and messages.
COMMANDS = {"code-executor", "./dev", "python3", "npm", "npx", "docker", "sudo", "ln", "bwrap", "source", "echo", "jq", "cd", "claude", "codex", "gemini",
            "qwen", "opencode", "copilot", "cline", "code", "git", "build/code-executor", "meson"}
# Where messages come from.
SOURCES = ("actors", "audit", "catalog", "cli", "config", "faults", "login", "mcp", "messages", "process", "proxy", "recording", "sampling", "sandbox", "setup",
           "subprojects")
# Of a command: behind it stands what it does, in a column of its own.
EXPLANATION = re.compile(r"\s{3,}.*|\s+# .*")


@dataclass
class Block:
    document: str
    line: int
    kind: str  # of a fence: "ts", "json", ..., "" without one; "indented"
    text: str
    mark: str  # the line before it

    @property
    def place(self):
        return f"{self.document}:{self.line}"

    @property
    def not_run(self):
        """Why; None: it is run."""
        found = NOT_RUN.fullmatch(self.mark)
        return found and found.group(1)

    @property
    def run_by(self):
        found = RUN_BY.fullmatch(self.mark)
        return found and found.group(1)

    @property
    def is_commands(self):
        words = self.text.split(maxsplit=1)
        return self.kind == "sh" or (self.kind == "indented" and bool(words) and words[0] in COMMANDS)

    def commands(self):
        """Each in one line, without what is said about it."""
        lines = re.sub(r"\\?\n +", " ", self.text).splitlines()
        return [EXPLANATION.sub("", line.strip()) for line in lines if line.strip() and not line.lstrip().startswith("#")]


def documents():
    """Paths below the root, as text."""
    return ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]


def text_of(document):
    return (ROOT / document).read_text(encoding="utf-8")


def blocks_of(document):
    out, lines, at, before = [], text_of(document).splitlines(), 0, ""
    while at < len(lines):
        line, begin = lines[at], at
        if line.startswith("```"):
            end = lines.index("```", at + 1)
            out.append(Block(document, at + 1, line[3:], "\n".join(lines[at + 1:end]), before))
            at = end
        elif line.startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            while at + 1 < len(lines) and (lines[at + 1].startswith("    ") or (not lines[at + 1].strip() and lines[at + 2:at + 3] and lines[at + 2].startswith("    "))):
                at += 1
            out.append(Block(document, begin + 1, "indented", "\n".join(each[4:] for each in lines[begin:at + 1]), before))
        before = lines[at].strip() or before
        at += 1
    return out


def all_blocks():
    return [block for document in documents() for block in blocks_of(document)]


def commands_in_sentences(document):
    """In backticks. A message that begins like one is none."""
    text = re.sub(r"^```.*?^```", "", text_of(document), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`(?:[\w./]*/)?(code-executor (?!does )[a-z-][^`\n]*)`", text)


# ---- messages

# Between the words of a message that are always the same.
OPEN_PARTS = re.compile(r"\.\.\.|'[^']*'|\b\d[\d.,]*( MiB| ms| KiB| s\b)?|mcp__\w*|\(timeoutMs; at most|\(sandbox\.memoryMb\)|\bHTTP\b")
WORDS_MIN = 3


def messages_of(document):
    """(message, its parts that a source has) of those in backticks at the beginning of rows."""
    out = []
    for line in text_of(document).splitlines():
        cells = line.removeprefix("| ").split(" | ")
        shown = " ".join(cells[:2]) if re.fullmatch(r"`\w+`", cells[0]) else cells[0]
        for message in re.findall(r"`([^`]+)`", shown) if line.startswith("| ") else ():
            parts = [part.strip(" :;,.'\"()") for part in OPEN_PARTS.split(message) if part]
            out.append((message, [part for part in parts if len(part.split()) >= WORDS_MIN]))
    return out


def sources():
    """The text of all that says something."""
    files = [path for folder in SOURCES for kind in ("cpp", "hpp", "py", "ts", "c") for path in (ROOT / folder).rglob(f"*.{kind}")]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def literals_joined(source):
    """Literals that are written in pieces are put together."""
    return re.sub(r'"\s*(\+\s*)?f?"', "", source).replace('\\"', '"').replace("\\'", "'")


def stands_in(part, source):
    """Three of its words, one behind the other: the others may come from elsewhere."""
    words = part.split()
    return any(" ".join(words[at:at + WORDS_MIN]) in source for at in range(len(words) - WORDS_MIN + 1))


# ---- links

def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda found: re.sub(r"[\[\]()]", " ", found.group(0)), text)


def anchors_of(document):
    """As GitHub makes them of titles."""
    out = set()
    for title in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text_of(document), flags=re.MULTILINE | re.DOTALL), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        out.add(name if name not in out else f"{name}-1")
    return out


def links_of(document):
    """(path below the root, anchor) of each link to a file of the project."""
    out = []
    for target in re.findall(r"\]\(([^()\s]+)\)|(?:src|href)=\"([^\"]+)\"", without_code(text_of(document))):
        address = target[0] or target[1]
        if "://" in address:
            continue
        path, _, anchor = address.partition("#")
        folder = (ROOT / document).parent
        out.append(((folder / path).resolve() if path else ROOT / document, anchor))
    return out
