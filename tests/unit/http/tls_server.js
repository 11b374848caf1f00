// Node: HTTP/1.1 and HTTP/2 over TLS with a certificate that no client trusts by itself. Prints its port; answers after a moment with the
// version of HTTP and how many connections there have been.
const http2 = require("node:http2");
const pem = require("node:fs").readFileSync(process.argv[2]);

let connections = 0;
const server = http2.createSecureServer({ key: pem, cert: pem, allowHTTP1: true }, (request, response) => {
  if (request.url === "/large") return response.end("x".repeat(5_000_000));
  setTimeout(() => response.end(`${request.httpVersion} ${connections}`), 20);
});
server.on("secureConnection", () => connections++);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
