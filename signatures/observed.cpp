#include "signatures/observed.hpp"

#include "messages/json_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cctype>

// Recursion follows shapes, observed_bounds::depth_max deep.
// NOLINTBEGIN(misc-no-recursion)

namespace signatures {

namespace json = boost::json;
namespace bounds = observed_bounds;

namespace {

/// What programmers write for a choice: `in_progress`, `text/plain`. No digits: keys, tokens and dates are nobody else's business.
bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= bounds::value_bytes_max && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalpha(c) != 0 || c == '_' || c == '-' || c == '/' || c == ' ';
  });
}

/// One result on its way into a shape.
class merging {
public:
  explicit merging(size_t shapes) : shapes_left_(shapes < bounds::shapes_max ? bounds::shapes_max - shapes : 0) {}

  void add(observed_shape& to, const json::value& v, int depth) {
    if (visits_left_ == 0)
      return;
    --visits_left_;
    switch (v.kind()) {
      case json::kind::null: ++to.nulls; return;
      case json::kind::bool_: ++to.booleans; return;
      case json::kind::int64:
      case json::kind::uint64: ++to.integers; return;
      case json::kind::double_: ++to.numbers; return;
      case json::kind::string: add_string(to, v.get_string()); return;
      case json::kind::array: add_list(to, v.get_array(), depth); return;
      case json::kind::object: add_object(to, v.get_object(), depth); return;
    }
  }

private:
  static void add_string(observed_shape& to, std::string_view text) {
    ++to.strings;
    if (to.any_string)
      return;
    bool may_be_choice = is_word(text);
    if (may_be_choice)
      ++to.values[std::string{text}];
    if (!may_be_choice || to.values.size() > bounds::values_max) {
      to.any_string = true;
      to.values.clear();
    }
  }

  /// Null: no room for one more.
  observed_shape* only(std::vector<observed_shape>& of, int depth) {
    if (of.empty() && (depth >= bounds::depth_max || shapes_left_ == 0))
      return nullptr;
    if (of.empty()) {
      --shapes_left_;
      of.emplace_back();
    }
    return &of[0];
  }

  void add_list(observed_shape& to, const json::array& list, int depth) {
    ++to.lists;
    auto count = std::min(list.size(), bounds::elements_max);
    auto* element = count > 0 ? only(to.element, depth) : nullptr;
    if (count > 0 && !element)
      ++to.opaque;
    for (size_t i = 0; element && i < count; ++i)
      add(*element, list[count == 1 ? 0 : i * (list.size() - 1) / (count - 1)], depth + 1);
  }

  void add_object(observed_shape& to, const json::object& object, int depth) {
    ++to.objects;
    size_t seen = 0;
    for (auto& [name, v] : object) {
      if (visits_left_ == 0 || ++seen > 2 * bounds::fields_max)
        break;
      add_field(to, name, v, depth);
    }
  }

  void add_field(observed_shape& to, std::string_view name, const json::value& v, int depth) {
    auto known = to.is_record ? to.fields.end() : to.fields.find(std::string{name});
    if (!to.is_record && known == to.fields.end() && (to.fields.size() == bounds::fields_max || name.size() > bounds::name_bytes_max))
      make_record(to);
    if (to.is_record) {
      if (auto* value = only(to.value, depth))
        add(*value, v, depth + 1);
      else
        ++to.opaque;
      return;
    }
    if (known == to.fields.end()) {
      if (depth >= bounds::depth_max || shapes_left_ == 0) {
        ++to.opaque;
        return;
      }
      --shapes_left_;
      known = to.fields.emplace(name, observed_field{0, std::vector<observed_shape>(1)}).first;
    }
    ++known->second.present;
    add(known->second.of[0], v, depth + 1);
  }

  static void make_record(observed_shape& to);

  size_t shapes_left_;
  size_t visits_left_ = bounds::visits_max;
};

/// `b` into `a`; their counts add up.
void join(observed_shape& a, const observed_shape& b);

void join_only(std::vector<observed_shape>& a, const std::vector<observed_shape>& b) {
  if (a.empty())
    a = b;
  else if (!b.empty())
    join(a[0], b[0]);
}

void join_all_fields(observed_shape& record) {
  std::vector<observed_shape> all;
  for (auto& [name, field] : record.fields)
    join_only(all, field.of);
  join_only(record.value, all);
  record.fields.clear();
  record.is_record = true;
}

