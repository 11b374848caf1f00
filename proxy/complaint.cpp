#include "proxy/complaint.hpp"

#include "proxy/json_member.hpp"
#include "proxy/misnamed.hpp"
#include "text/json_beginning.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cctype>

namespace proxy {

namespace json = boost::json;
using json_schema::error;

namespace {

constexpr size_t parameters_max = 30;        ///< listed; a model can ask for the whole schema
constexpr size_t description_bytes_max = 80; ///< of one parameter
constexpr size_t type_bytes_max = 80;
constexpr size_t given_bytes_max = 300; ///< of the arguments, as JSON
constexpr size_t enum_values_max = 5;   ///< listed of one parameter
constexpr size_t written_values_max = 200;

std::string_view text_member(const json::value& of, std::string_view key) {
  auto* found = member(&of, key);
  return found && found->is_string() ? std::string_view{found->get_string()} : std::string_view{};
}

std::string quoted_name(std::string_view name) { return "\"" + text::quoted(name, description_bytes_max) + "\""; }

std::string_view without_article(std::string_view expected) {
  for (std::string_view article : {"a ", "an "})
    if (expected.starts_with(article))
      expected.remove_prefix(article.size());
  return expected;
}

std::string path_to(std::string_view parent, std::string_view name) {
  auto at = dotted(parent);
  return at.empty() ? std::string{name} : at + "." + std::string{name};
}

std::string hint_of(const error& e) { return e.hint.empty() ? "" : " (" + e.hint + ")"; }

std::string missing(const error& e) {
  std::string out;
  for (auto& name : e.names)
    out += (out.empty() ? "Missing required parameter: " : ", ") + path_to(e.instance_path, name);
  return out + (e.meant.empty() ? "" : " (you gave " + quoted_name(e.meant) + ")");
}

std::string line_of(const error& e) {
  if (e.keyword == "required" && !e.names.empty())
    return missing(e);
  auto path = dotted(e.instance_path);
  if (e.keyword == "additionalProperties" && !e.names.empty())
    return "Unexpected parameter: " + path + (e.meant.empty() ? "" : "; did you mean " + quoted_name(e.meant) + "?");
  auto where = path.empty() ? std::string{"the parameters"} : quoted_name(path);
  if (e.keyword == "type")
    return "Type mismatch for " + where + ": expected " + std::string{without_article(e.expected)} + ", got " + e.given
           + hint_of(e);
  bool is_choice = e.keyword == "enum" || e.keyword == "const";
  return "Invalid value for " + where + ": " + (is_choice ? "must be " : "expected ") + e.expected + ", got " + e.given
         + hint_of(e);
}

/// A name that is told of as the one given for a missing one needs no line of its own.
bool is_told(const error& unexpected, const std::vector<error>& all) {
  return unexpected.keyword == "additionalProperties" && std::any_of(all.begin(), all.end(), [&](auto& e) {
           return e.keyword == "required" && !e.meant.empty()
                  && unexpected.instance_path == e.instance_path + "/" + e.meant;
         });
}

std::string choices(const json::array& values) {
  std::string out;
  for (size_t i = 0; i < std::min(values.size(), enum_values_max); ++i)
    out += (i > 0 ? " | " : "") + text::quoted_json(values[i], type_bytes_max / 2);
  return out + (values.size() > enum_values_max ? " | ..." : "");
}

/// In a few words; what is more complicated is "any".
std::string type_of(const json::value& schema) {
  if (auto* values = member(&schema, "enum"); values && values->is_array())
    return choices(values->get_array());
  auto* type = member(&schema, "type");
  if (type && type->is_array()) {
    std::string out;
    for (auto& one : type->get_array())
      if (one.is_string() && out.size() < type_bytes_max)
        out += (out.empty() ? "" : " | ") + std::string{one.get_string()};
    return out;
  }
  if (!type || !type->is_string())
    return "any";
  auto* items = type->get_string() == "array" ? member(&schema, "items") : nullptr;
  auto of = items ? text_member(*items, "type") : std::string_view{};
  return text::quoted(type->get_string(), type_bytes_max)
         + (of.empty() ? "" : " of " + text::quoted(of, type_bytes_max));
}

std::string parameter_line(std::string_view name, const json::value& schema) {
  auto description = text_member(schema, "description");
  description = description.substr(0, description.find('\n'));
  auto cut = description.size() > description_bytes_max ? "..." : "";
  return "    " + text::quoted(name, description_bytes_max) + ": " + type_of(schema)
         + (description.empty() ? "" : " - " + text::quoted(description, description_bytes_max) + cut) + "\n";
}

std::string expected_parameters(const json::value* schema) {
  auto* properties = member(schema, "properties");
  auto* fields = properties ? properties->if_object() : nullptr;
  if (!fields || fields->empty())
    return "\nExpected parameters: none\n";
  auto* required = member(schema, "required");
  auto is_required = [list = required ? required->if_array() : nullptr](std::string_view name) {
    auto end = list ? list->begin() + std::min(list->size(), written_values_max) : nullptr;
    return list && std::find(list->begin(), end, json::value(name)) != end;
  };
  std::string lines[2];
  size_t listed = 0;
  for (auto field = fields->begin(); field != fields->end() && listed < parameters_max; ++field, ++listed)
    lines[is_required(field->key()) ? 0 : 1] += parameter_line(field->key(), field->value());
  std::string out = "\nExpected parameters:\n";
  out += lines[0].empty() ? "" : "  Required:\n" + lines[0];
  out += lines[1].empty() ? "" : "  Optional:\n" + lines[1];
  return out
         + (fields->size() > listed
              ? "    ... and " + std::to_string(fields->size() - listed) + " more: see getToolSchema\n"
              : "");
}

/// As JSON, as far as it is shown: of large arguments the names tell most.
std::string written(const json::value& given) {
  auto* fields = given.if_object();
  if (!fields)
    return text::to_text(given);
  json::object shown;
  size_t values = 0;
  for (auto& [name, v] : *fields) {
    if (++values > parameters_max)
      break;
    bool large = v.is_structured() || (v.is_string() && v.get_string().size() > given_bytes_max);
    shown[name] = !large                   ? v
                  : v.is_string()          ? json::value(text::quoted(v.get_string(), given_bytes_max) + "...")
                  : v.is_array()           ? json::value("[" + std::to_string(v.get_array().size()) + " elements]")
                  : v.get_object().empty() ? v
                                           : json::value("{" + std::to_string(v.get_object().size()) + " fields}");
  }
  return text::to_text(shown);
}

bool is_index(std::string_view token) {
  return !token.empty() && std::all_of(token.begin(), token.end(), [](unsigned char c) { return std::isdigit(c); });
}

std::string unescaped(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    bool escape = token[i] == '~' && i + 1 < token.size();
    out += !escape ? token[i] : token[++i] == '1' ? '/' : '~';
  }
  return out;
}

} // namespace

