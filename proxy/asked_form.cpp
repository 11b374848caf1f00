#include "proxy/asked_form.hpp"

#include "proxy/parameter_reader.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace proxy {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t field_name_bytes_max = 64;
constexpr std::string_view simple_types = "string, number, integer or boolean";

enum class value_kind : uint8_t { text, texts, count, number, any };
struct keyword {
  std::string_view name, types; ///< of which fields
  value_kind kind;
};
constexpr keyword keywords[] = {
  {"title", simple_types, value_kind::text},
  {"description", simple_types, value_kind::text},
  {"default", simple_types, value_kind::any},
  {"minLength", "string", value_kind::count},
  {"maxLength", "string", value_kind::count},
  {"format", "string", value_kind::text},
  {"enum", "string", value_kind::texts},
  {"enumNames", "string", value_kind::texts},
  {"minimum", "number, integer", value_kind::number},
  {"maximum", "number, integer", value_kind::number},
};
constexpr std::array<std::string_view, 4> formats{"email", "uri", "date", "date-time"};
/// What generators of schemas write, and a form says anyway.
constexpr std::array<std::string_view, 5> idle_keywords{"type", "additionalProperties", "$schema", "$comment",
                                                        "examples"};

template <class List>
bool is_in(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

bool is_simple_type(std::string_view type) {
  return type == "string" || type == "number" || type == "integer" || type == "boolean";
}

std::string_view text_of(const json::value* v) {
  return v && v->is_string() ? std::string_view{v->get_string()} : std::string_view{};
}

bool fits(std::string_view type, const json::value& v) {
  if (type == "string")
    return v.is_string();
  if (type == "boolean")
    return v.is_bool();
  return type == "integer" ? v.is_int64() || v.is_uint64() : v.is_number();
}

bool is_choice(const json::object& field, const json::value& v) {
  auto* choices = field.if_contains("enum");
  return !choices
         || std::find(choices->get_array().begin(), choices->get_array().end(), v) != choices->get_array().end();
}

/// Remembers the first thing that is wrong.
class form_reader {
public:
  explicit form_reader(std::string_view where) : where_(where) {}

  json::object form(const json::value* given) {
    static const json::value any_text = json::object{{"type", "string"}};
    auto* schema = given && !given->is_null() ? given->if_object() : any_text.if_object();
    if (!schema)
      return complain("'schema' must be an object such as {type: \"object\", properties: {label: {type: \"string\"}}}"),
             json::object{};
    auto* properties = schema->if_contains("properties");
    if (!properties && (schema->contains("enum") || is_simple_type(text_of(schema->if_contains("type")))))
      return whole({{std::string{form_answer}, field(form_answer, *schema)}}, {std::string{form_answer}});
    auto* fields = properties ? properties->if_object() : nullptr;
    if (!fields || fields->empty() || fields->size() > form_fields_max)
      return complain("'schema' must have 1 to " + std::to_string(form_fields_max)
                      + " properties: {type: \"object\", properties: {label: {type: \"string\"}}}"),
             json::object{};
    json::object made;
    for (auto& [name, described] : *fields)
      if (ok())
        made[name] = named_field(name, described);
    return whole(std::move(made), required(schema->if_contains("required"), *fields));
  }
  bool ok() const { return problem.code == errc::none; }

  fault problem;

private:
  static json::object whole(json::object fields, const json::array& required) {
    json::object form{{"type", "object"}, {"properties", std::move(fields)}};
    if (!required.empty())
      form["required"] = required;
    return form;
  }

  void complain(const std::string& what) {
    if (ok())
      problem = {errc::invalid_argument, std::string{where_} + ": " + what};
  }
  void complain_of(std::string_view name, const std::string& what) {
    complain("property '" + text::printable(text::quoted(name, field_name_bytes_max)) + "' of 'schema' " + what);
  }

  void count_bytes(size_t more) {
    bytes_ += more;
    if (bytes_ > form_bytes_max)
      complain("'schema' has more than " + std::to_string(form_bytes_max) + " bytes of text, which is the limit");
  }

  json::array required(const json::value* given, const json::object& fields) {
    json::array out;
    if (!given || given->is_null() || !ok())
      return out;
    auto* names = given->if_array();
    if (!names || names->size() > fields.size())
      return complain("'required' of 'schema' must be a list of its properties, each once"), out;
    for (auto& name : *names) {
      if (!name.is_string() || !fields.contains(name.get_string()))
        return complain("'required' of 'schema' names what is none of its properties"), out;
      out.push_back(name);
    }
    return out;
  }

  json::object named_field(std::string_view name, const json::value& described) {
    count_bytes(name.size());
    if (name.empty() || name.size() > field_name_bytes_max || text::find_control(name) != name.npos)
      complain_of(name, "must have a name of 1 to " + std::to_string(field_name_bytes_max)
                          + " bytes without control characters");
    auto* schema = described.if_object();
    if (!schema)
      complain_of(name, "must be an object such as {type: \"string\"}");
    return ok() ? field(name, *schema) : json::object{};
  }

  json::object field(std::string_view name, const json::object& described) {
    auto type = std::string{text_of(described.if_contains("type"))};
    if (!described.contains("type") && described.contains("enum"))
      type = "string";
    if (!is_simple_type(type))
      complain_of(name, "must be of one type: " + std::string{simple_types} + "; forms are flat");
    json::object out{{"type", type}};
    for (auto& [key, v] : described)
      if (ok() && !is_in(idle_keywords, key))
        out[key] = value_of(name, type, key, v);
    if (auto* standard = ok() ? out.if_contains("default") : nullptr; standard && standard->is_null())
      out.erase("default");
    else if (standard && (!fits(type, *standard) || !is_choice(out, *standard)))
      complain_of(name, "must have a default that it could be filled with");
    auto *choices = ok() ? out.if_contains("enum") : nullptr, *names = ok() ? out.if_contains("enumNames") : nullptr;
    if (names && (!choices || names->get_array().size() != choices->get_array().size()))
      complain_of(name, "must have as many 'enumNames' as choices in 'enum'");
    return out;
  }

  json::value value_of(std::string_view name, std::string_view type, std::string_view key, const json::value& v) {
    auto* known = std::find_if(std::begin(keywords), std::end(keywords), [&](auto& k) { return k.name == key; });
    if (known == std::end(keywords) || known->types.find(type) == known->types.npos) {
      complain_of(name, "has '" + text::printable(text::quoted(key, field_name_bytes_max))
                          + "', which a form can not show for a " + std::string{type});
      return {};
    }
    switch (known->kind) {
      case value_kind::text: return text_value(name, key, v);
      case value_kind::texts: return choices(name, key, v);
      case value_kind::count:
        if (!v.is_int64() || v.get_int64() < 0)
          complain_of(name, "must have a whole number from 0 as '" + std::string{key} + "'");
        return v.is_int64() ? v : json::value{};
      case value_kind::number:
        if (!v.is_number())
          complain_of(name, "must have a number as '" + std::string{key} + "'");
        return v.is_number() ? v : json::value{};
      case value_kind::any: break;
    }
    if (v.is_structured())
      complain_of(name, "must have a default that it could be filled with");
    else if (v.is_string())
      count_bytes(v.get_string().size());
    return ok() ? v : json::value{};
  }

  /// What a person is shown.
  json::value text_value(std::string_view name, std::string_view key, const json::value& v) {
    if (!v.is_string())
      return complain_of(name, "must have a text as '" + std::string{key} + "'"), json::value{};
    count_bytes(v.get_string().size());
    if (key == "format" && !is_in(formats, text_of(&v)))
      complain_of(name, "must have one of the formats email, uri, date, date-time");
    return ok() ? json::value(text::printable(v.get_string())) : json::value{};
  }

  json::value choices(std::string_view name, std::string_view key, const json::value& v) {
    auto* list = v.if_array();
    if (!list || list->empty() || list->size() > form_choices_max)
      return complain_of(name, "must have a list of 1 to " + std::to_string(form_choices_max) + " texts as '"
                                 + std::string{key} + "'"),
             json::value{};
    for (auto& each : *list) {
      count_bytes(text_of(&each).size());
      if (ok() && (!each.is_string() || text::find_control(each.get_string()) != std::string::npos))
        complain_of(name, "must have texts without control characters in '" + std::string{key} + "'");
      if (!ok())
        return {};
    }
    return v;
  }

  std::string_view where_;
  size_t bytes_ = 0;
};

double number_of(const json::value& v) { return v.to_number<double>(); }

/// Characters, as the schema counts them.
int64_t characters_of(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

bool is_within(const json::object& field, const json::value& v) {
  auto holds = [&](const char* key, auto compare) {
    auto* bound = field.if_contains(key);
    return !bound || compare(*bound);
  };
  if (v.is_string()) {
    auto length = characters_of(v.get_string());
    return holds("minLength", [&](auto& b) { return length >= b.get_int64(); })
           && holds("maxLength", [&](auto& b) { return length <= b.get_int64(); });
  }
  return !v.is_number()
         || (holds("minimum", [&](auto& b) { return number_of(v) >= number_of(b); })
             && holds("maximum", [&](auto& b) { return number_of(v) <= number_of(b); }));
}

} // namespace

msg::outcome<json::object> asked_form(std::string_view where, const json::value* schema) {
  form_reader reader{where};
  auto form = reader.form(schema);
  if (!reader.ok())
    return std::move(reader.problem);
  return form;
}

msg::outcome<json::object> filled_form(const json::object& form, const json::object* content) {
  json::object out;
  auto* required = form.if_contains("required");
  for (auto& [name, described] : form.at("properties").get_object()) {
    auto& field = described.get_object();
    auto* value = content ? content->if_contains(name) : nullptr;
    if (!value || value->is_null())
      value = field.if_contains("default");
    bool is_wanted = required
                     && std::any_of(required->get_array().begin(), required->get_array().end(),
                                    [&, key = std::string_view{name}](auto& r) { return text_of(&r) == key; });
    if (!value && !is_wanted)
      continue;
    if (!value || !fits(text_of(field.if_contains("type")), *value) || !is_choice(field, *value)
        || !is_within(field, *value))
      return fault{errc::protocol_violation, "what the client has answered for '" + std::string{name}
                                               + "' is not what its form asks for; ask again, or go on without"};
    out[name] = *value;
  }
  return out;
}

} // namespace proxy
