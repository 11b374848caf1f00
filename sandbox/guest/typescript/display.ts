// `display(value)`: shows a value to the person or model that reads the result of the run, in the order of the calls.

import type { Channel } from "./channel.ts";
import { blobBlock, blocksOf, type Lost } from "./display_block.ts";
import { BlobClass, consoleError } from "./intrinsics.ts";
import { NONE } from "./json_value.ts";

export class Displays {
  #channel: Channel;
  #isRunning = false;
  #isNoneTold = false;
  /** Once a Blob was displayed, which takes a while to be read: the end of all that is displayed so far. */
  #last: Promise<void> | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** What is displayed between two runs, by what an older one left behind, is for no run. */
  begin(): void {
    this.#isRunning = true;
    this.#isNoneTold = false;
  }

  /** Resolves when all that the run has displayed is sent. */
  async end(): Promise<void> {
    while (this.#last !== undefined) {
      const last: Promise<void> = this.#last;
      await last;
      if (last === this.#last) this.#last = undefined;
    }
    this.#isRunning = false;
  }

  /** A promise if one value is a Blob. Throws TypeError for an image that is none, RangeError for a huge one. */
  show(values: unknown[]): Promise<void> | undefined {
    let promise: Promise<void> | undefined;
    for (let i = 0; i < values.length && this.#isRunning; i++) {
      const value = values[i];
      if (value instanceof BlobClass) promise = this.#sendInTurn([], value);
      else if (this.#last === undefined) this.#send(this.#blocks(value));
      else this.#sendInTurn(this.#blocks(value), undefined);
    }
    return promise;
  }

  #blocks(value: unknown): string[] {
    const lost: Lost = { holdsNone: false };
    const blocks = blocksOf(value, lost);
    if (lost.holdsNone && !this.#isNoneTold) {
      this.#isNoneTold = true;
      consoleError(`[in what is displayed, ${NONE}]`);
    }
    return blocks;
  }

  #sendInTurn(blocks: string[], blob: Blob | undefined): Promise<void> {
    const sent = this.#sendAfter(this.#last, blocks, blob);
    this.#last = ended(sent);
    return sent;
  }

  async #sendAfter(before: Promise<void> | undefined, blocks: string[], blob: Blob | undefined): Promise<void> {
    const all = blob === undefined ? blocks : [await blobBlock(blob)];
    await before;
    this.#send(all);
  }

  #send(blocks: string[]): void {
    for (let i = 0; i < blocks.length; i++) this.#channel.send(`{"type":"display","block":${blocks[i]}}`);
  }
}

async function ended(promise: Promise<void>): Promise<void> {
  try {
    await promise;
  } catch {
    // The code that displayed it hears of it.
  }
}
