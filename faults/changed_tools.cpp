#include "faults/changed_tools.hpp"

#include "mcp/fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace faults {

namespace json = boost::json;

namespace {

std::string first_parameter(const json::object& schema) {
  auto* required = schema.if_contains("required");
  if (auto* list = required ? required->if_array() : nullptr; list && !list->empty() && list->front().is_string())
    return std::string{list->front().get_string()};
  auto* properties = mcp::object_in(&schema, "properties");
  return properties && !properties->empty() ? std::string{properties->begin()->key()} : std::string{};
}

/// The same members in the same order, one of them under another name.
json::object renamed(const json::object& from, std::string_view name, std::string_view to) {
  json::object out;
  for (auto& [key, value] : from)
    out.emplace(key == name ? json::string_view{to} : json::string_view{key}, value);
  return out;
}

void rename_in_schema(json::object& schema, const std::string& parameter) {
  auto name = new_name(parameter);
  if (auto* properties = schema.if_contains("properties"); properties && properties->is_object())
    *properties = renamed(properties->get_object(), parameter, name);
  auto* required = schema.if_contains("required");
  if (auto* list = required ? required->if_array() : nullptr)
    for (auto& one : *list)
      if (one.is_string() && std::string_view{one.get_string()} == parameter)
        one = name;
}

} // namespace

std::string new_name(std::string_view parameter) { return std::string{parameter} + "_v2"; }

bool changed_tools::remove(std::string_view tool) { return gone_.size() < tools_max && gone_.emplace(tool).second; }

bool changed_tools::rename_parameter(std::string_view tool, std::string_view parameter) {
  return renamed_.size() < tools_max && renamed_.emplace(tool, parameter).second;
}

msg::document changed_tools::page(const msg::document& answer) {
  auto* message = answer.value().if_object();
  auto* result = mcp::object_in(message, "result");
  auto* given = result ? result->if_contains("tools") : nullptr;
  if (!given || !given->is_array())
    return answer;
  json::array tools;
  for (auto& tool : given->get_array()) {
    auto* object = tool.if_object();
    auto name = mcp::string_in(object, "name");
    if (is_gone(name))
      continue;
    tools.push_back(tool);
    auto change = renamed_.find(name);
    auto* schema = object ? tools.back().get_object().if_contains("inputSchema") : nullptr;
    if (change == renamed_.end() || !schema || !schema->is_object())
      continue;
    if (change->second.empty())
      change->second = first_parameter(schema->get_object());
    rename_in_schema(schema->get_object(), change->second);
  }
  auto changed = *message;
  changed["result"].get_object()["tools"] = std::move(tools);
  return msg::document{std::move(changed)};
}

msg::document changed_tools::arguments(std::string_view tool, const msg::document& given) const {
  auto change = renamed_.find(tool);
  auto* object = given.value().if_object();
  if (change == renamed_.end() || change->second.empty() || !object)
    return given;
  return msg::document{renamed(*object, new_name(change->second), change->second)};
}

} // namespace faults
