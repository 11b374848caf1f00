// JSON-RPC 2.0: telling messages apart, and writing them. Both sides of MCP use it.
#pragma once

#include "messages/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mcp {

namespace rpc_error {
inline constexpr int32_t parse_error = -32700;
inline constexpr int32_t invalid_request = -32600;
inline constexpr int32_t method_not_found = -32601;
inline constexpr int32_t invalid_params = -32602;
inline constexpr int32_t internal_error = -32603;
inline constexpr int32_t resource_not_found = -32002; ///< of MCP, in all revisions that begin with `initialize`
inline constexpr int32_t visit_wanted = -32042;       ///< of MCP 2025-11-25: the person has to be at an address first
inline constexpr int32_t not_wanted = -1; ///< of MCP: sampling that the user, or who speaks for them, does not want
// Of MCP since 2026-07-28.
inline constexpr int32_t header_mismatch = -32020;
inline constexpr int32_t missing_capability = -32021;
inline constexpr int32_t unsupported_revision = -32022;
// Ours, where a server over HTTP has said nothing, or wants a login: no specification has them.
inline constexpr int32_t login_wanted = -31998;
inline constexpr int32_t unanswered = -31999;
} // namespace rpc_error

/// Of a text, of progressToken as well: every answer repeats it. Clients use numbers and UUIDs.
inline constexpr size_t id_bytes_max = 1'024;
/// Those that there are have less than 50.
inline constexpr size_t method_bytes_max = 1'024;

/// A look at one message. Views into the value that was classified.
struct message_view {
  enum class kind : uint8_t { request, notification, response, invalid };
  kind what = kind::invalid;
  boost::json::value id;                       ///< null for notifications, and where none could be read
  std::string_view method;                     ///< requests and notifications
  const boost::json::object* params = nullptr; ///< null: absent
  const boost::json::value* result = nullptr;  ///< responses: exactly one of result and error
  const boost::json::value* error = nullptr;
  std::string problem; ///< why it is invalid
};

/// Never fails: what is no message is `invalid`, with the id if there is a usable one.
message_view classify(const boost::json::value& message);

/// `params` may be null: left out.
msg::spliced_text make_request(const boost::json::value& id, std::string_view method, const msg::document& params);
msg::spliced_text make_notification(std::string_view method, const boost::json::value& params);
msg::spliced_text make_response(const boost::json::value& id, msg::document result);
/// `data` may be null: left out.
msg::spliced_text make_error(const boost::json::value& id, int32_t code, std::string_view message,
                             const boost::json::value& data = {});

} // namespace mcp
