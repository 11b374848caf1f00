"""Where things are, and a world of its own for each server: a fresh home, a fresh current folder, its own configuration.
Nothing of the user's configuration is seen in it."""

import glob
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from support.mcp_client import McpClient

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "packaging" / "npm" / "node_modules"
ECHO_CHILD = [sys.executable, "-S", "-E", "-u", str(ROOT / "bench" / "echo_child.py")]
SOAK_CHILD = [sys.executable, "-S", "-E", "-u", str(ROOT / "bench" / "soak_child.py")]


def binary():
    return os.path.abspath(os.environ.get("CODE_EXECUTOR") or ROOT / "build" / "code-executor")


def deno():
    """None: the program looks for it itself."""
    found = os.environ.get("DENO_PATH") or next(iter(glob.glob(f"{PACKAGES}/@deno/*/deno")), None)
    return found and os.path.abspath(found)


def npm_server(name, *arguments):
    """The command line of one of the npm servers."""
    return ["node", str(PACKAGES / "@modelcontextprotocol" / name / "dist" / "index.js"), *map(str, arguments)]


NO_POOL = {"sandbox": {"pool": {"size": 0}}}


class World:
    """`servers`: name -> command line. `settings`: of the program itself. `variables`: more of them than it needs."""

    def __init__(self, servers, settings=None, variables=None):
        self.variables = variables or {}
        self.folder = Path(tempfile.mkdtemp(prefix="code-executor-"))
        (self.folder / "home").mkdir()
        self.config = self.folder / "servers.json"
        self.configure(servers)
        (self.folder / "home" / ".code-executor.json").write_text(json.dumps(settings or {}), encoding="utf-8")

    def configure(self, servers):
        entries = {name: {"command": argv[0], "args": argv[1:]} for name, argv in servers.items()}
        self.config.write_text(json.dumps({"mcpServers": entries}, indent=2), encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "LANG": "C.UTF-8",
               "MCP_CONFIG_PATH": str(self.config), **self.variables}
        env.update({name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")})
        if deno():
            env["DENO_PATH"] = deno()
        return env

    def start(self, *words):
        """The server, not initialized yet. `words`: of the command line."""
        return McpClient([binary(), *words], self.environment(), str(self.folder))
