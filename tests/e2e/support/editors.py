"""What an editor says of programs in a folder with the files of `sync-wrappers` and `types`."""

import os
import re
import subprocess

from support.paths import deno
from support.waiting import PATIENCE_SECONDS

CHECK = ["check", "--no-remote", "--no-npm", "--unstable-sloppy-imports"]  # index.ts names files as TypeScript's own compiler has them


def typescript_complaints(folder, program):
    """Lines of the program that the compiler complains of, and all that it says."""
    environment = {**os.environ, "DENO_DIR": f"{folder}/.deno", "NO_COLOR": "1", "DENO_NO_UPDATE_CHECK": "1"}
    done = subprocess.run([deno(), *CHECK, "code-executor.d.ts", program], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=PATIENCE_SECONDS)
    lines = {int(line) for line in re.findall(rf"^ {{4}}at .*/{re.escape(program)}:(\d+):\d+", done.stdout, re.MULTILINE)}
    return lines or ({0} if done.returncode else set()), done.stdout


def python_complaints(folder, *words, stubs=""):
    """The same of mypy. `stubs`: a folder that it is told of."""
    done = subprocess.run(["mypy", "--strict", "--no-error-summary", "--cache-dir", f"{folder}/.mypy", "--python-version", "3.11", *words], cwd=folder, text=True,
                          env={**os.environ, "MYPYPATH": stubs}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=PATIENCE_SECONDS)
    lines = {int(line) for line in re.findall(r"^[^:]+:(\d+): error", done.stdout, re.MULTILINE)}
    return lines or ({0} if done.returncode else set()), done.stdout
