// How MCP puts a text into a header that may hold anything (2026-07-28): `=?base64?...?=`.
#pragma once

#include <string>
#include <string_view>

namespace mcp {

/// As it is, where a header can say it so that it comes out the same; else wrapped.
std::string coded_field(std::string_view value);
/// The other way. What is wrapped wrongly stays as it is.
std::string decoded_field(std::string_view value);

} // namespace mcp
