// `llm`: asks a model, through the host.

import { callPromise } from "./call_promise.ts";
import { describe } from "./describe.ts";
import { create, type Entry, isArray, isInteger, keys, promiseThen } from "./intrinsics.ts";
import { type Opened, textStream } from "./llm_stream.ts";
import type { Requests } from "./requests.ts";

type Options = Record<string, unknown>;
/** What the host is asked, or what is wrong with it. */
type Sample = { params: Options; wrong: undefined } | { params: undefined; wrong: string };
/** Where options may be, of the same one the later counts; and which there are. */
type Places = { places: unknown[]; known: string[] };

const ASK_OPTIONS = ["systemPrompt", "maxTokens", "model", "stream"];
const THINK_OPTIONS = ["systemPrompt", "maxTokens", "model", "stream", "tools"];
const THINK_FIELDS = ["systemPrompt", "maxTokens", "model", "stream", "tools", "messages"];
const ROLES = ["user", "assistant", "system"];

export function llmFunctions(requests: Requests) {
  function ask(prompt: string, options?: Options): unknown {
    return sample(askParams(prompt, options), [options], ask);
  }

  function think(messages: unknown[] | Options, options?: Options): unknown {
    return sample(thinkParams(messages, options), [messages, options], think);
  }

  function sample({ params, wrong }: Sample, places: unknown[], entry: Entry): unknown {
    const reply = wrong === undefined ? requests.send("sample", params, entry) : requests.refuse(wrong, entry);
    return isStreamed(places) ? textStream(requests, reply as Promise<Opened>) : textOf(reply);
  }

  return { ask, think };
}

function textOf(reply: Promise<unknown>): Promise<unknown> {
  return callPromise(promiseThen(reply, (answer) => (answer as { text: string }).text));
}

/** Also of a request that is refused: it is handled as what was asked for. */
function isStreamed(places: unknown[]): boolean {
  let stream: unknown = false;
  for (let i = 0; i < places.length; i++) {
    const options = places[i];
    if (isObject(options) && typeof options.stream === "boolean") stream = options.stream;
  }
  return stream === true;
}

function askParams(prompt: unknown, options: unknown): Sample {
  if (typeof prompt !== "string") return refused(`llm.ask needs a text, got ${describe(prompt)}`);
  return sampleParams("llm.ask", [{ role: "user", content: prompt }], { places: [options], known: ASK_OPTIONS });
}

function thinkParams(first: unknown, second: unknown): Sample {
  if (isArray(first)) return sampleParams("llm.think", first, { places: [second], known: THINK_OPTIONS });
  const messages = isObject(first) ? first.messages : undefined;
  if (isArray(messages)) return sampleParams("llm.think", messages, { places: [first, second], known: THINK_FIELDS });
  return refused(`llm.think needs messages such as [{role: "user", content: "..."}], got ${describe(first)}`);
}

function sampleParams(name: string, messages: unknown[], { places, known }: Places): Sample {
  if (messages.length === 0) return refused(`${name} needs at least one message`);
  for (let i = 0; i < messages.length; i++) {
    const wrong = wrongMessage(messages[i]);
    if (wrong !== undefined) return refused(`${name}: messages[${i}] ${wrong}`);
  }
  const params: Options = create(null);
  for (let i = 0; i < places.length; i++) {
    const wrong = takeOptions(params, places[i] ?? {}, known);
    if (wrong !== undefined) return refused(`${name}: ${wrong}`);
  }
  params.messages = messages;
  if (params.stream === false) delete params.stream;
  return { params, wrong: undefined };
}

function takeOptions(params: Options, options: unknown, known: string[]): string | undefined {
  if (!isObject(options)) return `the options must be an object such as {maxTokens: 500}, got ${describe(options)}`;
  const names = keys(options);
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const value = options[name];
    if (!has(known, name)) return `there is no option ${name}; there are ${known.join(", ")}`;
    if (value === undefined || value === null || name === "messages") continue;
    const wanted = wantedOf(name, value);
    if (wanted !== undefined) return `${name} must be ${wanted}, got ${describe(value)}`;
    params[name] = value;
  }
  return undefined;
}

/** Undefined: the value is one. */
function wantedOf(name: string, value: unknown): string | undefined {
  switch (name) {
    case "maxTokens":
      return isInteger(value) && (value as number) > 0 ? undefined : "a whole number above 0";
    case "stream":
      return typeof value === "boolean" ? undefined : "true or false";
    case "tools":
      return isArray(value) && allTexts(value) ? undefined : 'a list of patterns such as ["mcp__github__*"]';
    default:
      return typeof value === "string" ? undefined : "a text";
  }
}

function wrongMessage(message: unknown): string | undefined {
  if (!isObject(message)) return `must be an object such as {role: "user", content: "..."}, got ${describe(message)}`;
  if (!has(ROLES, message.role)) return `has the role ${describe(message.role)}; there are ${ROLES.join(", ")}`;
  if (typeof message.content === "string" || isArray(message.content)) return undefined;
  return `has no text as its content, but ${describe(message.content)}`;
}

function isObject(value: unknown): value is Options {
  return typeof value === "object" && value !== null && !isArray(value);
}

function allTexts(values: unknown[]): boolean {
  for (let i = 0; i < values.length; i++) if (typeof values[i] !== "string") return false;
  return true;
}

function has(names: string[], name: unknown): boolean {
  for (let i = 0; i < names.length; i++) if (names[i] === name) return true;
  return false;
}

function refused(wrong: string): Sample {
  return { params: undefined, wrong };
}
