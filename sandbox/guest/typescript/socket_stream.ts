// A port of the box's own network that waits for this one connection. Nothing of Node is needed for it, which would take longer to load
// than all of the guest.

import { channelLost, type Stream } from "./channel.ts";
import { Bytes, subarray } from "./intrinsics.ts";

/** What one read can take; the host sends most frames in one piece. */
const READ_BYTES = 64 * 1024;

type Read = (into: Uint8Array) => Promise<number | null>;
type Write = (bytes: Uint8Array) => Promise<number>;
type Life = { ref(): void; unref(): void };

/** Connects to that port, once: the right to do so is given back. */
export async function openSocket(port: string): Promise<Stream> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  connection.setNoDelay(true);
  Deno.permissions.revokeSync({ name: "net", host: `127.0.0.1:${port}` });
  const [read, write] = [connection.read.bind(connection), connection.write.bind(connection)];
  return new SocketStream(read, write, {
    ref: connection.ref.bind(connection),
    unref: connection.unref.bind(connection),
  });
}

async function orLost(size: Promise<number | null>): Promise<number> {
  try {
    return await size ?? channelLost();
  } catch {
    return channelLost();
  }
}

type Waiting = { bytes: Uint8Array; next: Waiting | undefined };

/** Writes one after the other: a write may take a part of the bytes only. */
class SocketStream implements Stream {
  #read: Read;
  #write: Write;
  #life: Life;
  #isWriting = false;
  #first: Waiting | undefined;
  #last: Waiting | undefined;

  constructor(read: Read, write: Write, life: Life) {
    this.#read = read;
    this.#write = write;
    this.#life = life;
  }

  async listen(receive: (bytes: Uint8Array) => void): Promise<void> {
    const read = this.#read;
    const buffer = new Bytes(READ_BYTES);
    for (;;) receive(subarray(buffer, 0, await orLost(read(buffer))));
  }

  write(bytes: Uint8Array): void {
    if (!this.#isWriting) return void this.#writeAll(bytes);
    const waiting = { bytes, next: undefined };
    if (this.#last === undefined) this.#first = waiting;
    else this.#last.next = waiting;
    this.#last = waiting;
  }

  isWriting(): boolean {
    return this.#isWriting;
  }

  /** Deno begins writes in their order and, while the socket has room, ends each before it returns. */
  flush(): void {
    const write = this.#write;
    for (let bytes = this.#take(); bytes !== undefined; bytes = this.#take()) write(bytes);
  }

  hold(holds: boolean): void {
    if (holds) this.#life.ref();
    else this.#life.unref();
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    const write = this.#write;
    this.#isWriting = true;
    for (let rest: Uint8Array | undefined = bytes; rest !== undefined;) {
      const written: number = await orLost(write(rest));
      rest = written < rest.length ? subarray(rest, written, rest.length) : this.#take();
    }
    this.#isWriting = false;
  }

  #take(): Uint8Array | undefined {
    const first = this.#first;
    if (first === undefined) return undefined;
    this.#first = first.next;
    if (this.#first === undefined) this.#last = undefined;
    return first.bytes;
  }
}
