// The tools and the resource of a server, for both generations of the SDK: their McpServer have the same methods.
import { load, pause, tell } from "./common.mjs";

const { z } = load("zod");
// A pixel.
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
export const NOTE = { uri: "test://note", mimeType: "text/plain", text: "a note" };

const text = (said) => ({ content: [{ type: "text", text: said }] });

// By name: what it says of itself, and what it does with its arguments and what it is given of the call.
const TOOLS = {
  echo: [{ inputSchema: z.object({ message: z.string() }) }, ({ message }) => text(message)],
  sum: [{ inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
        ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } })],
  picture: [{}, () => ({ content: [{ type: "image", data: PICTURE, mimeType: "image/png" }] })],
  resource: [{}, () => ({ content: [{ type: "resource", resource: NOTE }] })],
  fail: [{}, () => ({ ...text("it went wrong"), isError: true })],
  slow: [{ inputSchema: z.object({ steps: z.number(), ms: z.number(), leave: z.boolean().optional() }) }, slow],
};

/** With `leave` the server closes the stream of the call, which the client has to come back to. */
async function slow({ steps, ms, leave }, { signal, notify, progressToken, closeStream }) {
  if (leave)
    closeStream();
  for (let step = 1; step <= steps && !signal.aborted; step++) {
    await pause(ms, signal);
    tell("step", { step });
    if (progressToken !== undefined && !signal.aborted)
      await notify({ method: "notifications/progress", params: { progressToken, progress: step, total: steps } });
  }
  tell(signal.aborted ? "cancelled" : "finished", { tool: "slow" });
  return text(`${steps} steps`);
}

/** Both generations give a tool the same, under other names. */
const given = (extra) => extra.mcpReq
  ? { signal: extra.mcpReq.signal, notify: extra.mcpReq.notify, progressToken: extra.mcpReq._meta?.progressToken,
      closeStream: extra.http?.closeSSE }
  : { signal: extra.signal, notify: extra.sendNotification, progressToken: extra._meta?.progressToken,
      closeStream: extra.closeSSEStream };

// Of all instances: with sessions, or one for each request, there are many.
const late = new Map();

/** `changed()` is called when the tool `change` has made another one, which it does at once or `after` so many ms. */
export function furnish(server, changed) {
  const add = (name, [schemas, run]) =>
    server.registerTool(name, { description: `The tool ${name}`, inputSchema: z.object({}), ...schemas },
      (args, extra) => (tell("call", { tool: name, arguments: args }), run(args, given(extra))));
  for (const [name, tool] of Object.entries(TOOLS))
    add(name, tool);
  for (const [name, tool] of late)
    add(name, tool);
  const appear = (name) => {
    late.set(name, [{}, () => text(`I am ${name}`)]);
    add(name, late.get(name));
    changed();
    tell("changed", { tool: name });
  };
  add("change", [{ inputSchema: z.object({ name: z.string(), after: z.number().optional() }) }, ({ name, after }) => {
    if (after)
      setTimeout(appear, after, name);
    else
      appear(name);
    return text("changed");
  }]);
  server.registerResource("note", NOTE.uri, { mimeType: NOTE.mimeType }, () => ({ contents: [NOTE] }));
  return server;
}
