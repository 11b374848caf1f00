#include "config/settings_schema.hpp"

#include <boost/json/array.hpp>

#include <string_view>

namespace config {

namespace json = boost::json;

namespace {

json::object object_schema() {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", json::object{}}};
}

/// Makes the sections on the way.
json::object& property_of(json::object& root, std::string_view path) {
  auto* at = &root;
  for (;;) {
    auto& properties = at->at("properties").as_object();
    auto dot = path.find('.');
    auto& inner =
      properties.insert(json::key_value_pair{path.substr(0, dot), object_schema()}).first->value().as_object();
    if (dot == path.npos)
      return inner;
    at = &inner;
    path.remove_prefix(dot + 1);
  }
}

/// Texts can be written so in any case, and lists have texts in them.
bool may_be_variable(const json::object& schema) {
  auto* type = schema.if_contains("type");
  return !type || (*type != "string" && *type != "array");
}

bool is_empty_list(const json::value& value) { return value.is_array() && value.get_array().empty(); }

/// A value may be `env:NAME` instead.
json::object value_schema(const setting_entry& entry) {
  auto schema = entry.schema;
  json::string description{entry.about};
  if (auto* more = schema.if_contains("description"))
    description.append("; ").append(more->as_string());
  schema.erase("description");
  json::object out = may_be_variable(schema)
                       ? json::object{{"anyOf", json::array{schema, json::object{{"$ref", "#/$defs/variable"}}}}}
                       : schema;
  out["description"] = description;
  if (!entry.standard.is_null() && !is_empty_list(entry.standard))
    out["default"] = entry.standard;
  return out;
}

} // namespace

json::object settings_schema(const std::vector<setting_entry>& entries) {
  auto root = object_schema();
  for (auto& entry : entries) {
    if (entry.path.empty())
      continue;
    property_of(root, entry.path) = value_schema(entry);
    if (entry.also.empty())
      continue;
    auto& other = property_of(root, entry.also) = value_schema(entry);
    other["description"] = "the same as " + entry.path;
  }
  json::object out{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Settings of code-executor"}};
  for (auto& [key, value] : root)
    out[key] = std::move(value);
  out["$defs"] = json::object{{"variable", json::object{{"type", "string"},
                                                        {"pattern", "^env:[A-Za-z0-9_]+"},
                                                        {"description", "env:NAME takes the value of that variable"}}}};
  return out;
}

} // namespace config
