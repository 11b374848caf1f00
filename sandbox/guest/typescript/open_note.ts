// A word on what goes on after a program has returned: a run that its deadline ends would else show nothing of it.

import { consoleError, nodeProcess } from "./intrinsics.ts";
import type { OpenWork } from "./open_work.ts";
import { timers } from "./timers.ts";
import type { Workers } from "./workers.ts";

const { unrefTimer } = Deno;

/** Below the shortest deadline of a run, and far above what most work takes that no program awaits. */
const PATIENCE_MILLISECONDS = 800;
/** Until another look, where nothing is known to be open. */
const AGAIN_MILLISECONDS = 100;

/** In a session, after a program that has failed with something open that only it could close. */
const LEFT = "[something that a program before this one has left open in the session is not waited for]";

/**
 * Says on stderr what is open, if the run has not ended by then; the function that it gives stops that. With `endLeft` there was
 * something before the program began: what can not be told from that is not waited for, and `endLeft` ends the run.
 */
export function noteOpenWork(work: OpenWork, workers: Workers, endLeft: (() => void) | undefined): () => void {
  const { set, clear } = timers();
  let timer: ReturnType<typeof set>;
  const lookIn = (milliseconds: number, look: () => void) => {
    timer = set(look, milliseconds);
    unrefTimer(timer as unknown as number);
  };
  let isFirst = true;
  let isSaid = false;
  const look = () => {
    const open = openThings(work);
    // What has been sent is not all written yet, or the last of what was open has just ended: the run is about to end.
    if (open.length === 0 && (isFirst || work.isSending)) {
      isFirst = false;
      return lookIn(AGAIN_MILLISECONDS, look);
    }
    if (endLeft !== undefined && open.length === 0 && !workers.any()) {
      consoleError(LEFT);
      return endLeft();
    }
    if (!isSaid) consoleError(note(open, workers));
    isSaid = true;
    if (endLeft !== undefined) lookIn(AGAIN_MILLISECONDS, look);
  };
  lookIn(PATIENCE_MILLISECONDS, look);
  return () => clear(timer);
}

function openThings(work: OpenWork): string[] {
  const open: string[] = [];
  if (work.calls > 0) open[open.length] = counted(work.calls, "call that nobody awaits", "calls that nobody awaits");
  const timers = openTimers();
  if (timers > 0) open[open.length] = `${counted(timers, "timer", "timers")} (clearInterval ends an interval)`;
  return open;
}

function note(open: string[], workers: Workers): string {
  let what = open[0] ?? `something that it started${workers.any() ? ", such as a worker (terminate() ends it)," : ""}`;
  if (open.length > 1) what += ` and ${open[1]}`;
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
