// The descriptors of the Python process: 0 is empty, 1 and 2 are the host's, 3 is the control channel.
//
// Reading from the channel and waiting for it are the only things that block. Pyodide suspends the whole stack of
// WebAssembly in poll(2) if the descriptor is a socket that offers `pollAsync`; so ours is one. Python code needs no
// object of JavaScript for it: it waits as on any other system.

// deno-lint-ignore-file no-explicit-any
import { writeOutput } from "./host.ts";
import type { Python } from "./load.ts";

const CONTROL_FD = 3;
const SOCKET_MODE = 0o140777;
const READ_WRITE = 2;
const AGAIN = 6;
const NOT_SUPPORTED = -28;
const POLLIN = 1, POLLOUT = 4, POLLNVAL = 32;
/** `struct pollfd`: descriptor, wanted events, what happened. */
const POLLFD_BYTES = 8, EVENTS_OFFSET = 4, HAPPENED_OFFSET = 6;

/** What has arrived and was not read yet. */
export class Inbox {
  #chunks: Uint8Array[] = [];
  #wake: (() => void) | undefined;

  push(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#wake?.();
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Resolves when something has arrived, or after this time; negative: without an end. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds < 0 ? undefined : setTimeout(() => this.#wake?.(), milliseconds);
      this.#wake = () => {
        this.#wake = undefined;
        if (timer !== undefined) clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Fills `target` as far as there is something; gives the number of bytes. */
  read(target: Uint8Array): number {
    let filled = 0;
    while (filled < target.length && this.#chunks.length > 0) {
      const chunk = this.#chunks[0];
      const part = chunk.subarray(0, target.length - filled);
      target.set(part, filled);
      filled += part.length;
      if (part.length === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(part.length);
    }
    return filled;
  }
}

export function connect(python: Python, inbox: Inbox, send: (bytes: Uint8Array) => void): void {
  python.setStdin({ stdin: () => null });
  python.setStdout({ write: (bytes: Uint8Array) => writeOutput("stdout", bytes) });
  python.setStderr({ write: (bytes: Uint8Array) => writeOutput("stderr", bytes) });
  openControl(python, inbox, send);
}

function openControl({ FS, module }: Python, inbox: Inbox, send: (bytes: Uint8Array) => void): void {
  const events = () => (inbox.isEmpty ? POLLOUT : POLLIN | POLLOUT);
  const node = FS.createNode(null, "control", SOCKET_MODE, 0);
  node.sock = {
    sock_ops: { pollAsync: true, poll: events, fcntl64: () => NOT_SUPPORTED },
  };
  const stream_ops = {
    poll: events,
    read(_stream: unknown, heap: Int8Array, offset: number, length: number): number {
      if (inbox.isEmpty) throw new FS.ErrnoError(AGAIN);
      return inbox.read(new Uint8Array(heap.buffer, heap.byteOffset + offset, length));
    },
    write(_stream: unknown, heap: Int8Array, offset: number, length: number): number {
      send(new Uint8Array(heap.buffer, heap.byteOffset + offset, length).slice());
      return length;
    },
  };
  FS.createStream({ path: "control", node, flags: READ_WRITE, seekable: false, stream_ops }, CONTROL_FD);
  module.SOCKFS.pollAsync = (fds: number, count: number, milliseconds: number) =>
    poll(module, inbox, events, { fds, count, milliseconds });
}

type PollCall = { fds: number; count: number; milliseconds: number };

/** poll(2) of the channel, and of nothing: that is how Python sleeps. */
async function poll(module: any, inbox: Inbox, events: () => number, call: PollCall): Promise<number> {
  const end = performance.now() + call.milliseconds;
  for (let left = call.milliseconds;; left = end - performance.now()) {
    const ready = note(module, events(), call);
    if (ready > 0 || (call.milliseconds >= 0 && left <= 0)) return ready;
    await inbox.wait(call.milliseconds < 0 ? -1 : left);
  }
}

/** Fills in what happened to each descriptor; gives the number of those to which something did. */
function note(module: any, happening: number, call: PollCall): number {
  let ready = 0;
  for (let at = call.fds; at < call.fds + call.count * POLLFD_BYTES; at += POLLFD_BYTES) {
    const wanted = module.HEAP16[(at + EVENTS_OFFSET) >> 1];
    const happened = module.HEAP32[at >> 2] === CONTROL_FD ? happening & wanted : POLLNVAL;
    module.HEAP16[(at + HAPPENED_OFFSET) >> 1] = happened;
    if (happened !== 0) ready++;
  }
  return ready;
}
