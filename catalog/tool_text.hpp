// The texts of a tool that are searched, taken out of its definition.
#pragma once

#include "messages/document.hpp"
#include "tool_search/search_index.hpp"

#include <string_view>

namespace catalog {

/// Objects inside of objects and arrays whose properties are read: of the tool's own, and two levels below.
constexpr int property_levels_max = 3;

/// `definition` is the tool object as its server sent it. Whatever in it is not as it should be has no text.
tool_search::tool_text read_tool(std::string_view name, std::string_view description, const msg::document& definition);

} // namespace catalog
