// Which tools a run may use.
#pragma once

#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <string>
#include <string_view>

namespace proxy {

/// `*` matches any run of characters, everything else itself; the whole name, case-sensitive. Linear in time per `*`.
bool matches(std::string_view pattern, std::string_view name);

/// `full_name` is `mcp__<server>__<tool>`.
bool allows(const msg::tool_filter& filter, std::string_view full_name);

/// Whether the filter could allow any tool of that server: decides if the server may be started at all.
bool allows_some(const msg::tool_filter& filter, std::string_view server);

/// The refusal of a call: names the pattern that would allow it, and nothing else.
msg::fault refusal(std::string_view server, std::string_view tool);

} // namespace proxy
