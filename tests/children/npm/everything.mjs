// Everything that the scenarios of the public conformance suite want of a server, for both generations of the SDK. What
// a tool or a prompt asks is written down as rounds of questions; how they get to the client depends on the revision,
// and comes with the kit.
import { randomUUID } from "node:crypto";
import { PICTURE } from "./catalogue.mjs";
import { load, pause, serveHttp, tell } from "./common.mjs";

const { z } = load("zod");
const { localhostHostValidation, localhostOriginValidation } = load("@modelcontextprotocol/node");

const SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="; // a WAV file with nothing in it
const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true },
                       prompts: { listChanged: true }, logging: {}, completions: {} };

const text = (said) => ({ content: [{ type: "text", text: said }] });
const image = { type: "image", data: PICTURE, mimeType: "image/png" };
const resource = (uri, said, mimeType = "text/plain") =>
  ({ type: "resource", resource: { uri, mimeType, text: said } });
const MIXED = resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json");

const talk = (ms) => async (_, { log }) => {
  for (const said of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await log(said);
    await pause(ms);
  }
  return text("Tool with logging executed successfully");
};

async function makeProgress(_, { progress }) {
  for (const percent of [0, 50, 100]) {
    await progress(percent, 100);
    await pause(50);
  }
  return text("Tool with progress executed successfully");
}

function fail() {
  throw new Error("This tool intentionally returns an error for testing");
}

// By name. None of them has arguments.
const TOOLS = {
  test_simple_text: () => text("This is a simple text response for testing."),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: SOUND, mimeType: "audio/wav" }] }),
  test_embedded_resource: () =>
    ({ content: [resource("test://embedded-resource", "This is an embedded resource content.")] }),
  test_multiple_content_types: () =>
    ({ content: [...text("Multiple content types test:").content, image, MIXED] }),
  test_error_handling: fail,
  test_tool_with_logging: talk(50),
  test_logging_tool: talk(0), // the suite looks at what comes of it for half a second
  test_tool_with_progress: makeProgress,
  // Nothing has changed: the suite lists tools at the same time, and wants them in the same order.
  test_trigger_tool_change: (_, { changed }) => (changed("Tool"), text("Told")),
  test_trigger_prompt_change: (_, { changed }) => (changed("Prompt"), text("Told")),
};

const form = (message, properties, required = Object.keys(properties)) => {
  const asked = { type: "object", properties, ...(required.length && { required }) };
  return { method: "elicitation/create", params: { message, requestedSchema: asked } };
};
const modelAsked = (said, maxTokens) => ({ method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: said } }], maxTokens } });
const WORD = { type: "string" };
const ROOTS = { method: "roots/list" };
const NAME = form("What is your name?", { name: WORD });
const CONFIRMATION = form("Please confirm", { ok: { type: "boolean" } });
const CAPITAL = modelAsked("What is the capital of France?", 100);

