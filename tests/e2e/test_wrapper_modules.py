"""Modules that programs import (`./mcp-wrappers`, `mcp_<server>`, `mcp.servers.<server>`): an editor knows what is in them, and they run as they are."""

import shutil
import unittest

from support.editors import python_complaints, typescript_complaints
from support.wrappers_case import WrappersCase

MODULE_TYPESCRIPT = """\
import { kid, myFs } from "./mcp-wrappers";
import servers from "./mcp-wrappers";
import * as all from "./mcp-wrappers.ts";
const sum: number = (await kid.add({ a: 1, b: 2 })).sum;
await myFs.echo({ text: (await all.kid.add({ a: 1, b: sum })).sum.toFixed(0) });
display((await servers.kid.add({ a: sum, b: 2 })).sum.toFixed(1), await servers.other?.anything?.toString());
console.log(sum, "of a module");
"""
BAD_MODULE_TYPESCRIPT = """\
import { kid } from "./mcp-wrappers";
import servers from "./mcp-wrappers";
import { nobody } from "./mcp-wrappers";
await kid.add({ a: "1", b: 2 });
await servers.kid.add({ a: 1 });
"""
MODULE_PYTHON = """\
import asyncio

import mcp
import mcp.servers.kid
import mcp_kid
from mcp import runtime
from mcp.servers import my_fs
from mcp.servers.kid import add
from mcp_my_fs import echo


async def main() -> None:
    first: float = (await mcp_kid.add(a=1, b=2))["sum"]
    second: float = (await add(a=first, b=2))["sum"]
    await echo(text=str(second))
    await my_fs.echo(text="x")
    third: float = (await mcp.servers.kid.add(a=1, b=2))["sum"]
    await mcp.kid.add(a=1, b=third)
    runtime.list_servers()
    print(first + second, "of modules")


asyncio.run(main())
"""
BAD_MODULE_PYTHON = """\
import mcp_kid
from mcp.servers.kid import add
from mcp.servers import my_fs
from mcp_kid import nobody
async def main() -> None:
    await mcp_kid.add(a="1", b=2)
    await mcp_kid.nothing()
    await add(a=1)
    await my_fs.echo(test="x")
"""


class Modules(WrappersCase):
    def setUp(self):
        super().setUp()
        self.write()
        done = self.there.command("types", ".")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_module_of_programs_in_typescript(self):
        lines, said = typescript_complaints(self.folder, self.put("good.ts", MODULE_TYPESCRIPT))
        self.assertEqual(lines, set(), said)
        lines, said = typescript_complaints(self.folder, self.put("bad.ts", BAD_MODULE_TYPESCRIPT))
        self.assertEqual(lines, {3, 4, 5}, said)
        self.runs("good.ts", "3 of a module")

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_the_modules_of_programs_in_python(self):
        stubs = f"{self.folder}/wrappers/.stubs"
        lines, said = python_complaints(self.folder, self.put("good.py", MODULE_PYTHON), stubs=stubs)
        self.assertEqual(lines, set(), said)
        self.assertEqual(python_complaints(self.folder, ".", stubs=stubs)[0], set())
        lines, said = python_complaints(self.folder, self.put("bad.py", BAD_MODULE_PYTHON), stubs=stubs)
        self.assertEqual(lines, {4, 6, 7, 8, 9}, said)
        self.runs("good.py", "8 of modules")

    def test_a_package_of_the_user_is_no_server(self):
        self.runs(self.put("own.py", "import json, mcp_servers_x\nprint(type(mcp_servers_x).__name__, mcp_servers['kid'])"), "Server <mcp.kid>")
        done = self.there.command("run", self.put("table.py", "import mcp_servers"))
        self.assertIn("No module named 'mcp_servers'", done.stderr)


if __name__ == "__main__":
    unittest.main()
