"""`code-executor sync-wrappers` and `code-executor types`: files by which an editor completes and checks programs."""

import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import tokenize
import unittest
from pathlib import Path

from support.config import child
from support.editors import python_complaints, typescript_complaints
from support.paths import binary
from support.waiting import PATIENCE_SECONDS
from support.wrappers_case import WrappersCase

GOOD_TYPESCRIPT = """\
import { kid, myFs } from "./wrappers/typescript/index.ts";
const sum = await kid.add({ a: 1, b: 2 });
const n: number = sum.sum;
await myFs.echo({ text: String(n) });
const whole: { sum: number } = await callMCPTool("mcp__kid__add", { a: 1, b: 2 });
const parts = await callMCPTool("kid", "add", { a: whole.sum, b: 2 });
display(parts.sum, (await mcp.kid.add({ a: 1, b: 1 })).sum);
if (n < 0) await mcp.other.anything({ x: 1 });
try { await kid.fail({ message: "no" }); } catch (e) { if (e instanceof MCPError) display(e.code, e.suggestions?.length); }
const observed: number | undefined = (await kid.json_text()).answer;
console.log(n, observed);
"""
GOOD_EDITOR_TYPESCRIPT = GOOD_TYPESCRIPT + """\
const answer = await askUser("Go on?");
if (answer.action === "accept") await approve(["mcp__kid__add x 2"]);
for await (const piece of llm.ask("hi", { stream: true })) display(piece.length);
const text: string = await llm.think([{ role: "user", content: "x" }]);
display(text, await listServers(), await searchTools("add", 3), await discoverMCPTools({ search: "x" }), await readOutput("out_1"));
"""
# Every line but the first is wrong.
BAD_TYPESCRIPT = """\
import { kid } from "./wrappers/typescript/index.ts";
await kid.add({ a: "1", b: 2 });
await kid.add({ a: 1 });
await kid.add({ a: 1, b: 2, c: 3 });
await kid.nothing({});
await callMCPTool("mcp__kid__add", { a: 1 });
await mcp.kid.add({ a: true, b: 1 });
export const s: string = (await kid.add({ a: 1, b: 2 })).sum;
await llm.ask(5);
"""
GOOD_PYTHON = """\
import asyncio

from code_executor import MCPError, call_mcp_tool, display, list_servers, mcp, mcp_servers, runtime
from wrappers.python import kid, my_fs


async def main() -> None:
    total: float = (await kid.add(a=1, b=2))["sum"]
    await my_fs.echo(text=str(total))
    first, second = await asyncio.gather(kid.add(a=1, b=2), kid.add(a=3, b=4))
    data = call_mcp_tool("mcp__kid__add", {"a": 1, "b": 2})
    display(first["sum"] + second["sum"], data["sum"], await call_mcp_tool("kid", "add", {"a": 1, "b": 2}))
    display(await mcp.kid.add(a=1, b=1), mcp_servers["kid"]["add"](a=1, b=2), (await list_servers()).totalTools, runtime.list_servers())
    try:
        await kid.fail(message="no")
    except MCPError as error:
        display(error.code, error.suggestions)
    print(total)


asyncio.run(main())
"""
BAD_PYTHON = """\
from code_executor import llm, search_tools
from wrappers.python import kid
async def main() -> None:
    await kid.add(a="1", b=2)
    await kid.add(a=1)
    await kid.add(a=1, b=2, c=3)
    await kid.nothing()
    wrong: str = (await kid.add(a=1, b=2))["sum"]
    llm.ask(5)
    search_tools("x", limit="3")
"""
STUBS = ("mcp_kid", "mcp_my_fs", "mcp/__init__", "mcp/runtime", "mcp/servers/__init__", "mcp/servers/kid", "mcp/servers/my_fs")
# What is learned of a result is written in its own turn: where the machine is busy, after a question about the tool.
LEARN = """await mcp.kid.json_text()
for (let i = 0; i < 1000 && !JSON.stringify(await getToolSignature('kid', 'json_text')).includes('answer'); i++);"""
HOSTILE = "a/b\n*/ \"\"\" ' \\ \u2028\u202e"


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


