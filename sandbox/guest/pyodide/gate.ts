// What WebAssembly may call of JavaScript once a program runs. Python in WebAssembly has no other way out, whatever it
// does to its own memory: it can call what it imports, and nothing else.

// deno-lint-ignore-file no-explicit-any
import { writeOutput } from "./host.ts";

/** Files in memory, clocks, random numbers, memory, and waiting: these stay as they are. */
const SYSTEM = new Set([
  "_try_fcntl64",
  "_maybe_poll_async",
  "saveState",
  "restoreState",
  "get_suspender",
  "set_suspender",
  "syncifyHandler",
  "JsvPromise_Syncify_handleError",
  "Jsv_GetError_import",
  "JsvError_Check",
  "JsvNum_toInt",
  "can_run_sync_js",
  "throw_no_gil",
  "emscripten_date_now",
  "emscripten_get_now",
  "emscripten_get_heap_max",
  "emscripten_resize_heap",
  "emscripten_runtime_keepalive_push",
  "emscripten_runtime_keepalive_pop",
  "_emscripten_runtime_keepalive_clear",
  "_emscripten_get_progname",
  "_emscripten_system",
  "_tzset_js",
  "_timegm_js",
  "_mktime_js",
  "_localtime_js",
  "_gmtime_js",
  "_mmap_js",
  "_munmap_js",
  "_msync_js",
  "_setitimer_js",
  "__call_sighandler",
  "__assert_fail",
  "_abort_js",
  "_Py_emscripten_runtime",
  "_Py_CheckEmscriptenSignals_Helper",
  "_PyEM_TrampolineCall_JS",
]);
const SYSTEM_CALL = "__syscall_";

/** There is no network that a socket or a name could reach. */
const ABSENT = new Map([
  ...[
    "accept4",
    "bind",
    "connect",
    "getpeername",
    "getsockname",
    "getsockopt",
    "listen",
    "recvfrom",
    "recvmsg",
    "sendmsg",
    "sendto",
    "socket",
  ].map((name): [string, number] => [SYSTEM_CALL + name, -138]), // not supported
  ["getaddrinfo", -4], // the name cannot be resolved
  ["getnameinfo", -4],
]);

/** Exit status of a guest whose program tried to get out. */
const BREAKOUT_STATUS = 72;

export class Gate {
  #closed = false;
  #exit: (status: number) => never;

  constructor(exit: (status: number) => never) {
    this.#exit = exit;
  }

  /** From now on a call of anything that is no system function ends the process. */
  close(): void {
    this.#closed = true;
  }

  /** The imports of Pyodide with itself before them. */
  guard(imports: any): object {
    const env: any = {};
    for (const [name, original] of Object.entries<any>(imports.env)) {
      const answer = ABSENT.get(name);
      if (answer !== undefined) env[name] = () => answer;
      else env[name] = isSystem(name) || typeof original !== "function" ? original : this.#guarded(name, original);
    }
    env.exit = this.#exit;
    return { ...imports, env, wasi_snapshot_preview1: { ...imports.wasi_snapshot_preview1, proc_exit: this.#exit } };
  }

  #end(name: string): never {
    writeOutput(
      "stderr",
      encoder.encode(`the program is ended: it tried to get from Python to JavaScript (${name})\n`),
    );
    return this.#exit(BREAKOUT_STATUS);
  }

  #guarded(name: string, original: (...values: unknown[]) => unknown): (...values: unknown[]) => unknown {
    return (...values) => {
      return this.#closed ? this.#end(name) : original(...values);
    };
  }
}

const encoder = new TextEncoder();

function isSystem(name: string): boolean {
  return SYSTEM.has(name) || name.startsWith(SYSTEM_CALL);
}
