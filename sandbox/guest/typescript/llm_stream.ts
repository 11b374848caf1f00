// The answer of a model while it comes: pulled piece by piece from the host, so that a slow program holds nothing up.

import { asyncIterator, create, freeze, promiseThen } from "./intrinsics.ts";
import { type CallSite, callSite, type Requests } from "./requests.ts";

/** The reply to `sample`. */
export type Opened = { stream: number };
type Piece = { text: string; done: boolean };
type Step = { value: string | undefined; done: boolean };

/** An iterable that can be awaited first: that gives its iterator, or the error of a request that was refused. */
export function textStream(requests: Requests, opened: Promise<Opened>): object {
  const pieces = new Pieces(requests, opened);
  const iterator = create(null);
  iterator.next = function next(): Promise<Step> {
    return pieces.next(callSite(next));
  };
  iterator.return = function leave(value?: string): Promise<Step> {
    return pieces.leave(callSite(leave), value);
  };
  iterator[asyncIterator] = () => iterator;
  freeze(iterator);
  const stream = create(null);
  stream.then = (resolve?: (iterator: unknown) => unknown, reject?: (error: unknown) => unknown) =>
    promiseThen(whenOpened(opened, iterator), resolve, reject);
  stream[asyncIterator] = () => iterator;
  return freeze(stream);
}

async function whenOpened(opened: Promise<Opened>, iterator: object): Promise<object> {
  await opened;
  return iterator;
}

class Pieces {
  #requests: Requests;
  #opened: Promise<Opened>;
  /** The end of the piece that was asked for last. */
  #last: Promise<unknown> | undefined;
  #isOver = false;

  constructor(requests: Requests, opened: Promise<Opened>) {
    this.#requests = requests;
    this.#opened = opened;
  }

  next(from: CallSite): Promise<Step> {
    const step = this.#step(this.#last, from);
    this.#last = ended(step);
    return step;
  }

  /** Of a loop that is left before the end. */
  async leave(from: CallSite, value: string | undefined): Promise<Step> {
    if (!this.#isOver) {
      this.#isOver = true;
      await ended(this.#stop(from));
    }
    return { value, done: true };
  }

  async #step(before: Promise<unknown> | undefined, from: CallSite): Promise<Step> {
    await before;
    try {
      while (!this.#isOver) {
        const { stream } = await this.#opened;
        const { text, done } = await this.#requests.send("sample_next", { stream }, from) as Piece;
        this.#isOver ||= done;
        if (text !== "") return { value: text, done: false };
      }
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
    return { value: undefined, done: true };
  }

  async #stop(from: CallSite): Promise<void> {
    const { stream } = await this.#opened;
    await this.#requests.send("sample_stop", { stream }, from);
  }
}

async function ended(promise: Promise<unknown>): Promise<void> {
  try {
    await promise;
  } catch {
    // The code that waits for the piece hears of it.
  }
}
