// Handlers that a program has for errors that none of its code gets to see. As in Deno and Node, an error whose default such a
// handler prevents, or that a listener of `process` takes, is handled. They end with their program: those of one before it must
// not hide what fails in the next program of a session.

import {
  apply,
  define,
  dispatch,
  ErrorEventClass,
  EventTargetPrototype,
  indexOf,
  listen,
  onError,
  onUnhandledRejection,
  PromiseRejectionEventClass,
  unlisten,
} from "./intrinsics.ts";
import { processOfProgram } from "./exit_events.ts";

const REJECTION = "unhandledRejection";
const EXCEPTION = "uncaughtException";

type Added = { type: string; listener: EventListener };

export class StrayHandlers {
  #added: Added[] = [];
  #asked: Event | undefined;
  /** Whether there may be listeners of `process`; else Node's modules would be loaded for nothing. */
  #mayUseNode = false;

  /** From now on handlers of programs are known. */
  watch(): void {
    onError.prepare();
    onUnhandledRejection.prepare();
    // deno-lint-ignore no-this-alias -- the function has a receiver of its own
    const handlers = this;
    define(
      EventTargetPrototype,
      "addEventListener",
      function addEventListener(this: unknown, ...parameters: unknown[]) {
        apply(listen, this, parameters);
        if (this === undefined || this === null || this === globalThis) handlers.#note(parameters);
      },
    );
  }

  /** A program begins. */
  begin(code: string): void {
    for (let i = 0; i < this.#added.length; i++) {
      const { type, listener } = this.#added[i];
      unlisten(type, listener, false);
      unlisten(type, listener, true); // of the capturing phase
    }
    this.#added = [];
    onError.clear();
    onUnhandledRejection.clear();
    if (this.#mayUseNode) forgetNodeListeners();
    this.#mayUseNode ||= indexOf(code, "process") >= 0 &&
      (indexOf(code, REJECTION) >= 0 || indexOf(code, EXCEPTION) >= 0);
  }

  /** Whether this is a copy that handlers are being asked with. */
  isAsked(event: Event): boolean {
    return event === this.#asked;
  }

  /** Asks the handlers of the program; true if one has handled it. Throws what a listener of `process` throws. */
  handleRejection(event: PromiseRejectionEvent): boolean {
    const { promise, reason } = event;
    if (this.#isPrevented(new PromiseRejectionEventClass(event.type, { cancelable: true, promise, reason }))) {
      return true;
    }
    return this.#mayUseNode && (emit(REJECTION, reason, promise) || emit(EXCEPTION, reason, REJECTION));
  }

  /** The same for an exception. Node itself listens for the event. */
  handleError(event: ErrorEvent): boolean {
    const { message, filename, lineno, colno, error } = event;
    return this.#isPrevented(
      new ErrorEventClass(event.type, { cancelable: true, message, filename, lineno, colno, error }),
    );
  }

  #isPrevented(copy: Event): boolean {
    const before = this.#asked; // a listener that throws is asked about in between
    this.#asked = copy;
    try {
      return !dispatch(copy);
    } finally {
      this.#asked = before;
    }
  }

  #note(parameters: unknown[]): void {
    const type = parameters[0];
    if (type !== "error" && type !== "unhandledrejection") return;
    this.#added[this.#added.length] = { type, listener: parameters[1] as EventListener };
  }
}

/** Whether there is such a listener of Node's process; it has been called then. */
function emit(name: string, reason: unknown, detail: unknown): boolean {
  const process = processOfProgram();
  return typeof process?.emit === "function" && apply(process.emit, process, [name, reason, detail]) === true;
}

function forgetNodeListeners(): void {
  try {
    const process = processOfProgram();
    process?.removeAllListeners?.(REJECTION);
    process?.removeAllListeners?.(EXCEPTION);
  } catch {
    // Nor can what is broken handle anything.
  }
}
