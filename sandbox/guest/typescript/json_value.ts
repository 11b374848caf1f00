// The result of a program as JSON text. Unlike JSON.stringify it never throws and never loses a Map, a bigint or what a
// broken getter hides, and user code cannot change what it does.

import {
  create,
  dateToIso,
  encodeJson,
  getOwnPropertyDescriptor,
  isArray,
  isErrorInstance,
  isFinite,
  isView,
  keys,
  mapForEach,
  objectTag,
  setAdd,
  SetClass,
  setDelete,
  setForEach,
  setHas,
  toText,
} from "./intrinsics.ts";

/** Deeper values are cut: hosts and clients parse recursively. */
const MAX_DEPTH = 100;

/** JSON text of any value; undefined for undefined. */
export function toJsonText(value: unknown): string | undefined {
  return value === undefined ? undefined : new Writer().write(value, 0);
}

/** The same, and whether a promise is among what it holds, which was hardly meant. */
export function checkedJsonText(value: unknown): { text: string | undefined; holdsPromise: boolean } {
  const writer = new Writer();
  const text = value === undefined ? undefined : writer.write(value, 0);
  return { text, holdsPromise: writer.holdsPromise };
}

class Writer {
  holdsPromise = false;
  /** The objects that contain the one being written; meeting one of them again is a cycle. */
  #ancestors = new SetClass<object>();

  write(value: unknown, depth: number): string {
    switch (typeof value) {
      case "string":
        return encodeJson(value);
      case "number":
        return isFinite(value) ? toText(value) : "null";
      case "boolean":
        return value ? "true" : "false";
      case "bigint":
      case "symbol":
        return encodeJson(typeof value === "bigint" ? toText(value) : `[${toText(value)}]`);
      case "function":
        return encodeJson(functionLabel(value as { name?: unknown }));
      case "object":
        return value === null ? "null" : this.#object(value, depth);
      default:
        return "null";
    }
  }

  #object(value: object, depth: number): string {
    if (setHas(this.#ancestors, value)) return '"[Circular]"';
    if (depth >= MAX_DEPTH) return '"[Depth limit]"';
    setAdd(this.#ancestors, value);
    try {
      return this.#contents(value, depth + 1);
    } catch (error) {
      return encodeJson(`[Unreadable: ${errorText(error)}]`);
    } finally {
      setDelete(this.#ancestors, value);
    }
  }

  #contents(value: object, depth: number): string {
    const tag = objectTag(value);
    if (tag === "[object Promise]") return this.#promise();
    const { toJSON } = value as { toJSON?: unknown };
    // A Date's own toJSON is the same text, but throws for an invalid date.
    if (tag === "[object Date]") return this.#date(value as Date);
    if (typeof toJSON === "function") return this.write((value as { toJSON(): unknown }).toJSON(), depth);
    if (isArray(value)) return this.#list(value, depth);
    if (isErrorInstance(value)) return this.#error(value, depth);
    if (isView(value)) return this.#view(value, depth);
    switch (tag) {
      case "[object Map]":
        return this.#map(value as Map<unknown, unknown>, depth);
      case "[object Set]":
        return this.#set(value as Set<unknown>, depth);
      case "[object ArrayBuffer]":
        return this.#list(new Uint8Array(value as ArrayBuffer), depth);
      case "[object Number]":
      case "[object String]":
      case "[object Boolean]":
        return this.write((value as { valueOf(): unknown }).valueOf(), depth);
      default:
        return this.#properties(value, depth);
    }
  }

  #promise(): string {
    this.holdsPromise = true;
    return '"[Promise: `await` is missing]"';
  }

  #date(date: Date): string {
    try {
      return encodeJson(dateToIso(date));
    } catch {
      return "null";
    }
  }

  #error(error: Error, depth: number): string {
    const own = create(null);
    own.name = error.name;
    own.message = error.message;
    const names = keys(error);
    for (let i = 0; i < names.length; i++) own[names[i]] = read(error, names[i]);
    return this.#properties(own, depth);
  }

  #view(view: ArrayBufferView, depth: number): string {
    if (objectTag(view) !== "[object DataView]") return this.#list(view as unknown as ArrayLike<unknown>, depth);
    return this.#list(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), depth);
  }

  #list(items: ArrayLike<unknown>, depth: number): string {
    let text = "";
    for (let i = 0; i < items.length; i++) text += (i === 0 ? "" : ",") + this.write(read(items, i), depth);
    return `[${text}]`;
  }

  #set(set: Set<unknown>, depth: number): string {
    let text = "";
    setForEach(set, (item) => text += (text === "" ? "" : ",") + this.write(item, depth));
    return `[${text}]`;
  }

  /** An object if every key is a string, else a list of pairs. */
  #map(map: Map<unknown, unknown>, depth: number): string {
    let stringKeys = true;
    mapForEach(map, (_, key) => stringKeys &&= typeof key === "string");
    let text = "";
    mapForEach(map, (value, key) => {
      const pair = stringKeys
        ? `${encodeJson(key)}:${this.write(value, depth)}`
        : `[${this.write(key, depth)},${this.write(value, depth)}]`;
      text += (text === "" ? "" : ",") + pair;
    });
    return stringKeys ? `{${text}}` : `[${text}]`;
  }

  #properties(object: object, depth: number): string {
    const names = keys(object);
    let text = "";
    for (let i = 0; i < names.length; i++) {
      const value = read(object, names[i]);
      if (value === undefined) continue;
      text += `${text === "" ? "" : ","}${encodeJson(names[i])}:${this.write(value, depth)}`;
    }
    return `{${text}}`;
  }
}

/** A property's value; a getter that throws is told in its place and spoils nothing else. */
function read(object: object, name: string | number): unknown {
  try {
    return (object as Record<string | number, unknown>)[name];
  } catch (error) {
    return `[Getter threw: ${errorText(error)}]`;
  }
}

function errorText(error: unknown): string {
  try {
    return isErrorInstance(error) ? error.message : toText(error);
  } catch {
    return "unknown error";
  }
}

function functionLabel(value: { name?: unknown }): string {
  const name = getOwnPropertyDescriptor(value, "name")?.value;
  return typeof name === "string" && name !== "" ? `[Function ${name}]` : "[Function]";
}
