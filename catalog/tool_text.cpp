#include "catalog/tool_text.hpp"

#include <boost/json/value.hpp>

namespace catalog {

namespace {

namespace json = boost::json;

const json::value* member(const json::value* of, std::string_view key) {
  auto* object = of ? of->if_object() : nullptr;
  return object ? object->if_contains(key) : nullptr;
}

void read_properties(const json::value* schema, int levels,
                     tool_search::tool_text& to) { // NOLINT(misc-no-recursion): property_levels_max
  auto* properties = member(schema, "properties");
  if (levels == 0 || !properties || !properties->is_object())
    return;
  for (auto& [name, property] : properties->get_object()) {
    to.parameter_names.append(name).append("\n");
    if (auto* text = member(&property, "description"); text && text->is_string())
      to.parameter_descriptions.append(text->get_string()).append("\n");
    read_properties(&property, levels - 1, to);
    read_properties(member(&property, "items"), levels - 1, to);
  }
}

} // namespace

tool_search::tool_text read_tool(std::string_view name, std::string_view description, const msg::document& definition) {
  tool_search::tool_text out{std::string{name}, std::string{description}, {}, {}};
  read_properties(member(&definition.value(), "inputSchema"), property_levels_max, out);
  return out;
}

} // namespace catalog
