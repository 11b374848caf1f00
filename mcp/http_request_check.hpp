// What an HTTP request has to be like before its message counts: specification "Transports", revision by revision. In
// front of an endpoint that serves both eras.
#pragma once

#include "http/client.hpp" // headers
#include "mcp/envelope.hpp"
#include "mcp/jsonrpc.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace mcp {

/// Names of fields, in small letters.
namespace http_field {
inline constexpr std::string_view session = "mcp-session-id";
inline constexpr std::string_view revision = "mcp-protocol-version";
inline constexpr std::string_view method = "mcp-method";
inline constexpr std::string_view name = "mcp-name";
inline constexpr std::string_view last_event = "last-event-id";
} // namespace http_field

/// Why a request is refused, and with which status.
struct http_refusal {
  uint16_t status = 0; ///< 0: it is not
  rpc_refusal error;
  explicit operator bool() const { return status != 0; }
};

/// Of a POST, before its body is read: what it accepts (406) and what it has (415).
http_refusal check_post(const http::headers& fields);
/// Of a GET: it has to accept a stream of events (406).
http_refusal check_get(const http::headers& fields);

/// Whether the message belongs to the era without sessions: it has an envelope, or the head names a revision that does
/// not begin with `initialize`.
bool is_sessionless(const message_view& message, const http::headers& fields);
/// Which methods are served.
enum class served_methods : uint8_t {
  ours, ///< those of is_modern_method()
  any,  ///< a server behind us decides, but for those that the era has no more
};
/// Of such a message: whether head and body agree, in the order that the specification wants.
http_refusal check_sessionless(const message_view& message, const http::headers& fields,
                               served_methods served = served_methods::ours);
/// Of the others: an unknown revision in the head (400); one that is absent is what was negotiated. An `initialize`
/// that begins nothing.
http_refusal check_session(const message_view& message, const http::headers& fields);

/// What the head says of arguments (`Mcp-Param-...`).
http::headers headers_of_arguments(const http::headers& fields);

/// Whether a POST of it is answered by a message: a request is in it, or what is none of the protocol's, or it is a
/// batch of more than are taken.
bool wants_answer(const boost::json::value& message);

} // namespace mcp
