"""How the demo looks. Colours only on a terminal, and not if NO_COLOR is set."""

import os

BOLD, DIM, RED, GREEN, CYAN = "1", "2", "31", "32", "36"


class Terminal:
    def __init__(self, out):
        self._out = out
        self._coloured = out.isatty() and not os.environ.get("NO_COLOR")

    def title(self, text):
        self._line("\n" + self._paint(f"== {text}", BOLD))

    def code(self, text):
        for line in text.rstrip().splitlines():
            self._line(f"  {self._paint('|', DIM)} {self._paint(line, CYAN)}")

    def calls(self, summary):
        self._line("  tool calls")
        width = max((len(row["toolName"]) for row in summary), default=0)
        for row in summary:
            count, total = row["callCount"], row["totalDurationMs"]
            each = "" if count == 1 else f"  ({count} calls, {row['averageDurationMs']:.1f} ms each)"
            failed = self._paint(f"  {row['errorCount']} failed", RED) if row["errorCount"] else ""
            self._line(f"    {row['toolName']:<{width}}  {total:7.1f} ms{each}{failed}")

    def output(self, text):
        if text:
            self._block("printed", text)

    def result(self, text):
        self._block("result", text, GREEN)

    def sizes(self, rows):
        """(name, bytes, tokens or None)."""
        width = max(len(name) for name, _, _ in rows)
        for name, size, tokens in rows:
            counted = "" if tokens is None else f"{tokens:8,} tokens"
            self._line(f"  {name:<{width}}  {size:8,} bytes{counted}")

    def note(self, text):
        self._line(self._paint(f"  {text}", DIM))

    def failure(self, text):
        self._line("\n" + self._paint(text, RED))

    def _block(self, name, text, colour=None):
        self._line(f"  {name}")
        for line in text.rstrip().splitlines():
            self._line(f"    {self._paint(line, colour) if colour else line}")

    def _paint(self, text, colour):
        return f"\x1b[{colour}m{text}\x1b[0m" if self._coloured else text

    def _line(self, text):
        print(text, file=self._out, flush=True)
