// Starts programs as code-executor-mcp does, and does nothing else of what that does: no MCP, no checks, no record. For each line of stdin, a program,
// it starts an HTTP server that the program could call tools at, pipes a wrapper into `deno run`, which imports the program from a new file, and
// prints what came of it.

import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const FLAGS = ["run", "--no-remote", "--v8-flags=--max-old-space-size=128", "--allow-read=/tmp", "--allow-write=/tmp", "--allow-net=localhost", "-"];

const wrapper = (port, token, file) => `
const ask = async (path: string, options: RequestInit): Promise<any> => {
  const response = await fetch("http://localhost:${port}" + path, {...options, headers: {"Authorization": "Bearer ${token}"}});
  if (!response.ok) throw new Error((await response.json()).error);
  return await response.json();
};
(globalThis as any).callMCPTool = async (toolName: string, params: unknown) =>
  (await ask("/", {method: "POST", body: JSON.stringify({toolName, params})})).result;
(globalThis as any).discoverMCPTools = (options?: {search?: string[]}) => ask("/mcp/tools?q=" + (options?.search ?? []).join("&q="), {});
await import("file://${file}");
`;

async function run(code) {
  const token = randomBytes(32).toString("hex");
  const tools = createServer((_, response) => response.writeHead(404).end("{}"));
  await new Promise((listening) => tools.listen(0, "127.0.0.1", listening));
  const file = `/tmp/sandbox-${randomUUID()}.ts`;
  await writeFile(file, code);
  const deno = spawn(process.env.DENO_PATH, FLAGS);
  let output = "";
  deno.stdout.on("data", (text) => output += text);
  deno.stdin.end(wrapper(tools.address().port, token, file));
  await new Promise((ended) => deno.on("close", ended));
  await rm(file);
  await new Promise((closed) => tools.close(closed));
  return output;
}

for await (const code of createInterface({ input: process.stdin })) {
  run(code).then((output) => process.stdout.write(JSON.stringify(output) + "\n"));
}
