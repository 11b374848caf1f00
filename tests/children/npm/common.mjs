// What the servers and the client of this folder share: the packages of packaging/npm, flags, and a journal as that of
// mcp_child.py.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";

// Packages are not beside this file, so `import "zod"` would not find them.
export const load = createRequire(new URL("../../../packaging/npm/package.json", import.meta.url));

export function flags(...names) {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string", default: "" }]));
  return parseArgs({ options }).values;
}

let journal = "";
export function writeTo(path) {
  journal = path;
}

export function tell(event, details = {}) {
  if (journal)
    appendFileSync(journal, JSON.stringify({ event, time: Date.now() / 1000, pid: process.pid, ...details }) + "\n");
}

export const pause = (ms, signal) => new Promise((done) => {
  const timer = setTimeout(done, ms);
  signal?.addEventListener("abort", () => (clearTimeout(timer), done()));
});

async function bodyOf(request) {
  const parts = [];
  for await (const part of request)
    parts.push(part);
  return parts.length ? JSON.parse(Buffer.concat(parts).toString()) : undefined;
}

/** Serves on that port of this machine; every request stands in the journal. `handle(request, response, body)` */
export function serveHttp(port, handle) {
  const server = createServer(async (request, response) => {
    const body = request.method === "POST" ? await bodyOf(request) : undefined;
    const header = (name) => request.headers[name] ?? null;
    tell("request", { method: body?.method ?? null, verb: request.method, session: header("mcp-session-id"),
                      revision: header("mcp-protocol-version"), lastEvent: header("last-event-id") });
    await handle(request, response, body);
  });
  server.listen(Number(port), "127.0.0.1", () => tell("listening", { port: server.address().port }));
}
