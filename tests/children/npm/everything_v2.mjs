// A server on the v2 packages with everything that the conformance suite wants: --transport stdio|http, --port,
// --era modern|both. In the earlier era, the package itself makes questions in the midst of a call of what is asked.
import { randomBytes } from "node:crypto";
import { inSessions, lasting, made, serveNear, tellAll } from "./everything.mjs";
import { flags, load, tell, writeTo } from "./common.mjs";

const { McpServer, ResourceTemplate, completable, createMcpHandler, createRequestStateCodec, fromJsonSchema,
        inputRequired, isLegacyRequest, CLIENT_CAPABILITIES_META_KEY } = load("@modelcontextprotocol/server");
const { serveStdio } = load("@modelcontextprotocol/server/stdio");
const { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } = load("@modelcontextprotocol/node");

const options = flags("transport", "port", "journal", "era");
writeTo(options.journal);
tell("started");

// Over HTTP each request has a server of its own, so what they share is out here.
const codec = createRequestStateCodec({ key: randomBytes(32) });
const onerror = (error) => tell("complaint", { message: error.message });

function given(server, extra) {
  const { envelope, _meta, notify, log } = extra.mcpReq;
  const progressToken = _meta?.progressToken;
  return {
    extra, can: envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities() ?? {},
    log: (data) => log("info", data),
    progress: async (progress, total) => progressToken !== undefined &&
      notify({ method: "notifications/progress", params: { progressToken, progress, total } }),
  };
}

/** The call ends with the first round that is not answered yet. With a state, answers of earlier rounds are in it. */
async function ask({ asks, ends, hasState }, args, { can, extra: { mcpReq } }) {
  const answers = { ...mcpReq.requestState()?.answers };
  for (const round of asks(args, can)) {
    for (const key of Object.keys(round).filter((each) => mcpReq.inputResponses?.[each]))
      answers[key] = mcpReq.inputResponses[key];
    if (Object.keys(round).some((key) => !answers[key]))
      return inputRequired({ inputRequests: round, ...(hasState && { requestState: await codec.mint({ answers }) }) });
  }
  return ends(answers);
}

let changed = tellAll;
const kit = { McpServer, ResourceTemplate, completable, given, ask, schemaOf: fromJsonSchema,
              changed: (kind) => changed(kind), nameOf: (method) => method };
const make = ({ era }) => made(kit, era, { requestState: { verify: codec.verify } });
const makeLasting = (how) => lasting(make(how));

async function begin(how) {
  const transport = new NodeStreamableHTTPServerTransport(how);
  await makeLasting({ era: "legacy" }).connect(transport);
  return transport;
}

function overHttp() {
  const handler = createMcpHandler(make, { legacy: "reject", onerror });
  const tellModern = { Tool: handler.notify.toolsChanged, Prompt: handler.notify.promptsChanged };
  changed = (kind) => (tellAll(kind), tellModern[kind]());
  const modern = toNodeHandler(handler), legacy = inSessions(begin);
  const isLegacy = async (request, body) =>
    options.era === "both" && isLegacyRequest(await toWebRequest(request, body), body);
  serveNear(options.port, async (request, response, body) =>
    (await isLegacy(request, body) ? legacy : modern)(request, response, body));
}

if (options.transport === "http")
  overHttp();
else
  serveStdio(makeLasting, { legacy: options.era === "both" ? "serve" : "reject", onerror });
