// Lines out of the pieces in which a pipe gives them.
"use strict";

const NEWLINE = 10;

/** Gives each whole line to `onLine` as a Buffer; a line of more than `bytesMax` to `onTooLong`, once, and what is left of it to nobody. */
function splitLines(stream, bytesMax, onLine, onTooLong) {
  let pieces = [];
  let bytes = 0;
  let isSkipped = false;
  const endLine = (last) => {
    const line = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    pieces = [];
    bytes = 0;
    if (!isSkipped) onLine(line);
    isSkipped = false;
  };
  stream.on("data", (chunk) => {
    let begin = 0;
    for (let end; (end = chunk.indexOf(NEWLINE, begin)) !== -1; begin = end + 1) endLine(chunk.subarray(begin, end));
    if (begin === chunk.length || isSkipped) return;
    pieces.push(begin === 0 ? chunk : chunk.subarray(begin));
    bytes += chunk.length - begin;
    if (bytes <= bytesMax) return;
    onTooLong(Buffer.concat(pieces).subarray(0, bytesMax));
    pieces = [];
    bytes = 0;
    isSkipped = true;
  });
}

module.exports = { splitLines };
