// `memory`: what programs remember for later ones. JSON values by key, which the host stores.

import { callPromise } from "./call_promise.ts";
import { describe } from "./describe.ts";
import { apply, type Entry, isArray, min, now, PromiseClass, random, toText } from "./intrinsics.ts";
import { MCPError } from "./mcp_error.ts";
import type { Requests } from "./requests.ts";
import { timers } from "./timers.ts";

type Found = { value: unknown; metadata?: object; version: number } | null;

/**
 * For a value that others change at the same time: so long it is tried again, with pauses of chance that may be twice as long each
 * time, up to the longest, so that they do not meet again.
 */
const TRIED_MILLISECONDS = 10_000;
const PAUSE_MILLISECONDS = 2;
const MAX_PAUSE_MILLISECONDS = 100;

export function memoryFunctions(requests: Requests) {
  async function save(key: string, value: unknown, options?: { metadata?: object } | null): Promise<void> {
    if (!isOptions(options)) {
      await requests.refuse(`the options of memory.save must be an object such as {metadata: {}}, got ${describe(options)}`, save);
    }
    await requests.send("memory_save", { key, value: stored(value), metadata: options?.metadata }, save);
  }

  async function load(key: string): Promise<unknown> {
    return (await find(key, load))?.value;
  }

  async function forget(key: string): Promise<unknown> {
    return await requests.send("memory_delete", { key }, forget);
  }

  async function list(): Promise<unknown> {
    return await requests.send("memory_list", {}, list);
  }

  /** Saves what `change` makes of the value, which is undefined if there is none, and returns it. */
  async function update(key: string, change: (value: unknown) => unknown): Promise<unknown> {
    const end = now() + TRIED_MILLISECONDS;
    for (let pause = PAUSE_MILLISECONDS; ; pause = min(2 * pause, MAX_PAUSE_MILLISECONDS)) {
      const found = await find(key, update);
      const value = await change(found?.value);
      const params = { key, value: stored(value), metadata: found?.metadata, if_version: found?.version ?? 0 };
      const { saved } = await requests.send("memory_save", params, update) as { saved: boolean };
      if (saved) return value;
      if (now() >= end) break;
      await sleep(pause * random());
    }
    const seconds = toText(TRIED_MILLISECONDS / 1000);
    const message = `memory.update("${key}"): others changed the value again and again for ${seconds} s meanwhile; try again`;
    throw new MCPError(message, { code: "conflict" });
  }

  function find(key: string, entry: Entry): Promise<Found> {
    return requests.send("memory_load", { key }, entry) as Promise<Found>;
  }

  return { save: told(save), load: told(load), delete: told(forget), list: told(list), update: told(update) };
}

/** The same function; its promise says so when it is taken for its result. */
function told(method: (...parameters: never[]) => Promise<unknown>): (...parameters: unknown[]) => Promise<unknown> {
  return (...parameters) => callPromise(apply(method, undefined, parameters));
}

function isOptions(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && !isArray(value));
}

function sleep(milliseconds: number): Promise<void> {
  return new PromiseClass((resolve) => timers().set(resolve, milliseconds));
}

/** JSON has no undefined, and would leave the value out. */
function stored(value: unknown): unknown {
  return value === undefined ? null : value;
}
