#include "proxy/types/schema_reader.hpp"

#include "proxy/types/combine.hpp"
#include "proxy/types/docs.hpp"
#include "proxy/types/type_names.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cctype>
#include <unordered_set>

// Recursion follows the schema, bounds::depth_max deep; references do not recurse but wait in pending_.
// NOLINTBEGIN(misc-no-recursion)

namespace types {

namespace json = boost::json;

namespace {

struct spelling {
  std::string_view name;
  kind is;
};
/// As the standard has them, and as real tools write them.
constexpr spelling spellings[] = {
  {"string", kind::string}, {"str", kind::string},     {"text", kind::string},     {"integer", kind::integer},
  {"int", kind::integer},   {"long", kind::integer},   {"number", kind::number},   {"float", kind::number},
  {"double", kind::number}, {"decimal", kind::number}, {"boolean", kind::boolean}, {"bool", kind::boolean},
  {"null", kind::null},     {"none", kind::null},      {"array", kind::list},      {"list", kind::list},
  {"tuple", kind::list},    {"object", kind::object},  {"dict", kind::object},     {"map", kind::object},
};

const json::array* list_at(const json::object& schema, std::string_view key) {
  auto* v = schema.if_contains(key);
  return v ? v->if_array() : nullptr;
}

const json::object* object_at(const json::object& schema, std::string_view key) {
  auto* v = schema.if_contains(key);
  return v ? v->if_object() : nullptr;
}

bool is(const json::value* v, bool what) { return v && v->is_bool() && v->get_bool() == what; }

std::optional<uint64_t> count_at(const json::object& schema, std::string_view key) {
  auto* v = schema.if_contains(key);
  if (v && v->is_int64() && v->get_int64() >= 0)
    return static_cast<uint64_t>(v->get_int64());
  if (v && v->is_double() && v->get_double() >= 0 && v->get_double() < 1e9)
    return static_cast<uint64_t>(v->get_double());
  return {};
}

/// Names that are read because another one is made of them.
constexpr int completing_max = 8;

kind kind_of(const json::value& v) {
  switch (v.kind()) {
    case json::kind::null: return kind::null;
    case json::kind::bool_: return kind::boolean;
    case json::kind::int64:
    case json::kind::uint64: return kind::integer;
    case json::kind::double_: return kind::number;
    case json::kind::string: return kind::string;
    default: return kind::unknown;
  }
}

type list_of(type element) {
  auto out = of_kind(kind::list);
  out.rest.push_back(std::move(element));
  return out;
}

} // namespace

schema_reader::schema_reader(const value& document, std::string_view prefix, std::string_view root_name,
                             std::vector<named_type>& names)
  : references_(document),
    document_(document),
    prefix_(prefix),
    root_name_(root_name),
    names_(names),
    first_name_(names.size()) {}

type schema_reader::read() {
  auto root = convert(document_, {&references_.document(), 0});
  for (size_t i = 0; i < pending_.size(); ++i) // grows
    complete(i);
  if (auto own = name_of_.find(&document_); own != name_of_.end()) { // it speaks of itself
    root = of_kind(kind::named);
    root.name = static_cast<uint32_t>(first_name_ + own->second);
  }
  return root;
}

bool schema_reader::charge(size_t types) {
  auto fits = types <= types_left_;
  types_left_ = fits ? types_left_ - types : 0;
  return fits;
}

bool schema_reader::charge_text(size_t bytes) {
  auto fits = bytes <= text_left_;
  text_left_ = fits ? text_left_ - bytes : 0;
  return fits;
}

std::string schema_reader::doc(const object& schema) {
  auto text = text_left_ > 0 ? doc_of(schema) : std::string{};
  return charge_text(text.size()) ? text : std::string{};
}

type schema_reader::convert(const value& schema, place at) {
  if (schema.is_bool())
    return of_kind(schema.get_bool() ? kind::unknown : kind::never);
  if (!schema.is_object() || at.depth > bounds::depth_max || !charge(1))
    return {};
  auto& object = schema.get_object();
  at.in = &references_.inside(object, *at.in);
  auto out = of_keywords(object, at);
  if (is(object.if_contains("nullable"), true) && is_known(out)) {
    std::vector<type> parts;
    parts.push_back(std::move(out));
    parts.push_back(of_kind(kind::null));
    return either(std::move(parts));
  }
  return out;
}

/// All that must hold at once.
type schema_reader::of_keywords(const object& schema, place at) {
  auto out = own_type(schema, at);
  for (auto key : {"$ref", "$dynamicRef", "$recursiveRef"})
    if (auto* uri = schema.if_contains(key))
      out = constrained(std::move(out), reference(*uri, at));
  for (auto key : {"anyOf", "oneOf"})
    if (auto* schemas = list_at(schema, key))
      out = constrained(std::move(out), any_of(*schemas, at.deeper()));
  if (auto* schemas = list_at(schema, "allOf"))
    for (auto& s : *schemas) {
      if (types_left_ == 0)
        break;
      out = constrained(std::move(out), convert(s, at.deeper()));
    }
  return out;
}

type schema_reader::constrained(type first, type second) {
  if (!is_known(second))
    return first;
  if (!is_known(first))
    return second;
  auto a = without_names(first), b = without_names(second);
  if (!charge(size_of(a) + size_of(b)))
    return first;
  auto combined = both(a, b);
  return combined ? std::move(*combined) : std::move(first);
}

/// With what a name stands for in its place; as far as that is known already.
type schema_reader::without_names(const type& t) {
  if (t.is == kind::named && t.name >= first_name_) {
    complete(t.name - first_name_);
    return pending_[t.name - first_name_].state == progress::done ? names_[t.name].is : type{};
  }
  if (t.is != kind::choice)
    return t;
  std::vector<type> parts;
  parts.reserve(t.parts.size());
  for (auto& p : t.parts)
    parts.push_back(without_names(p));
  return either(std::move(parts));
}

type schema_reader::own_type(const object& schema, place at) {
  auto* names = schema.if_contains("type");
  auto typed = names ? of_names(*names, schema, at) : type{};
  if (auto* value = schema.if_contains("const")) {
    auto exact = of_value(*value);
    return charge(size_of(exact)) && charge_text(exact.text.size()) ? exact : type{};
  }
  if (auto* values = list_at(schema, "enum"); values && !values->empty()) {
    auto of_list = enumerated(*values);
    return is_known(typed) && is_known(of_list) ? both(of_list, typed).value_or(of_list) : of_list;
  }
  return names ? typed : of_structure(schema, at);
}

type schema_reader::of_names(const value& names, const object& schema, place at) {
  if (names.is_string())
    return of_name(names.get_string(), schema, at);
  if (names.is_object()) // draft-03
    return convert(names, at.deeper());
  std::vector<type> parts;
  if (auto* list = names.if_array())
    for (size_t i = 0; i < std::min(list->size(), bounds::choices_max); ++i) {
      auto& name = (*list)[i];
      if (name.is_string())
        parts.push_back(of_name(name.get_string(), schema, at));
      else if (name.is_object())
        parts.push_back(convert(name, at.deeper()));
    }
  return parts.empty() ? type{} : either(std::move(parts));
}

type schema_reader::of_name(std::string_view name, const object& schema, place at) {
  std::string low;
  for (char c : name.substr(0, std::size("boolean")))
    low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  auto found = std::find_if(std::begin(spellings), std::end(spellings), [&](auto& s) { return s.name == low; });
  if (found == std::end(spellings))
    return {};
  if (found->is == kind::object)
    return object_type(schema, at);
  return found->is == kind::list ? list_type(schema, at) : of_kind(found->is);
}

/// Without a `type`, what a schema speaks of is what it means.
type schema_reader::of_structure(const object& schema, place at) {
  for (auto key : {"properties", "patternProperties", "additionalProperties"})
    if (object_at(schema, key))
      return object_type(schema, at);
  if (list_at(schema, "required"))
    return object_type(schema, at);
  if (list_at(schema, "prefixItems") || list_at(schema, "items") || object_at(schema, "items"))
    return list_type(schema, at);
  return {};
}

type schema_reader::object_type(const object& schema, place at) {
  auto out = of_kind(kind::object);
  std::unordered_set<std::string_view> required, listed;
  if (auto* names = list_at(schema, "required"))
    for (size_t i = 0; i < std::min(names->size(), bounds::required_max); ++i)
      if ((*names)[i].is_string())
        required.insert((*names)[i].get_string());
  bool is_open = false;
  auto add = [&](std::string_view name, const value* inner) {
    if (name.size() > bounds::name_bytes_max || types_left_ == 0 || !charge_text(name.size())) {
      is_open = true;
      return;
    }
    auto* fields = inner ? inner->if_object() : nullptr;
    // Draft-03 said it there.
    bool needed = required.contains(name) || (fields && is(fields->if_contains("required"), true));
    out.fields.push_back({std::string{name}, fields ? doc(*fields) : std::string{}, needed,
                          inner ? convert(*inner, at.deeper()) : type{}});
  };
  if (auto* properties = object_at(schema, "properties"))
    for (auto& [name, inner] : *properties) {
      listed.insert(name);
      add(name, &inner);
    }
  if (auto* names = list_at(schema, "required")) // may name what `properties` does not describe
    for (auto& name : *names)
      if (name.is_string() && required.contains(name.get_string()) && listed.insert(name.get_string()).second)
        add(name.get_string(), nullptr);
  if (auto values = other_values(schema, at))
    out.rest.push_back(is_open ? type{} : std::move(*values));
  else if (is_open)
    out.rest.emplace_back();
  return out;
}

/// Nothing: no names but those that are listed. A schema that says nothing of others means so.
std::optional<type> schema_reader::other_values(const object& schema, place at) {
  std::vector<type> kinds;
  bool is_said = false;
  if (auto* patterns = object_at(schema, "patternProperties"))
    for (auto& [pattern, inner] : *patterns) {
      is_said = true;
      if (kinds.size() > bounds::choices_max || types_left_ == 0)
        return type{};
      kinds.push_back(convert(inner, at.deeper()));
    }
  auto* others = schema.if_contains("additionalProperties");
  if (others && !is(others, false)) {
    is_said = true;
    kinds.push_back(convert(*others, at.deeper()));
  }
  auto* properties = object_at(schema, "properties");
  bool lists_none = (!properties || properties->empty()) && !list_at(schema, "required");
  if (lists_none && !is_said && !others)
    return is(schema.if_contains("unevaluatedProperties"), false) ? std::nullopt : std::optional{type{}};
  return is_said ? std::optional{either(std::move(kinds))} : std::nullopt;
}

type schema_reader::list_type(const object& schema, place at) {
  if (auto* elements = list_at(schema, "prefixItems"))
    return tuple_type(*elements, schema.if_contains("items"), schema, at);
  if (auto* elements = list_at(schema, "items"))
    return tuple_type(*elements, schema.if_contains("additionalItems"), schema, at);
  auto* items = schema.if_contains("items");
  auto element = items ? convert(*items, at.deeper()) : type{};
  auto least = count_at(schema, "minItems"), most = count_at(schema, "maxItems");
  if (items && least && most && least == most && *most >= 1 && *most <= bounds::fixed_list_max
      && charge(size_of(element) * *most)) {
    auto out = of_kind(kind::tuple);
    out.parts.assign(*most, element);
    out.needed = static_cast<uint32_t>(*most);
    return out;
  }
  return list_of(std::move(element));
}

type schema_reader::tuple_type(const json::array& elements, const value* others, const object& schema, place at) {
  auto least = count_at(schema, "minItems").value_or(0), most = count_at(schema, "maxItems").value_or(UINT64_MAX);
  if (elements.empty())
    return list_of(others ? convert(*others, at.deeper()) : type{});
  if (elements.size() > bounds::tuple_max)
    return list_of({});
  auto out = of_kind(kind::tuple);
  for (size_t i = 0; i < std::min<uint64_t>(elements.size(), most); ++i)
    out.parts.push_back(convert(elements[i], at.deeper()));
  out.needed = static_cast<uint32_t>(std::min<uint64_t>(least, out.parts.size()));
  if (!is(others, false) && most > elements.size())
    out.rest.push_back(others ? convert(*others, at.deeper()) : type{});
  return out;
}

type schema_reader::enumerated(const json::array& values) {
  std::vector<type> parts;
  bool each = values.size() <= bounds::literals_max;
  for (auto& v : values) {
    auto t = each ? of_value(v) : of_kind(kind_of(v));
    if (each && (!charge(size_of(t)) || !charge_text(t.text.size())))
      return {};
    if (!each && !is_known(t))
      return {};
    if (each || std::find(parts.begin(), parts.end(), t) == parts.end())
      parts.push_back(std::move(t));
  }
  return either(std::move(parts));
}

type schema_reader::any_of(const json::array& schemas, place at) {
  if (schemas.empty() || schemas.size() > bounds::choices_max)
    return {};
  std::vector<type> parts;
  for (auto& s : schemas)
    parts.push_back(convert(s, at));
  return either(std::move(parts));
}

type schema_reader::reference(const value& uri, place at) {
  if (!uri.is_string())
    return {};
  auto target = references_.find(uri.get_string(), *at.in);
  if (!target.schema)
    return {};
  if (target.schema->is_bool())
    return of_kind(target.schema->get_bool() ? kind::unknown : kind::never);
  auto out = of_kind(kind::named);
  out.name = static_cast<uint32_t>(first_name_ + name_of(target));
  return out;
}

size_t schema_reader::name_of(const references::target& target) {
  auto [found, is_new] = name_of_.emplace(target.schema, pending_.size());
  if (is_new) {
    pending_.push_back({target.schema, target.in});
    auto name = type_name(target.schema == &document_ ? root_name_ : target.name);
    names_.push_back({name.starts_with(prefix_) ? name : prefix_ + name, {}, {}});
  }
  return found->second;
}

void schema_reader::complete(size_t name) {
  if (pending_[name].state != progress::waiting || completing_ == completing_max)
    return;
  ++completing_;
  pending_[name].state = progress::begun;
  auto [schema, in, state] = pending_[name];
  auto is = convert(*schema, {in, 0});
  auto& named = names_[first_name_ + name];
  named.is = std::move(is);
  if (schema->is_object())
    named.doc = doc(schema->get_object());
  pending_[name].state = progress::done;
  --completing_;
}

} // namespace types

// NOLINTEND(misc-no-recursion)
