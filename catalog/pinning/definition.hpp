// What of a tool is approved: everything of it that reaches a model.
#pragma once

#include "messages/tool_call.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tool_pinning {

/// Title, description, both schemas and annotations as compact JSON. Servers that write the keys of their objects, or
/// what a schema requires, in another order each time have one and the same text.
std::string canonical(const msg::tool_info& tool);

/// The parts that differ, as a reader calls them: "description", "input schema". Of two canonical texts.
std::vector<std::string> differing_parts(std::string_view approved, std::string_view now);

/// One line for a person: nothing in it moves a cursor, and characters that can not be seen are written out:
/// `\u{200b}`.
std::string visible(std::string_view text);

/// For a person: one line for each line of a description and of a schema, under the name of its part. Nothing in it
/// moves a cursor, and characters that can not be seen are written out: `\u{200b}`.
std::vector<std::string> readable(std::string_view canonical);

} // namespace tool_pinning