class Files(WrappersCase):
    def test_are_written_once(self):
        first = self.document()
        paths = {"mcp-wrappers.ts"} | {f"wrappers/{name}" for name in (
                                                 *(f".stubs/{name}.pyi" for name in STUBS), "typescript/kid.ts", "typescript/my-fs.ts", "typescript/index.ts", "__init__.py", "python/__init__.py",
                                                 "python/kid.pyi", "python/kid.py", "python/my_fs.pyi", "python/my_fs.py")}
        self.assertEqual(set(first["written"]), paths)
        before, times = tree(self.folder), {path: os.stat(f"{self.folder}/{path}").st_mtime_ns for path in paths}
        self.assertEqual(self.document(), {"folder": os.path.realpath(self.folder), "written": [], "removed": [], "unchanged": 17, "notIndexed": [],
                                           "needApproval": []})
        self.assertEqual(tree(self.folder), before)
        self.assertEqual({path: os.stat(f"{self.folder}/{path}").st_mtime_ns for path in paths}, times)
        shutil.rmtree(f"{self.folder}/wrappers")
        self.write()
        self.assertEqual(tree(self.folder), before)
        self.assertIn("all 17 files in", self.write().stdout)

    def test_without_a_folder_they_are_in_the_state(self):
        self.write("--json")
        self.assertTrue(os.path.isfile(f"{self.there.home}/.code-executor/wrappers/typescript/kid.ts"))
        state = f"{self.there.root}/new/state"
        self.assertEqual(self.there.command("types", env={"CODE_EXECUTOR_STATE_DIR": state}).returncode, 0)
        self.assertEqual(os.stat(state).st_mode & 0o777, 0o700)

    def test_nobody_else_may_write_them(self):
        def write():
            subprocess.run([binary(), "sync-wrappers", ".", "--json"], env=self.there.environment({}), cwd=self.folder, stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=PATIENCE_SECONDS, check=True, umask=0)

        def open_to_others():
            return [str(path) for path in ours if path.stat().st_mode & 0o022]

        write()
        ours = [path for path in Path(self.folder, "wrappers").rglob("*")] + [Path(self.folder, "wrappers"), Path(self.folder, "mcp-wrappers.ts")]
        self.assertEqual(open_to_others(), [])
        self.assertTrue(all(path.stat().st_mode & 0o044 for path in ours), "the umask of the user counts for reading")
        for path in ours:
            path.chmod(path.stat().st_mode | 0o022)
        write()
        self.assertEqual(open_to_others(), [], "those of an older version")

    def test_a_broken_file_is_no_reason_to_remove_wrappers(self):
        self.write()
        before = tree(self.folder)
        Path(self.there.user_file).write_text('{"mcpServers": {', encoding="utf-8")
        done = self.there.command("sync-wrappers", ".")
        self.assertEqual(done.returncode, 1)
        self.assertIn("files of servers that are not configured any more stay", done.stderr)
        self.assertEqual(tree(self.folder), before)

    def test_a_dry_run_writes_nothing(self):
        before = tree(self.folder)
        done = self.write(".", "--dry-run")
        self.assertIn("would write ", done.stdout)
        self.assertTrue(self.document(".", "--dry-run")["dryRun"])
        self.assertEqual(tree(self.folder), before)

    def test_only_what_has_changed(self):
        self.write()
        kid = Path(self.folder, "wrappers/typescript/kid.ts")
        kid.write_text(kid.read_text(encoding="utf-8") + "// mine\n", encoding="utf-8")
        os.unlink(f"{self.folder}/wrappers/python/kid.py")
        self.assertEqual(set(self.document()["written"]), {"wrappers/typescript/kid.ts", "wrappers/python/kid.py"})

    def test_of_servers_that_are_gone(self):
        self.write()
        mine = Path(self.folder, "wrappers/typescript/mine.ts")
        mine.write_text("export const mine = 1;\n", encoding="utf-8")
        copy = shutil.copy(f"{self.folder}/wrappers/typescript/my-fs.ts", f"{self.folder}/wrappers/typescript/mine-too.ts")
        notes = Path(self.folder, "wrappers/python/notes.py")
        notes.write_text("# notes on code-executor:generated notes.py by hand\n", encoding="utf-8")
        os.symlink("kid.ts", f"{self.folder}/wrappers/typescript/link.ts")
        self.there.configure(user={"kid": child()})
        changes = self.document()
        self.assertEqual(set(changes["removed"]), {"wrappers/typescript/my-fs.ts", "wrappers/python/my_fs.py", "wrappers/python/my_fs.pyi",
                                                   "wrappers/.stubs/mcp_my_fs.pyi", "wrappers/.stubs/mcp/servers/my_fs.pyi"})
        self.assertEqual(changes["written"], ["wrappers/typescript/index.ts"])
        self.assertTrue(mine.exists() and notes.exists() and os.path.exists(copy))
        self.assertTrue(os.path.islink(f"{self.folder}/wrappers/typescript/link.ts"))

    def test_a_file_of_the_user_is_in_the_way(self):
        path = Path(self.folder, "wrappers/python/kid.py")
        path.parent.mkdir(parents=True)
        for put in (lambda: path.write_text("mine = 1\n", encoding="utf-8"), lambda: path.symlink_to("/etc/passwd"), path.mkdir):
            put()
            done = self.there.command("sync-wrappers", ".")
            self.assertEqual([done.returncode, done.stdout], [1, ""])
            self.assertIn("wrappers/python/kid.py", done.stderr)
            self.assertFalse(Path(self.folder, "wrappers/typescript").exists(), "nothing is written")
            (path.rmdir if path.is_dir() and not path.is_symlink() else path.unlink)()

    def test_a_folder_that_is_a_link_is_in_the_way(self):
        elsewhere = tempfile.mkdtemp(dir=self.there.root)
        os.symlink(elsewhere, f"{self.folder}/wrappers")
        done = self.there.command("sync-wrappers", ".")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrappers is a link", done.stderr)
        self.assertEqual(os.listdir(elsewhere), [])

    def test_a_folder_that_cannot_be_made(self):
        Path(self.folder, "file").write_text("", encoding="utf-8")
        done = self.there.command("sync-wrappers", "file")
        self.assertEqual(done.returncode, 1)
        self.assertIn("file", done.stderr)
        self.assertEqual(self.there.command("sync-wrappers", "a", "b").returncode, 2)

    def test_a_server_that_is_not_known_any_more_keeps_its_files(self):
        self.write()
        before = tree(self.folder)
        self.there.configure(user={"kid": child(), "my fs": child("--tools", "1"), "never": child()})
        done = self.write()
        self.assertIn("The tools of these servers are not known yet: my fs, never; `code-executor index` reads them.", done.stderr)
        self.assertEqual(tree(self.folder), before)

    def test_the_policy_counts(self):
        Path(self.there.home, ".code-executor.json").write_text(json.dumps({"security": {"deniedTools": ["mcp__kid__echo"]}}), encoding="utf-8")
        self.write()
        self.assertNotIn("echo(", Path(self.folder, "wrappers/typescript/kid.ts").read_text(encoding="utf-8"))


