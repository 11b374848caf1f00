#include "proxy/types/typescript.hpp"

#include "proxy/types/settle.hpp"
#include "text/json_text.hpp"

#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cctype>

// Recursion follows types, which are bounds::depth_max deep.
// NOLINTBEGIN(misc-no-recursion)

namespace types {

namespace {

constexpr size_t object_line_max = 100;  ///< an object that is longer gets a line for each property
constexpr size_t inline_output_max = 60; ///< a longer output type gets a name

bool is_typescript_identifier(std::string_view name) {
  auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]))
         && std::all_of(name.begin(), name.end(), word);
}

std::string spaces(size_t n) { return std::string(n, ' '); }

/// A comment must not end early.
std::string harmless(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '/' && out.ends_with('*'))
      out += '\\';
    out += c;
  }
  return out;
}

bool has_names(const type& t) {
  auto any = [](auto& list) {
    return std::any_of(list.begin(), list.end(), [](auto& inner) { return has_names(inner); });
  };
  return t.is == kind::named || any(t.parts) || any(t.rest)
         || std::any_of(t.fields.begin(), t.fields.end(), [](auto& f) { return has_names(f.of); });
}

} // namespace

std::string typescript::comment(std::string_view text, size_t indent) {
  if (text.empty())
    return {};
  auto safe = harmless(text);
  if (safe.find('\n') == safe.npos)
    return spaces(indent) + "/** " + safe + (safe.ends_with('*') ? " " : "") + " */\n";
  std::string out = spaces(indent) + "/**\n";
  for (size_t begin = 0; begin <= safe.size();) {
    auto end = std::min(safe.find('\n', begin), safe.size());
    // A line that begins with a slash would end the comment with the star before it.
    out += spaces(indent) + " *" + (end > begin ? " " : "") + safe.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return out + spaces(indent) + " */\n";
}

std::string typescript::key(std::string_view name) {
  return is_typescript_identifier(name) ? std::string{name} : text::to_text(boost::json::value(name));
}

std::string typescript::print(const type& t, size_t indent) {
  switch (t.is) {
    case kind::unknown: return anything();
    case kind::never: return "never";
    case kind::null: return "null";
    case kind::boolean: return "boolean";
    case kind::integer:
    case kind::number: return "number";
    case kind::string: return "string";
    case kind::literal: return t.text;
    case kind::named: return final_[t.name];
    case kind::choice: return choice(t, indent);
    case kind::tuple: return tuple(t, indent);
    case kind::object: return object(t, indent);
    case kind::list: break;
  }
  auto element = print(t.rest[0], indent);
  bool needs_brackets = t.rest[0].is == kind::choice;
  return needs_brackets ? "Array<" + element + ">" : element + "[]";
}

std::string typescript::anything() const { return unknowns_ == unknowns::are_unknown ? "unknown" : "any"; }

std::string typescript::choice(const type& t, size_t indent) {
  std::string out;
  for (auto& p : t.parts) {
    auto part = print(p, indent);
    if (out.size() - std::min(out.size(), out.rfind('\n')) > object_line_max)
      out += "\n" + spaces(indent + 2) + "| " + part;
    else
      out += (out.empty() ? "" : " | ") + part;
  }
  return out;
}

std::string typescript::tuple(const type& t, size_t indent) {
  std::string out;
  for (size_t i = 0; i < t.parts.size(); ++i) {
    auto part = print(t.parts[i], indent);
    bool optional = i >= t.needed;
    out += (i > 0 ? ", " : "") + (optional && t.parts[i].is == kind::choice ? "(" + part + ")" : part)
           + (optional ? "?" : "");
  }
  if (!t.rest.empty())
    out += (out.empty() ? "...Array<" : ", ...Array<") + print(t.rest[0], indent) + ">";
  return "[" + out + "]";
}

std::string typescript::object(const type& t, size_t indent) {
  if (t.fields.empty()) {
    auto values = t.rest.empty() ? std::string{"never"} : print(t.rest[0], indent);
    return t.rest.empty() || !has_names(t.rest[0]) ? "Record<string, " + values + ">"
                                                   : "{ [name: string]: " + values + " }";
  }
  std::vector<std::string> members;
  size_t length = indent;
  bool has_doc = false;
  for (auto& f : t.fields) {
    members.push_back(key(f.name) + (f.required ? ": " : "?: ") + print(f.of, indent + 2));
    length += members.back().size() + 2;
    has_doc = has_doc || !f.doc.empty() || members.back().find('\n') != std::string::npos;
  }
  if (!t.rest.empty())
    members.emplace_back("[name: string]: " + anything()); // must hold for those above as well
  std::string out = "{";
  if (!has_doc && length <= object_line_max) {
    for (auto& m : members)
      out += (out.size() > 1 ? "; " : " ") + m;
    return out + " }";
  }
  for (size_t i = 0; i < members.size(); ++i)
    out += "\n" + (i < t.fields.size() ? comment(t.fields[i].doc, indent + 2) : std::string{}) + spaces(indent + 2)
           + members[i] + ";";
  return out + "\n" + spaces(indent) + "}";
}

void typescript::declare(const std::string& name, std::string_view doc, const type& is, std::string& declarations) {
  declarations += comment(doc, 0) + "type " + name + " = " + print(is, 0) + ";\n";
}

std::string typescript::function(const tool_types& tool, const std::vector<named_type>& names,
                                 const std::string& output_name, size_t indent, std::string& declarations) {
  final_.assign(names.size(), {});
  auto used = names_of(names, {&tool.input, &tool.output});
  for (auto name : used)
    final_[name] = taken_.take(names[name].wish);
  bool is_promised = unknowns_ != unknowns::are_any || tool.output_doc.empty(); // what was observed may change
  auto output = print(is_promised ? tool.output : type{}, indent);
  bool is_long = output.size() > inline_output_max || output.find('\n') != output.npos || !tool.output_doc.empty();
  if (is_long && is_promised && is_known(tool.output)) {
    output = taken_.take(output_name);
    declare(output, tool.output_doc, tool.output, declarations);
  }
  for (auto name : used)
    declare(final_[name], names[name].doc, names[name].is, declarations);
  auto input = tool.takes_nothing ? std::string{"{}"} : print(tool.input, indent);
  return "(params" + std::string{tool.may_omit_input ? "?: " : ": "} + input + "): Promise<" + output + ">";
}

} // namespace types

// NOLINTEND(misc-no-recursion)
