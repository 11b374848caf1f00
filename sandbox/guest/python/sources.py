"""The texts of programs by the file names they were compiled with: for tracebacks, and for functions that are saved."""

import sys

CURRENT = "<code>"
# Of a session this many texts are kept; frames of older ones are shown without their lines.
_KEPT = 100
_PREFIXES = ("<code", "<saved tool")


class Sources:
    def __init__(self):
        self.current = CURRENT
        self._lines = {}
        self._programs = 0

    def add_program(self, text, keep):
        """The file name for the program that runs next. Those of a session differ, because their functions stay."""
        self._programs += 1
        self.current = f"<code {self._programs}>" if keep else CURRENT
        self.add(self.current, text)
        return self.current

    def add(self, file_name, text):
        self._lines[file_name] = _lines_of(text)
        while len(self._lines) > _KEPT:
            del self._lines[next(iter(self._lines))]
        self.publish(sys.modules.get("linecache"))

    def lines(self, file_name):
        """Without their ends; empty for an unknown file."""
        return self._lines.get(file_name, ())

    def line(self, file_name, number):
        """None if there is none of that number, from 1."""
        lines = self.lines(file_name)
        return lines[number - 1] if 0 < number <= len(lines) else None

    def newest_first(self):
        return list(reversed(list(self._lines)))

    def shown_name(self, file_name):
        """What a file is called in reports; None for code that is not the user's."""
        if file_name == self.current:
            return CURRENT
        return file_name if file_name.startswith(_PREFIXES) else None

    def publish(self, linecache):
        """Lets `traceback` and others show the lines, once they have loaded `linecache`."""
        if not isinstance(getattr(linecache, "cache", None), dict):
            return
        for file_name, lines in self._lines.items():
            if file_name == self.current or file_name not in linecache.cache:
                ended = [f"{line}\n" for line in lines]
                linecache.cache[file_name] = (sum(map(len, ended)), None, ended, file_name)


def _lines_of(text):
    """As Python's parser counts them; `splitlines` knows more line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
