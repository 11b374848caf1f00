// Which tools a run may use.
#pragma once

#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

/// `*` matches any run of characters, everything else itself; the whole name, case-sensitive. Linear in time per `*`.
bool matches(std::string_view pattern, std::string_view name);

/// Names of all configured servers: a pattern means the server that it names, the longest that fits, as a name of a tool does.
using server_names = std::vector<std::string>;

/// The configured server that the pattern names before its first `*`: no other server's tool matches it. Nothing: it names none.
std::optional<std::string> server_in(std::string_view pattern, const server_names& all);

/// Whether the pattern matches that tool. `mcp__a__*` does not match the tools of a server `a__b`, nor `mcp__a__b__*` the tool `b__x` of a server
/// `a` where there is a server `a__b`.
bool matches_tool(std::string_view pattern, std::string_view server, std::string_view tool, const server_names& all);

bool allows(const msg::tool_filter& filter, std::string_view server, std::string_view tool, const server_names& all);

/// Whether the filter could allow any tool of that server: decides if the server may be started at all.
bool allows_some(const msg::tool_filter& filter, std::string_view server, const server_names& all);

/// The refusal of a call: names the pattern that would allow it, and nothing else.
msg::fault refusal(std::string_view server, std::string_view tool);

} // namespace proxy
