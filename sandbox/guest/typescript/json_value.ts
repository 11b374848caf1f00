// Values as JSON text. Unlike JSON.stringify it never loses a Map, a bigint or what a broken getter hides, and user code
// cannot change what it does. A result can always be written; of what is sent to tools, what has no JSON is refused.

import { MAX_FRAME_BYTES } from "./channel.ts";
import { INNER_ERRORS } from "./error_parts.ts";
import {
  captureStackTrace,
  create,
  dateToIso,
  encodeJson,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  indexOf,
  isArray,
  isErrorInstance,
  isFinite,
  isView,
  keys,
  mapForEach,
  ObjectPrototype,
  objectTag,
  setAdd,
  SetClass,
  setDelete,
  setForEach,
  setHas,
  slice,
  stringify,
  toText,
  toWellFormed,
  TypeErrorClass,
} from "./intrinsics.ts";
import { GrowingText } from "./json_text.ts";

/** Deeper values are cut: hosts and clients parse recursively. */
const MAX_DEPTH = 100;
const TAG_BEGIN = "[object ";
const GIVE_OTHER = "give null or a text";
/** What is null where it is in a result, or displayed. */
export const NONE = "NaN, Infinity and invalid dates, which JSON does not have, are null";
/** Of all objects that are not built in. */
const PLAIN_TAG = "[object Object]";

/** JSON text of any value; undefined for undefined. Throws RangeError if it takes more characters than `max`. */
export function toJsonText(value: unknown, max = MAX_FRAME_BYTES): string | undefined {
  return value === undefined ? undefined : new Writer(false, max).text(value, 0);
}

/** `holdsNone`: something without JSON is null in it; `holdsPromise`: a promise is among it, which was hardly meant. */
type Checked = { text: string | undefined; holdsPromise: boolean; holdsNone: boolean };

/** The same, and what of it was hardly meant to be so. */
export function checkedJsonText(value: unknown): Checked {
  const writer = new Writer(false);
  const text = value === undefined ? undefined : writer.text(value, 0, checkedJsonText);
  return { text, holdsPromise: writer.holdsPromise, holdsNone: writer.holdsNone };
}

/** JSON text of the parameters of a request, each of which may have MAX_DEPTH levels. Throws TypeError, which says where, for what a result would have a label for. */
export function sentJsonText(value: object): string {
  charactersLeft = MAX_FRAME_BYTES;
  const text = isPlain(value, -1) ? stringify(value) : undefined;
  // Half a surrogate pair may make two keys the same.
  return text === undefined || indexOf(text, "\\ud") >= 0 ? new Writer(true).text(value, -1) : text;
}

/** Of what is looked at whether it is plain. */
let charactersLeft = 0;

/** Whether it is of nothing but what JSON has, and not far too large. Nearly all is; and JSON.stringify is many times as fast as a Writer. */
function isPlain(value: unknown, depth: number): boolean {
  charactersLeft -= typeof value === "string" ? value.length : 1;
  if (charactersLeft < 0) return false;
  if (typeof value === "number") return isFinite(value);
  if (typeof value !== "object") {
    return typeof value !== "function" && typeof value !== "symbol" && typeof value !== "bigint";
  }
  if (value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth + 1)) return false;
    return true;
  }
  const prototype = getPrototypeOf(value);
  if (prototype !== ObjectPrototype && prototype !== null) return false;
  const names = keys(value);
  // Some that have all of their contents elsewhere look like plain ones: `mcp`, for example.
  if (names.length === 0) return objectTag(value) === PLAIN_TAG;
  for (let i = 0; i < names.length; i++) {
    if (!isPlain((value as Record<string, unknown>)[names[i]], depth + 1)) return false;
  }
  return true;
}

class Writer {
  holdsPromise = false;
  holdsNone = false;
  #isSent: boolean;
  #text: GrowingText;
  /** Where the value is that is being written, if it is sent. */
  #path = "";
  /** The objects that contain the one being written; meeting one of them again is a cycle. */
  #ancestors = new SetClass<object>();

  constructor(isSent: boolean, max = MAX_FRAME_BYTES) {
    this.#isSent = isSent;
    this.#text = new GrowingText(max);
  }

