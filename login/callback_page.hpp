// What the browser is answered that comes back from a login.
#pragma once

#include "oauth_client/authorization.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace login {

/// The query of a `GET /callback?...` for this port. Nothing: it is another request, or for another name, under which a
/// page of somebody else may have led the browser here (DNS rebinding).
std::optional<std::string_view> callback_query(std::string_view head, uint16_t port);

/// A whole answer of HTTP.
std::string not_found_page();
std::string callback_page(const oauth::authorization_answer& answer);

} // namespace login
