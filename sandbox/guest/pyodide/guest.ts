// One guest from the start of its process: loads Python, shuts the doors, and runs the guest's Python code to its end.

import { openDescriptor } from "../typescript/descriptor_stream.ts";
import { exitProcess } from "../typescript/intrinsics.ts";
import { connect, Inbox } from "./descriptors.ts";
import { sendFatalError } from "./fatal_error.ts";
import { Gate } from "./gate.ts";
import { files, lockDown } from "./host.ts";
import { loadPython } from "./load.ts";
import { importGuest, prepareGuest } from "./prepare.ts";

/** Without a snapshot it takes seconds. */
export async function runGuest(folder: string, guestFolder: string, snapshotPath?: string): Promise<void> {
  const gate = new Gate(exitProcess);
  const inbox = new Inbox();
  const stream = openDescriptor();
  stream.listen((bytes) => inbox.push(bytes));
  const send = (bytes: Uint8Array) => stream.write(bytes);
  const snapshot = snapshotPath === undefined ? undefined : files.open(snapshotPath);
  const python = await loadPython({ folder, files, gate, snapshot });
  if (snapshot === undefined) prepareGuest(python, guestFolder);
  connect(python, inbox, send);
  const { start } = importGuest(python);
  python.internals.fatal_error = (error: unknown) => {
    throw error;
  };
  lockDown();
  gate.close();
  try {
    await start.callPromising();
  } catch (error) {
    sendFatalError(error, send);
  }
}
