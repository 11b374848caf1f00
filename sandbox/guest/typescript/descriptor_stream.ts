// A stream socket that the process was started with. Deno opens no descriptor by its number, but libuv's pipe object,
// which it has for Node, needs no permission to; loading it takes a third of the time that node:net does.

import { channelLost, type Stream } from "./channel.ts";
import { Bytes, nodeProcess } from "./intrinsics.ts";

const CONTROL_FD = 3;

type Pipe = {
  open(fd: number): number;
  readStart(): number;
  writeBuffer(request: object, bytes: Uint8Array): number;
  ref(): void;
  unref(): void;
  onread: (buffer: ArrayBuffer | undefined) => void;
};

/** Descriptor 3. */
export function openDescriptor(): Stream {
  // deno-lint-ignore no-explicit-any
  const { binding } = nodeProcess() as unknown as { binding(name: string): any };
  const { Pipe, constants } = binding("pipe_wrap");
  const { WriteWrap, streamBaseState, kReadBytesOrError, kArrayBufferOffset } = binding("stream_wrap");

  const pipe: Pipe = new Pipe(constants.SOCKET);
  if (pipe.open(CONTROL_FD) !== 0) channelLost();
  let writes = 0;
  return {
    listen(receive) {
      pipe.onread = (buffer) => {
        const size = streamBaseState[kReadBytesOrError];
        if (size < 0 || buffer === undefined) return channelLost();
        receive(new Bytes(buffer, streamBaseState[kArrayBufferOffset], size));
      };
      pipe.readStart();
    },
    write(bytes) {
      const request = new WriteWrap();
      request.oncomplete = () => writes--;
      writes++;
      if (pipe.writeBuffer(request, bytes) !== 0) channelLost();
    },
    isWriting: () => writes > 0,
    flush() {},
    hold(holds) {
      if (holds) pipe.ref();
      else pipe.unref();
    },
  };
}
