// The heads of HTTP/1 messages that pass the egress proxy. Strict: what two programs could read in two ways is refused,
// because the next program reads it after us.
#pragma once

#include "messages/errors.hpp"
#include "sandbox/egress/host_name.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egress {

struct http_field {
  std::string name; ///< as sent
  std::string value;
};

enum class body_kind : uint8_t {
  none,
  counted, ///< Content-Length
  chunked,
  until_close, ///< of responses only
};

/// A request to the proxy, with nothing left in it that concerns the proxy or this connection only.
struct proxy_request {
  std::string method; ///< CONNECT: a tunnel to `to` is wanted, everything below `port` is unused
  host to;
  uint16_t port = 0;
  std::string path;    ///< with the query; begins with '/'
  std::string version; ///< "HTTP/1.0" or "HTTP/1.1"
  std::vector<http_field> fields;
  body_kind body = body_kind::none;
  uint64_t body_bytes = 0; ///< of body_kind::counted
};

struct head_end {
  std::optional<size_t> bytes; ///< none: not there yet
  bool broken = false;         ///< a line ends with a bare LF, or this is no text: there will be no end
};
/// Where the head at the beginning of `text` ends, the empty line included. `scanned` bytes are known to hold no end.
head_end find_head_end(std::string_view text, size_t scanned = 0);

/// `head` includes its empty line. The fault (invalid_argument) says what is wrong, without a host or path in it.
msg::outcome<proxy_request> parse_request(std::string_view head);

/// What the server gets for it: `Host` is the authority of the URL, the connection is for this one request.
std::string origin_head(const proxy_request& request);

struct http_response {
  int status = 0;
  std::string head; ///< what the client gets: says that the connection ends with this response
  body_kind body = body_kind::until_close;
  uint64_t body_bytes = 0; ///< of body_kind::counted
};
/// `method`: of the request. Below status 200 a further response follows.
msg::outcome<http_response> parse_response(std::string_view head, std::string_view method);

} // namespace egress
