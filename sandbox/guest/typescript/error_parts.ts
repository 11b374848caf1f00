// What errors hold of other errors, whatever user code has made of them.

import { isArray } from "./intrinsics.ts";

/** Its own properties that are not listed. Those of `using`: disposing of something has failed (`error`) after another error (`suppressed`). */
export const INNER_ERRORS = ["cause", "errors", "error", "suppressed"];

/** What led to an error, under the words that say how. */
export type Cause = { label: string; value: unknown };

/** The first members of an AggregateError, and how many it has besides. */
export function membersOf(error: Error, max: number): { members: unknown[]; more: number } {
  const members: unknown[] = [];
  const errors = partOf(error, "errors");
  const count = isArray(errors) ? partOf(errors, "length") : 0;
  if (typeof count !== "number") return { members, more: 0 }; // of a Proxy it may be anything
  for (let i = 0; i < count && i < max; i++) members[i] = partOf(errors as object, i);
  return { members, more: count > max ? count - max : 0 };
}

export function causesOf(error: Error): Cause[] {
  const causes: Cause[] = [];
  add(causes, "Caused by", partOf(error, "cause"));
  const suppressed = partOf(error, "suppressed");
  if (suppressed === undefined) return causes;
  add(causes, "Caused by", partOf(error, "error"));
  add(causes, "Suppressed", suppressed);
  return causes;
}

function add(causes: Cause[], label: string, value: unknown): void {
  if (value !== undefined && value !== null) causes[causes.length] = { label, value };
}

/** undefined, too, if reading it fails. */
function partOf(object: object, name: string | number): unknown {
  try {
    return (object as Record<string | number, unknown>)[name];
  } catch {
    return undefined;
  }
}
