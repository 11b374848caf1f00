// Outputs as MCP resources.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace artifacts {

inline constexpr std::string_view uri_prefix = "code-executor://outputs/";

std::string uri_of(std::string_view handle);
/// Empty: it is the URI of no output. Whether there is one of that handle is another question.
std::string handle_of(std::string_view uri);
std::string_view media_type(bool is_json);

/// The result of resources/read.
boost::json::object contents(std::string_view uri, std::string_view media_type, std::string_view text);

} // namespace artifacts
