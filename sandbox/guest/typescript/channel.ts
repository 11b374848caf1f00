// The control channel to the host: a stream socket that carries frames of a 4-byte big-endian length and that many
// bytes of UTF-8 JSON.

import { Bytes, decodeUtf8, encodeUtf8, exitProcess, min, parse, setBytes, subarray } from "./intrinsics.ts";

const HEADER_BYTES = 4;
/** The host's limit for one frame as well. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** Exit status when the channel ends or carries what is no frame: there is no host left to tell. */
const CHANNEL_LOST_STATUS = 70;

export type Message = { type: string; [field: string]: unknown };

/** The bytes of the channel; the process ends when they do. */
export interface Stream {
  /** Begins to read; `receive` may not keep what it gets. */
  listen(receive: (bytes: Uint8Array) => void): void;
  /** Sends these after those of the calls before. */
  write(bytes: Uint8Array): void;
  /** Whether some of that has not left the process yet. */
  isWriting(): boolean;
  /** Sends now what waits, as far as the host reads: for the last moment of a process. */
  flush(): void;
  /** Whether waiting for what the host sends keeps the process alive; at first it does. */
  hold(holds: boolean): void;
}

export function channelLost(): never {
  return exitProcess(CHANNEL_LOST_STATUS);
}

export class Channel {
  #stream: Stream | undefined;

  /** Without a stream nothing comes, and what is sent goes nowhere. */
  constructor(stream: Stream | undefined) {
    this.#stream = stream;
  }

  /** From now on `receive` gets every message of the host, in order, and its JSON. */
  listen(receive: (message: Message, text: string) => void): void {
    const frames = new FrameReader(receive);
    this.#stream?.listen((bytes) => {
      try {
        frames.push(bytes);
      } catch {
        channelLost();
      }
    });
  }

  /** Throws a RangeError on more than MAX_FRAME_BYTES. */
  send(json: string): void {
    const bytes = frame(json);
    this.#stream?.write(bytes);
  }

  get isSending(): boolean {
    return this.#stream?.isWriting() ?? false;
  }

  flush(): void {
    this.#stream?.flush();
  }

  hold(holds: boolean): void {
    this.#stream?.hold(holds);
  }
}

export function frame(json: string): Uint8Array {
  const body = encodeUtf8(json);
  const size = body.length;
  if (size > MAX_FRAME_BYTES) {
    throw new RangeError(`${size} bytes are more than a message can hold (${MAX_FRAME_BYTES})`);
  }
  const bytes = new Bytes(HEADER_BYTES + size);
  bytes[0] = size >>> 24;
  bytes[1] = size >>> 16;
  bytes[2] = size >>> 8;
  bytes[3] = size;
  setBytes(bytes, body, HEADER_BYTES);
  return bytes;
}

/** Cuts a byte stream into messages. Throws on anything that is not a frame. */
class FrameReader {
  #receive: (message: Message, text: string) => void;
  #headerBytes = 0;
  #size = 0;
  #body: Uint8Array | undefined;
  #bodyBytes = 0;

  constructor(receive: (message: Message, text: string) => void) {
    this.#receive = receive;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#headerBytes < HEADER_BYTES) {
        this.#size = this.#size * 256 + bytes[at++];
        if (++this.#headerBytes < HEADER_BYTES) continue;
        if (this.#size > MAX_FRAME_BYTES) throw new RangeError("frame too large");
      }
      const missing = this.#size - this.#bodyBytes;
      const end = min(at + missing, bytes.length);
      const part = subarray(bytes, at, end);
      at = end;
      // Nearly every frame arrives in one read and is parsed where it lies.
      if (part.length === this.#size) this.#finish(part);
      else this.#collect(part);
    }
  }

  #collect(part: Uint8Array): void {
    this.#body ??= new Bytes(this.#size);
    setBytes(this.#body, part, this.#bodyBytes);
    this.#bodyBytes += part.length;
    if (this.#bodyBytes === this.#size) this.#finish(this.#body);
  }

  #finish(body: Uint8Array): void {
    this.#headerBytes = this.#size = this.#bodyBytes = 0;
    this.#body = undefined;
    const text = decodeUtf8(body);
    this.#receive(parse(text), text);
  }
}
