// A server on the v2 packages: --transport stdio|http, --port, --era modern|both|legacy; `both` is what they do by
// themselves. With --more yes it has the tools that only 2026-07-28 has a way for.
import { randomUUID } from "node:crypto";
import { furnish } from "./catalogue.mjs";
import { flags, load, serveHttp, tell, writeTo } from "./common.mjs";

const { McpServer, createMcpHandler, inputRequired } = load("@modelcontextprotocol/server");
const { serveStdio, StdioServerTransport } = load("@modelcontextprotocol/server/stdio");
const { NodeStreamableHTTPServerTransport, toNodeHandler } = load("@modelcontextprotocol/node");
const { z } = load("zod");

const options = flags("transport", "port", "journal", "era", "more");
writeTo(options.journal);
tell("started");

let changed = () => {};
function made({ era = "legacy" } = {}) {
  tell("instance", { era });
  const capabilities = { tools: { listChanged: true } };
  const server = new McpServer({ name: "of the v2 packages", version: "2.0.0" }, { capabilities });
  if (options.more)
    addMore(server);
  return furnish(server, () => changed());
}

/** The package itself refuses a call whose headers are not its arguments. */
function addMore(server) {
  const header = (kind, name) => kind.optional().meta({ "x-mcp-header": name });
  const inputSchema = z.object({ region: header(z.string(), "Region"), count: header(z.number().int(), "Count"),
                                 urgent: header(z.boolean(), "Urgent") });
  server.registerTool("headers", { description: "Arguments in headers", inputSchema }, (args, { http }) => {
    const told = [...http.req.headers.keys()].filter((name) => name.startsWith("mcp-param-")).sort();
    return { content: [{ type: "text", text: JSON.stringify({ args, told }) }] };
  });
  const elicit = inputRequired.elicit({ message: "Sure?", requestedSchema: z.object({ sure: z.boolean() }) });
  server.registerTool("ask", { description: "Asks back", inputSchema: z.object({}) },
    () => inputRequired({ inputRequests: { sure: elicit } }));
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
      const onsessioninitialized = (begun) => sessions.set(begun, transport);
      transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized });
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
