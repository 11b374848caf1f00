// Requests to the host and the promises of their replies.

import type { Channel, Message } from "./channel.ts";
import {
  captureStackTrace,
  create,
  define,
  encodeJson,
  type Entry,
  indexOf,
  PromiseClass,
  slice,
} from "./intrinsics.ts";
import { type Failure, MCPError } from "./mcp_error.ts";

type Pending = { resolve(value: unknown): void; reject(error: MCPError): void; callSite: { stack?: string } };

export class Requests {
  #channel: Channel;
  #pending: Record<number, Pending> = create(null);
  #lastId = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** Sends a request at once; `entry` is the API function that user code called, the place where its stack begins. */
  send(method: string, params: object, entry: Entry): Promise<unknown> {
    const id = this.#lastId + 1;
    const callSite: { stack?: string } = {};
    captureStackTrace(callSite, entry);
    return new PromiseClass((resolve, reject) => {
      try {
        this.#channel.send(encodeJson({ type: "request", id, method, params }));
      } catch (error) {
        const message = `the arguments cannot be sent as JSON: ${(error as Error).message}`;
        return reject(at(callSite, new MCPError(message, { code: "invalid_argument" })));
      }
      this.#lastId = id;
      this.#pending[id] = { resolve, reject, callSite };
    });
  }

  /** A request that is wrong before it is sent. */
  refuse(message: string, entry: Entry): Promise<never> {
    const callSite: { stack?: string } = {};
    captureStackTrace(callSite, entry);
    return new PromiseClass((_, reject) => reject(at(callSite, new MCPError(message, { code: "invalid_argument" }))));
  }

  settle(reply: Message): void {
    const id = reply.id as number;
    const pending = this.#pending[id];
    if (pending === undefined) return;
    delete this.#pending[id];
    if (reply.error === undefined) return pending.resolve(reply.result);
    const failure = reply.error as Failure;
    pending.reject(at(pending.callSite, new MCPError(failure.message, failure)));
  }
}

/** Gives an error that was made while handling a reply the stack of the call that it answers. */
function at(callSite: { stack?: string }, error: MCPError): MCPError {
  const stack = callSite.stack ?? "";
  const frames = indexOf(stack, "\n");
  const value = `MCPError: ${error.message}${frames < 0 ? "" : slice(stack, frames)}`;
  define(error, "stack", value);
  return error;
}
