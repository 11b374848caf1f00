"""The JavaScript API of the npm package, by Node's test runner, and its types, by TypeScript's compiler."""

import json
import re
import shutil
import unittest
from pathlib import Path

import npm_project
from support import FILESYSTEM_SERVER, NPM_PACKAGES, ROOT, run

JAVASCRIPT = Path(__file__).parent / "javascript"


def setUpModule():
    global project
    context = npm_project.installed()
    project = context.__enter__()
    unittest.addModuleCleanup(context.__exit__, None, None, None)


def block(document, language):
    return re.search(rf"^```{language}\n(.*?)^```$", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]


class Javascript(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for file in JAVASCRIPT.iterdir():
            shutil.copy(file, project.folder)

    def node(self, *words):
        return run("node", *words, cwd=project.folder, env={**project.environment, "PACKAGES": str(NPM_PACKAGES), "FOLDER": str(project.folder)})

    def test_api(self):
        self.node("--test", "api.test.mjs")

    def test_breaks(self):
        self.node("--test", "breaks.test.mjs")

    def test_types(self):
        """The declarations, strictly, and a program that uses them, which then runs."""
        self.compile("usage.ts")
        script = f"require('./compiled/usage.js').use({json.dumps(str(project.folder))}, {json.dumps(str(FILESYSTEM_SERVER))}).then(console.log)"
        self.assertEqual(self.node("-e", script).strip(), "3 read_text_file the door squeaks unknown_tool 1")

    def compile(self, file):
        options = ["--strict", "--noEmitOnError", "--target", "es2022", "--module", "nodenext", "--exactOptionalPropertyTypes",
                   "--lib", "es2022,dom", "--outDir", "compiled"]
        run("node", NPM_PACKAGES / "typescript/bin/tsc", *options, file, cwd=project.folder, env=project.environment)

    def test_examples_of_the_documents(self):
        """That of the package's README runs; that of docs/javascript.md fits the types."""
        example = block(project.package / "README.md", "js").replace('command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem",',
                                                                    f'command: "node", args: [{json.dumps(str(FILESYSTEM_SERVER))},')
        self.assertIn(str(FILESYSTEM_SERVER), example)
        shown = "\nconsole.log(found.tools[0].server, listed.content.includes('package.json'));\n"
        (project.folder / "example.mjs").write_text(example + shown, encoding="utf-8")
        self.assertEqual(self.node("example.mjs"), "project\nfilesystem true\n")
        (project.folder / "document.mts").write_text(block(ROOT / "docs/javascript.md", "ts"), encoding="utf-8")
        self.compile("document.mts")


if __name__ == "__main__":
    unittest.main()
