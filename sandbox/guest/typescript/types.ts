// TypeScript to JavaScript without any module around it, by the functions that Deno has for this.

import { nodeProcess } from "./intrinsics.ts";

type Strip = (code: string, options: { mode: "strip" | "transform" }) => string;

let strip: Strip | undefined;

/** Overwrites types with spaces. Undefined: there is more than types to do, or something is wrong. */
export function withoutTypes(code: string): string | undefined {
  return converted(code, "strip");
}

/** For what it declares: nothing is where it was. Undefined: something is wrong. */
export function transformTypes(code: string): string | undefined {
  return converted(code, "transform");
}

function converted(code: string, mode: "strip" | "transform"): string | undefined {
  // Loaded at the first use, for it takes a while: a program that is JavaScript anyway does without.
  strip ??=
    (nodeProcess().getBuiltinModule("node:module") as unknown as { stripTypeScriptTypes: Strip }).stripTypeScriptTypes;
  try {
    return strip(code, { mode });
  } catch {
    return undefined;
  }
}
