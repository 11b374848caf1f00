// Node: speaks HTTP/2 over TLS and answers every connection with frames that belong to no answer, for as long as it is read. Prints its port.
const tls = require("node:tls");
const pem = require("node:fs").readFileSync(process.argv[2]);

function frame(type, flags, stream, bytes) {
  const out = Buffer.alloc(9 + bytes);
  out.writeUIntBE(bytes, 0, 3);
  out[3] = type;
  out[4] = flags;
  out.writeUInt32BE(stream, 5);
  return out;
}
const settings = frame(4, 0, 0, 0);
const pings = Buffer.concat(Array(3_000).fill(frame(6, 1, 0, 8))); // answers to pings, which nobody has to answer

const server = tls.createServer({ key: pem, cert: pem, ALPNProtocols: ["h2"] }, (socket) => {
  const flood = () => { while (!socket.destroyed && socket.write(pings)); };
  socket.on("error", () => {});
  socket.on("drain", flood);
  socket.resume();
  socket.write(settings);
  flood();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