std::string dotted(std::string_view pointer) {
  std::string out;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    auto token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    if (is_index(token) && !out.empty())
      out.append("[").append(token).append("]");
    else
      out.append(out.empty() ? "" : ".").append(unescaped(token));
  }
  return out;
}

msg::fault complaint(std::string_view full_name, std::vector<error> errors, const json::value* input_schema,
                     const json::value& given) {
  for (auto& e : errors)
    if (e.keyword == "required" && e.instance_path.empty() && e.meant.empty() && given.is_object())
      e.meant = given_for_missing(input_schema, given.get_object(), e.names);
  msg::fault out{msg::errc::invalid_argument,
                 "Parameter validation failed for " + quoted_name(full_name) + "\n\nErrors:\n"};
  for (auto& e : errors) {
    if (is_told(e, errors))
      continue;
    out.message += "  - " + line_of(e) + "\n";
    auto name =
      e.keyword == "required" ? (e.names.size() == 1 && !e.meant.empty() ? e.names.front() : std::string{}) : e.meant;
    if (!name.empty() && std::find(out.suggestions.begin(), out.suggestions.end(), name) == out.suggestions.end())
      out.suggestions.push_back(name);
  }
  out.message += expected_parameters(input_schema);
  auto text = written(given);
  out.message +=
    "\nYou provided:\n  " + text::quoted(text, given_bytes_max) + (text.size() > given_bytes_max ? "..." : "");
  return out;
}

} // namespace proxy
