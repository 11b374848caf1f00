"""The program in another folder: with everything that it looks for beside itself."""

import os
import shutil
from pathlib import Path

from .paths import binary

PARTS = ("code-executor", "guest-init", "guest-exec", "guest-fork.so", "guest-spawn", "typescript-guest.js", "guest")
# Not built, so not everywhere.
RUNTIMES = ("deno", "pyodide")


def install(folder):
    """Returns the program in `folder`, which everybody may read."""
    built = Path(binary()).parent
    for name in (*PARTS, *(name for name in RUNTIMES if (built / name).exists())):
        source, copy = (built / name).resolve(), Path(folder, name)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, copy)
    return os.path.join(folder, PARTS[0])
