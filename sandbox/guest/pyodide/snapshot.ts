// The memory snapshot as a file: Pyodide's header, then only those pieces of memory that are not all zero, which is
// about half. They are read straight to where they belong.
//
//   header | number of pieces | their numbers | the pieces        (numbers of 32 bits, as the machine has them)

// deno-lint-ignore-file no-explicit-any

const PIECE_BYTES = 65_536;
const NUMBER_BYTES = 4;
/** Pyodide's header says in its second number how long it is. */
const HEADER_SIZE_AT = 1;
const HEADER_START_BYTES = 8;

/** What is read from; in its whole length, or not at all. */
export type Source = { readSync(target: Uint8Array): number | null };

export function pack(snapshot: Uint8Array): Uint8Array[] {
  const size = numbers(snapshot.slice(0, HEADER_START_BYTES))[HEADER_SIZE_AT];
  const pieces: number[] = [];
  const parts: Uint8Array[] = [];
  for (let at = size; at < snapshot.length; at += PIECE_BYTES) {
    const piece = snapshot.subarray(at, at + PIECE_BYTES);
    if (piece.every((byte) => byte === 0)) continue;
    pieces.push((at - size) / PIECE_BYTES);
    parts.push(piece);
  }
  return [snapshot.subarray(0, size), bytes(Uint32Array.of(pieces.length, ...pieces)), ...parts];
}

/** Loads a snapshot into memory that is still as Pyodide found it; gives what Pyodide's own function does. */
export function restore(module: any, source: Source): unknown {
  const start = read(source, HEADER_START_BYTES);
  const header = new Uint8Array(numbers(start)[HEADER_SIZE_AT]);
  header.set(start);
  fill(source, header.subarray(HEADER_START_BYTES));
  const references = module.API.restoreSnapshot(header); // checks that it is of this Pyodide, and copies no memory
  const [count] = numbers(read(source, NUMBER_BYTES));
  const pieces = numbers(read(source, count * NUMBER_BYTES));
  for (let first = 0, next; first < count; first = next) {
    for (next = first + 1; next < count && pieces[next] === pieces[next - 1] + 1;) next++;
    const at = pieces[first] * PIECE_BYTES;
    fill(source, module.HEAPU8.subarray(at, at + (next - first) * PIECE_BYTES));
  }
  return references;
}

function read(source: Source, size: number): Uint8Array {
  const target = new Uint8Array(size);
  fill(source, target);
  return target;
}

function fill(source: Source, target: Uint8Array): void {
  for (let filled = 0; filled < target.length;) {
    const size = source.readSync(target.subarray(filled));
    if (size === null) throw new Error("the memory snapshot ends too early");
    filled += size;
  }
}

function numbers(from: Uint8Array): Uint32Array {
  return new Uint32Array(from.buffer, from.byteOffset, from.byteLength / NUMBER_BYTES);
}

function bytes(from: Uint32Array): Uint8Array {
  return new Uint8Array(from.buffer);
}
