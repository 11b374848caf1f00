// What the functions of the API return: promises that say so when a program takes them for their results.
//
// `const r = mcp.fs.read(...); return r.content` is undefined for any other promise, and the program would go on with that.

import { create, defineProperty, freeze, inspect, PromiseClass, setPrototypeOf, slice } from "./intrinsics.ts";

type Executor = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void;

/** For the engine and for the program's `instanceof` it is a promise as any other. */
export class CallPromise extends PromiseClass<unknown> {
  constructor(executor: Executor) {
    super(executor);
  }
}

/** One that becomes what another promise becomes. */
export function callPromise(promise: Promise<unknown>): CallPromise {
  return new CallPromise((resolve) => resolve(promise));
}

const { get } = Reflect;
const prototype = CallPromise.prototype;
const promisePrototype = PromiseClass.prototype;
/** What is read most, so that it does not go through the proxy. `then` of one gives a plain promise: see `constructor`. */
const OWN_NAMES = ["then", "catch", "finally", "constructor"] as const;
/** `console.log` and its like look at constructors, which a proxy among the prototypes makes unreadable to them. */
const INSPECTED = Symbol.for("Deno.customInspect");

function missingAwait(name: string): TypeError {
  return new TypeError(
    `\`await\` is missing before the call: ${name} is read from the promise that it returned, not from its result`,
  );
}

for (let i = 0; i < OWN_NAMES.length; i++) own(OWN_NAMES[i], promisePrototype[OWN_NAMES[i]]);
own(INSPECTED, function (this: CallPromise, _: unknown, options: object): string {
  setPrototypeOf(this, promisePrototype);
  try {
    return inspect(this, options);
  } finally {
    setPrototypeOf(this, prototype);
  }
});
setPrototypeOf(
  prototype,
  new Proxy(create(promisePrototype), {
    get(target, name, receiver) {
      if (typeof name === "symbol" || name in target) return get(target, name, receiver);
      throw missingAwait(name === "toJSON" ? "its JSON" : `\`${shortened(name)}\``);
    },
  }),
);
freeze(prototype);

function own(name: string | symbol, value: unknown): void {
  defineProperty(prototype, name, { value });
}

/** Far longer than any name that a program reads on purpose. */
const NAME_MAX = 60;

function shortened(name: string): string {
  return name.length <= NAME_MAX ? name : `${slice(name, 0, NAME_MAX)}...`;
}
