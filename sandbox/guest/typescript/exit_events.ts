// What a process tells when it ends: programs print totals there, and close what they have opened. An exception of a
// listener is one that no code handles.

import {
  apply,
  dispatch,
  EventClass,
  exitCode,
  hasMoreWork,
  indexOf,
  listen,
  nodeProcess,
  reportException,
  stopPropagation,
} from "./intrinsics.ts";

/** What a program may listen for, by its text: to tell it takes time, and Node's modules would be loaded for nothing. */
export type Heard = { exit: boolean; beforeExit: boolean; beforeUnload: boolean };

export function heardBy(code: string): Heard {
  const ofNode = indexOf(code, "process") >= 0;
  return {
    exit: ofNode && indexOf(code, "exit") >= 0,
    beforeExit: ofNode && indexOf(code, "beforeExit") >= 0,
    beforeUnload: indexOf(code, "beforeunload") >= 0,
  };
}

type Emit = (name: string, code: unknown) => boolean;

let isUnloading = false;
// The first listener: the exit of the process tells it once more, after the end of the run.
listen("unload", (event) => {
  if (isUnloading) stopPropagation(event);
  isUnloading = true;
});

/** What is told when nothing is open any more; true: the program goes on, because a listener has started something, or says so. */
export function tellIdle({ beforeExit, beforeUnload }: Heard): boolean {
  if (beforeUnload && !dispatch(new EventClass("beforeunload", { cancelable: true }))) return true;
  if (beforeExit) emit("beforeExit");
  return (beforeExit || beforeUnload) && hasMoreWork();
}

/** What Deno tells. */
export function tellUnload(): void {
  dispatch(new EventClass("unload"));
}

/** The same for a program that has returned, and what Node tells, if that is used. */
export function tellExit({ exit }: Heard): void {
  tellUnload();
  if (exit) emit("exit");
}

/** Nobody hears of it. */
export function rehearseEnd(): void {
  tellIdle(heardBy(""));
  dispatch(new EventClass("rehearsal"));
}

function emit(name: string): void {
  const process = processOfProgram() as { emit?: Emit; _exiting?: boolean } | undefined;
  if (typeof process?.emit !== "function") return;
  try {
    if (name === "exit") process._exiting = true; // a listener that calls process.exit() is not called again for that
    apply(process.emit, process, [name, exitCode.get()]);
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
