#include "proxy/types/example_call.hpp"

#include "proxy/types/bounds.hpp"
#include "proxy/types/python.hpp"
#include "proxy/types/tool_signature.hpp"
#include "proxy/types/tool_types.hpp"
#include "proxy/types/typescript.hpp"
#include "text/aliases.hpp"
#include "text/json_text.hpp"

#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

namespace types {

namespace {

using msg::language;

constexpr int example_levels_max = 4; ///< of objects and lists in each other; deeper ones are empty
constexpr size_t example_value_bytes_max = 400;
constexpr size_t example_values_max = 500; ///< written for one example; those that come later are empty

/// Names that the guests' objects have themselves, so that they lead to no tool or server (proxies.ts, proxies.py).
constexpr std::array<std::string_view, 6> names_of_typescript{"then",      "toJSON",   "constructor",
                                                              "prototype", "toString", "valueOf"};
constexpr std::array<std::string_view, 3> names_of_python{"TOOLS", "TOOL_MAP", "servers"};

bool is_reached(std::string_view alias, language lang) {
  if (lang == language::python)
    return !alias.starts_with("__")
           && std::find(names_of_python.begin(), names_of_python.end(), alias) == names_of_python.end();
  return std::find(names_of_typescript.begin(), names_of_typescript.end(), alias) == names_of_typescript.end();
}

std::string json_text(std::string_view text) { return text::to_text(boost::json::value(text)); }

std::string alias_of(std::string_view name, language lang) {
  auto all = text::aliases_of(name);
  return lang == language::python ? all.snake : all.camel;
}

/// Writes a value that fits a type.
class example_writer {
public:
  example_writer(const std::vector<named_type>& names, language lang) : names_(names), lang_(lang) {}

  std::string value(const type& t, int levels) { // NOLINT(misc-no-recursion): example_levels_max
    if (++written_ > example_values_max)
      levels = 0;
    switch (t.is) {
      case kind::literal: return literal(t);
      case kind::null: return is_python() ? "None" : "null";
      case kind::boolean: return is_python() ? "True" : "true";
      case kind::integer:
      case kind::number: return "1";
      case kind::choice: return value(t.parts.front(), levels);
      case kind::named: return levels > 0 ? value(names_[t.name].is, levels - 1) : "{}";
      case kind::list: return levels > 0 ? "[" + value(t.rest[0], levels - 1) + "]" : "[]";
      case kind::tuple: return tuple(t, levels);
      case kind::object: return "{" + (levels > 0 ? members(t, levels - 1) : std::string{}) + "}";
      case kind::unknown:
      case kind::never:
      case kind::string: break;
    }
    return "\"...\"";
  }

  /// `a: 1, b: 2`, or with keys as Python's dicts have them; only what must be given.
  std::string members(const type& object, int levels) { // NOLINT(misc-no-recursion): example_levels_max
    std::string out;
    for (auto& f : object.fields)
      if (f.required && out.size() < bounds::example_bytes_max)
        out += (out.empty() ? "" : ", ") + (is_python() ? json_text(f.name) : typescript::key(f.name)) + ": "
               + short_value(f.of, levels);
    return out;
  }

  std::string keywords(const type& object) {
    std::string out;
    for (auto& f : object.fields)
      if (f.required && out.size() < bounds::example_bytes_max)
        out += (out.empty() ? "" : ", ") + f.name + "=" + short_value(f.of, example_levels_max);
    return out;
  }

private:
  bool is_python() const { return lang_ == language::python; }
  std::string literal(const type& t) const {
    if (is_python() && t.literal_of == kind::boolean)
      return t.text == "true" ? "True" : "False";
    return t.text;
  }
  std::string tuple(const type& t, int levels) { // NOLINT(misc-no-recursion): example_levels_max
    std::string out;
    for (size_t i = 0; levels > 0 && i < t.needed; ++i)
      out += (i > 0 ? ", " : "") + value(t.parts[i], levels - 1);
    return "[" + out + "]";
  }
  /// The outermost of it if the whole is too long.
  std::string short_value(const type& t, int levels) { // NOLINT(misc-no-recursion): example_levels_max
    auto out = value(t, levels);
    return out.size() <= example_value_bytes_max ? out : value(t, 0);
  }

  const std::vector<named_type>& names_;
  language lang_;
  size_t written_ = 0; ///< values
};

/// Of a choice, the first.
const type& first_object(const type& input, const std::vector<named_type>& names) {
  auto& body = body_of(input, names);
  return body.is == kind::choice ? body_of(body.parts.front(), names) : body;
}

std::string arguments(const msg::tool_info& tool, language lang, bool as_dict) {
  std::vector<named_type> names;
  auto types = is_too_large(tool) ? plain_tool(tool) : read_tool(tool, {}, names);
  auto& input = first_object(types.input, names);
  example_writer write{names, lang};
  if (!as_dict
      && std::all_of(input.fields.begin(), input.fields.end(), [](auto& f) { return python::is_identifier(f.name); }))
    return write.keywords(input);
  auto members = write.members(input, example_levels_max);
  return members.empty() && types.may_omit_input ? std::string{} : "{" + members + "}";
}

} // namespace

std::string namespace_of(const msg::tool_info& tool, language lang) {
  auto server = alias_of(tool.server, lang), name = alias_of(tool.name, lang);
  if (tool.needs_own_name || !is_reached(server, lang) || !is_reached(name, lang))
    return {};
  return (lang == language::python ? "mcp_" : "mcp.") + server;
}

std::string example_call(const msg::tool_info& tool, language lang) {
  bool is_python = lang == language::python;
  if (auto place = namespace_of(tool, lang); !place.empty())
    return "await " + place + "." + alias_of(tool.name, lang) + "(" + arguments(tool, lang, !is_python) + ")";
  auto given = arguments(tool, lang, true);
  return std::string{"await "} + (is_python ? "call_mcp_tool(" : "callMCPTool(") + json_text(tool.server) + ", "
         + json_text(tool.name) + (given.empty() ? "" : ", " + given) + ")";
}

} // namespace types
