// A server on FastMCP: --transport stdio|http, --port; over HTTP --sessions no.
import { NOTE, PICTURE } from "./catalogue.mjs";
import { flags, load, pause, tell, writeTo } from "./common.mjs";

const { FastMCP, imageContent, UserError } = load("fastmcp");
const { z } = load("zod");

const options = flags("transport", "port", "journal", "sessions");
writeTo(options.journal);
tell("started");

const server = new FastMCP({ name: "of FastMCP", version: "1.0.0" });

function add(name, parameters, execute, more = {}) {
  server.addTool({ name, description: `The tool ${name}`, parameters: z.object(parameters), ...more,
    execute: (args, context) => (tell("call", { tool: name, arguments: args }), execute(args, context)) });
}

async function slow({ steps, ms }, { reportProgress }) {
  for (let step = 1; step <= steps; step++) {
    await pause(ms);
    tell("step", { step });
    await reportProgress({ progress: step, total: steps });
  }
  return `${steps} steps`;
}

add("echo", { message: z.string() }, async ({ message }) => message);
add("sum", { a: z.number(), b: z.number() },
    async ({ a, b }) => ({ content: [{ type: "text", text: `${a + b}` }], structuredContent: { sum: a + b } }),
    { outputSchema: z.object({ sum: z.number() }) });
add("picture", {}, async () => imageContent({ buffer: Buffer.from(PICTURE, "base64") }));
add("resource", {}, async () => ({ content: [{ type: "resource", resource: NOTE }] }));
add("fail", {}, async () => { throw new UserError("it went wrong"); });
add("slow", { steps: z.number(), ms: z.number() }, slow);
add("change", { name: z.string() }, async ({ name }) => (add(name, {}, async () => `I am ${name}`), "changed"));
server.addResource({ uri: NOTE.uri, name: "note", mimeType: NOTE.mimeType, load: async () => ({ text: NOTE.text }) });

const httpStream = { port: Number(options.port), host: "127.0.0.1", stateless: options.sessions === "no" };
const http = { transportType: "httpStream", httpStream };
await server.start(options.transport === "http" ? http : { transportType: "stdio" });
