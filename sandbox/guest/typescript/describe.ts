// Values in messages about wrong arguments.

import { isArray } from "./intrinsics.ts";

export function describe(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  if (isArray(value)) return "an array";
  if (typeof value === "string") return `the string ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === "object") return "an object";
  return `the ${typeof value} ${String(value).slice(0, 40)}`;
}
