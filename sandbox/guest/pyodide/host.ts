// What the guest needs of Deno, taken before the rest of it is put out of reach.

// deno-lint-ignore-file no-explicit-any
import type { Source } from "./snapshot.ts";

export type HostFiles = { text(path: string): string; bytes(path: string): Uint8Array; open(path: string): Source };

const { openSync, readFileSync, readTextFileSync, permissions, stdout, stderr } = Deno;
const globals = globalThis as any;

export const files: HostFiles = {
  text: (path) => readTextFileSync(path),
  bytes: (path) => readFileSync(path),
  open: (path) => openSync(path),
};

/** Evaluates a script; undefined where Deno does not have it. The error, if there is one, is the second value. */
export const evaluate: ((source: string, url: string) => [any, unknown]) | undefined = (Deno as any)[
  (Deno as any).internal
]?.core?.evalContext;

/** Writes all of the bytes. A host that does not listen any more is no error of the program. */
export function writeOutput(stream: "stdout" | "stderr", bytes: Uint8Array): number {
  const to = stream === "stdout" ? stdout : stderr;
  try {
    for (let sent = 0; sent < bytes.length;) sent += to.writeSync(bytes.subarray(sent));
  } catch {
    // the pipe is closed
  }
  return bytes.length;
}

/**
 * What JavaScript itself has and Pyodide uses while a program runs. Everything else that Deno offers goes: a program
 * that gets from Python to JavaScript, against all that stands in between, finds a language and a clock.
 */
const KEPT = new Set([
  "globalThis",
  "Infinity",
  "NaN",
  "undefined",
  "Object",
  "Function",
  "Array",
  "Number",
  "Boolean",
  "String",
  "Symbol",
  "BigInt",
  "Date",
  "Promise",
  "RegExp",
  "Error",
  "AggregateError",
  "EvalError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
  "URIError",
  "SuppressedError",
  "JSON",
  "Math",
  "Intl",
  "Reflect",
  "Proxy",
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "WeakRef",
  "FinalizationRegistry",
  "Iterator",
  "ArrayBuffer",
  "SharedArrayBuffer",
  "Atomics",
  "DataView",
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "Float16Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
  "parseInt",
  "parseFloat",
  "isNaN",
  "isFinite",
  "decodeURI",
  "decodeURIComponent",
  "encodeURI",
  "encodeURIComponent",
  "WebAssembly",
  "TextDecoder",
  "TextEncoder",
  "crypto",
  "performance",
  "console",
  "setTimeout",
  "clearTimeout",
]);

/** Gives up the permission to read, and every object of Deno that is left. For good. */
export function lockDown(): void {
  permissions.revokeSync({ name: "read" });
  for (const name of Reflect.ownKeys(globals)) {
    if (typeof name === "symbol" || KEPT.has(name)) continue;
    if (!Reflect.deleteProperty(globals, name)) throw new Error(`cannot remove ${name} from the guest`);
  }
}
