#include "proxy/types/parameter_line.hpp"

#include "proxy/types/bounds.hpp"
#include "proxy/types/tool_types.hpp"
#include "proxy/types/typescript.hpp"

#include <algorithm>
#include <vector>

namespace types {

namespace {

constexpr int levels_most = 2;               ///< of objects whose members are written out
constexpr size_t literals_shown = 4;         ///< of one enum, where less is said of types
constexpr size_t line_bytes_most = 4u << 10; ///< of what is tried before less is said
constexpr std::string_view rest = "...";

/// Writes types, saying the less the fewer levels there are.
class short_types {
public:
  /// `literals_max`: alternatives of one choice.
  short_types(const std::vector<named_type>& names, size_t literals_max) : names_(names), literals_max_(literals_max) {}

  std::string
  print(const type& t,
        int levels) const { // NOLINT(misc-no-recursion): each step has fewer levels, or a part of a bounded type
    switch (t.is) {
      case kind::unknown: return "any";
      case kind::never: return "never";
      case kind::null: return "null";
      case kind::boolean: return "boolean";
      case kind::integer:
      case kind::number: return "number";
      case kind::string: return "string";
      case kind::literal: return t.text;
      case kind::named: return levels > 0 ? print(names_[t.name].is, levels - 1) : nameless(names_[t.name].is);
      case kind::choice: return choice(t, levels);
      case kind::tuple: return "any[]";
      case kind::object: return levels > 0 && !t.fields.empty() ? "{" + members(t, levels - 1) + "}" : "object";
      case kind::list: break;
    }
    auto element = print(t.rest[0], levels);
    return element.find(" | ") == element.npos || element.ends_with('}') ? element + "[]" : "(" + element + ")[]";
  }

  std::string members(const type& object, int levels) const { // NOLINT(misc-no-recursion): as above
    std::string out;
    for (auto& m : each_member(object, levels))
      if (out.size() < line_bytes_most)
        out += (out.empty() ? "" : ", ") + m;
    return out;
  }

  /// Those that must be given first.
  std::vector<std::string> each_member(const type& object, int levels) const { // NOLINT(misc-no-recursion): as above
    std::vector<std::string> out;
    size_t bytes = 0;
    for (bool required : {true, false})
      for (auto& f : object.fields)
        if (f.required == required && bytes < line_bytes_most) {
          out.push_back(typescript::key(f.name) + (required ? ": " : "?: ") + print(f.of, levels));
          bytes += out.back().size();
        }
    if (!object.rest.empty())
      out.emplace_back(rest);
    return out;
  }

private:
  static std::string nameless(const type& t) {
    return t.is == kind::object ? "object" : t.is == kind::list ? "any[]" : "any";
  }

  std::string choice(const type& t, int levels) const { // NOLINT(misc-no-recursion): as above
    std::string out;
    size_t shown = 0;
    for (auto& p : t.parts) {
      if (shown++ == literals_max_)
        return out.append(" | ").append(rest);
      out += (out.empty() ? "" : " | ") + print(p, levels);
      if (out.size() > line_bytes_most)
        break;
    }
    return out;
  }

  const std::vector<named_type>& names_;
  size_t literals_max_;
};

/// As many as there is room for.
std::string cut(const std::vector<std::string>& members, size_t bytes_max) {
  std::string out;
  for (auto& m : members) {
    if (out.size() + m.size() + 4 + rest.size() > bytes_max)
      return out + (out.empty() ? "" : ", ") + std::string{rest};
    out += (out.empty() ? "" : ", ") + m;
  }
  return out;
}

} // namespace

std::string parameter_line(const msg::tool_info& tool, size_t bytes_max) {
  if (tool.definition.text_bytes() > bounds::line_definition_bytes_max)
    return std::string{rest};
  std::vector<named_type> names;
  auto types = read_tool(tool, {}, names);
  if (types.takes_nothing)
    return {};
  auto& body = body_of(types.input, names);
  for (int levels = levels_most; levels >= 0; --levels) {
    short_types write{names, levels == levels_most ? bounds::choices_max : literals_shown};
    auto line = body.is == kind::object ? write.members(body, levels) : write.print(body, levels + 1);
    if (line.size() <= bytes_max)
      return line;
  }
  return body.is == kind::object ? cut(short_types{names, literals_shown}.each_member(body, 0), bytes_max)
                                 : std::string{rest};
}

} // namespace types
