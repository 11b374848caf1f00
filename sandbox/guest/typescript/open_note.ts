// A word on what goes on after a program has returned: a run that its deadline ends would else show nothing of it.

import { consoleError, nodeProcess } from "./intrinsics.ts";
import type { OpenWork } from "./open_work.ts";
import { timers } from "./timers.ts";

const { unrefTimer } = Deno;

/** Below the shortest deadline of a run, and far above what most work takes that nobody awaits. */
const PATIENCE_MILLISECONDS = 800;

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
