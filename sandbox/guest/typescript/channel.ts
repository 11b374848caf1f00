// The control channel to the host: descriptor 3, a stream socket that carries frames of a 4-byte big-endian length and
// that many bytes of UTF-8 JSON.

import {
  Bytes,
  decodeUtf8,
  encodeUtf8,
  exitProcess,
  min,
  nodeProcess,
  parse,
  setBytes,
  subarray,
} from "./intrinsics.ts";

const CONTROL_FD = 3;
const HEADER_BYTES = 4;
/** The host's limit for one frame as well. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** Exit status when the channel ends or carries what is no frame: without a host there is no one to tell. */
const CHANNEL_LOST_STATUS = 70;

export type Message = { type: string; [field: string]: unknown };
export type Channel = { send(json: string): void };

// libuv's own pipe object needs no permission for an inherited descriptor, and loading it takes a third of the time
// that node:net does.
type Pipe = {
  open(fd: number): number;
  readStart(): number;
  writeBuffer(request: object, bytes: Uint8Array): number;
  onread: (buffer: ArrayBuffer | undefined) => void;
};

/** Opens the channel; `receive` gets every message of the host, in order. */
export function openChannel(receive: (message: Message) => void): Channel {
  const frames = new FrameReader(receive);
  const write = openStream((bytes) => frames.push(bytes));
  return {
    send(json) {
      write(frame(json));
    },
  };
}

/**
 * The bytes of the channel as they come and go: `receive` gets what arrives, the function that is returned sends.
 * The process ends when the stream does, or when `receive` throws.
 */
export function openStream(receive: (bytes: Uint8Array) => void): (bytes: Uint8Array) => void {
  // deno-lint-ignore no-explicit-any
  const { binding } = nodeProcess as unknown as { binding(name: string): any };
  const { Pipe, constants } = binding("pipe_wrap");
  const { WriteWrap, streamBaseState, kReadBytesOrError, kArrayBufferOffset } = binding("stream_wrap");

  const pipe: Pipe = new Pipe(constants.SOCKET);
  if (pipe.open(CONTROL_FD) !== 0) exitProcess(CHANNEL_LOST_STATUS);
  pipe.onread = (buffer) => {
    const size = streamBaseState[kReadBytesOrError];
    if (size < 0 || buffer === undefined) exitProcess(CHANNEL_LOST_STATUS);
    try {
      receive(new Bytes(buffer, streamBaseState[kArrayBufferOffset], size));
    } catch {
      exitProcess(CHANNEL_LOST_STATUS);
    }
  };
  pipe.readStart();
  return (bytes) => {
    if (pipe.writeBuffer(new WriteWrap(), bytes) !== 0) exitProcess(CHANNEL_LOST_STATUS);
  };
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
  #receive: (message: Message) => void;
  #headerBytes = 0;
  #size = 0;
  #body: Uint8Array | undefined;
  #bodyBytes = 0;

  constructor(receive: (message: Message) => void) {
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
    this.#receive(parse(decodeUtf8(body)));
  }
}
