// The Pyodide guest: the same Python code as the CPython guest, in WebAssembly, on the same channel.
//
//   main.ts PYODIDE_FOLDER GUEST_FOLDER [SNAPSHOT]

import { runGuest } from "./guest.ts";

const [folder, guestFolder, snapshot] = Deno.args;
await runGuest(folder, guestFolder, snapshot);
