// Who is let in over HTTP, before a body is read: the name by which we were reached, the page that asks, the token.
#pragma once

#include "http/server.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcp {

struct http_door_rules {
  std::string bound; ///< address that is listened on
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  /// Whose token that is; empty: nobody's.
  std::function<std::string(std::string_view token)> name_of_token;
  std::function<bool()> wants_token;
  std::string scheme = "http"; ///< that clients reach us by
  /// Who gives tokens for us (RFC 9728), as JSON; empty: nobody.
  std::string resource_metadata = {};
};

/// Where clients send their messages.
inline constexpr std::string_view http_endpoint = "/mcp";

class http_door {
public:
  explicit http_door(http_door_rules rules) : rules_(std::move(rules)) {}

  /// Why it is not let in; nothing: it is.
  std::optional<http::response> check(const http::request_head& head) const;
  /// The name of the token that it has; empty: it needs none and has none.
  std::string name_of(const http::request_head& head) const;
  /// Fields of an answer to a page that may use us; none for all others.
  http::headers fields_for(const http::request_head& head) const;

private:
  bool is_host(std::string_view value) const;
  bool is_origin(std::string_view value) const;
  std::optional<http::response> check_token(const http::request_head& head) const;
  http::response preflight(const http::request_head& head) const;
  http::response no_login(const http::request_head& head) const;
  http::response metadata(const http::request_head& head) const;

  http_door_rules rules_;
};

/// A refusal as clients of MCP want it.
http::response http_refusal_response(uint16_t status, int32_t code, std::string_view message, http::headers fields);

} // namespace mcp
