#include "proxy/word_arguments.hpp"

#include "proxy/names.hpp"
#include "text/json_parse.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace proxy {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

/// A schema is a stranger's: so many references and alternatives deep it is followed.
constexpr int depth_max = 8;
/// Schemas that are looked at for one parameter.
constexpr int schemas_max = 200;
/// Of a value, and names that are listed, in a complaint.
constexpr size_t quoted_bytes_max = 100, listed_max = 20;

const json::value* member(const json::value& of, std::string_view name) {
  auto* object = of.if_object();
  return object ? object->if_contains(name) : nullptr;
}

/// What a parameter takes.
struct accepted {
  std::set<std::string> types;        ///< empty: anything
  std::vector<json::value> only;      ///< `enum` and `const`; empty: any value
  const json::value* items = nullptr; ///< of lists; null: anything
  bool takes_anything = false;        ///< one of the alternatives says nothing
  bool is(const char* type) const { return types.contains(type); }
  bool is_any() const { return types.empty() || takes_anything; }
};

/// Follows references within the schema, and alternatives.
class type_reader {
public:
  explicit type_reader(const json::value& root) : root_(root) {}

  accepted read(const json::value& schema) {
    accepted out;
    add(schema, out, 0);
    return out;
  }

private:
  void add(const json::value& schema, accepted& to, int depth) {
    if (depth > depth_max || ++looked_at_ > schemas_max)
      return;
    if (auto* reference = member(schema, "$ref"); reference && reference->is_string())
      if (auto* target = find(reference->get_string()))
        return add(*target, to, depth + 1);
    bool says = false;
    for (auto name : {"anyOf", "oneOf", "allOf"})
      if (auto* all = member(schema, name); all && all->is_array() && !all->get_array().empty()) {
        says = true;
        for (auto& one : all->get_array())
          add(one, to, depth + 1);
      }
    if (auto* type = member(schema, "type"))
      says = add_types(*type, to) || says;
    if (auto* values = member(schema, "enum"); values && values->is_array()) {
      to.only.insert(to.only.end(), values->get_array().begin(), values->get_array().end());
      says = true;
    }
    if (auto* value = member(schema, "const")) {
      to.only.push_back(*value);
      says = true;
    }
    if (auto* items = member(schema, "items"); items && !to.items)
      to.items = items;
    to.takes_anything = to.takes_anything || !says;
  }

  static bool add_types(const json::value& type, accepted& to) {
    if (type.is_string())
      to.types.emplace(type.get_string());
    else if (type.is_array())
      for (auto& one : type.get_array())
        if (one.is_string())
          to.types.emplace(one.get_string());
    return type.is_string() || type.is_array();
  }

  const json::value* find(std::string_view reference) const {
    if (!reference.starts_with("#/"))
      return nullptr;
    reference.remove_prefix(2);
    auto* at = &root_;
    while (at && !reference.empty()) {
      auto end = std::min(reference.find('/'), reference.size());
      at = member(*at, reference.substr(0, end));
      reference.remove_prefix(std::min(end + 1, reference.size()));
    }
    return at;
  }

  const json::value& root_;
  int looked_at_ = 0;
};

std::string in_quotes(std::string_view text) { return "'" + text::excerpt(text, quoted_bytes_max) + "'"; }

std::string named_in_list(const std::vector<std::string>& texts) {
  std::string out;
  for (size_t i = 0; i < texts.size() && i <= listed_max; ++i)
    out += (i > 0 ? ", " : "") + (i < listed_max ? texts[i] : "...");
  return out;
}

/// As a person would type it.
std::string typed(const json::value& value) {
  return value.is_string() ? std::string{value.get_string()} : text::to_text(value);
}

fault not_that(const std::string& name, const accepted& takes, std::string_view text) {
  std::vector<std::string> wanted(takes.types.begin(), takes.types.end());
  if (!takes.only.empty()) {
    wanted.clear();
    for (auto& value : takes.only)
      wanted.push_back(text::excerpt(typed(value), quoted_bytes_max));
  }
  bool is_structured = takes.is("array") || takes.is("object");
  return {errc::invalid_argument, "'" + name + "' must be " + (takes.only.empty() ? "of type " : "one of ")
                                    + named_in_list(wanted) + (is_structured ? ", as JSON" : "") + ", not "
                                    + in_quotes(text)};
}

std::string_view type_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "boolean";
    case json::kind::array: return "array";
    case json::kind::object: return "object";
    case json::kind::string: return "string";
    default: return "number";
  }
}

bool fits(const accepted& takes, const json::value& value) {
  auto type = type_of(value);
  if (type != "number")
    return takes.types.contains(std::string{type});
  return takes.is("number") || (takes.is("integer") && !value.is_double());
}

