// The built-ins that the guest itself relies on, taken before any user code has run. User code may overwrite
// `JSON.parse` or `Array.prototype.map`; replies and the final frame must still get through. For the same reason the
// other files use index loops (`for...of` looks up a replaceable iterator) and the functions below instead of methods.

const { bind, call } = Function.prototype;

/** Turns a method into a function whose first argument is the receiver. */
// deno-lint-ignore no-explicit-any
const uncurryThis = bind.bind(call) as (method: (...args: any[]) => any) => (...args: any[]) => any;

const { stringify, parse } = JSON;
export { parse, stringify };
export const {
  create,
  defineProperty,
  freeze,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  keys,
  setPrototypeOf,
} = Object;
export const { apply, construct, deleteProperty } = Reflect;
export const { isArray } = Array;
export const { isView } = ArrayBuffer;
export const { isFinite, isInteger, MAX_SAFE_INTEGER: MaxSafeInteger, MAX_VALUE: MaxValue } = Number;
export const BigIntFunction = BigInt;
export const { abs, min, random } = Math;
export const { now } = Date;
export const toText = String;
export const toNumber = Number;
export const PromiseClass = Promise;
export const promiseThen: (
  promise: Promise<unknown>,
  resolve?: (value: unknown) => unknown,
  reject?: (error: unknown) => unknown,
) => Promise<unknown> = uncurryThis(Promise.prototype.then);
export const { asyncIterator } = Symbol;
export const ErrorClass = Error;
export const ObjectPrototype = Object.prototype;
export const TypeErrorClass = TypeError;
export const RangeErrorClass = RangeError;
export const Bytes = Uint8Array;
export const BufferClass = ArrayBuffer;
const transfer: (buffer: ArrayBuffer, size: number) => void = uncurryThis(ArrayBuffer.prototype.transfer);
/** Gives back what it takes at once, and not when the garbage is collected. */
export function freeBuffer(buffer: ArrayBuffer): void {
  transfer(buffer, 0);
}
export const BlobClass = Blob;
const processProperty = getOwnPropertyDescriptor(globalThis, "process")!;
/** Loaded at the first use: all that Node's modules share takes as long as half of the guest's start. */
export function nodeProcess(): typeof process {
  return processProperty.get ? apply(processProperty.get, globalThis, []) : processProperty.value;
}
export const { createObjectURL, revokeObjectURL } = URL;
export const { inspect } = Deno;
const AsyncFunction = (async () => {}).constructor as new (body: string) => unknown;

/** Whether the code is the body of an async function in JavaScript, and not the end of it and something else. */
export function isFunctionBody(code: string): boolean {
  try {
    return new AsyncFunction(code) !== undefined;
  } catch {
    return false;
  }
}

/** In the global scope: only a direct call of `eval` sees where it stands. */
export const evaluate: (script: string) => unknown = eval;

export const isErrorInstance: (value: unknown) => value is Error = Error.isError ??
  ((value: unknown): value is Error => value instanceof ErrorClass);
/** A function that user code called: a captured stack begins below it. */
export type Entry = (...parameters: never[]) => unknown;
export const captureStackTrace: (target: object, below: Entry) => void = Error.captureStackTrace;

export const objectTag: (value: unknown) => string = uncurryThis(Object.prototype.toString);
export const dateToIso: (date: Date) => string = uncurryThis(Date.prototype.toISOString);
export const mapForEach: <K, V>(map: Map<K, V>, visit: (value: V, key: K) => void) => void = uncurryThis(
  Map.prototype.forEach,
);
export const setForEach: <V>(set: Set<V>, visit: (value: V) => void) => void = uncurryThis(Set.prototype.forEach);
export const setAdd: <V>(set: Set<V>, value: V) => void = uncurryThis(Set.prototype.add);
export const setHas: <V>(set: Set<V>, value: V) => boolean = uncurryThis(Set.prototype.has);
export const setDelete: <V>(set: Set<V>, value: V) => void = uncurryThis(Set.prototype.delete);
export const SetClass = Set;

export const slice: (text: string, from: number, to?: number) => string = uncurryThis(String.prototype.slice);
export const indexOf: (text: string, part: string, from?: number) => number = uncurryThis(String.prototype.indexOf);
export const split: (text: string, separator: string) => string[] = uncurryThis(String.prototype.split);
export const startsWith: (text: string, part: string) => boolean = uncurryThis(String.prototype.startsWith);
export const replaceAll: (text: string, part: string, by: string) => string = uncurryThis(String.prototype.replaceAll);
export const trim: (text: string) => string = uncurryThis(String.prototype.trim);
export const toLowerCase: (text: string) => string = uncurryThis(String.prototype.toLowerCase);
const exec: (pattern: RegExp, text: string) => RegExpExecArray | null = uncurryThis(RegExp.prototype.exec);

/** First match of a pattern that is not global; null if there is none. */
export function match(pattern: RegExp, text: string): RegExpExecArray | null {
  return exec(pattern, text);
}

export const toWellFormed: (text: string) => string = uncurryThis(String.prototype.toWellFormed);

/**
 * JSON text; undefined for what has none. Half a surrogate pair, which is no Unicode text and which strict parsers
 * refuse, becomes U+FFFD.
 */