void join(observed_shape& a, const observed_shape& b) {
  for (auto count : {&observed_shape::nulls, &observed_shape::booleans, &observed_shape::integers, &observed_shape::numbers, &observed_shape::strings,
                     &observed_shape::lists, &observed_shape::objects, &observed_shape::opaque})
    a.*count += b.*count;
  for (auto& [text, count] : b.values)
    a.values[text] += count;
  a.any_string = a.any_string || b.any_string || a.values.size() > bounds::values_max;
  if (a.any_string)
    a.values.clear();
  join_only(a.element, b.element);
  join_only(a.value, b.value);
  for (auto& [name, field] : b.fields) {
    auto [known, is_new] = a.fields.emplace(name, field);
    if (!is_new) {
      known->second.present += field.present;
      join(known->second.of[0], field.of[0]);
    }
  }
  if (a.is_record || b.is_record || a.fields.size() > bounds::fields_max)
    join_all_fields(a);
}

void merging::make_record(observed_shape& to) { join_all_fields(to); }

size_t shapes_in(const observed_shape& s) {
  size_t n = 1;
  for (auto* list : {&s.element, &s.value})
    for (auto& inner : *list)
      n += shapes_in(inner);
  for (auto& [name, field] : s.fields)
    n += shapes_in(field.of[0]);
  return n;
}

/// Numbers, hashes, addresses, paths, dates: what no programmer would write behind a dot.
bool is_like_a_key(std::string_view name) {
  auto digits = std::count_if(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return (digits > 0 && static_cast<size_t>(digits) * 2 >= name.size()) || name.find_first_of("@/ :") != name.npos
         || (digits >= 4 && name.size() >= 8);
}

bool has_keys(const observed_shape& s) {
  return s.is_record || (s.fields.size() >= 2 && std::all_of(s.fields.begin(), s.fields.end(), [](auto& f) { return is_like_a_key(f.first); }));
}

json::object schema_of(const observed_shape& s);

json::object string_schema(const observed_shape& s) {
  json::object out{{"type", "string"}};
  bool repeats =
    !s.any_string && s.strings >= bounds::repeats_min && std::all_of(s.values.begin(), s.values.end(), [](auto& v) { return v.second >= 2; });
  if (!repeats)
    return out;
  json::array values;
  for (auto& [text, count] : s.values)
    values.emplace_back(text);
  out["enum"] = std::move(values);
  return out;
}

json::object list_schema(const observed_shape& s) {
  json::object out{{"type", "array"}};
  if (!s.element.empty())
    out["items"] = schema_of(s.element[0]);
  return out;
}

json::object object_schema(const observed_shape& s) {
  json::object out{{"type", "object"}};
  if (has_keys(s)) {
    auto joined = s;
    join_all_fields(joined);
    out["additionalProperties"] = joined.value.empty() ? json::object{} : schema_of(joined.value[0]);
    return out;
  }
  json::object properties;
  json::array required;
  for (auto& [name, field] : s.fields) {
    properties[name] = schema_of(field.of[0]);
    if (field.present == s.objects)
      required.emplace_back(name);
  }
  out["properties"] = std::move(properties);
  if (!required.empty())
    out["required"] = std::move(required);
  if (s.opaque > 0)
    out["additionalProperties"] = true;
  return out;
}

json::object schema_of(const observed_shape& s) {
  std::vector<json::object> kinds;
  if (s.opaque > 0 && s.objects + s.lists == 0)
    return {};
  if (s.strings > 0)
    kinds.push_back(string_schema(s));
  if (s.numbers > 0)
    kinds.push_back({{"type", "number"}});
  else if (s.integers > 0)
    kinds.push_back({{"type", "integer"}});
  if (s.booleans > 0)
    kinds.push_back({{"type", "boolean"}});
  if (s.lists > 0)
    kinds.push_back(list_schema(s));
  if (s.objects > 0)
    kinds.push_back(object_schema(s));
  if (s.nulls > 0)
    kinds.push_back({{"type", "null"}});
  if (kinds.size() == 1)
    return std::move(kinds[0]);
  if (kinds.empty())
    return {};
  return {{"anyOf", json::array(kinds.begin(), kinds.end())}};
}

} // namespace

void observed::merge(const json::value& result) {
  auto before = samples_ > 0 ? msg::to_text(schema_of(root_)) : std::string{};
  ++samples_;
  merging{shapes_in(root_)}.add(root_, result, 0);
  if (msg::to_text(schema_of(root_)) != before)
    ++version_;
}

json::object observed::schema() const {
  auto out = schema_of(root_);
  out["x-observed"] = json::object{{"samples", static_cast<int64_t>(samples_)}, {"version", static_cast<int64_t>(version_)}};
  return out;
}

} // namespace signatures

// NOLINTEND(misc-no-recursion)
