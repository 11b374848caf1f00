// Numbers of a tool that are others in TypeScript: its numbers are doubles, and JSON has longer ones.

import {
  abs,
  BigIntFunction,
  indexOf,
  isArray,
  isFinite,
  isInteger,
  keys,
  match,
  MaxSafeInteger,
  MaxValue,
  toText,
} from "./intrinsics.ts";

/** Nothing else can be such a number. Ids in texts may look like one. */
const LONG = /\d{16}|e\+308/;
/** Looked at: a value with more of them is one whose numbers are meant to be what they are. */
const MAX_LOOKED_AT = 10_000;

/** How the first one reads now; undefined: all are what the text says. It costs a search in the text, and more only where that finds something. */
export function roundedNumber(value: unknown, text: string): string | undefined {
  if (match(LONG, text) === null) return undefined;
  left = MAX_LOOKED_AT;
  return find(value, text);
}

let left = 0;

function find(value: unknown, text: string): string | undefined {
  if (typeof value === "number") return isRounded(value, text) ? toText(value) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const names = isArray(value) ? undefined : keys(value);
  const length = names?.length ?? (value as unknown[]).length;
  for (let i = 0; i < length; i++) {
    if (left-- <= 0) return undefined;
    const found = find((value as Record<string | number, unknown>)[names === undefined ? i : names[i]], text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A whole number is the same if the text has its digits; the greatest number of all is what stands for those beyond it. */
function isRounded(value: number, text: string): boolean {
  if (!isFinite(value) || abs(value) === MaxValue) return true;
  return isInteger(value) && abs(value) > MaxSafeInteger && indexOf(text, toText(value)) < 0 &&
    indexOf(text, toText(BigIntFunction(value))) < 0;
}
