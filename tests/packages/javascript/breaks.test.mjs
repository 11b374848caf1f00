// The server dies, does not start, is none, or has too much to do.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import test from "node:test";
import { ServerExitedError, StartError } from "code-executor";
import { children, executor, killServer, notes, pause, until } from "./support.mjs";

const AT_ONCE = 200;
const SLOW = "await new Promise((resolve) => setTimeout(resolve, 20_000));";

test("killed in mid-call: the call is rejected, the next one starts it again", async (t) => {
  const api = executor(t);
  await api.start();
  const open = api.runTypescript(SLOW);
  await pause(200);
  killServer();
  const error = await open.catch((caught) => caught);
  assert.ok(error instanceof ServerExitedError, String(error));
  assert.deepEqual([error.code, error.exitCode, error.signal], ["server_exited", null, "SIGKILL"]);
  assert.equal((await api.runPython("1 + 1")).result, 2);
  killServer(); // while nothing is open
  await until(() => children().length === 0, "its end");
  assert.equal((await api.callTool("filesystem", "read_text_file", { path: notes })).content.length > 0, true);
});

test("again and again", async (t) => {
  const api = executor(t);
  for (let i = 0; i < 5; i++) {
    await api.start();
    const open = api.runPython("import time; time.sleep(20)");
    await pause(20 * i);
    killServer();
    await assert.rejects(open, ServerExitedError);
  }
  assert.equal((await api.runPython("1")).result, 1);
});

test(`${AT_ONCE} calls at once: each gets its own answer`, async (t) => {
  const api = executor(t);
  const ask = [
    async (n) => (await api.runTypescript(`return ${n}`)).result,
    async (n) => (await api.runPython(`${n}`)).result,
    async (n) => ((await api.callTool("filesystem", "read_text_file", { path: notes })).content.length > 0 ? n : undefined),
    async (n) => (await api.searchTools(`${n}`)).query * 1,
  ];
  const numbers = Array.from({ length: AT_ONCE }, (_, n) => n);
  assert.deepEqual(await Promise.all(numbers.map((n) => ask[n % ask.length](n))), numbers);
});

test(`killed while ${AT_ONCE} calls are open: all are settled, and new ones work`, async (t) => {
  const api = executor(t);
  await api.start();
  const open = Array.from({ length: AT_ONCE }, (_, n) => api.runTypescript(`return ${n}`, { timeoutMs: 60_000 }));
  await Promise.race(open);
  killServer();
  const settled = await Promise.allSettled(open);
  const failed = settled.filter(({ status }) => status === "rejected");
  assert.ok(failed.length > 0 && failed.every(({ reason }) => reason instanceof ServerExitedError), `${failed.length} failed`);
  assert.deepEqual(settled.flatMap(({ status, value }, n) => (status === "fulfilled" && value.result !== n ? [value] : [])), []);
  const again = await Promise.all(Array.from({ length: 20 }, (_, n) => api.runTypescript(`return ${n}`)));
  assert.deepEqual(again.map(({ result }) => result), Array.from({ length: 20 }, (_, n) => n));
});

test("a start that fails says why, and is tried again by the next call", async (t) => {
  const config = `${process.cwd()}/broken.json`;
  writeFileSync(config, `{"security": {"allowEverything": true}}`);
  const api = executor(t, { config });
  for (let i = 0; i < 2; i++) {
    const error = await api.runPython("1").catch((caught) => caught);
    assert.ok(error instanceof StartError, String(error));
    assert.match(error.message + error.stderr, /allowEverything/);
  }
  writeFileSync(config, "{}");
  assert.equal((await api.runPython("1")).result, 1);
});

test("many calls share one start that fails", async (t) => {
  const api = executor(t, { command: "/bin/false" });
  const settled = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => api.runPython("1")));
  assert.ok(settled.every(({ reason }) => reason instanceof StartError));
});

test("no program", async (t) => {
  await assert.rejects(executor(t, { command: "/nowhere/code-executor" }).start(), { name: "StartError", message: /nowhere.*ENOENT/ });
  await assert.rejects(executor(t, { command: "/etc/passwd" }).start(), { name: "StartError", message: /EACCES/ });
  await assert.rejects(executor(t, { command: "/bin/true", args: ["a\0b"] }).start(), { name: "StartError" });
  await assert.rejects(executor(t, { cwd: "/nowhere" }).start(), { name: "StartError" });
});

test("a program that is no server", async (t) => {
  await assert.rejects(executor(t, { command: "/bin/echo", args: ["hello"] }).start(), { name: "StartError", message: /no JSON/ });
  await assert.rejects(executor(t, { command: "/bin/sleep", args: ["100"], startTimeoutMs: 200 }).start(), { name: "StartError", message: /200 ms/ });
  await assert.rejects(executor(t, { command: "/bin/echo", args: ["null"] }).start(), { name: "StartError", message: /no message/ });
  const flood = executor(t, { command: "/bin/sh", args: ["-c", "exec tr '\\0' x </dev/zero"] });
  await assert.rejects(flood.start(), { name: "StartError", message: /too long/ });
  await until(() => children().length === 0, "the end of all of them");
});

test("a server that does not read has a bounded queue", async (t) => {
  const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } };
  const greeting = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
  const api = executor(t, { command: "/bin/sh", args: ["-c", `read line; echo '${greeting}'; exec sleep 100`], closeTimeoutMs: 100 });
  await api.start();
  const open = Array.from({ length: 100 }, () => api.runPython("x".repeat(1_000_000)));
  const failed = await Promise.race([...open, pause(5000)]).catch((caught) => caught);
  assert.equal(failed.code, "busy");
  open.forEach((each) => each.catch(() => {}));
});

test("a script that forgets to close ends all the same, and the server with it", () => {
  const script = `import { CodeExecutor } from "code-executor"; const api = new CodeExecutor();
    const { result } = await api.runPython("6 * 7"); console.log(result);`;
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", timeout: 20_000 });
  assert.deepEqual([done.stdout, done.status], ["42\n", 0], done.stderr);
});
