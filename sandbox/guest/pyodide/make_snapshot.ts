// Makes the memory snapshot that guests start from; needs permission to write its output.
//
//   make_snapshot.ts PYODIDE_FOLDER GUEST_FOLDER OUTPUT

import { Gate } from "./gate.ts";
import { files } from "./host.ts";
import { loadPython, noReferences } from "./load.ts";
import { prepareGuest } from "./prepare.ts";
import { pack } from "./snapshot.ts";

const [folder, guestFolder, output] = Deno.args;
const { exit, writeFileSync } = Deno;
const python = await loadPython({ folder, files, gate: new Gate(exit), makesSnapshot: true });
prepareGuest(python, guestFolder);
python.internals.getExpectedKeys = noReferences;
const { hiwireKeys: references } = python.internals.serializeHiwireState();
if (references.some((key: unknown) => key !== null)) throw new Error("Python still refers to JavaScript objects");
const file = new Blob(pack(python.makeMemorySnapshot()) as BlobPart[]);
writeFileSync(output, await file.bytes());
exit(0);
