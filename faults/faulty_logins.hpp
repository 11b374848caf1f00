// Servers over HTTP that do not take our login, on purpose: requests are refused before they are sent, as the server
// would, so that what renews tokens and asks people to log in has to do its work.
#pragma once

#include "faults/faulty_connection.hpp"
#include "http/client.hpp"
#include "mcp/request_labels.hpp"

#include <functional>
#include <optional>

namespace faults {

/// For mcp::http_target::refuse. Each request, those that are sent again with another token as well, is held against
/// the rules with `on` `login`.
std::function<std::optional<http::client_result>(const mcp::request_subject& about)> login_faults(faulty_server of);

} // namespace faults
