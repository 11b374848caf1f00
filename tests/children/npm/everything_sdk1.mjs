// A server on @modelcontextprotocol/sdk 1.x with everything that the conformance suite wants: --transport stdio|http,
// --port. It knows the earlier revisions only, so it asks in the midst of calls.
import { askInMidCall, inSessions, lasting, made, serveNear, tellAll } from "./everything.mjs";
import { flags, load, tell, writeTo } from "./common.mjs";

const { McpServer, ResourceTemplate } = load("@modelcontextprotocol/sdk/server/mcp.js");
const { completable } = load("@modelcontextprotocol/sdk/server/completable.js");
const { StdioServerTransport } = load("@modelcontextprotocol/sdk/server/stdio.js");
const { StreamableHTTPServerTransport } = load("@modelcontextprotocol/sdk/server/streamableHttp.js");
const types = load("@modelcontextprotocol/sdk/types.js");

const options = flags("transport", "port", "journal");
writeTo(options.journal);
tell("started");

const ANSWERS = { "elicitation/create": types.ElicitResultSchema, "roots/list": types.ListRootsResultSchema,
                  "sampling/createMessage": types.CreateMessageResultSchema };
const REQUESTS = { "resources/subscribe": types.SubscribeRequestSchema,
                   "resources/unsubscribe": types.UnsubscribeRequestSchema };

function given(server, extra) {
  const notify = (method, params) => extra.sendNotification({ method, params });
  const progressToken = extra._meta?.progressToken;
  return {
    extra, can: server.server.getClientCapabilities() ?? {},
    log: (data) => notify("notifications/message", { level: "info", data }),
    progress: async (progress, total) =>
      progressToken !== undefined && notify("notifications/progress", { progressToken, progress, total }),
  };
}

const ask = askInMidCall((request, extra) => extra.sendRequest(request, ANSWERS[request.method]));
const kit = { McpServer, ResourceTemplate, completable, given, ask, changed: tellAll,
              nameOf: (method) => REQUESTS[method] };
const make = () => lasting(made(kit, "legacy"));

async function begin(how) {
  const transport = new StreamableHTTPServerTransport(how);
  await make().connect(transport);
  return transport;
}

if (options.transport === "http") {
  serveNear(options.port, inSessions(begin));
} else {
  // The package would wait for answers that cannot come any more.
  process.stdin.once("end", () => process.exit(0));
  await make().connect(new StdioServerTransport());
}
