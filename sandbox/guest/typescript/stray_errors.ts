// Errors that no code of the program gets to see: rejections that no code handles, and exceptions in timers and other
// callbacks. They fail the run; what is left of them when it has another error is told on stderr.

import { consoleError, listen, preventDefault, stopPropagation } from "./intrinsics.ts";
import { isOfProgramBefore } from "./mcp_error.ts";
import type { StrayHandlers } from "./stray_handlers.ts";
import type { ErrorReport, UserErrors } from "./user_error.ts";

/** More of one run are counted only. */
const KEPT_MAX = 20;

const UNCAUGHT = "Uncaught error";

type Stray = { headline: string; reason: unknown; promise: unknown };

export class StrayErrors {
  #errors: UserErrors;
  #found: Stray[] = [];
  #dropped = 0;
  #isRunning = false;
  /** Called for each, while a program runs; `isFinal`: it cannot be handled later. */
  strayed: (isFinal: boolean) => void = () => {};

  constructor(errors: UserErrors, handlers: StrayHandlers) {
    this.#errors = errors;
    // The first listeners. The program's are asked with a copy of the event, which says at once what they have made of it.
    listen("unhandledrejection", (event) => {
      if (handlers.isAsked(event)) return;
      take(event);
      const stray = { headline: "Unhandled rejection", reason: event.reason, promise: event.promise };
      this.#ask(stray, () => handlers.handleRejection(event));
    });
    listen("rejectionhandled", (event) => this.#handled(event.promise));
    listen("error", (event) => {
      if (handlers.isAsked(event)) return;
      take(event);
      const reason = event.error ?? event.message; // a worker's error is told by its message alone
      const stray = { headline: UNCAUGHT, reason, promise: undefined };
      this.#ask(stray, () => handlers.handleError(event));
    });
    handlers.watch();
  }

  begin(): void {
    this.#found = [];
    this.#dropped = 0;
    this.#isRunning = true;
  }

  any(): boolean {
    return this.#found.length > 0;
  }

  /** The first as the error of the run; undefined if there is none. */
  takeFirst(): ErrorReport | undefined {
    if (this.#found.length === 0) return undefined;
    const { reason } = this.#found[0];
    for (let i = 1; i < this.#found.length; i++) this.#found[i - 1] = this.#found[i];
    this.#found.length--;
    return this.#errors.thrown(reason);
  }

  /** The run is over: tells those that are left. */
  end(): void {
    this.#isRunning = false;
    for (let i = 0; i < this.#found.length; i++) this.#tell(this.#found[i]);
    if (this.#dropped > 0) consoleError(`... and ${this.#dropped} more errors that nobody handled`);
    this.#found = [];
    this.#dropped = 0;
  }

  #ask(stray: Stray, handle: () => boolean): void {
    if (!this.#isRunning || isOfProgramBefore(stray.reason)) return this.#tell(stray);
    try {
      if (handle()) return;
    } catch (error) {
      stray = { headline: UNCAUGHT, reason: error, promise: undefined }; // in place of what its handler was to handle
    }
    this.#add(stray);
  }

  #add(stray: Stray): void {
    if (this.#found.length < KEPT_MAX) this.#found[this.#found.length] = stray;
    else this.#dropped++;
    this.strayed(stray.promise === undefined);
  }

  #handled(promise: unknown): void {
    let kept = 0;
    for (let i = 0; i < this.#found.length; i++) {
      const stray = this.#found[i];
      if (stray.promise === undefined || stray.promise !== promise) this.#found[kept++] = stray;
    }
    this.#found.length = kept;
  }

  #tell({ headline, reason }: Stray): void {
    consoleError(`${headline}: ${this.#errors.text(reason)}`);
  }
}

/** Keeps the event from all others, and from ending the process. */
function take(event: Event): void {
  preventDefault(event);
  stopPropagation(event);
}
