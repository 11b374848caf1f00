// TOML, as Codex and Mistral Vibe write their files.
#pragma once

#include "config/json_positions.hpp"
#include "text/json_parse.hpp"

#include <string_view>

namespace config {

/// One TOML document (1.0). Dates and times exec strings, and so do the floats that JSON has not. Nesting is bounded;
/// so has to be the text, by the caller.
text::json_problem parse_toml(std::string_view text, boost::json::value& out, json_positions& positions);

} // namespace config
