// The manual of run_python as an MCP resource, as its seed has it.
#pragma once

#include <boost/json/object.hpp>

#include <string_view>

namespace surface {

inline constexpr std::string_view capabilities_uri = "resource://mcp-server-code-execution-mode/capabilities";

/// Markdown. Says what `runtime.capability_summary()` says, and how to begin.
std::string_view capabilities_text();

/// Its entry in resources/list.
boost::json::object capabilities_resource();
/// The result of resources/read.
boost::json::object capabilities_contents();

} // namespace surface
