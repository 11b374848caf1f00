// What to do about errors whose own words do not say it to the author of the program.

import { indexOf, isArray, match, slice, toText } from "./intrinsics.ts";

const ALLOCATION =
  /^(?:Array buffer allocation failed|WebAssembly\.Memory\(\): could not allocate memory)|out of memory/i;
/** How programs unwrap what a tool has sent, which is done already. */
const UNWRAPPING = /\.content(?:\?\.|!)?\[|\[\s*["']content["']\s*\](?:\?\.|!)?\[/;
const OF_UNDEFINED = /^Cannot read propert|is not iterable|is not a function/;

/** To be put behind the message; empty if there is nothing to say. `line`: where it happened; `last`: see `describeResult`. */
export function hintFor(name: string, message: string, line: string, last: string | undefined): string {
  if (name === "RangeError" && match(ALLOCATION, message) !== null) {
    return " (the memory of a program is limited: sandbox.memoryMb)";
  }
  if (name === "TypeError" && match(OF_UNDEFINED, message) !== null && match(UNWRAPPING, line) !== null) {
    const what = last === undefined ? "" : `, ${last}`;
    return `; a call already returns the data${what}: use it as it is, without .content[0].text`;
  }
  return "";
}

/** Characters of names, and how many of them, that a description shows. */
const NAME_MAX = 40;
const NAMES_MAX = 5;

/** What a call has returned, for a message. */
export function describeResult(value: unknown): string {
  if (isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string") return `a text of ${value.length} characters`;
  if (typeof value !== "object" || value === null) return `the value ${toText(value)}`;
  let names = "";
  let count = 0;
  for (const name in value) {
    if (++count > NAMES_MAX) break;
    names += `${count === 1 ? "" : ", "}${slice(name, 0, NAME_MAX)}`;
  }
  return count === 0 ? "an empty object" : `an object with ${names}${count > NAMES_MAX ? " and more" : ""}`;
}

/** A line of a text, from 1. */
export function lineOf(text: string, number: number): string {
  let start = 0;
  for (let i = 1; i < number; i++) {
    const end = indexOf(text, "\n", start);
    if (end < 0) return "";
    start = end + 1;
  }
  const end = indexOf(text, "\n", start);
  return slice(text, start, end < 0 ? text.length : end);
}
