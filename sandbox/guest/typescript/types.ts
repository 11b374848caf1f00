// TypeScript to JavaScript without any module around it, by the functions that Deno has for this.

import { nodeProcess } from "./intrinsics.ts";

type Strip = (code: string, options: { mode: "strip" | "transform" }) => string;

const { getBuiltinModule } = nodeProcess;
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
  // Loaded at the first use: a program that is JavaScript anyway should not wait for it.
  strip ??= (getBuiltinModule("node:module") as unknown as { stripTypeScriptTypes: Strip }).stripTypeScriptTypes;
  try {
    return strip(code, { mode });
  } catch {
    return undefined;
  }
}