export function encodeJson(value: unknown): string {
  const text = stringify(value);
  if (text === undefined || indexOf(text, "\\ud") < 0) return text;
  const mended = stringify(value, wellFormed);
  if (mended !== text) tellHalf();
  return mended;
}

let isHalfTold = false;

/** A program begins, which has not been told. */
export function tellHalvesAgain(): void {
  isHalfTold = false;
}

function tellHalf(): void {
  if (isHalfTold) return;
  isHalfTold = true;
  consoleError("[halves of surrogate pairs, which UTF-8 does not have, leave this program as U+FFFD]");
}

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? toWellFormed(value) : value;
}

const encodeText: (encoder: TextEncoder, text: string) => Uint8Array = uncurryThis(TextEncoder.prototype.encode);
const decodeText: (decoder: TextDecoder, bytes: Uint8Array) => string = uncurryThis(TextDecoder.prototype.decode);
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export function encodeUtf8(text: string): Uint8Array {
  return encodeText(encoder, text);
}

/** Throws a TypeError on bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decodeText(decoder, bytes);
}

/** Throws a SyntaxError on what is no base64. */
export const decodeBase64: (text: string) => Uint8Array = Bytes.fromBase64;
export const encodeBase64: (bytes: Uint8Array) => string = uncurryThis(Bytes.prototype.toBase64);
export const blobBytes: (blob: Blob) => Promise<ArrayBuffer> = uncurryThis(Blob.prototype.arrayBuffer);
export const setBytes: (target: Uint8Array, source: Uint8Array, offset: number) => void = uncurryThis(
  Uint8Array.prototype.set,
);
export const subarray: (bytes: Uint8Array, from: number, to: number) => Uint8Array = uncurryThis(
  Uint8Array.prototype.subarray,
);

// Awaiting one of our promises looks at this property, and would give the promise itself if it were not this one.
defineProperty(Promise.prototype, "constructor", { value: Promise, writable: false, configurable: false });
// Deno's sockets look this one up whenever they write.
defineProperty(Function.prototype, "call", { value: call, writable: false, configurable: false });

const { waitAsync, notify } = Atomics;
const bell = new Int32Array(new SharedArrayBuffer(4));

/** Resolves in a task of V8's own, which nothing that user code breaks has a part in. */
function nextTask(): Promise<unknown> {
  const { value } = waitAsync(bell, 0, 0) as { value: Promise<unknown> };
  notify(bell, 0);
  return value;
}

/**
 * Resolves when the event loop has gone round once: the first task may still come in the turn that it was asked for in.
 * Timers would do as well, but are Node's, and take milliseconds to load.
 */
export async function nextTurn(): Promise<void> {
  await nextTask();
  await nextTask();
}

/** Defines a property that can be replaced and is not listed. User code may have given all objects a `get`. */
export function define(target: object, name: string, value: unknown): void {
  const descriptor = create(null);
  descriptor.value = value;
  descriptor.writable = descriptor.configurable = true;
  defineProperty(target, name, descriptor);
}

export const exitProcess: (code: number) => never = Deno.exit;
const exitCodeProperty = getOwnPropertyDescriptor(Deno, "exitCode")!;
/** What the process would end with, by `Deno.exitCode` or `process.exitCode`. */
export const exitCode: { get: () => unknown; set: (code: number) => void } = {
  get: exitCodeProperty.get!.bind(Deno),
  set: exitCodeProperty.set!.bind(Deno),
};
export const dispatch = dispatchEvent;
export const EventClass = Event;
export const reportException = reportError;
type EventLoop = { processTicksAndRejections?: () => void; eventLoopHasMoreWork?: () => boolean };
const eventLoop = (Deno as unknown as Record<symbol, { core?: EventLoop }>)[
  (Deno as unknown as { internal: symbol }).internal
]?.core;
const { processTicksAndRejections: runMicrotasks, eventLoopHasMoreWork } = eventLoop ?? {};
/** Whether something is open that keeps the process alive, once all microtasks have run. Deno asks itself the same before it ends. */
export function hasMoreWork(): boolean {
  runMicrotasks?.();
  return eventLoopHasMoreWork?.() ?? false;
}
export const listen = addEventListener;
export const EventTargetPrototype = EventTarget.prototype;
export const unlisten = removeEventListener;
export const ErrorEventClass = ErrorEvent;
export const PromiseRejectionEventClass = PromiseRejectionEvent;
/** A listener that is set as a property of the global object. */
function listenerProperty(name: "onerror" | "onunhandledrejection"): { prepare: () => void; clear: () => void } {
  const { get, set } = getOwnPropertyDescriptor(globalThis, name)!;
  return {
    /** From now on it has its place among all listeners, although there is none. */
    prepare() {
      apply(set!, globalThis, [() => {}]);
      apply(set!, globalThis, [null]);
    },
    clear() {
      if (apply(get!, globalThis, []) !== null) apply(set!, globalThis, [null]);
    },
  };
}
export const onError = listenerProperty("onerror");
export const onUnhandledRejection = listenerProperty("onunhandledrejection");
export const preventDefault: (event: Event) => void = uncurryThis(Event.prototype.preventDefault);
export const stopPropagation: (event: Event) => void = uncurryThis(Event.prototype.stopImmediatePropagation);
export const consoleError: (...values: unknown[]) => void = console.error;
