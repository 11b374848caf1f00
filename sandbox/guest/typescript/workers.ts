// `Worker`, and that of `node:worker_threads`. V8 reserves 512 MB for the code of each of them, unless it is told less; beside those
// of the program itself there is no room for them below the limit of memory, and what V8 can not reserve ends the whole process.

import {
  apply,
  BufferClass,
  construct,
  create,
  define,
  defineProperty,
  deleteProperty,
  freeBuffer,
  getOwnPropertyDescriptor,
  indexOf,
  ObjectPrototype,
  RangeErrorClass,
} from "./intrinsics.ts";
import { processOfProgram } from "./exit_events.ts";

/** The least that V8 takes. */
const CODE_RANGE_MB = 64;
/** What a worker takes (75 MiB, measured with V8 15), and some for its program. */
const WORKER_MIB = 128;
const NO_ROOM = `a worker needs ${WORKER_MIB} MiB of memory, and the program has not that much left (sandbox.memoryMb): ` +
  "terminate() those that are done, or do the work without";
const LIMITS = "resourceLimits";

type WorkerClass = new (...parameters: unknown[]) => { terminate: () => unknown };
type Options = { resourceLimits?: object };

export class Workers {
  /** What ends those of the run. */
  #ends: (() => unknown)[] = [];
  #hasNode = false;

  /** Bounds those of the web. */
  watch(): void {
    const { value } = getOwnPropertyDescriptor(globalThis, "Worker")!;
    define(globalThis, "Worker", this.#bounded(value, bornOfWeb));
  }

  /** A program begins. Node's are bounded where it may use them; else their module would be loaded for nothing. */
  begin(code: string): void {
    this.end();
    if (this.#hasNode || indexOf(code, "worker_threads") < 0) return;
    const threads = processOfProgram()?.getBuiltinModule?.("node:worker_threads") as Record<string, unknown> | undefined;
    if (threads === undefined) return;
    threads.Worker = this.#bounded(threads.Worker as WorkerClass, bornOfNode);
    this.#hasNode = true;
  }

  /** Whether the run has started any. */
  any(): boolean {
    return this.#ends.length > 0;
  }

  /** Ends those that are left: they would be open work of the next program of a session. */
  end(): void {
    for (let i = 0; i < this.#ends.length; i++) this.#ends[i]();
    this.#ends = [];
  }

  #bounded(worker: WorkerClass, born: (worker: WorkerClass, given: unknown[], as: WorkerClass) => object): WorkerClass {
    const { terminate } = worker.prototype;
    const handler = create(null);
    handler.construct = (_: unknown, given: unknown[], as: WorkerClass) => {
      makeRoom();
      const started = born(worker, given, as);
      this.#ends[this.#ends.length] = () => apply(terminate, started, []);
      return started;
    };
    const bounded = new Proxy(worker, handler);
    define(worker.prototype, "constructor", bounded);
    return bounded;
  }
}

/** Throws RangeError if a worker has no room: a buffer that has none is an exception, and not the end of the process. */
function makeRoom(): void {
  try {
    freeBuffer(new BufferClass(WORKER_MIB << 20));
  } catch {
    throw new RangeErrorClass(NO_ROOM);
  }
}

/** Deno's runtime can be told the size, but the class does not pass it on: it is read as if it were in what that gives. */
function bornOfWeb(worker: WorkerClass, given: unknown[], as: WorkerClass): object {
  const limits = create(null);
  limits.value = bounds();
  limits.configurable = true;
  defineProperty(ObjectPrototype, LIMITS, limits);
  try {
    return construct(worker, given, as);
  } finally {
    deleteProperty(ObjectPrototype, LIMITS);
  }
}

function bornOfNode(worker: WorkerClass, given: unknown[], as: WorkerClass): object {
  const options: Options = { ...given[1] as Options };
  options.resourceLimits = { ...options.resourceLimits, ...bounds() };
  return construct(worker, [given[0], options], as);
}

function bounds(): object {
  return { codeRangeSizeMb: CODE_RANGE_MB };
}
