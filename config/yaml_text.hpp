// YAML, as Continue and Goose write their files.
#pragma once

#include "config/json_positions.hpp"
#include "text/json_parse.hpp"

#include <string_view>

namespace config {

/// One YAML document, read by the core schema of YAML 1.2 (`yes` is a text), with anchors, aliases and merge keys. A
/// number that JSON would write in another way (`1.50`, `007`) stays a text, so that nothing of it is lost. Keys that
/// an object has twice are a problem. Nesting is bounded, and so is the number of values that aliases make of one; the
/// text has to be, by the caller.
text::json_problem parse_yaml(std::string_view text, boost::json::value& out, json_positions& positions);

} // namespace config