const DEFAULTS = {
  name: { ...WORD, default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { ...WORD, enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const OPTIONS = ["option1", "option2", "option3"];
const titled = (word) =>
  ["First", "Second", "Third"].map((which, i) => ({ const: `value${i + 1}`, title: `${which} ${word}` }));
const CHOICES = {
  untitledSingle: { ...WORD, enum: OPTIONS },
  titledSingle: { ...WORD, oneOf: titled("Option") },
  legacyEnum: { ...WORD, enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
  untitledMulti: { type: "array", items: { ...WORD, enum: OPTIONS } },
  titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
};

const told = ({ action, content }) => `action=${action}, content=${JSON.stringify(content ?? {})}`;
const completed = ({ user }) => text(`Elicitation completed: ${told(user)}`);
const answered = (answers) => text(`Answered: ${JSON.stringify(answers)}`);

// By name: its arguments, what it asks with them, round by round, of a client that `can` do something, and what it says
// to the answers. With `hasState` a modern client gets a state even for one round.
const ASKING = {
  test_sampling: {
    takes: { prompt: z.string() }, asks: ({ prompt }) => [{ model: modelAsked(prompt, 100) }],
    ends: ({ model }) => text(`LLM response: ${model.content.text}`) },
  test_elicitation: {
    takes: { message: z.string() }, asks: ({ message }) => [{ user: form(message, { username: WORD, email: WORD }) }],
    ends: ({ user }) => text(`User response: ${told(user)}`) },
  test_elicitation_sep1034_defaults: {
    asks: () => [{ user: form("All have defaults", DEFAULTS, []) }], ends: completed },
  test_elicitation_sep1330_enums: { asks: () => [{ user: form("Please choose", CHOICES, []) }], ends: completed },
  test_missing_capability: { asks: () => [{ model: CAPITAL }], ends: answered },
  test_streaming_elicitation: { asks: () => [{ user: CONFIRMATION }], ends: answered },
  test_input_required_result_elicitation: {
    asks: () => [{ user_name: NAME }], ends: ({ user_name: user }) => text(`Hello, ${user.content?.name}!`) },
  test_input_required_result_sampling: { asks: () => [{ capital_question: CAPITAL }], ends: answered },
  test_input_required_result_list_roots: { asks: () => [{ client_roots: ROOTS }], ends: answered },
  test_input_required_result_request_state: {
    hasState: true, asks: () => [{ confirm: CONFIRMATION }], ends: () => text("state-ok") },
  test_input_required_result_tampered_state: {
    hasState: true, asks: () => [{ confirm: CONFIRMATION }], ends: answered },
  test_input_required_result_multiple_inputs: {
    hasState: true, ends: answered,
    asks: () => [{ user_name: NAME, greeting: modelAsked("Generate a greeting", 50), client_roots: ROOTS }] },
  test_input_required_result_multi_round: {
    hasState: true, ends: answered,
    asks: () => [{ step1: form("Step 1: What is your name?", { name: WORD }) },
                 { step2: form("Step 2: What is your favorite color?", { color: WORD }) }] },
  test_input_required_result_capabilities: {
    ends: answered,
    asks: (_, { sampling, elicitation }) =>
      [{ ...(sampling && { capital: CAPITAL }), ...(elicitation && { confirm: CONFIRMATION }) }] },
};

// The schema as the suite wants it, with all that a reader of schemas might leave out.
const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema", type: "object",
  $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: WORD, city: WORD } } },
  properties: { name: WORD, address: { $ref: "#/$defs/address" }, contactMethod: { ...WORD, enum: ["phone", "email"] },
                phone: WORD, email: WORD },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] }, else: { required: ["email"] }, additionalProperties: false,
};

const message = (content) => ({ role: "user", content });
const spoken = (said) => message({ type: "text", text: said });

function addTools(server, { given, ask, changed, schemaOf }) {
  // Without a schema there are no arguments to be given.
  const add = (name, takes, run) => {
    const description = `The tool ${name}`;
    const call = (args, extra) => (tell("call", { tool: name, arguments: args }), run(args, extra));
    if (takes)
      server.registerTool(name, { description, inputSchema: takes }, call);
    else
      server.registerTool(name, { description }, (extra) => call({}, extra));
  };
  for (const [name, run] of Object.entries(TOOLS))
    add(name, undefined, (args, extra) => run(args, { ...given(server, extra), changed }));
  for (const [name, { takes, ...asking }] of Object.entries(ASKING))
    add(name, takes && z.object(takes), (args, extra) => ask(asking, args, given(server, extra)));
  if (schemaOf)
    add("json_schema_2020_12_tool", schemaOf(SCHEMA_2020_12), answered);
}

function addPrompts(server, { given, ask, completable }) {
  const add = (name, takes, run) => {
    const how = { description: `The prompt ${name}`, ...(takes && { argsSchema: takes }) };
    server.registerPrompt(name, how, takes ? run : (extra) => run({}, extra));
  };
  const arg1 = completable(z.string(), (begun) => ["paris", "park", "party"].filter((each) => each.startsWith(begun)));
  add("test_simple_prompt", undefined, () => ({ messages: [spoken("This is a simple prompt for testing.")] }));
  add("test_prompt_with_arguments", { arg1, arg2: z.string() }, (args) =>
    ({ messages: [spoken(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)] }));
  add("test_prompt_with_embedded_resource", { resourceUri: z.string() }, ({ resourceUri }) =>
    ({ messages: [message(resource(resourceUri, "Embedded resource content for testing.")),
                  spoken("Please process the embedded resource above.")] }));
  add("test_prompt_with_image", undefined, () =>
    ({ messages: [message(image), spoken("Please analyze the image above.")] }));
  const asking = {
    asks: () => [{ user_context: form("What context should the prompt use?", { context: WORD }) }],
    ends: (answers) => ({ messages: [spoken(`In the context of ${JSON.stringify(answers)}`)] }),
  };
  add("test_input_required_result_prompt", undefined, (args, extra) => ask(asking, args, given(server, extra)));
}