  /** `entry`: the function by which the program's own code came here. */
  text(value: unknown, depth: number, entry: (value: unknown) => unknown = toJsonText): string {
    try {
      this.#write(value, depth);
      return this.#text.text();
    } catch (error) {
      // The program's own place is deeper than a stack shows.
      if (this.#text.isFull) captureStackTrace(error as RangeError, entry);
      throw error;
    }
  }

  #write(value: unknown, depth: number): void {
    switch (typeof value) {
      case "string":
        return this.#string(value);
      case "number":
        return isFinite(value)
          ? this.#text.add(toText(value))
          : this.#without(`is ${toText(value)}, which is no number of JSON; ${GIVE_OTHER}`);
      case "boolean":
        return this.#text.add(value ? "true" : "false");
      case "bigint":
        return this.#isSent ? this.#refuse("is a bigint; give it as a number or a text") : this.#string(toText(value));
      case "symbol":
        return this.#label("is a symbol", `[${toText(value)}]`);
      case "function":
        return this.#label("is a function", functionLabel(value as { name?: unknown }));
      case "object":
        return value === null ? this.#text.add("null") : this.#object(value, depth);
      default:
        return this.#text.add("null");
    }
  }

  #string(text: string): void {
    this.#text.expect(text.length);
    this.#text.add(encodeJson(text));
  }

  #object(value: object, depth: number): void {
    if (setHas(this.#ancestors, value)) return this.#label("is an object that contains itself", "[Circular]");
    if (depth >= MAX_DEPTH) return this.#label(`is deeper than ${MAX_DEPTH} levels`, "[Depth limit]");
    setAdd(this.#ancestors, value);
    const before = this.#text.mark();
    try {
      this.#contents(value, depth + 1);
    } catch (error) {
      if (this.#isSent || this.#text.isFull) throw error;
      this.#text.backTo(before);
      this.#string(`[Unreadable: ${errorText(error)}]`);
    } finally {
      setDelete(this.#ancestors, value);
    }
  }

  #contents(value: object, depth: number): void {
    const tag = objectTag(value);
    if (tag === "[object Promise]") return this.#promise();
    const { toJSON } = value as { toJSON?: unknown };
    // A Date's own toJSON is the same text, but throws for an invalid date.
    if (tag === "[object Date]") return this.#date(value as Date);
    if (typeof toJSON === "function") return this.#write((value as { toJSON(): unknown }).toJSON(), depth);
    if (isArray(value)) return this.#list(value, depth);
    if (isErrorInstance(value)) return this.#error(value, depth);
    if (isView(value)) return this.#view(value, depth);
    switch (tag) {
      case "[object Map]":
        return this.#map(value as Map<unknown, unknown>, depth);
      case "[object Set]":
        return this.#set(value as Set<unknown>, depth);
      case "[object ArrayBuffer]":
      case "[object SharedArrayBuffer]":
        return this.#list(new Uint8Array(value as ArrayBuffer), depth);
      case "[object Number]":
      case "[object String]":
      case "[object Boolean]":
      case "[object BigInt]":
      case "[object Symbol]":
        return this.#write((value as { valueOf(): unknown }).valueOf(), depth);
      case "[object RegExp]":
      case "[object URLSearchParams]":
        return this.#string(toText(value));
      case "[object Headers]":
        return this.#properties(headerFields(value as Headers), depth);
      default:
        return tag !== PLAIN_TAG && keys(value).length === 0
          ? this.#label(`is ${article(kind(tag))}, which has no JSON form`, `[${kind(tag)}]`)
          : this.#properties(value, depth);
    }
  }

  /** What has no JSON, and is null in results. */
  #without(reason: string): void {
    this.holdsNone = true;
    return this.#isSent ? this.#refuse(reason) : this.#text.add("null");
  }

  /** What stands for a value that has no JSON. */
  #label(reason: string, label: string): void {
    return this.#isSent ? this.#refuse(reason) : this.#string(label);
  }

  #refuse(reason: string): never {
    throw new TypeErrorClass(`${this.#path || "the value"} ${reason}`);
  }

  /** What is one step below. */
  #within(step: string, value: unknown, depth: number): void {
    const outer = this.#path;
    this.#path = outer + step;
    this.#write(value, depth);
    this.#path = outer;
  }

  #promise(): void {
    this.holdsPromise = true;
    return this.#label("is a Promise: `await` is missing", "[Promise: `await` is missing]");
  }

  #date(date: Date): void {
    let text: string;
    try {
      text = dateToIso(date);
    } catch {
      return this.#without(`is an invalid date; ${GIVE_OTHER}`);
    }
    this.#string(text);
  }

  #error(error: Error, depth: number): void {
    const own = create(null);
    own.name = error.name;
    own.message = error.message;
    for (let i = 0; i < INNER_ERRORS.length; i++) {
      const name = INNER_ERRORS[i];
      if (getOwnPropertyDescriptor(error, name) !== undefined) own[name] = read(error, name);
    }
    const names = keys(error);
    for (let i = 0; i < names.length; i++) own[names[i]] = read(error, names[i]);
    return this.#properties(own, depth);
  }

  #view(view: ArrayBufferView, depth: number): void {
    if (objectTag(view) !== "[object DataView]") return this.#list(view as unknown as ArrayLike<unknown>, depth);
    return this.#list(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), depth);
  }

  #list(items: ArrayLike<unknown>, depth: number): void {
    this.#text.expect(2 * items.length); // of each a digit at least, and a comma
    this.#text.add("[");
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.#text.add(",");
      const value = this.#isSent ? items[i] : read(items, i);
      // A place is of use only for what may be refused.
      if (!this.#isSent || typeof value === "string" || isFinite(value)) this.#write(value, depth);
      else this.#within(`[${i}]`, value, depth);
    }
    this.#text.add("]");
  }

  #set(set: Set<unknown>, depth: number): void {
    let separator = "[";
    setForEach(set, (item) => {
      this.#text.add(separator);
      separator = ",";
      this.#within("[...]", item, depth);
    });
    this.#text.add(separator === "[" ? "[]" : "]");
  }

  /** An object if every key is a string, else a list of pairs. */
  #map(map: Map<unknown, unknown>, depth: number): void {
    let stringKeys = true;
    mapForEach(map, (_, key) => stringKeys &&= typeof key === "string");
    const names: string[] = [];
    if (stringKeys) mapForEach(map, (_, key) => names[names.length] = key as string);
    let at = 0;
    this.#text.add(stringKeys ? "{" : "[");
    mapForEach(map, (value, key) => {
      if (at > 0) this.#text.add(",");
      if (stringKeys) {
        this.#text.add(`${this.#key(names, at)}:`);
        this.#within(this.#path === "" ? `${key}` : `.${key}`, value, depth);
      } else {
        this.#text.add("[");
        this.#within("[...][0]", key, depth);
        this.#text.add(",");
        this.#within("[...][1]", value, depth);
        this.#text.add("]");
      }
      at++;
    });
    this.#text.add(stringKeys ? "}" : "]");
  }

  /** Halves of surrogate pairs are replaced, and no two keys may become the same. */
  #key(names: string[], at: number): string {
    let text = toWellFormed(names[at]);
    if (text !== names[at] && isTaken(names, at, text)) {
      if (this.#isSent) this.#refuse(`has keys with halves of surrogate pairs, which are the same in JSON: ${text}`);
      text += ` (key ${at + 1})`;
    }
    return encodeJson(text);
  }

  #properties(object: object, depth: number): void {
    const names = keys(object);
    let separator = "{";
    for (let i = 0; i < names.length; i++) {
      const value = this.#isSent ? (object as Record<string, unknown>)[names[i]] : read(object, names[i]);
      if (value === undefined) continue;
      this.#text.add(`${separator}${this.#key(names, i)}:`);
      separator = ",";
      this.#within(this.#path === "" ? names[i] : `.${names[i]}`, value, depth);
    }
    this.#text.add(separator === "{" ? "{}" : "}");
  }
}

/** Whether one of the other names becomes this text. */
function isTaken(names: string[], at: number, text: string): boolean {
  for (let i = 0; i < names.length; i++) if (i !== at && toWellFormed(names[i]) === text) return true;
  return false;
}

/** The name that an object's tag shows. */
function kind(tag: string): string {
  return slice(tag, TAG_BEGIN.length, -1);
}

function article(name: string): string {
  return `${indexOf("aeiouAEIOU", name[0]) < 0 ? "a" : "an"} ${name}`;
}

/** Those that were given more than once are one after the other. */
function headerFields(headers: Headers): object {
  const fields: Record<string, string> = create(null);
  headers.forEach((value, name) => fields[name] = name in fields ? `${fields[name]}, ${value}` : value);
  return fields;
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
