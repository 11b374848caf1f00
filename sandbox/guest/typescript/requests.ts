// Requests to the host and the promises of their replies.

import { CallPromise } from "./call_promise.ts";
import { Channel, type Message } from "./channel.ts";
import {
  captureStackTrace,
  consoleError,
  create,
  define,
  encodeJson,
  type Entry,
  indexOf,
  isErrorInstance,
  slice,
  startsWith,
  toText,
} from "./intrinsics.ts";
import { sentJsonText } from "./json_value.ts";
import { type Failure, leaveToProgramBefore, MCPError } from "./mcp_error.ts";
import type { OpenWork } from "./open_work.ts";
import { roundedNumber } from "./rounded_numbers.ts";

/** Where user code called a function of the API. */
export type CallSite = { stack?: string };
type Target = { name?: string; server?: string; tool?: string };
type Pending = {
  resolve(value: unknown): void;
  reject(error: MCPError): void;
  callSite: CallSite;
  isCall: boolean;
  /** The tool that is called. */
  tool: string;
};

/** Requests without a reply; more wait here. Half of what the host lets a run have open. */
const OPEN_MAX = 500;
/** How the place of an argument begins in a request. */
const ARGUMENTS = "args.";

export class Requests {
  #channel: Channel;
  #work: OpenWork;
  #pending: Record<number, Pending> = create(null);
  #lastId = 0;
  #lastSent = 0;
  #open = 0;
  /** The last one of the programs before, which may never be answered. */
  #before = 0;
  /** Those after the last one that was sent, as JSON. */
  #waiting: Record<number, string> = create(null);
  #hasRounded = false;
  /** Gets what each call of a tool returns. */
  called: (result: unknown) => void = () => {};

  constructor(channel: Channel, work: OpenWork) {
    this.#channel = channel;
    this.#work = work;
  }

  /** A program is over: from now on it is one before. The reply to what it has left may come together with the next. */
  end(): void {
    this.#before = this.#lastId;
  }

  /** A program begins: what is left of the ones before does not count. */
  begin(): void {
    this.#before = this.#lastSent = this.#lastId;
    this.#open = 0;
    this.#hasRounded = false;
    this.#waiting = create(null);
  }

  /** Has a call of the API take its path, before any program: it is sent to nobody, and answered here. */
  async rehearse(call: () => Promise<unknown>): Promise<void> {
    const { called } = this;
    const channel = this.#channel;
    this.called = () => {};
    this.#channel = new Channel(undefined);
    const answer = call();
    this.#channel = channel;
    this.settle({ type: "reply", id: this.#lastId, result: [1] }, "[1]");
    await answer;
    this.#lastId = 0;
    this.begin();
    this.called = called;
  }

  /** Sends a request as soon as there is room; `from` is the API function that user code called, the place where its stack begins. */
  send(method: string, params: object, from: Entry | CallSite): Promise<unknown> {
    const id = this.#lastId + 1;
    const site = typeof from === "function" ? callSite(from) : from;
    return new CallPromise((resolve, reject) => {
      const pending = { resolve, reject, callSite: site, isCall: method === "call", tool: toolOf(params) };
      try {
        const sent = sentJsonText(params);
        this.#waiting[id] = `{"type":"request","id":${id},"method":${encodeJson(method)},"params":${sent}}`;
      } catch (error) {
        return unsendable(pending, error, params);
      }
      this.#lastId = id;
      this.#pending[id] = pending;
      this.#work.callSent();
      this.#sendWaiting();
    });
  }

  #sendWaiting(): void {
    while (this.#open < OPEN_MAX && this.#lastSent < this.#lastId) {
      const id = ++this.#lastSent;
      try {
        this.#channel.send(this.#waiting[id]);
        this.#open++;
      } catch (error) {
        unsendable(this.#pending[id], error, {});
        delete this.#pending[id];
        this.#work.callAnswered();
      }
      delete this.#waiting[id];
    }
  }

  /** A request that is wrong before it is sent. */
  refuse(message: string, entry: Entry): Promise<unknown> {
    const error = at(callSite(entry), new MCPError(message, { code: "invalid_argument" }));
    return new CallPromise((_, reject) => reject(error));
  }

  /** `text`: the JSON of the reply. */
  settle(reply: Message, text: string): void {
    const id = reply.id as number;
    const pending = this.#pending[id];
    if (pending === undefined) return;
    delete this.#pending[id];
    if (id > this.#before) {
      this.#open--;
      this.#work.callAnswered();
    }
    this.#sendWaiting();
    if (reply.error === undefined) {
      if (pending.isCall) {
        this.#noteRounded(pending.tool, reply.result, text);
        this.called(reply.result);
      }
      return pending.resolve(reply.result);
    }
    const failure = reply.error as Failure;
    const error = at(pending.callSite, new MCPError(failure.message, failure));
    if (id <= this.#before) leaveToProgramBefore(error);
    pending.reject(error);
  }

  /** Once in a program. */
  #noteRounded(tool: string, result: unknown, text: string): void {
    const rounded = this.#hasRounded ? undefined : roundedNumber(result, text);
    if (rounded === undefined) return;
    this.#hasRounded = true;
    consoleError(`[tool ${tool} has sent a number that TypeScript can not hold: it is ${rounded} here; Python has whole numbers of 64 bits as they are]`);
  }
}

function toolOf({ name, server, tool }: Target): string {
  return tool !== undefined ? `${server}.${tool}` : name ?? "";
}

export function callSite(entry: Entry): CallSite {
  const site: CallSite = {};
  captureStackTrace(site, entry);
  return site;
}

function unsendable(pending: Pending, error: unknown, { name, server, tool }: Target): void {
  const of = tool !== undefined || (pending.isCall && name !== undefined) ? ` of ${toolOf({ name, server, tool })}` : "";
  const reason = isErrorInstance(error) ? error.message : toText(error);
  const shown = startsWith(reason, ARGUMENTS) ? slice(reason, ARGUMENTS.length) : reason;
  const message = `the arguments${of} cannot be sent as JSON: ${shown}`;
  pending.reject(at(pending.callSite, new MCPError(message, { code: "invalid_argument" })));
}

/** Gives an error that was made while handling a reply the stack of the call that it answers. */
function at(site: CallSite, error: MCPError): MCPError {
  const stack = site.stack ?? "";
  const frames = indexOf(stack, "\n");
  const value = `MCPError: ${error.message}${frames < 0 ? "" : slice(stack, frames)}`;
  define(error, "stack", value);
  return error;
}
