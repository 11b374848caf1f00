// A client on --kit sdk1 (@modelcontextprotocol/sdk 1.x) or v2 (@modelcontextprotocol/client, --era
// legacy|auto|modern), which does what it is told on stdin by JSON-RPC and answers on stdout. It connects to --url,
// with --token, or with --sse yes as of 2024-11-05; or to what --command starts (words in JSON). With --model yes it has a
// model, which repeats what it is asked. It tells by itself: `progress` of a call, `complaint` of the SDK,
// `listening_ended`, `closed`.
import { createInterface } from "node:readline";
import { flags, load } from "./common.mjs";

const options = flags("kit", "era", "url", "token", "sse", "command", "model");
const IS_V2 = options.kit === "v2";
const MODERN = "2026-07-28";

function kit() {
  if (IS_V2)
    return { ...load("@modelcontextprotocol/client"), ...load("@modelcontextprotocol/client/stdio") };
  const parts = ["client/index", "client/streamableHttp", "client/sse", "client/stdio", "types"];
  return Object.assign({}, ...parts.map((name) => load(`@modelcontextprotocol/sdk/${name}.js`)));
}

const { Client, StreamableHTTPClientTransport, SSEClientTransport, StdioClientTransport,
        CreateMessageRequestSchema } = kit();

const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const tell = (method, params) => write({ method, params });

function newTransport() {
  if (options.command) {
    const [command, ...args] = JSON.parse(options.command);
    return new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" });
  }
  const requestInit = options.token ? { headers: { Authorization: `Bearer ${options.token}` } } : {};
  const delays = { initialReconnectionDelay: 100, maxReconnectionDelay: 1000, reconnectionDelayGrowFactor: 1.5 };
  const Kind = options.sse === "yes" ? SSEClientTransport : StreamableHTTPClientTransport;
  return new Kind(new URL(options.url), { requestInit, reconnectionOptions: { ...delays, maxRetries: 10 } });
}

function repeat({ params }) {
  const { content } = params.messages.at(-1);
  const text = `you said: ${[content].flat()[0].text}`;
  return { model: "parrot", role: "assistant", stopReason: "endTurn", content: { type: "text", text } };
}

function newClient() {
  const modes = { legacy: "legacy", auto: "auto", modern: { pin: MODERN } };
  const more = IS_V2 ? { versionNegotiation: { mode: modes[options.era] } } : {};
  const capabilities = options.model ? { sampling: {} } : {};
  const client = new Client({ name: `npm-${options.kit}-${options.era}`, version: "1.0.0" }, { ...more, capabilities });
  if (options.model)
    client.setRequestHandler(IS_V2 ? "sampling/createMessage" : CreateMessageRequestSchema, repeat);
  client.onerror = (error) => tell("complaint", { message: String(error) });
  client.onclose = () => tell("closed", {});
  return client;
}

let client, transport;
const ended = new Map(); // calls that can be given up

async function connect() {
  [client, transport] = [newClient(), newTransport()];
  await client.connect(transport);
  return { server: client.getServerVersion(), session: transport.sessionId ?? null,
           revision: IS_V2 ? client.getNegotiatedProtocolVersion() : transport.protocolVersion ?? null,
           era: IS_V2 ? client.getProtocolEra() : "legacy" };
}

/** `call` is the name that it has for `abort`; with `progress`, progress is told by that name. */
function callTool({ call, progress, ...params }) {
  const controller = new AbortController();
  ended.set(call, controller);
  const how = { signal: controller.signal, timeout: 120_000 };
  if (progress)
    how.onprogress = (told) => tell("progress", { call, ...told });
  return IS_V2 ? client.callTool(params, how) : client.callTool(params, undefined, how);
}

async function listen(filter) {
  const subscription = await client.listen(filter);
  subscription.closed.then((how) => tell("listening_ended", { how }));
  return { honored: subscription.honoredFilter };
}

const deeds = {
  connect, callTool, listen,
  abort: ({ call }) => ended.get(call).abort("the user has had enough"),
  listTools: async () => (await client.listTools()).tools,
  listResources: async () => (await client.listResources()).resources,
  readResource: (params) => client.readResource(params),
  ping: () => client.ping(),
  terminate: () => transport.terminateSession(),
  close: () => client.close(),
};

async function obey({ id, method, params }) {
  try {
    write({ id, result: (await deeds[method](params)) ?? {} });
  } catch (error) {
    write({ id, error: { code: Number(error.code) || 0, message: `${error.name}: ${error.message}` } });
  }
}

createInterface({ input: process.stdin }).on("line", (line) => obey(JSON.parse(line))).on("close", async () => {
  await client?.close();
  process.exit(0);
});
