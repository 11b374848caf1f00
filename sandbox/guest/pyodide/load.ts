// Pyodide from its files: in the environment that asks least of Deno, and without what a guest never needs.

// deno-lint-ignore-file no-explicit-any
import type { Gate } from "./gate.ts";
import { evaluate, type HostFiles } from "./host.ts";
import { restore, type Source } from "./snapshot.ts";

/** What the rest of the guest uses of Pyodide. `module` is Emscripten's, `internals` Pyodide's own. */
export type Python = {
  FS: any;
  module: any;
  internals: any;
  setStdin(options: object): void;
  setStdout(options: object): void;
  setStderr(options: object): void;
  makeMemorySnapshot(): Uint8Array;
};

export type LoadOptions = {
  folder: string;
  files: HostFiles;
  gate: Gate;
  snapshot?: Source;
  makesSnapshot?: boolean;
};

const DEFAULT_EXPORT = "export default ";
const ENVIRONMENT = { HOME: "/tmp", LANG: "C.UTF-8", PYTHONDONTWRITEBYTECODE: "1", PYTHONUNBUFFERED: "1" };

export async function loadPython(options: LoadOptions): Promise<Python> {
  pretendShell(options.files);
  const { loadPyodide } = await import(`${options.folder}/pyodide.mjs`);
  const create = await moduleFactory(`${options.folder}/pyodide.asm.mjs`, options.files);
  const pyodide = await loadPyodide({
    indexURL: options.folder,
    packageBaseUrl: options.folder,
    lockFileContents: {}, // no package is ever loaded, and the list of them is long
    jsglobals: Object.create(null), // the module `js`, as long as there is one
    env: { ...ENVIRONMENT },
    _makeSnapshot: options.makesSnapshot,
    _loadSnapshot: options.snapshot && new Uint8Array(), // anything: what is restored is read by us
    createPyodideModule: async (settings: any) => {
      const instantiate = settings.instantiateWasm;
      settings.instantiateWasm = (imports: object, done: unknown) => instantiate(options.gate.guard(imports), done);
      settings.API.lockFilePromise = undefined;
      const module = await create(settings);
      if (options.snapshot !== undefined) useSnapshot(module, options.snapshot);
      return module;
    },
  });
  return Object.assign(pyodide, { module: pyodide._module, internals: pyodide._api });
}

/**
 * The default export of Pyodide's largest file, which imports nothing. Deno's loader would parse all of it to find that
 * out, and take a tenth of a second; so it is evaluated as a script.
 */
async function moduleFactory(path: string, files: HostFiles): Promise<(settings: object) => Promise<any>> {
  const text = files.text(path);
  const end = text.lastIndexOf(DEFAULT_EXPORT);
  if (evaluate === undefined || end < 0) return (await import(path)).default;
  const url = `file://${path}`;
  const script = text.slice(0, end).replaceAll("import.meta.url", JSON.stringify(url));
  const name = text.slice(end + DEFAULT_EXPORT.length).replace(";", "");
  const [create, error] = evaluate(`(() => {${script}\nreturn ${name}})()`, url);
  if (error) throw new Error(`${path} cannot be evaluated`, { cause: error });
  return create;
}

/**
 * Pyodide reads its files by functions of the host. Of those that it knows the shell of V8 has the fewest: with node's
 * it would load child processes and sockets, with a browser's it would fetch. Emscripten takes its random numbers from
 * `crypto` only when there is a `window`.
 */
function pretendShell(files: HostFiles): void {
  const globals = globalThis as any;
  globals.read = files.text;
  globals.readbuffer = files.bytes;
  globals.load = () => {};
  globals.window = {};
  delete globals.process;
}

function useSnapshot(module: any, source: Source): void {
  const { API } = module;
  API.getExpectedKeys = noReferences;
  const restoreSnapshot = API.restoreSnapshot;
  API.restoreSnapshot = () => restore({ HEAPU8: module.HEAPU8, API: { restoreSnapshot } }, source);
}

/** Python has no reference to a JavaScript object in a snapshot of ours, and gets none when it is loaded. */
export function noReferences(): [] {
  return [];
}
