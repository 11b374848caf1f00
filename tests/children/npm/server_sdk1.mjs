// A server on @modelcontextprotocol/sdk 1.x: --transport stdio|http, --port; over HTTP --sessions no, --json yes.
import { randomUUID } from "node:crypto";
import { furnish } from "./catalogue.mjs";
import { flags, load, serveHttp, tell, writeTo } from "./common.mjs";

const { McpServer } = load("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = load("@modelcontextprotocol/sdk/server/stdio.js");
const { StreamableHTTPServerTransport } = load("@modelcontextprotocol/sdk/server/streamableHttp.js");
const { InMemoryEventStore } = load("@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js");

const options = flags("transport", "port", "journal", "sessions", "json");
writeTo(options.journal);
tell("started");

const made = () => furnish(new McpServer({ name: "of SDK 1", version: "1.0.0" }), () => {});
const sessions = new Map();

async function begin() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: options.sessions === "no" ? undefined : randomUUID,
    eventStore: options.sessions === "no" ? undefined : new InMemoryEventStore(),
    enableJsonResponse: options.json === "yes",
    retryInterval: 50,
    onsessioninitialized: (id) => (sessions.set(id, transport), tell("session", { id })),
    onsessionclosed: (id) => (sessions.delete(id), tell("session_closed", { id })),
  });
  await made().connect(transport);
  return transport;
}

function refuse(response, status, message) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32001, message } }));
}

async function handle(request, response, body) {
  const id = request.headers["mcp-session-id"];
  if (options.sessions === "no" && request.method !== "POST")
    return refuse(response, 405, "Method not allowed");
  if (id && options.sessions !== "no" && !sessions.has(id))
    return refuse(response, 404, "Session not found");
  const transport = (id && sessions.get(id)) ?? await begin();
  await transport.handleRequest(request, response, body);
}

if (options.transport === "http")
  serveHttp(options.port, handle);
else
  await made().connect(new StdioServerTransport());
