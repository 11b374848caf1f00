// A server on the v2 packages: --transport stdio|http, --port, --era modern|both|legacy; `both` is what they do by themselves.
import { randomUUID } from "node:crypto";
import { furnish } from "./catalogue.mjs";
import { flags, load, serveHttp, tell, writeTo } from "./common.mjs";

const { McpServer, createMcpHandler } = load("@modelcontextprotocol/server");
const { serveStdio, StdioServerTransport } = load("@modelcontextprotocol/server/stdio");
const { NodeStreamableHTTPServerTransport, toNodeHandler } = load("@modelcontextprotocol/node");

const options = flags("transport", "port", "journal", "era");
writeTo(options.journal);
tell("started");

let changed = () => {};
function made({ era = "legacy" } = {}) {
  tell("instance", { era });
  return furnish(new McpServer({ name: "of the v2 packages", version: "2.0.0" }, { capabilities: { tools: { listChanged: true } } }), () => changed());
}
const onerror = (error) => tell("complaint", { message: error.message });

function modernHttp() {
  const handler = createMcpHandler(made, { legacy: options.era === "modern" ? "reject" : "stateless", onerror });
  changed = () => handler.notify.toolsChanged();
  serveHttp(options.port, toNodeHandler(handler));
}

function legacyHttp() {
  const sessions = new Map();
  serveHttp(options.port, async (request, response, body) => {
    const id = request.headers["mcp-session-id"];
    if (id && !sessions.has(id))
      return response.writeHead(404).end();
    let transport = sessions.get(id);
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => sessions.set(id, transport) });
      await made().connect(transport);
    }
    await transport.handleRequest(request, response, body);
  });
}

if (options.transport === "http")
  options.era === "legacy" ? legacyHttp() : modernHttp();
else if (options.era === "legacy")
  await made().connect(new StdioServerTransport());
else
  serveStdio(made, { legacy: options.era === "modern" ? "reject" : "serve", onerror });
