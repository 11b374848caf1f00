// A text that grows part by part, up to a limit.

import { indexOf, RangeErrorClass } from "./intrinsics.ts";

/** V8 keeps texts that are put together as trees of their parts, which take up to 30 times their size: so much is one at most. */
const PIECE = 1 << 16;

/** What a text was at some time. */
export type Mark = { whole: string; piece: string };

export class GrowingText {
  #max: number;
  #whole = "";
  #piece = "";
  #isFull = false;

  /** With at most so many characters. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Throws a RangeError when it is full. */
  add(part: string): void {
    this.#piece += part;
    if (this.#piece.length >= PIECE) this.#close();
  }

  /** Throws the same now if so many characters more are too many. */
  expect(characters: number): void {
    if (this.#whole.length + this.#piece.length + characters <= this.#max) return;
    this.#isFull = true;
    throw new RangeErrorClass(`the value takes more than a message can hold (${this.#max} bytes)`);
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  mark(): Mark {
    return { whole: this.#whole, piece: this.#piece };
  }

  backTo({ whole, piece }: Mark): void {
    this.#whole = whole;
    this.#piece = piece;
  }

  text(): string {
    this.expect(0);
    return this.#whole + this.#piece;
  }

  #close(): void {
    this.expect(0);
    indexOf(this.#piece, "\0"); // makes one text of the tree
    this.#whole += this.#piece;
    this.#piece = "";
  }
}
