"""Reads the tables of attacks: Markdown in which a heading names an attack, an indented block is its program, and lines
that begin with `seen` say what must come of it."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


@dataclass
class Seen:
    where: str  # a runtime or a way of isolation; empty: everywhere
    kind: str  # error, value, any
    what: str

    def fits(self, answer):
        if self.kind == "any":
            return True
        if self.kind == "error":
            return answer.is_error and re.search(self.what, answer.text, re.DOTALL) is not None
        if answer.is_error:
            return False
        if self.what.startswith("~"):
            return re.search(self.what[1:], json.dumps(answer.result)) is not None
        return answer.result == json.loads(self.what)


@dataclass
class Attack:
    area: str
    title: str
    code: str = ""
    seen: list = field(default_factory=list)

    def expectations(self, where):
        """Any of them must fit. Those for one of `where` win over the general ones."""
        special = [seen for seen in self.seen if seen.where in where]
        return special or [seen for seen in self.seen if not seen.where]

    def program(self, words):
        return re.sub(r"\{(\w+)\}", lambda word: words.get(word[1], word[0]), self.code)


def attacks(language):
    """The attacks of `<language>.md`, in order."""
    found, area = [], ""
    for line in (FOLDER / f"{language}.md").read_text(encoding="utf-8").splitlines():
        expected = re.fullmatch(r"seen(?:\[(\w+)\])?: (\w+) ?(.*)", line)
        if line.startswith("## "):
            area = line[3:]
        elif line.startswith("### "):
            found.append(Attack(area, line[4:]))
        elif line.startswith("    ") and found:
            found[-1].code += line[4:] + "\n"
        elif expected:
            found[-1].seen.append(Seen(expected[1] or "", expected[2], expected[3]))
    return found
