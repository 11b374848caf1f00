"""Folders on file systems that find names in any case: what a mount on one name keeps could be written by another."""

import json
import os

from support.any_case_folder import mounted, require_fuse
from support.case import Case
from support.server import World

KEPT = '{"mcpServers": {}}'


class AnyCase(Case):
    def setUp(self):
        super().setUp()
        require_fuse()
        self.made = World().configure(project={})
        self.addCleanup(self.made.remove)
        os.chmod(self.made.root, 0o755)
        self.folder = os.path.join(self.made.root, "shared")
        self.backing = os.path.join(self.made.root, "backing")
        for folder in (self.folder, self.backing):
            os.mkdir(folder)
            os.chmod(folder, 0o777)
        with open(os.path.join(self.backing, ".mcp.json"), "w", encoding="utf-8") as file:
            file.write(KEPT)
        os.chmod(file.name, 0o666)
        with open(os.path.join(self.made.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [self.folder], "dangerousPatterns": "off"}}, file)

    def kept(self):
        with open(os.path.join(self.backing, ".mcp.json"), encoding="utf-8") as file:
            return file.read()

    def write(self, server, name):
        return server.python(f"open({os.path.join(self.folder, name)!r}, 'w').write('x')", permissions={"write": [self.folder]})

    def test_what_is_found_in_any_case_is_not_granted(self):
        with mounted(self.backing, self.folder, "any"):
            server = self.start(world=self.made)
            for name in (".MCP.json", ".mcp.json", "new.txt"):
                self.refuse(self.write(server, name), "does not tell upper from lower case")
            self.assertEqual(self.kept(), KEPT)
            self.assertEqual(os.listdir(self.backing), [".mcp.json"])

    def test_a_folder_of_fuse_with_one_name_for_each_file_is_granted(self):
        with mounted(self.backing, self.folder, "exact"):
            server = self.start(world=self.made)
            self.succeed(self.write(server, "new.txt"))
            self.refuse(self.write(server, ".mcp.json"), "Read-only file system")
            self.succeed(self.write(server, ".MCP.json"))
            self.assertEqual(self.kept(), KEPT)
            self.assertEqual(sorted(os.listdir(self.backing)), [".MCP.json", ".mcp.json", "new.txt"])
