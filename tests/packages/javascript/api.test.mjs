import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import test from "node:test";
import { BusyError, ClosedError, CodeExecutor, CodeExecutorError, RunError, TimeoutError, ToolError } from "code-executor";
import { executor, notes, until, children } from "./support.mjs";

const FOREVER = "await new Promise((resolve) => setTimeout(resolve, 200_000));";

test("runs programs of both languages", async (t) => {
  const api = executor(t);
  const typescript = await api.runTypescript("console.log('printed'); display('shown'); const n: number = 1; return { n };");
  assert.equal(typescript.success, true);
  assert.deepEqual([typescript.result, typescript.output], [{ n: 1 }, "printed\n"]);
  assert.deepEqual(typescript.displayed, [{ type: "text", text: "shown" }]);
  assert.equal((await api.runPython("[n * n for n in range(4)]")).result[3], 9);
});

test("a program that fails is a report and no rejection", async (t) => {
  const report = await executor(t).runTypescript("throw new TypeError('no')");
  assert.equal(report.success, false);
  assert.match(report.error, /^TypeError: no\n.*code.ts:1/);
});

test("a program calls a tool, with what it may", async (t) => {
  const api = executor(t);
  const code = `return (await callMCPTool("filesystem", "read_text_file", { path: ${JSON.stringify(notes)} })).content`;
  const report = await api.runTypescript(code);
  assert.equal(report.result, readFileSync(notes, "utf8"));
  assert.equal(report.toolCallSummary[0].successCount, 1);
  assert.match((await api.runTypescript(code, { allowedTools: [] })).error, /not allowed|allowedTools/);
});

test("callTool gives what a program would get", async (t) => {
  const api = executor(t);
  const { content } = await api.callTool("filesystem", "read_text_file", { path: notes });
  assert.equal(content, readFileSync(notes, "utf8"));
});

test("callTool in a machine without Deno goes through Python", async (t) => {
  const api = executor(t, { env: { DENO_PATH: "/nowhere/deno" } });
  assert.equal((await api.health()).runtimes.typescript.available, false);
  const { content } = await api.callTool("filesystem", "read_text_file", { path: notes });
  assert.equal(content, readFileSync(notes, "utf8"));
  await assert.rejects(api.callTool("filesystem", "nothing"), { name: "ToolError", code: "unknown_tool" });
});

test("errors of tools have their parts", async (t) => {
  const api = executor(t);
  const error = await api.callTool("filesystem", "read_text_file", { path: "/etc/passwd" }).catch((caught) => caught);
  assert.ok(error instanceof ToolError && error instanceof CodeExecutorError && error instanceof Error);
  assert.deepEqual([error.code, error.server, error.tool], ["tool_failed", "filesystem", "read_text_file"]);
  await assert.rejects(api.callTool("filesystem", "read_text_fil"), { code: "unknown_tool", suggestions: ["read_text_file"] });
  await assert.rejects(api.callTool("filesystem", "read_text_file", { path: 5 }), ToolError);
  await assert.rejects(api.callTool("filesystem", "read_text_file", { path: notes }, { typeCheck: "no" }), RunError);
});

test("arguments arrive as they are", async (t) => {
  const api = executor(t);
  const path = `${notes}.\u2028 '"\`\\\${1} __proto__ \u{1F600}`;
  const error = await api.callTool("filesystem", "read_text_file", JSON.parse(JSON.stringify({ path }))).catch((caught) => caught);
  assert.ok(error.message.includes("\u{1F600}"), error.message);
});

test("finds tools", async (t) => {
  const api = executor(t);
  const found = await api.searchTools("filesystem read a text file", { limit: 2 });
  assert.equal(found.tools.length, 2);
  assert.equal(found.tools[0].tool, "read_text_file");
  await assert.rejects(api.searchTools("x", { limit: "many" }), { code: "request_refused" });
});

test("a result that is too large for a model is whole, unless the handle is wanted", async (t) => {
  const api = executor(t);
  const code = "return { rows: Array.from({ length: 100_000 }, (_, id) => ({ id })) }";
  assert.equal((await api.runTypescript(code)).result.rows.length, 100_000);
  assert.match((await api.runTypescript(code, { wholeResult: false })).result.handle, /^out_/);
  assert.equal((await api.runPython("'x' * 100_000")).result.length, 100_000);
});

