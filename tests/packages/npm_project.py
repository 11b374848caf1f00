"""A project into which the npm package was installed, with a server from npm that reads a file of it."""

import contextlib
import json
import time
from dataclasses import dataclass
from pathlib import Path

import support
from support import FILESYSTEM_SERVER, run

NOTES = "the door squeaks"
PROGRAM = """return (await callMCPTool("filesystem", "read_text_file", {path: "%s"})).content"""


@dataclass
class Project:
    packed: Path
    folder: Path
    environment: dict
    seconds: float = 0  # from `npm install` to the first result

    @property
    def package(self):
        return self.folder / "node_modules/code-executor"

    @property
    def launcher(self):
        return self.folder / "node_modules/.bin/code-executor"

    def install(self, *flags):
        """Into an empty folder; with a warm cache nothing but names is fetched."""
        self.folder.mkdir()
        (self.folder / "package.json").write_text('{"name": "project", "private": true}', encoding="utf-8")
        run("npm", "install", "--prefer-offline", *flags, self.packed, cwd=self.folder, env=self.environment)
        return self

    def first_result(self):
        """The main job: a program that calls a tool of a server from npm."""
        (self.folder / "notes.txt").write_text(NOTES, encoding="utf-8")
        servers = {"filesystem": {"command": "node", "args": [str(FILESYSTEM_SERVER), str(self.folder)]}}
        (self.folder / "servers.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
        return run("npx", "code-executor", "run", "-e", PROGRAM % (self.folder / "notes.txt"), cwd=self.folder,
                   env={**self.environment, "MCP_CONFIG_PATH": str(self.folder / "servers.json")}).strip()


@contextlib.contextmanager
def installed():
    packed = support.only(support.made("npm"), "code-executor-*.tgz")
    with support.place() as (folder, environment):
        begin = time.monotonic()
        project = Project(packed, folder / "project", environment).install()
        result = project.first_result()
        project.seconds = time.monotonic() - begin
        assert result == NOTES, result
        yield project
