#include "proxy/types/combine.hpp"

#include "proxy/types/bounds.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

// Recursion follows types, which are bounds::depth_max deep.
// NOLINTBEGIN(misc-no-recursion)

namespace types {

namespace json = boost::json;

namespace {

constexpr int value_levels_max = 4;

bool covers(const type& wide, const type& narrow) {
  return wide == narrow || (narrow.is == kind::literal && wide.is == narrow.literal_of)
         || (wide.is == kind::number
             && (narrow.is == kind::integer || (narrow.is == kind::literal && narrow.literal_of == kind::integer)));
}

void add(std::vector<type>& to, type t) {
  if (t.is == kind::never || std::any_of(to.begin(), to.end(), [&](auto& known) { return covers(known, t); }))
    return;
  std::erase_if(to, [&](auto& known) { return covers(t, known); });
  to.push_back(std::move(t));
}

type literal(kind of, const json::value& value) {
  auto out = of_kind(kind::literal);
  out.literal_of = of;
  out.text = text::to_text(value);
  return out;
}

type value_type(const json::value& value, int levels) {
  switch (value.kind()) {
    case json::kind::null: return of_kind(kind::null);
    case json::kind::bool_: return literal(kind::boolean, value);
    case json::kind::int64:
    case json::kind::uint64: return literal(kind::integer, value);
    case json::kind::double_: return literal(kind::number, value);
    case json::kind::string:
      return value.get_string().size() <= bounds::literal_bytes_max ? literal(kind::string, value)
                                                                    : of_kind(kind::string);
    case json::kind::array: {
      auto& array = value.get_array();
      if (levels == 0 || array.size() > bounds::tuple_max) {
        auto out = of_kind(kind::list);
        out.rest.emplace_back();
        return out;
      }
      auto out = of_kind(kind::tuple);
      out.needed = static_cast<uint32_t>(array.size());
      for (auto& element : array)
        out.parts.push_back(value_type(element, levels - 1));
      return out;
    }
    case json::kind::object: break;
  }
  auto out = of_kind(kind::object);
  for (auto& [name, field_value] : value.get_object())
    if (levels > 0 && name.size() <= bounds::name_bytes_max && out.fields.size() < bounds::tuple_max)
      out.fields.push_back({name, {}, true, value_type(field_value, levels - 1)});
  if (out.fields.size() < value.get_object().size())
    out.rest.emplace_back();
  return out;
}

field* field_named(type& object, const std::string& name) {
  auto found = std::find_if(object.fields.begin(), object.fields.end(), [&](auto& f) { return f.name == name; });
  return found == object.fields.end() ? nullptr : &*found;
}

type both_or_first(const type& a, const type& b) { return both(a, b).value_or(a); }

type both_objects(type a, const type& b) {
  for (auto& f : b.fields) {
    auto* known = field_named(a, f.name);
    if (!known) {
      a.fields.push_back(f);
      continue;
    }
    known->of = both_or_first(known->of, f.of);
    known->required = known->required || f.required;
    if (known->doc.empty())
      known->doc = f.doc;
  }
  if (!a.rest.empty() && !b.rest.empty())
    a.rest[0] = both_or_first(a.rest[0], b.rest[0]);
  else if (a.rest.empty())
    a.rest = b.rest;
  return a;
}

type both_lists(const type& a, const type& b) {
  if (a.is == kind::tuple)
    return a;
  if (b.is == kind::tuple)
    return b;
  auto out = a;
  out.rest[0] = both_or_first(a.rest[0], b.rest[0]);
  return out;
}

std::optional<type> both_choices(const type& a, const type& b) {
  const std::vector<type> only_a{a}, only_b{b};
  auto& left = a.is == kind::choice ? a.parts : only_a;
  auto& right = b.is == kind::choice ? b.parts : only_b;
  if (left.size() * right.size() > bounds::meets_max)
    return a;
  std::vector<type> parts;
  for (auto& l : left)
    for (auto& r : right)
      if (auto t = both(l, r))
        parts.push_back(std::move(*t));
  return parts.empty() ? std::nullopt : std::optional{either(std::move(parts))};
}

bool is_list(const type& t) { return t.is == kind::list || t.is == kind::tuple; }

} // namespace

type either(std::vector<type> parts) {
  std::vector<type> out;
  for (auto& p : parts) {
    if (p.is == kind::unknown || out.size() > bounds::choices_max)
      return {};
    if (p.is != kind::choice)
      add(out, std::move(p));
    else
      for (auto& inner : p.parts)
        add(out, std::move(inner));
  }
  if (out.size() > bounds::choices_max)
    return {};
  if (out.size() == 1)
    return std::move(out[0]);
  auto t = of_kind(out.empty() ? kind::never : kind::choice);
  t.parts = std::move(out);
  return t;
}

size_t size_of(const type& t) {
  size_t n = 1;
  for (auto* list : {&t.parts, &t.rest})
    for (auto& inner : *list)
      n += size_of(inner);
  for (auto& f : t.fields)
    n += size_of(f.of);
  return n;
}

type of_value(const json::value& value) { return value_type(value, value_levels_max); }

std::optional<type> both(const type& a, const type& b) {
  auto is_open = [](const type& t) { return t.is == kind::unknown || t.is == kind::named; };
  if (is_open(b))
    return a;
  if (is_open(a))
    return b;
  if (a.is == kind::choice || b.is == kind::choice)
    return both_choices(a, b);
  if (covers(a, b))
    return b;
  if (covers(b, a))
    return a;
  if (a.is == kind::object && b.is == kind::object)
    return both_objects(a, b);
  if (is_list(a) && is_list(b))
    return both_lists(a, b);
  return std::nullopt;
}

} // namespace types

// NOLINTEND(misc-no-recursion)
