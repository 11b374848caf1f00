// A word on what goes on after a program has returned: a run that its deadline ends would else show nothing of it.

import { apply, consoleError, getOwnPropertyDescriptor, nodeProcess } from "./intrinsics.ts";
import type { OpenWork } from "./open_work.ts";

/** Below the shortest deadline of a run, and far above what most work takes that nobody awaits. */
const PATIENCE_MILLISECONDS = 800;

type Timers = { set: typeof setTimeout; clear: typeof clearTimeout };
const setter = getOwnPropertyDescriptor(globalThis, "setTimeout")!;
const clearer = getOwnPropertyDescriptor(globalThis, "clearTimeout")!;
const { unrefTimer } = Deno;

/** Loaded at the first use, as Node's modules are. */
function timers(): Timers {
  const read = ({ get, value }: PropertyDescriptor) => get === undefined ? value : apply(get, globalThis, []);
  return { set: read(setter), clear: read(clearer) };
}

/** Says on stderr what is open, if the run has not ended by then; the function that it gives stops that. */
export function noteOpenWork(work: OpenWork): () => void {
  const { set, clear } = timers();
  const timer = set(() => consoleError(note(work)), PATIENCE_MILLISECONDS);
  unrefTimer(timer as unknown as number);
  return () => clear(timer);
}

function note(work: OpenWork): string {
  const open: string[] = [];
  if (work.calls > 0) open[open.length] = counted(work.calls, "call that nobody awaits", "calls that nobody awaits");
  const timers = openTimers();
  if (timers > 0) open[open.length] = `${counted(timers, "timer", "timers")} (clearInterval ends an interval)`;
  const what = open.length === 0 ? "something that it started" : open.join(" and ");
  return `[the program has returned, but the run goes on until its end or deadline: ${what} still open]`;
}

function openTimers(): number {
  const { getActiveResourcesInfo } = nodeProcess() as unknown as { getActiveResourcesInfo?: () => string[] };
  const resources = getActiveResourcesInfo?.() ?? [];
  let timers = 0;
  for (let i = 0; i < resources.length; i++) if (resources[i] === "Timeout") timers++;
  return timers;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
