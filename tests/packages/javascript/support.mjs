// What the tests of the JavaScript API share. They are copied into a folder in which the package was installed.
import { readdirSync, readFileSync } from "node:fs";
import { CodeExecutor } from "code-executor";

const { PACKAGES, FOLDER } = process.env;

/** A server from npm, which reads files of FOLDER; notes.txt is there. */
export const mcpServers = {
  filesystem: { command: process.execPath, args: [`${PACKAGES}/@modelcontextprotocol/server-filesystem/dist/index.js`, FOLDER] },
};
export const notes = `${FOLDER}/notes.txt`;

/** Closed at the end of the test. */
export function executor(t, options = {}) {
  const made = new CodeExecutor({ mcpServers, ...options });
  t.after(() => made.close());
  return made;
}

/** The processes that this one has started and that live. */
export function children() {
  const parentOf = (pid) => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) . /s, "").split(" ")[0]);
    } catch {
      return 0;
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid).map(Number);
}

export function killServer() {
  const all = children();
  if (all.length !== 1) throw new Error(`one child was expected, not ${all.length}`);
  process.kill(all[0], "SIGKILL");
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function until(condition, what) {
  for (let i = 0; i < 500; i++) {
    if (await condition()) return;
    await pause(20);
  }
  throw new Error(`this did not come: ${what}`);
}
