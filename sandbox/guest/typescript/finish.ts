// The last frame of a run. It is written once, after everything that the program printed.

import { type Channel, MAX_FRAME_BYTES } from "./channel.ts";
import { tellUnload } from "./exit_events.ts";
import { consoleError, encodeJson, exitCode, exitProcess, toNumber, toText } from "./intrinsics.ts";
import { checkedJsonText, NONE, toJsonText } from "./json_value.ts";
import type { Outcome } from "./program.ts";
import type { ErrorReport } from "./user_error.ts";

const PROMISE_IN_RESULT = "the result holds a Promise, not its value: `await` is missing before a call " +
  "(for a list of them: `await Promise.all(list)`)";

/** In the frame of a program that ends the process. */
const EXITS = ',"exits":true';

function tooLarge(exits: string): string {
  const message = `The result is larger than a message can be (${MAX_FRAME_BYTES} bytes)`;
  return `{"type":"done"${exits},"error":${encodeJson({ name: "RangeError", message })}}`;
}

/** A process ends with one byte of it. */
const STATUS_MASK = 0xff;

function status(code: unknown): number {
  return toNumber(code) & STATUS_MASK; // NaN is 0
}

function exited(code: number): ErrorReport {
  return { name: "ProcessExit", message: `Process exited with code ${toText(code)}`, exitCode: code };
}

export class Finish {
  #channel: Channel;
  #isRunning = false;
  /** How a program has ended that has returned; what it left open may still end the process. */
  returned: () => Outcome | undefined = () => undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
    this.#interceptExit();
  }

  /** A run has begun, and wants an end. */
  begin(): void {
    this.#isRunning = true;
    exitCode.set(0); // a program before it may have left one
  }

  result(value: unknown): void {
    const code = status(exitCode.get());
    if (code === 0) this.#result(value, "");
    else this.error(exited(code)); // Deno.exitCode, process.exitCode
  }

  error(report: ErrorReport, exits = ""): void {
    let json = tooLarge(exits);
    try {
      json = `{"type":"done"${exits},"error":${toJsonText(report)}}`;
    } catch {
      // What the program has thrown is larger than that.
    }
    this.#send(json, exits);
  }

  #result(value: unknown, exits: string): void {
    let json: string;
    try {
      const { text, holdsPromise, holdsNone } = checkedJsonText(value);
      if (holdsPromise) return this.error({ name: "TypeError", message: PROMISE_IN_RESULT }, exits);
      if (holdsNone) consoleError(`[in the result, ${NONE}]`);
      json = text === undefined ? `{"type":"done"${exits}}` : `{"type":"done"${exits},"result":${text}}`;
    } catch {
      json = tooLarge(exits);
    }
    this.#send(json, exits);
  }

  /**
   * Lets `Deno.exit`, and `process.exit` which calls it, end the program as if it had returned or failed. The process
   * ends too, and the host hears that in the same frame: no other program must be sent to it.
   */
  #interceptExit(): void {
    Deno.exit = (given: unknown = Deno.exitCode): never => {
      tellUnload();
      const code = status(given);
      const outcome = this.returned();
      if (outcome?.error !== undefined) this.error(outcome.error, EXITS);
      else if (code !== 0) this.error(exited(code), EXITS);
      else this.#result(outcome?.result, EXITS);
      this.#channel.flush();
      return exitProcess(code);
    };
  }

  #send(json: string, exits: string): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    try {
      this.#channel.send(json);
    } catch {
      this.#channel.send(tooLarge(exits));
    }
  }
}