test("a result that looks like a handle is itself", async (t) => {
  const api = executor(t);
  const { handle } = (await api.runTypescript("return 'x'.repeat(1_000_000).split('')", { wholeResult: false })).result;
  const code = `console.log("x".repeat(100_000)); return { handle: "${handle}", shape: "y" }`;
  const report = await api.runTypescript(code);
  assert.equal(report.truncated, true);
  assert.deepEqual(report.result, { handle, shape: "y" });
});

test("times without an end are no times without a length", async (t) => {
  const api = executor(t, { startTimeoutMs: Infinity });
  assert.equal((await api.runTypescript("return 1", { answerTimeoutMs: Infinity })).result, 1);
  assert.equal((await api.runTypescript("return 2", { answerTimeoutMs: 3e9, timeoutMs: "30000" })).result, 2);
  await assert.rejects(api.runTypescript("return 3", { answerTimeoutMs: "soon" }), TypeError);
  assert.throws(() => executor(t, { closeTimeoutMs: NaN }), TypeError);
});

test("sessions keep their variables", async (t) => {
  const api = executor(t);
  await api.runPython("n = 20", { session: "s" });
  assert.equal((await api.runPython("n + 1", { session: "s" })).result, 21);
});

test("progress and log are told", async (t) => {
  const progress = [];
  const log = [];
  const api = executor(t, { onLog: (entry) => log.push(entry) });
  await api.runTypescript(`return await callMCPTool("filesystem", "list_allowed_directories")`, { onProgress: (each) => progress.push(each) });
  assert.match(progress[0].message, /tool call/);
  assert.ok(log.some(({ source, level, text }) => source === "stderr" && level === "info" && text.includes("no settings file")));
});

test("a callback that throws harms nobody", async (t) => {
  const api = executor(t, { onLog: () => { throw new Error("of the callback"); } });
  const warned = new Promise((resolve) => process.once("warning", resolve));
  assert.equal((await api.runPython("1")).result, 1);
  assert.match((await warned).message, /of the callback/);
});

test("a signal cancels", async (t) => {
  const api = executor(t);
  await assert.rejects(api.runTypescript("return 1", { signal: AbortSignal.abort(new Error("before")) }), { message: "before" });
  await assert.rejects(api.runTypescript(FOREVER, { signal: AbortSignal.timeout(300), timeoutMs: 100_000 }), { name: "TimeoutError" });
  await until(async () => (await api.health()).connectionPool.active === 0, "the end of the run that was cancelled");
});

test("a signal cancels the wait for a start", async (t) => {
  const api = executor(t, { command: "/bin/sleep", args: ["100"] });
  await assert.rejects(api.runTypescript("return 1", { signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
});

test("time limits: of the run, and of the answer", async (t) => {
  const api = executor(t);
  const report = await api.runTypescript(FOREVER, { timeoutMs: 1000 });
  assert.match(report.error, /timed out after 1000 ms/);
  await assert.rejects(api.runTypescript(FOREVER, { timeoutMs: 100_000, answerTimeoutMs: 200 }), TimeoutError);
  await until(async () => (await api.health()).connectionPool.active === 0, "the end of the run that was cancelled");
});

test("too many calls are refused before they are sent", async (t) => {
  const api = executor(t, { maxPending: 2 });
  const both = [api.runPython("1"), api.runPython("2")];
  await assert.rejects(api.runPython("3"), BusyError);
  assert.deepEqual((await Promise.all(both)).map(({ result }) => result), [1, 2]);
});

test("close rejects what is open and what comes, and leaves nothing", async () => {
  const api = new CodeExecutor({ mcpServers: { none: { command: "true" } } });
  await api.start();
  const open = api.runTypescript(FOREVER);
  const folders = () => readdirSync(tmpdir()).filter((name) => existsSync(`${tmpdir()}/${name}/mcp.json`));
  assert.equal(folders().length, 1);
  await Promise.all([assert.rejects(open, ClosedError), api.close(), api.close()]);
  await assert.rejects(api.runTypescript("return 1"), ClosedError);
  assert.deepEqual([folders(), children()], [[], []]);
});

test("is disposed of", async () => {
  const api = new CodeExecutor();
  await api.start();
  await api[Symbol.asyncDispose]();
  assert.deepEqual(children(), []);
});

test("can be required, and is the same", () => {
  assert.equal(createRequire(import.meta.url)("code-executor").CodeExecutor, CodeExecutor);
});

test("wrong options are told", () => {
  assert.throws(() => new CodeExecutor({ comand: "x" }), /no option 'comand'/);
  assert.throws(() => new CodeExecutor({ mcpConfig: "x", mcpServers: {} }), TypeError);
});
