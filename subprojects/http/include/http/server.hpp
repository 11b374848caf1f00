// An HTTP/1.1 server on the program's own thread, with TLS or without. All of RESTinio is behind it, in one unit,
// because it takes long to compile.
//
// In front of RESTinio stands a gate (src/gate.hpp) that reads the requests, and RESTinio is told of those that are
// complete: it alone closes a connection without a word when a request is too large, late or broken, makes room for a
// body that was only announced, and tells nobody when the client has gone.
//
// Requests that could be understood in two ways are refused (src/head_rules.hpp, src/chunked_body.hpp). Wishes to speak
// another protocol (Upgrade) are ignored. A client that closes its side, or a half of it, has gone.
//
// Everything is called from the loop, and has to be used there. What is given as a function may do with all of this
// whatever it likes, also drop the server, but not throw. The loop outlives the server and, unless their clients have
// gone or been answered, the exchanges.
#pragma once

#include "http/client.hpp" // header, headers

#include <asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace http {

/// What is known of a request before its body.
struct request_head {
  std::string method;      ///< as it was sent: "GET"
  std::string path;        ///< without the query, not decoded
  std::string query;       ///< behind the '?', not decoded; empty: none
  headers fields;          ///< in order; names in small letters, values without white space around them
  uint64_t connection = 0; ///< its number, from 1
};

struct request {
  request_head head;
  std::string body; ///< as it was sent, chunks put together; never decompressed
  /// Counts the body's bytes in server_options::bodies_bytes_max until it is dropped.
  std::shared_ptr<void> held;
};

struct response {
  uint16_t status = 200; ///< 200 to 599; others become 500
  std::string type;      ///< Content-Type; empty: none
  std::string body;
  /// Besides Content-Type. Always sent are Date, `X-Content-Type-Options: nosniff` and, unless there is another one
  /// here, `Cache-Control: no-store`. Left out are fields of the connection and of its framing (Connection,
  /// Content-Length, Transfer-Encoding, ...), and every one, `type` too, that has a character that no field has: no CR,
  /// LF or NUL.
  headers fields;
};

/// The answer to one request, of which one of answer() and begin() is called, once; later calls do nothing. Dropping it
/// unanswered answers 500; dropping it between begin() and end() breaks the connection off. It may outlive the
/// connection and the server: then it does nothing.
class exchange {
public:
  virtual ~exchange() = default;
  virtual void answer(response whole) = 0;
  /// The head of an answer that comes in pieces; `head.body` is the first one.
  virtual void begin(response head) = 0;
  /// Pieces are sent in order, and kept until then: see unsent_bytes(). Does nothing before begin() and after end().
  virtual void write(std::string piece) = 0;
  virtual void end() = 0;
  /// Breaks the connection off.
  virtual void abort() = 0;
  /// What was given to it of bodies and has not been taken by the system, which takes up to 256 KiB at once.
  virtual size_t unsent_bytes() const = 0;
  /// The client has gone, or did not read for `stall_max`, before everything was sent. Called once, from the loop,
  /// never from inside a call of this; not after the answer has been sent, and not when the exchange has been dropped.
  virtual void when_gone(std::function<void()> gone) = 0;
  /// Everything was taken by the system. Called once, likewise.
  virtual void when_sent(std::function<void()> sent) = 0;
};

/// Both are PEM, at most 256 KiB each, and read once, when the server is opened.
struct tls_files {
  std::string certificate_file; ///< the server's own certificate first, then those that lead from it to a known one
  std::string key_file;         ///< without a passphrase
};

struct server_options {
  std::string host;  ///< an address; a name is not looked up
  uint16_t port = 0; ///< 0: any free one
  /// TLS 1.2 and 1.3 (src/tls_context.hpp), and nothing but it: OpenSSL is loaded then. Unset: HTTP as it is.
  std::optional<tls_files> tls;
  /// At once, from when they are accepted, with those whose last answer was sent in the last two seconds. For one more
  /// the oldest is closed that has sent no whole request yet, first of those without a whole head (`admit` has let none
  /// of them in). If all have sent one, it gets 503 and is closed; with TLS without a word, which would take a
  /// handshake. While more than half of the places are taken, an answer is the last on its connection: whoever keeps
  /// connections for what may come takes no more than half.
  size_t connections_max = 0;
  size_t header_bytes_max = 0; ///< of a head in all; more, or more than 80 KiB: 431
  size_t body_bytes_max = 0;   ///< more: 413, as soon as it is announced or has come
  /// Of bodies of all connections together, as they come, until request::held is dropped; more: 503. The first 64 KiB
  /// of each body do not count: whoever sends large ones keeps nobody from sending small ones. At least body_bytes_max.
  size_t bodies_bytes_max = 0;
  /// From the first byte of a head to its end; later: 408. As much is there for the handshake of TLS, before.
  std::chrono::milliseconds head_max{};
  std::chrono::milliseconds body_max{};  ///< likewise for a body
  std::chrono::milliseconds idle_max{};  ///< of a connection between two requests; before the first: head_max
  std::chrono::milliseconds stall_max{}; ///< of a client that does not read what is sent to it
  /// Before its body is read; what it gives is the answer, after which the connection is closed. Empty: all may come.
  std::function<std::optional<response>(const request_head&)> admit;
  std::function<void(request, std::shared_ptr<exchange>)> handle;
};

class server;

/// A server, or why it can not listen there, or not with these files.
struct opened_server {
  std::shared_ptr<server> value;
  std::string problem; ///< one sentence without a full stop; nothing that is in a key's file
  std::string warning; ///< likewise, of one that listens: its certificate has expired, or is not good yet
  bool ok() const { return value != nullptr; }
};

class server {
public:
  static opened_server open(asio::io_context& io, server_options options);
  virtual ~server() = default;
  virtual uint16_t port() const = 0;
  virtual size_t connections() const = 0; ///< those that connections_max counts
  /// Whether a connection of that number is one of them.
  virtual bool is_connected(uint64_t connection) const = 0;
  /// Takes no more connections, forgets `admit` and `handle`; what comes on those that are there is answered 503. Those
  /// without a request are closed; requests that are being answered may be, and are the last on their connections.
  /// Dropping the server does it, too.
  virtual void close() = 0;
};

/// Whether a `Host` header is one that this server can be meant by: an address, `localhost`, or the name it is bound
/// to, with any port. A page that got a name of its own to lead here (DNS rebinding) sends that name.
bool is_own_host(std::string_view header, std::string_view bound);

} // namespace http
