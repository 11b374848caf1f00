// A small HTTP/1.1 server on the program's own thread. All of RESTinio is behind it, in one unit, because it takes long
// to compile.
#pragma once

#include <asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace http {

struct request {
  std::string method; ///< GET or HEAD: others are refused
  std::string path;   ///< without the query
};

struct response {
  uint16_t status = 200;
  std::string type; ///< Content-Type
  std::string body;
};

struct server_options {
  std::string host;                        ///< an address; a name is not looked up
  uint16_t port = 0;                       ///< 0: any free one
  size_t connections_max = 0;              ///< at once; more are closed
  size_t header_bytes_max = 0;             ///< of the path, and of each header field
  std::chrono::milliseconds request_max{}; ///< for a request to come
  std::chrono::milliseconds answer_max{};  ///< for its answer; then the connection ends
  /// `answer` is called once, at once or later. Requests that a web page of another origin could send (see is_own_host)
  /// do not get here.
  std::function<void(request, std::function<void(response)> answer)> handle;
};

class server;

/// A server, or why it can not listen there.
struct opened_server {
  std::shared_ptr<server> value;
  std::string problem; ///< one sentence without a full stop
  bool ok() const { return value != nullptr; }
};

class server {
public:
  static opened_server open(asio::io_context& io, server_options options);
  virtual ~server() = default;
  virtual uint16_t port() const = 0;
  /// Takes no more connections, and forgets `handle`.
  virtual void close() = 0;
};

/// Whether a `Host` header is one that this server can be meant by: an address, `localhost`, or the name it is bound
/// to, with any port. A page that got a name of its own to lead here (DNS rebinding) sends that name.
bool is_own_host(std::string_view header, std::string_view bound);

} // namespace http
