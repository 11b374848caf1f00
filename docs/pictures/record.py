#!/usr/bin/env python3
"""Runs a few commands at a terminal, in a fresh home with a server from npm, and writes what was shown, and when, as an animated picture.

    python3 docs/pictures/record.py > docs/pictures/session.svg

CODE_EXECUTOR names the binary, otherwise it is build/code-executor. Exit code 1: a command failed, and nothing is written.
"""

import fcntl
import html
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from support.world import World, binary, npm_server  # noqa: E402

SHOPS = {"chicago.csv": "product,pieces\nscarf,14\numbrella,2\n", "los-angeles.csv": "product,pieces\nsunglasses,9\n",
         "new-york.csv": "product,pieces\numbrella,12\nscarf,3\n"}
PROGRAM = """\
const { content } = await mcp.filesystem.list_directory({ path: "." });
const files = content.match(/\\S+\\.csv/g);
const texts = await Promise.all(files.map((path) => mcp.filesystem.read_text_file({ path })));
const rows = texts.flatMap((text) => text.content.trim().split("\\n").slice(1));
console.log(`${files.length} files, ${rows.length} rows`);
return rows.reduce((sum, row) => sum + Number(row.split(",")[1]), 0) + " pieces";
"""
COMMANDS = ("code-executor index", "code-executor tools 'read a text file' --limit 1", "cat pieces.ts", "code-executor run pieces.ts",
            "code-executor audit tail -n 4")
COLUMNS, ROWS = 112, 40
TYPED_PER_SECOND, PAUSE_SECONDS, END_SECONDS = 30, 0.9, 6.0
LINE, CHARACTER, MARGIN, TOP = 17, 7.4, 14, 38
COMMAND_SECONDS = 60
# Colours and moves, which a picture of text does not have.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def shown(command, environment, folder):
    """[(seconds since the start, line)]"""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(["bash", "-c", command], env=environment, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    begin, lines, left = time.monotonic(), [], ""
    while True:
        try:
            chunk = os.read(ours, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            break
        left += chunk
        *whole, left = left.split("\n")
        lines += [(time.monotonic() - begin, CONTROL.sub("", line.rstrip("\r").split("\r")[-1])) for line in whole]
    os.close(ours)
    if process.wait(COMMAND_SECONDS) != 0:
        sys.exit(f"{command}: exit code {process.returncode}: {lines}")
    return lines


def played():
    """[(command, its lines)]"""
    with World({}) as world:
        world.configure({"filesystem": npm_server("server-filesystem", world.folder / "shops")})
        (world.folder / "shops").mkdir()
        (world.folder / "bin").mkdir()
        (world.folder / "bin" / "code-executor").symlink_to(binary())
        for name, text in SHOPS.items():
            (world.folder / "shops" / name).write_text(text, encoding="utf-8")
        (world.folder / "shops" / "pieces.ts").write_text(PROGRAM, encoding="utf-8")
        environment = world.environment()
        environment.update(PATH=f"{world.folder}/bin:{environment['PATH']}", TERM="xterm", NO_COLOR="1")
        return [(command, shown(command, environment, world.folder / "shops")) for command in COMMANDS]


def wrapped(line):
    """As a terminal of that width would."""
    return [line[at:at + COLUMNS] for at in range(0, len(line), COLUMNS)] or [""]


def timed(session):
    """[(second at which it is there, second from which it is typed or None, text)], and the last second."""
    now, out = PAUSE_SECONDS, []
    for command, lines in session:
        typed = now + len(command) / TYPED_PER_SECOND
        out.append((typed, now, f"$ {command}"))
        begin = typed + 0.2
        for second, line in lines:
            out += [(begin + second, None, part) for part in wrapped(line)]
        now = begin + max([second for second, _ in lines], default=0) + PAUSE_SECONDS
    return out, now + END_SECONDS


STYLE = """
svg { --back: #f6f8fa; --edge: #d0d7de; --text: #24292f; --typed: #0550ae; --bar: #d0d7de }
@media (prefers-color-scheme: dark) { svg { --back: #0d1117; --edge: #30363d; --text: #c9d1d9; --typed: #79c0ff; --bar: #30363d } }
text { font: 12.3px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: var(--text); white-space: pre }
.typed { fill: var(--typed); font-weight: 600 }
.cover { fill: var(--back) }
@media (prefers-reduced-motion: reduce) { * { animation: none !important } .cover { display: none } }
"""


def picture(session):
    lines, seconds = timed(session)
    width, height = round(COLUMNS * CHARACTER) + 2 * MARGIN, TOP + LINE * len(lines) + MARGIN
    body, frames = [], []

    def percent(second):
        return f"{100 * second / seconds:.2f}%"

    for number, (there, typed_from, text) in enumerate(lines):
        y = TOP + LINE * number
        begin = there if typed_from is None else typed_from
        frames.append(f"@keyframes l{number}{{0%{{opacity:0}}{percent(begin)},100%{{opacity:1}}}}")
        style = f"animation:l{number} {seconds:.1f}s step-end infinite"
        kind = "" if typed_from is None else ' class="typed"'
        long = round(len(text) * CHARACTER, 1)
        body.append(f'<text{kind} x="{MARGIN}" y="{y + 12}" textLength="{long}" lengthAdjust="spacingAndGlyphs" style="{style}">{html.escape(text)}</text>'
                    if text.strip() else "")
        if typed_from is not None:
            frames.append(f"@keyframes c{number}{{0%{{transform:none}}{percent(typed_from)}{{transform:none;animation-timing-function:steps({len(text)})}}"
                          f"{percent(there)},100%{{transform:translateX({long}px)}}}}")
            body.append(f'<rect class="cover" x="{MARGIN}" y="{y}" width="{long + 2}" height="{LINE}" '
                        f'style="animation:c{number} {seconds:.1f}s linear infinite"/>')
    dots = "".join(f'<circle cx="{MARGIN + 6 + 18 * i}" cy="17" r="5" fill="var(--bar)"/>' for i in range(3))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" xml:space="preserve" '
            f'aria-label="A terminal session: code-executor index, tools, run, audit tail">\n<style>{STYLE}{"".join(frames)}</style>\n'
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="var(--back)" stroke="var(--edge)"/>\n{dots}\n'
            + "\n".join(filter(None, body)) + "\n</svg>\n")


if __name__ == "__main__":
    sys.stdout.write(picture(played()))
