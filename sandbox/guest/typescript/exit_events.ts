// What a process tells when it ends: programs print totals there, and close what they have opened. An exception of a
// listener is one that no code handles.

import { apply, dispatch, EventClass, exitCode, listen, nodeProcess, reportException, stopPropagation } from "./intrinsics.ts";

let isUnloading = false;
// The first listener: the exit of the process tells it once more, after the end of the run.
listen("unload", (event) => {
  if (isUnloading) stopPropagation(event);
  isUnloading = true;
});

/** What Deno tells. */
export function tellUnload(): void {
  dispatch(new EventClass("unload"));
}

/** The same for a program that has returned, and what Node tells, if that is used. */
export function tellExit(mayListenForExit: boolean): void {
  tellUnload();
  const process = mayListenForExit ? processOfProgram() : undefined;
  if (typeof process?.emit !== "function") return;
  try {
    apply(process.emit, process, ["exit", exitCode.get()]);
  } catch (error) {
    reportException(error);
  }
}

/** undefined: the program has broken what it is made of, and can have no listener there. */
export function processOfProgram(): Partial<typeof process> | undefined {
  try {
    return nodeProcess();
  } catch {
    return undefined;
  }
}
