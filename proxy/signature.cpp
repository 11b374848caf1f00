#include "proxy/signature.hpp"

#include "messages/json_text.hpp"
#include "proxy/names.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cctype>

namespace proxy {

namespace json = boost::json;

namespace {

constexpr int depth_max = 12;
constexpr size_t alternatives_max = 100;

std::string type_at(const json::value& schema, int depth);

bool is_identifier(std::string_view name) {
  auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && std::all_of(name.begin(), name.end(), word);
}

std::string union_of(const json::array& alternatives, int depth, bool literals) {
  std::vector<std::string> types;
  for (auto& a : alternatives) {
    auto type = literals ? msg::to_text(a) : type_at(a, depth + 1);
    if (std::find(types.begin(), types.end(), type) == types.end() && types.size() < alternatives_max)
      types.push_back(std::move(type));
  }
  std::string out;
  for (auto& t : types)
    out += (out.empty() ? "" : " | ") + t;
  return out.empty() ? "unknown" : out;
}

bool is_required(const json::object& schema, std::string_view name) {
  auto* required = schema.if_contains("required");
  auto* list = required ? required->if_array() : nullptr;
  return list && std::find(list->begin(), list->end(), json::value(name)) != list->end();
}

std::string object_type(const json::object& schema, int depth) {
  auto* properties = schema.if_contains("properties");
  auto* fields = properties ? properties->if_object() : nullptr;
  if (!fields || fields->empty()) {
    auto* values = schema.if_contains("additionalProperties");
    return "Record<string, " + (values && values->is_object() ? type_at(*values, depth + 1) : "unknown") + ">";
  }
  std::string out;
  for (auto& [name, field] : *fields)
    out += (out.empty() ? "{ " : "; ") + (is_identifier(name) ? std::string{name} : msg::to_text(json::value(name)))
           + (is_required(schema, name) ? ": " : "?: ") + type_at(field, depth + 1);
  return out + " }";
}

std::string simple_type(std::string_view name, const json::object& schema, int depth) {
  if (name == "string" || name == "boolean" || name == "null")
    return std::string{name};
  if (name == "number" || name == "integer")
    return "number";
  if (name == "array") {
    auto* items = schema.if_contains("items");
    return "Array<" + (items ? type_at(*items, depth + 1) : "unknown") + ">";
  }
  return name == "object" ? object_type(schema, depth) : "unknown";
}

std::string typed(const json::value& type, const json::object& schema, int depth) {
  if (type.is_string())
    return simple_type(type.get_string(), schema, depth);
  std::string out;
  if (auto* names = type.if_array())
    for (auto& name : *names)
      if (name.is_string())
        out += (out.empty() ? "" : " | ") + simple_type(name.get_string(), schema, depth);
  return out.empty() ? "unknown" : out;
}

std::string type_at(const json::value& schema, int depth) {
  auto* object = schema.if_object();
  if (!object || depth > depth_max)
    return "unknown";
  if (auto* value = object->if_contains("const"))
    return value->is_structured() ? "unknown" : msg::to_text(*value);
  if (auto* values = object->if_contains("enum"); values && values->is_array())
    return union_of(values->get_array(), depth, true);
  for (auto key : {"anyOf", "oneOf"})
    if (auto* alternatives = object->if_contains(key); alternatives && alternatives->is_array())
      return union_of(alternatives->get_array(), depth, false);
  if (auto* type = object->if_contains("type"))
    return typed(*type, *object, depth);
  return object->contains("properties") ? object_type(*object, depth) : "unknown";
}

} // namespace

std::string type_of(const json::value& schema) { return type_at(schema, 0); }

std::string signature_of(const msg::tool_info& tool) {
  auto* definition = tool.definition.value().if_object();
  auto* input = definition ? definition->if_contains("inputSchema") : nullptr;
  auto* output = definition ? definition->if_contains("outputSchema") : nullptr;
  auto* fields = input && input->is_object() ? input->get_object().if_contains("properties") : nullptr;
  auto* required = input && input->is_object() ? input->get_object().if_contains("required") : nullptr;
  auto* others = input && input->is_object() ? input->get_object().if_contains("additionalProperties") : nullptr;
  bool open = others && *others != json::value(false); // any object will do
  bool takes_nothing = !open && (!fields || !fields->is_object() || fields->get_object().empty());
  bool must_have = required && required->is_array() && !required->get_array().empty();
  auto params = takes_nothing ? std::string{} : (must_have ? "params: " : "params?: ") + type_of(*input);
  return "declare function " + aliases_of(tool.name).camel + "(" + params + "): Promise<" + (output ? type_of(*output) : "unknown") + ">;";
}

} // namespace proxy
