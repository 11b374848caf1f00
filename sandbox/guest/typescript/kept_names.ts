// What a program of a session declares at its top level, as properties of the global object: a later program that does
// not declare a name itself finds it there, live, in both directions.

import { create, defineProperty, deleteProperty, getOwnPropertyDescriptor } from "./intrinsics.ts";

type Getter = () => unknown;
type Setter = (value: unknown) => void;
type Kept = { name: string; get: Getter; before: PropertyDescriptor | undefined };

/** Code that registers the names, for the head of the program's function. Its closures see the bindings themselves. */
export function keepNamesCode(names: string[]): string {
  let value = "v";
  while (names.includes(value)) value += "v";
  const quoted = names.map((name) => `"${name}"`);
  const getters = names.map((name) => `()=>${name}`);
  // Of a constant, this throws what the language throws.
  const setters = names.map((name) => `${value}=>{${name}=${value}}`);
  return `arguments[0]([${quoted}],[${getters}],[${setters}])`;
}

export class KeptNames {
  /** Of the program that runs. */
  #kept: Kept[] = [];

  /** What a program finds in `arguments[0]`. */
  readonly register = (names: string[], getters: Getter[], setters: Setter[]): void => {
    for (let i = 0; i < names.length; i++) this.#registerOne(names[i], getters[i], setters[i]);
  };

  /** At the end of a program: a name that it never came to declare stays what it was before. */
  settle(): void {
    for (let i = 0; i < this.#kept.length; i++) {
      const { name, get, before } = this.#kept[i];
      if (!isDeclared(get) && getOwnPropertyDescriptor(globalThis, name)?.get === get) restore(name, before);
    }
    this.#kept = [];
  }

  #registerOne(name: string, get: Getter, set: Setter): void {
    const before = getOwnPropertyDescriptor(globalThis, name);
    if (before?.configurable === false) return;
    try {
      if (isBinding(name, get)) {
        defineProperty(globalThis, name, accessor(get, set));
        this.#kept[this.#kept.length] = { name, get, before };
      } else restore(name, before);
    } catch {
      // The program has frozen the global object: then it keeps nothing.
    }
  }
}

/** Whether reading the name stays inside of the program. Leaves a probe in place of the global property. */
function isBinding(name: string, get: Getter): boolean {
  let isGlobal = false;
  defineProperty(globalThis, name, accessor(() => isGlobal = true, undefined));
  isDeclared(get);
  return !isGlobal;
}

/** A binding cannot be read before its declaration has run. */
function isDeclared(get: Getter): boolean {
  try {
    get();
    return true;
  } catch {
    return false;
  }
}

function restore(name: string, before: PropertyDescriptor | undefined): void {
  if (before === undefined) deleteProperty(globalThis, name);
  else defineProperty(globalThis, name, before);
}

function accessor(get: Getter, set: Setter | undefined): PropertyDescriptor {
  const descriptor = create(null);
  descriptor.get = get;
  descriptor.set = set;
  descriptor.configurable = true;
  return descriptor;
}
