// The timers of this process, whatever a program has made of the globals.

import { apply, getOwnPropertyDescriptor, toNumber } from "./intrinsics.ts";

type Timers = { set: typeof setTimeout; clear: typeof clearTimeout };
const setter = getOwnPropertyDescriptor(globalThis, "setTimeout")!;
const clearer = getOwnPropertyDescriptor(globalThis, "clearTimeout")!;

/** Loaded at the first use, as Node's modules are. */
export function timers(): Timers {
  const read = ({ get, value }: PropertyDescriptor) => get === undefined ? value : apply(get, globalThis, []);
  return { set: read(setter), clear: read(clearer) };
}

/** Timers are numbered from 1; those up to this one have been ended. */
let ended = 0;

/** Ends all timers and intervals. It takes 50 ns for each that there has been since the last time. */
export function endTimers(): void {
  const { set, clear } = timers();
  const newest = toNumber(set(() => {}, 0));
  while (ended < newest) clear(++ended);
}