function addResources(server, { ResourceTemplate }) {
  const add = (name, uri, mimeType, content) =>
    server.registerResource(name, uri, { description: `The resource ${name}`, mimeType },
      (asked, variables) => ({ contents: [{ uri: asked.href, mimeType, ...content(variables) }] }));
  add("static text", "test://static-text", "text/plain",
      () => ({ text: "This is the content of the static text resource." }));
  add("static binary", "test://static-binary", "image/png", () => ({ blob: PICTURE }));
  add("watched", "test://watched-resource", "text/plain", () => ({ text: "Nobody changes it." }));
  add("of a template", new ResourceTemplate("test://template/{id}/data", { list: undefined }), "application/json",
      ({ id }) => ({ text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }));
}

// Those that last longer than a request, of whatever session: they can be told of a change.
const open = new Set();

export function lasting(server) {
  open.add(server);
  server.server.onclose = () => open.delete(server);
  return server;
}

/** `kind`: Tool or Prompt. */
export function tellAll(kind) {
  for (const server of open)
    server[`send${kind}ListChanged`]();
}

/** `kit`: what is of the SDK, or of the way in which it serves. */
export function made(kit, era, more = {}) {
  const server = new kit.McpServer({ name: "everything", version: "1.0.0" }, { capabilities: CAPABILITIES, ...more });
  tell("instance", { era });
  addTools(server, kit);
  addPrompts(server, kit);
  addResources(server, kit);
  // It never changes, so there is nothing to remember.
  for (const method of ["resources/subscribe", "resources/unsubscribe"])
    server.server.setRequestHandler(kit.nameOf(method), () => ({}));
  return server;
}

// The answers to one round of the questions of a server of the earlier era, which asks in the midst of a call. One that
// is refused is left out: what is asked beside it may be enough.
async function answersTo(round, send) {
  const outcomes = await Promise.allSettled(Object.values(round).map(send));
  const found = Object.keys(round).flatMap((key, i) => outcomes[i].value ? [[key, outcomes[i].value]] : []);
  if (!found.length)
    throw outcomes[0]?.reason ?? new Error("there is nothing that this client can be asked");
  return Object.fromEntries(found);
}

/** For the kit: `send(request, extra)` gives the answer. */
export const askInMidCall = (send) => async ({ asks, ends }, args, { can, extra }) => {
  const answers = {};
  for (const round of asks(args, can))
    Object.assign(answers, await answersTo(round, (request) => send(request, extra)));
  return ends(answers);
};

/** Sessions over HTTP, with a transport for each. `begin(options)` gives one that is connected. */
export function inSessions(begin) {
  const sessions = new Map();
  return async (request, response, body) => {
    const id = request.headers["mcp-session-id"];
    if (id && !sessions.has(id))
      return response.writeHead(404).end();
    let transport = sessions.get(id);
    if (!transport) {
      const onsessioninitialized = (begun) => (sessions.set(begun, transport), tell("session", { id: begun }));
      const onsessionclosed = (ended) => (sessions.delete(ended), tell("session_closed", { id: ended }));
      transport = await begin({ sessionIdGenerator: randomUUID, onsessioninitialized, onsessionclosed });
    }
    await transport.handleRequest(request, response, body);
  };
}

/** For clients of this machine only, whatever a page of another name makes a browser send. */
export function serveNear(port, handle) {
  const guards = [localhostHostValidation(), localhostOriginValidation()];
  serveHttp(port, async (request, response, body) => {
    if (guards.every((lets) => lets(request, response)))
      await handle(request, response, body);
  });
}