class Hostile(WrappersCase):
    @classmethod
    def setUpClass(cls):
        cls.definitions = f"{tempfile.mkdtemp()}/definitions.json"
        cls.addClassCleanup(shutil.rmtree, os.path.dirname(cls.definitions))
        super().setUpClass()

    @classmethod
    def servers(cls):
        words = [HOSTILE, "*/ export const x = 1; /*", "*" * (1 << 20), "\"\"\"\nimport os\n\"\"\"", "\\", "\x1b[2J\x00"]
        with open(cls.definitions, "w", encoding="utf-8") as file:
            json.dump({name: {"description": text} for name, text in zip(("echo", "add", "sleep", "fail", "multi", "image"), words)}, file)
        names = [HOSTILE, "fs", "FS", "Fs", "../../up", "x" * 200, "x" * 199 + "Y", "index", "class", "eval", "globalThis", "NUL", "__init__", "\u8bfb", "a.d", "code executor",
                 "coding: utf-7 +ACIAXQAKAG8AcABlAG4AKAAnAGgAYQBjAGsAZQBkACcALAAnAHcAJwApAAo-", "coding=rot13"]
        return {name: child("--definitions", cls.definitions) for name in names}

    def test_names_and_descriptions(self):
        outside = set(os.listdir(self.there.root))
        made = self.document()
        count = len(self.servers())
        stubs = [path for path in made["written"] if "/.stubs/" in path]
        self.assertEqual(len(made["written"]) - len(stubs), 3 * count + 4)
        self.assertEqual(len({path.lower() for path in made["written"]}), len(made["written"]))
        self.assertTrue(all(re.fullmatch(r"(mcp-wrappers|wrappers/((typescript|python|\.stubs(/mcp(/servers)?)?)/)?[\w-]{1,100})\.(ts|pyi|py)", path)
                            for path in made["written"]), made)
        self.assertEqual(set(os.listdir(self.there.root)), outside)
        for path, text in tree(f"{self.folder}/wrappers").items():
            self.assertLess(len(text), 60_000, path)
            self.assertNotIn(b"\x1b", text)
            self.assertNotIn(b"\x00", text)
            if path.endswith((".py", ".pyi")):
                self.assertEqual(tokenize.detect_encoding(io.BytesIO(text).readline)[0], "utf-8", path)
                compile(text, path, "exec")
        self.there.command("types", ".")
        Path(self.folder, "all.ts").write_text('export * from "./wrappers/typescript/index.ts";\n', encoding="utf-8")
        lines, said = typescript_complaints(self.folder, "all.ts")
        self.assertEqual(lines, set(), said[:3000])