/// Of a parameter, or of a piece of a list.
class value_reader {
public:
  value_reader(type_reader& types, const std::string& name) : types_(types), name_(name) {}

  msg::outcome<json::value> read(const std::string& text, const accepted& takes) const {
    if (!takes.only.empty() && !takes.takes_anything)
      for (auto& value : takes.only)
        if (typed(value) == text)
          return value;
    if (!takes.only.empty() && takes.types.empty() && !takes.takes_anything)
      return not_that(name_, takes, text);
    if (takes.is("string")) // whether it is one of those that it may be is for the tool's check to say
      return json::value(text);
    json::value value;
    bool is_json = text::parse_json(text, text::json_dialect::strict, value).what.empty();
    if (takes.is_any())
      return is_json ? std::move(value) : json::value(text);
    if (is_json && fits(takes, value))
      return value;
    if (takes.is("array") && !text.starts_with('[')) // a list of one
      return read_pieces({text}, takes);
    return not_that(name_, takes, text);
  }

  msg::outcome<json::value> read_pieces(const std::vector<std::string>& texts, const accepted& takes) const {
    json::array out;
    auto of_items = takes.items ? types_.read(*takes.items) : accepted{};
    for (auto& text : texts) {
      auto one = read(text, of_items);
      if (!one.ok())
        return std::move(one.error);
      out.push_back(std::move(one.value));
    }
    return json::value(std::move(out));
  }

private:
  type_reader& types_;
  const std::string& name_;
};

/// Texts by name, in the order in which each name comes first.
struct named_texts {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> texts;
};

msg::outcome<named_texts> take_apart(const std::vector<std::string>& words) {
  named_texts out;
  for (auto& word : words) {
    auto end = word.find('=');
    if (end == word.npos || end == 0)
      return fault{errc::invalid_argument,
                   in_quotes(word) + " is no argument: write name=value, or all of them as one JSON object"};
    if (text::valid_utf8(word) != word)
      return fault{errc::invalid_argument, in_quotes(word) + " is no UTF-8 text"};
    auto name = word.substr(0, end);
    if (!out.texts.contains(name))
      out.names.push_back(name);
    out.texts[name].push_back(word.substr(end + 1));
  }
  return out;
}

/// Names that the schema knows; a fault if it takes no other ones and is given one.
fault check_name(const std::string& name, const json::object& known, const json::value& schema) {
  auto* others = member(schema, "additionalProperties");
  bool takes_others = (others && *others != json::value(false)) || member(schema, "patternProperties");
  if (known.contains(name) || takes_others)
    return {};
  std::vector<std::string> names;
  std::vector<std::string_view> views;
  for (auto& [each, value] : known) {
    names.push_back(text::excerpt(std::string_view{each}, quoted_bytes_max));
    views.push_back(each);
  }
  auto near = nearest(name, views, 1);
  return {errc::invalid_argument, "unknown parameter " + in_quotes(name)
                                    + (near.empty() ? "." : "; did you mean '" + near.front() + "'?")
                                    + (names.empty() ? " The tool takes none" : " Known: " + named_in_list(names))};
}

fault check_required(const json::object& given, const json::value& schema) {
  auto* required = member(schema, "required");
  std::vector<std::string> missing;
  if (required && required->is_array())
    for (auto& name : required->get_array())
      if (name.is_string() && !given.contains(name.get_string()))
        missing.push_back(text::excerpt(name.get_string(), quoted_bytes_max));
  if (missing.empty())
    return {};
  return {errc::invalid_argument, "missing: " + named_in_list(missing)};
}

} // namespace

msg::outcome<json::object> read_word_arguments(const std::vector<std::string>& words, const json::value& schema) {
  auto apart = take_apart(words);
  if (!apart.ok())
    return std::move(apart.error);
  auto* properties = member(schema, "properties");
  auto* known = properties ? properties->if_object() : nullptr;
  json::object out;
  for (auto& name : apart.value.names) {
    if (auto why = known ? check_name(name, *known, schema) : fault{}; why.code != errc::none)
      return why;
    auto* own = known ? known->if_contains(name) : nullptr;
    type_reader types{schema};
    auto takes = own ? types.read(*own) : accepted{};
    value_reader reader{types, name};
    auto& texts = apart.value.texts[name];
    if (texts.size() > 1 && !takes.is("array"))
      return fault{errc::invalid_argument, "'" + name + "' is given " + std::to_string(texts.size()) + " times"};
    auto value = texts.size() > 1 ? reader.read_pieces(texts, takes) : reader.read(texts.front(), takes);
    if (!value.ok())
      return std::move(value.error);
    out[name] = std::move(value.value);
  }
  if (auto why = check_required(out, schema); why.code != errc::none)
    return why;
  return out;
}

} // namespace proxy
