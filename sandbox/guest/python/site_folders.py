"""Packages of a virtual environment: its folders, and those that its .pth files name, are searched last."""

import posix
import sys

# Far more than any environment has; a folder can hold anything.
_FILES_MAX = 200
_BYTES_MAX = 64 * 1024
_FOLDERS_MAX = 200


def add(folders):
    """`folders` are separated by colons."""
    for folder in folders.split(":"):
        if folder:
            _append(folder)
            for named in _named_by_files(folder):
                _append(named)


def _named_by_files(folder):
    try:
        files = sorted(name for name in posix.listdir(folder) if name.endswith(".pth"))
    except OSError:
        return []
    named = []
    for file in files[:_FILES_MAX]:
        named += [line if line.startswith("/") else f"{folder}/{line}" for line in _paths_in(f"{folder}/{file}")]
    return named[:_FOLDERS_MAX]


def _paths_in(file):
    """Lines of code, which `site` would execute, are left out: they set up what a sandbox has no use for."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:
            lines = opened.read(_BYTES_MAX).split("\n")
    except OSError:
        return []
    stripped = [line.strip() for line in lines]
    return [line for line in stripped if line and not line.startswith(("#", "import ", "import\t"))]


def _append(folder):
    try:
        exists = posix.stat(folder).st_mode & 0o170000 == 0o040000
    except (OSError, ValueError):
        return
    if exists and folder not in sys.path:
        sys.path.append(folder)
