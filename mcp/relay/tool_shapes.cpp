#include "mcp/relay/tool_shapes.hpp"

#include "mcp/fields.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace mcp::relay {

namespace json = boost::json;

namespace {

/// Of what references into the schema lead to; they stay at its root.
constexpr std::string_view definitions[]{"$defs", "definitions", "$schema", "$id"};

bool promises_no_object(const json::value& tool) {
  auto* schema = object_in(tool.if_object(), "outputSchema");
  return schema && string_or(*schema, "type") != "object";
}

bool has_execution(const json::value& tool) { return tool.is_object() && tool.get_object().contains("execution"); }

json::object as_member(json::object schema) {
  json::object out{{"type", "object"}};
  for (auto name : definitions)
    if (auto* found = schema.if_contains(name)) {
      out[name] = *found;
      schema.erase(name);
    }
  out["properties"] = json::object{{"result", std::move(schema)}};
  out["required"] = json::array{"result"};
  return out;
}

template <class Change>
void change_tools(const json::object& list, bool (*is_to_be)(const json::value&), Change change,
                  json::object& changes) {
  auto* changed = changes.if_contains("tools");
  auto* found = changed ? changed : list.if_contains("tools");
  auto* tools = found ? found->if_array() : nullptr;
  if (!tools || std::none_of(tools->begin(), tools->end(), is_to_be))
    return;
  auto all = *tools;
  for (auto& tool : all)
    if (is_to_be(tool))
      change(tool.get_object());
  changes["tools"] = std::move(all);
}

} // namespace

void describe_for_earlier_client(const json::object& list, json::object& changes) {
  auto wrap = [](json::object& tool) { tool["outputSchema"] = as_member(tool.at("outputSchema").get_object()); };
  change_tools(list, promises_no_object, wrap, changes);
}

void describe_for_later_client(const json::object& list, json::object& changes) {
  change_tools(
    list, has_execution, [](json::object& tool) { tool.erase("execution"); }, changes);
}

void tell_earlier_client(const json::object& result, json::object& changes) {
  auto* structured = result.if_contains("structuredContent");
  if (!structured || structured->is_object())
    return;
  changes["structuredContent"] = json::object{{"result", *structured}};
  auto* found = result.if_contains("content");
  auto* said = found ? found->if_array() : nullptr;
  auto content = said ? *said : json::array{};
  content.push_back(json::object{{"type", "text"}, {"text", text::to_text(*structured)}});
  changes["content"] = std::move(content);
}

} // namespace mcp::relay
