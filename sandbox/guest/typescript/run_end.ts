// When a run has ended, and how: its program has returned and nothing that it started is open, or something has failed
// that no code handled.

import { hasMoreWork, nextTurn, PromiseClass, promiseThen } from "./intrinsics.ts";
import { noteOpenWork } from "./open_note.ts";
import { type Heard, heardBy, tellExit, tellIdle } from "./exit_events.ts";
import type { OpenWork } from "./open_work.ts";
import type { Outcome } from "./program.ts";
import type { StrayErrors } from "./stray_errors.ts";
import { endTimers } from "./timers.ts";
import type { Workers } from "./workers.ts";

const NEVER_SETTLED = "the program waits for a promise that nothing can settle any more: " +
  "no call, timer or other work is open that could";

export class RunEnd {
  #strays: StrayErrors;
  #work: OpenWork;
  #workers: Workers;
  #keep = false;
  /** In a session: something is open already when the program begins. */
  #hasLeft = false;
  #heard: Heard = heardBy("");
  /** Of the program's function, once it has returned. */
  #outcome: Outcome | undefined;
  #resolve: ((outcome: Outcome) => void) | undefined;
  #stopNote: (() => void) | undefined;

  constructor(strays: StrayErrors, work: OpenWork, workers: Workers) {
    this.#strays = strays;
    this.#work = work;
    this.#workers = workers;
  }

  /**
   * Resolves with the outcome of the run; `program` starts it and never rejects. With `keep` nothing of it may go on after its end,
   * else it is that of a process, which is told to whatever of the program listens for it.
   */
  of(program: () => Promise<Outcome>, keep: boolean, heard: Heard): Promise<Outcome> {
    this.#keep = keep;
    this.#heard = heard;
    this.#outcome = undefined;
    this.#strays.begin();
    this.#work.begin();
    this.#hasLeft = keep && hasMoreWork();
    return new PromiseClass((resolve) => {
      this.#resolve = resolve;
      promiseThen(program(), (outcome) => this.#returned(outcome as Outcome));
    });
  }

  /** Nothing is open that could make the program go on; true if it does all the same. A run of a session is no end of a process. */
  idle(): boolean {
    if (!this.#keep && tellIdle(this.#heard) && this.#resolve !== undefined) return true;
    this.#finish();
    return false;
  }

  /** undefined while the program runs. */
  returned(): Outcome | undefined {
    return this.#outcome === undefined ? undefined : this.#end();
  }

  /** Something has failed; `isFinal`: no code can handle it any more. */
  strayed(isFinal: boolean): void {
    // As a process ends; but what a session keeps must not go on while its next program runs.
    if (this.#outcome !== undefined || (isFinal && !this.#keep)) this.#finish();
  }

  async #returned(outcome: Outcome): Promise<void> {
    this.#outcome = outcome;
    // Rejections that no code handles are reported at the end of a turn, and belong before the end of the program.
    await nextTurn();
    if (outcome.error !== undefined || this.#strays.any()) return this.#finish();
    await nextTurn();
    if (this.#resolve === undefined) return;
    this.#stopNote = noteOpenWork(this.#work, this.#workers, this.#hasLeft ? () => this.#finish() : undefined);
  }

  #finish(): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    this.#stopNote?.();
    this.#stopNote = undefined;
    if (!this.#keep) tellExit(this.#heard);
    const end = this.#end();
    if (this.#keep) { // they would be open work of the next program, or end its process
      endTimers();
      this.#workers.end();
    }
    this.#work.end();
    this.#strays.end();
    resolve(end);
  }

  /** What the program has thrown comes before what no code of it has seen. */
  #end(): Outcome {
    if (this.#outcome?.error !== undefined) return this.#outcome;
    const error = this.#strays.takeFirst();
    if (error !== undefined) return { result: undefined, error };
    return this.#outcome ?? { result: undefined, error: { name: "Error", message: NEVER_SETTLED } };
  }
}
