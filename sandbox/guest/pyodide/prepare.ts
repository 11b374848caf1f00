// What is done once, before the snapshot: the Python guest is imported, and the ways to JavaScript are taken out.

// deno-lint-ignore-file no-explicit-any
import { files } from "./host.ts";
import type { Python } from "./load.ts";

/** Under this name, which cannot be written in Python, the guest waits in `sys.modules`. */
const GUEST_MODULE = "<guest>";

/** Modules in C that are built into Pyodide and that reach JavaScript or raw memory. */
const REMOVED_MODULES = [
  "_pyodide_core",
  "_ctypes",
  "_remote_debugging",
  "_testbuffer",
  "_testcapi",
  "_testclinic",
  "_testclinic_limited",
  "_testinternalcapi",
  "_testlimitedcapi",
  "_xxtestfuzz",
  "xxsubtype",
];

export function prepareGuest(python: Python, guestFolder: string): void {
  const [guest, own] = ["python", "pyodide"].map((name) =>
    copyFolder(python, `${guestFolder}/${name}`, `/guest/${name}`)
  );
  const { sys, importlib } = python.internals;
  sys.path.insert(0, own);
  importlib.import_module("boot").prepare(guest, own, GUEST_MODULE);
  for (const name of REMOVED_MODULES) removeBuiltin(python.module, name);
}

export function importGuest(python: Python): any {
  return python.internals.importlib.import_module(GUEST_MODULE);
}

function copyFolder({ FS }: Python, from: string, to: string): string {
  FS.mkdirTree(to);
  for (const { name, isFile } of Deno.readDirSync(from)) {
    if (isFile && name.endsWith(".py")) FS.writeFile(`${to}/${name}`, files.bytes(`${from}/${name}`));
  }
  return to;
}

/**
 * Makes a module unknown to the interpreter, even to `_imp.create_builtin`. `PyImport_Inittab` points to pairs of name
 * and function; the copy that the interpreter uses has the same names.
 */
function removeBuiltin(module: any, name: string): void {
  const { HEAPU32, HEAPU8, _PyImport_Inittab } = module;
  for (let entry = HEAPU32[_PyImport_Inittab >> 2]; HEAPU32[entry >> 2] !== 0; entry += 8) {
    const text = HEAPU32[entry >> 2];
    if (module.UTF8ToString(text) !== name) continue;
    HEAPU8.fill(1, text, text + name.length);
    return;
  }
  throw new Error(`this Pyodide has no module ${name}: the list of removed modules is out of date`);
}
