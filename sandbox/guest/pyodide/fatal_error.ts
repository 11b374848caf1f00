// The end of a program that took WebAssembly with it: the only one that Python cannot report itself.

import { frame } from "../typescript/channel.ts";
import { encodeJson, exitProcess, toText } from "../typescript/intrinsics.ts";

const FATAL_STATUS = 70;
const OUT_OF_MEMORY = "out of memory (the memory of a program is limited: sandbox.memoryMb)";
/** Time for the frame to leave; it is small, and the host reads. */
const LAST_FRAME_MILLISECONDS = 10;

export function sendFatalError(error: unknown, send: (bytes: Uint8Array) => void): void {
  send(frame(encodeJson({ type: "done", exits: true, error: describe(error) })));
  setTimeout(() => exitProcess(FATAL_STATUS), LAST_FRAME_MILLISECONDS);
}

function describe(error: unknown): { name: string; message: string } {
  // Files are memory of JavaScript.
  if (error instanceof RangeError && error.message.includes("alloc")) {
    return { name: "MemoryError", message: OUT_OF_MEMORY };
  }
  // The recursion limit of Python counts its own calls; objects that are nested deeply are walked by C code.
  if (error instanceof RangeError) {
    return { name: "RecursionError", message: "maximum recursion depth exceeded in C code" };
  }
  const message = error instanceof Error ? error.message : toText(error);
  return { name: "SystemError", message: `the Python interpreter has crashed: ${message}` };
}