class InEditors(WrappersCase):
    """Also that programs which an editor takes run as they are."""

    def setUp(self):
        super().setUp()
        self.assertEqual(self.there.command("run", "-e", LEARN).returncode, 0)
        self.write()
        done = self.there.command("types", ".")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_typescript(self):
        self.assertIn(" not declared by the server */", Path(self.folder, "wrappers/typescript/kid.ts").read_text(encoding="utf-8"))
        self.assertEqual(typescript_complaints(self.folder, self.put("good.ts", GOOD_EDITOR_TYPESCRIPT))[0], set())
        lines, said = typescript_complaints(self.folder, self.put("bad.ts", BAD_TYPESCRIPT))
        self.assertEqual(lines, set(range(2, 10)), said)
        self.runs(self.put("runs.ts", GOOD_TYPESCRIPT), "3 ")

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_python(self):
        lines, said = python_complaints(self.folder, self.put("good.py", GOOD_PYTHON))
        self.assertEqual(lines, set(), said)
        self.assertEqual(python_complaints(self.folder, ".")[0], set())
        lines, said = python_complaints(self.folder, self.put("bad.py", BAD_PYTHON))
        self.assertEqual(lines, set(range(4, 11)), said)
        self.runs("good.py", "3\n")


class GuestApi(WrappersCase):
    """What the files of `types` declare is what programs find."""

    def setUp(self):
        super().setUp()
        self.done = self.there.command("types", ".", "--json")

    @classmethod
    def servers(cls):
        return {}

    def test_are_written_once(self):
        self.assertEqual(json.loads(self.done.stdout)["written"], ["code-executor.d.ts", "code_executor.pyi"])
        self.assertEqual(json.loads(self.there.command("types", ".", "--json").stdout)["unchanged"], 2)
        Path(self.folder, "code-executor.d.ts").write_text("// mine\n", encoding="utf-8")
        done = self.there.command("types", ".")
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("code-executor.d.ts is not a file that code-executor has written", done.stderr)

    def result(self, name, code):
        Path(self.folder, name).write_text(code, encoding="utf-8")
        done = self.there.command("run", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_python_has_all(self):
        text = Path(self.folder, "code_executor.pyi").read_text(encoding="utf-8")
        declared = set(re.findall(r"^(?:def |class )?([a-zA-Z]\w*)(?=[(:])", text, re.MULTILINE))
        found, helpers = self.result("all.py", "import code_executor\n[[n for n in vars(code_executor) if n[0] != '_'], mcp.runtime.__all__]")
        self.assertEqual(declared, set(found))
        runtime = text[text.index("class _Runtime"):text.index("runtime: _Runtime\n\n")]
        self.assertEqual(set(helpers) - {"MCPError"} - set(re.findall(r"^    def ([a-z]\w*)", runtime, re.MULTILINE)), set())

    def test_typescript_has_all(self):
        text = Path(self.folder, "code-executor.d.ts").read_text(encoding="utf-8")
        declared = set(re.findall(r"^  (?:const|function|class) (\w+)", text, re.MULTILINE))
        guest = Path(self.source("typescript/api.ts")).read_text(encoding="utf-8")
        self.assertEqual(declared, set(self.result("all.ts", f"return {json.dumps(sorted(declared))}.filter((n) => n in globalThis)")))
        defined = set(re.findall(r"^  function (\w+)", guest, re.MULTILINE)) | {"display", "llm", "memory", "mcp", "MCPError"}
        self.assertIn("const api = { ...functions, display, llm, memory, mcp, MCPError };", guest)
        self.assertEqual(declared, defined)

    @staticmethod
    def source(name):
        return Path(__file__).resolve().parents[2] / "sandbox/guest" / name
