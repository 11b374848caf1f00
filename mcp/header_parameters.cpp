#include "mcp/header_parameters.hpp"

#include "http/field_text.hpp"
#include "mcp/field_coding.hpp"
#include "text/ascii.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace mcp {

namespace json = boost::json;

namespace {

constexpr std::string_view annotation = "x-mcp-header";
constexpr std::string_view header_prefix = "Mcp-Param-";
/// A server that wants more has its tool left out: heads are bounded everywhere.
constexpr size_t parameters_max = 100;
constexpr size_t name_bytes_max = 200;
/// Of all paths of a tool: each names all objects around its argument.
constexpr size_t path_bytes_max = 64u << 10;

/// What these hold is data, not a schema.
constexpr std::array<std::string_view, 4> data_members{"const", "default", "enum", "examples"};

bool is_data(std::string_view member) {
  return std::find(data_members.begin(), data_members.end(), member) != data_members.end();
}

/// Walks a schema. Its depth is that of a parsed message, which is bounded.
class schema_walk {
public:
  header_parameters found;

  void schema(const json::value& part, bool is_reachable) {
    if (auto* list = part.if_array()) {
      for (auto& each : *list)
        schema(each, false);
      return;
    }
    auto* object = part.if_object();
    if (!object || !found.problem.empty())
      return;
    if (auto* name = object->if_contains(annotation))
      take(*object, *name, is_reachable);
    for (auto& [key, value] : *object) {
      if (is_data(key) || key == annotation)
        continue;
      if (auto* members = key == "properties" ? value.if_object() : nullptr)
        properties(*members, is_reachable);
      else
        schema(value, false);
    }
  }

private:
  void properties(const json::object& members, bool is_reachable) {
    for (auto& [name, value] : members) {
      path_.emplace_back(name);
      schema(value, is_reachable);
      path_.pop_back();
    }
  }

  void take(const json::object& schema, const json::value& name, bool is_reachable) {
    auto* type = schema.if_contains("type");
    bool is_type =
      type && type->is_string()
      && (type->get_string() == "string" || type->get_string() == "integer" || type->get_string() == "boolean");
    if (!name.is_string() || name.get_string().size() > name_bytes_max || !http::is_token(name.get_string()))
      return fail("is no name of a header");
    if (path_.empty() || !is_reachable)
      return fail("stands where no argument has a fixed place");
    if (!is_type)
      return fail("is of an argument that is no string, integer or boolean");
    if (!names_.insert(text::in_small_letters(name.get_string())).second)
      return fail("names a header that another one has");
    if (found.all.size() >= parameters_max)
      return fail("comes more than " + std::to_string(parameters_max) + " times");
    for (auto& part : path_)
      path_bytes_ += part.size() + sizeof(std::string);
    if (path_bytes_ > path_bytes_max)
      return fail("lies too deep in objects with long names");
    found.all.push_back({std::string{header_prefix}.append(name.get_string()), path_});
  }

  void fail(const std::string& what) { found.problem = "has an '" + std::string{annotation} + "' that " + what; }

  std::vector<std::string> path_;
  size_t path_bytes_ = 0; ///< of those that were found
  std::set<std::string, std::less<>> names_;
};

const json::value* at_path(const json::value& arguments, const std::vector<std::string>& path) {
  auto* at = &arguments;
  for (auto& name : path) {
    auto* object = at->if_object();
    at = object ? object->if_contains(name) : nullptr;
    if (!at)
      return nullptr;
  }
  return at;
}

/// Null, lists and objects have no value that a header says.
bool has_value(const json::value& what) { return what.is_string() || what.is_bool() || what.is_number(); }

/// A whole number is written as one, however it was given.
std::string value_text(const json::value& what) {
  if (what.is_string())
    return std::string{what.get_string()};
  json::error_code not_whole;
  if (what.is_double())
    if (auto whole = what.to_number<int64_t>(not_whole); !not_whole)
      return std::to_string(whole);
  return text::to_text(what);
}

} // namespace

header_parameters find_header_parameters(const json::object& definition) {
  schema_walk walk;
  if (auto* schema = definition.if_contains("inputSchema"))
    walk.schema(*schema, true);
  if (!walk.found.problem.empty())
    walk.found.all.clear();
  return std::move(walk.found);
}

std::vector<std::pair<std::string, std::string>> headers_of(const std::vector<header_parameter>& wanted,
                                                            const json::value& arguments) {
  std::vector<std::pair<std::string, std::string>> out;
  for (auto& each : wanted)
    if (auto* value = at_path(arguments, each.path); value && has_value(*value))
      out.emplace_back(each.header, coded_field(value_text(*value)));
  return out;
}

} // namespace mcp
