// What a program has started and what has not ended yet: its calls, and whatever else keeps a process alive (timers,
// reads, servers). The event loop knows the latter, if the channel, whose reading never ends, does not count; when
// nothing is left, Deno is about to end the process and says so first.

import type { Channel } from "./channel.ts";
import { listen, preventDefault, stopPropagation } from "./intrinsics.ts";

export class OpenWork {
  #channel: Channel;
  #isRunning = false;
  #holds = true;
  #calls = 0;
  #isAsking = false;
  #ended: () => boolean;

  /** `ended` is called whenever nothing is open that could make a program go on, and says whether it does all the same. */
  constructor(channel: Channel, ended: () => boolean) {
    this.#channel = channel;
    this.#ended = ended;
    listen("beforeunload", (event) => {
      if (!this.#isRunning || this.#isAsking) return;
      preventDefault(event);
      stopPropagation(event); // listeners of the program are told by `ended`
      this.#isAsking = true;
      const goesOn = this.#ended();
      this.#isAsking = false;
      if (!goesOn) this.#hold(true);
    });
  }

  /** Calls without a reply, of the program that runs. */
  get calls(): number {
    return this.#calls;
  }

  /** Whether something that was sent has not left the process yet. */
  get isSending(): boolean {
    return this.#channel.isSending;
  }

  /** A program begins; what those before it have left of calls does not count. */
  begin(): void {
    this.#isRunning = true;
    this.#calls = 0;
    this.#hold(false);
  }

  /** The run is over: now the process waits for the next. */
  end(): void {
    this.#isRunning = false;
    this.#hold(true);
  }

  callSent(): void {
    this.#calls++;
    this.#hold(true);
  }

  callAnswered(): void {
    if (--this.#calls === 0 && this.#isRunning) this.#hold(false);
  }

  #hold(holds: boolean): void {
    if (holds === this.#holds) return;
    this.#holds = holds;
    this.#channel.hold(holds);
  }
}
