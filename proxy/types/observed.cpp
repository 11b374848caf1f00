#include "proxy/types/observed.hpp"

#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cctype>
#include <set>

// Recursion follows shapes, observed_bounds::depth_max deep.
// NOLINTBEGIN(misc-no-recursion)

namespace types {

namespace json = boost::json;

namespace {

/// Keys and digests without a digit: `deadbeefcafe`, `ghp_AbCdEfGhIjKl`.
bool is_like_random(std::string_view text) {
  constexpr size_t length_min = 12, case_changes_max = 4, word_length = 4; // of names: `isInProgressSinceThatDay`
  if (text.size() < length_min)
    return false;
  size_t changes = 0;
  for (size_t i = 1; i < text.size(); ++i)
    changes += std::islower(static_cast<unsigned char>(text[i - 1])) != 0
                   && std::isupper(static_cast<unsigned char>(text[i])) != 0
                 ? 1
                 : 0;
  return (changes > case_changes_max && changes * word_length > text.size())
         || text.find_first_not_of("abcdefABCDEF") == text.npos;
}

/// What programmers write for a choice: `in_progress`. No digits, blanks or other signs: names, keys, paths and dates
/// are the user's own business.
bool is_plain_identifier(std::string_view text) {
  return !text.empty() && text.size() <= observed_bounds::value_bytes_max
         && std::isalpha(static_cast<unsigned char>(text[0])) != 0
         && std::all_of(text.begin(), text.end(),
                        [](unsigned char c) { return std::isalpha(c) != 0 || c == '_' || c == '-'; })
         && !is_like_random(text);
}

/// `line1`, `p99`: letters and a number of one or two digits.
bool is_numbered_name(std::string_view name) {
  auto letters = name.find_last_not_of("0123456789") + 1;
  return letters > 0 && name.size() - letters <= 2
         && std::all_of(name.begin(), name.begin() + static_cast<ptrdiff_t>(letters),
                        [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
}

/// Numbers, hashes, addresses, paths, dates: what no programmer would write behind a dot.
bool is_like_a_key(std::string_view name) {
  auto digits =
    static_cast<size_t>(std::count_if(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }));
  bool has_signs = name.find_first_of("/ :") != name.npos || name.find('@', 1) != name.npos; // "@type" is a name
  return has_signs || is_like_random(name) || name.size() > observed_bounds::name_bytes_max
         || (digits >= 4 && name.size() >= 8) || (digits > 0 && digits * 2 >= name.size() && !is_numbered_name(name));
}

/// Objects of the same fields under different names: rows by their keys, as in `{"alice": {"age": 3}, "bob": {"age":
/// 5}}`.
bool is_of_alike(const json::object& object) {
  auto fields_of = [](const json::value& v) {
    std::set<std::string_view> names;
    if (auto* inner = v.if_object(); inner && inner->size() <= observed_bounds::fields_max)
      for (auto& [name, value] : *inner)
        names.insert(name);
    return names;
  };
  if (object.size() < observed_bounds::alike_min || object.size() > observed_bounds::visits_max)
    return false;
  auto first = fields_of(object.begin()->value());
  return !first.empty()
         && std::all_of(object.begin(), object.end(), [&](auto& field) { return fields_of(field.value()) == first; });
}

/// One result on its way into a shape.
class merging {
public:
  merging(size_t shapes, const private_things& knows)
    : shapes_left_(shapes < observed_bounds::shapes_max ? observed_bounds::shapes_max - shapes : 0),
      knows_(knows) {}

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
  bool is_secret(std::string_view text) const { return knows_.text && knows_.text(text); }
  bool names_secret(std::string_view name) const { return knows_.name && knows_.name(name); }

  void add_string(observed_shape& to, std::string_view text) const {
    ++to.strings;
    if (to.any_string)
      return;
    auto known = to.values.find(std::string{text});
    bool may_be_choice =
      secret_names_ == 0 && (known != to.values.end() || (is_plain_identifier(text) && !is_secret(text)));
    to.results += to.now.empty() ? 1 : 0;
    if (may_be_choice && to.now.emplace(text).second)
      ++to.values[std::string{text}];
    if (!may_be_choice || to.values.size() > observed_bounds::values_max) {
      to.any_string = true;
      to.values.clear();
      to.now.clear();
    }
  }

  /// Null: no room for one more.
  observed_shape* only(std::vector<observed_shape>& of, int depth) {
    if (of.empty() && (depth >= observed_bounds::depth_max || shapes_left_ == 0))
      return nullptr;
    if (of.empty()) {
      --shapes_left_;
      of.emplace_back();
    }
    return &of[0];
  }

  void add_list(observed_shape& to, const json::array& list, int depth) {
    ++to.lists;
    auto count = std::min(list.size(), observed_bounds::elements_max);
    auto* element = count > 0 ? only(to.element, depth) : nullptr;
    if (count > 0 && !element)
      ++to.opaque;
    for (size_t i = 0; element && i < count; ++i)
      add(*element, list[count == 1 ? 0 : i * (list.size() - 1) / (count - 1)], depth + 1);
  }

  void add_object(observed_shape& to, const json::object& object, int depth) {
    ++to.objects;
    if (!to.is_record && is_of_alike(object))
      make_record(to);
    size_t seen = 0;
    for (auto& [name, v] : object) {
      if (visits_left_ == 0 || ++seen > 2 * observed_bounds::fields_max)
        break;
      add_field(to, name, v, depth);
    }
  }

  void add_field(observed_shape& to, std::string_view name, const json::value& v, int depth) {
    auto known = to.is_record ? to.fields.end() : to.fields.find(std::string{name});
    bool is_new = !to.is_record && known == to.fields.end();
    bool is_key = is_new && (is_like_a_key(name) || is_secret(name));
    if (is_new && !is_key && to.fields.size() == observed_bounds::fields_max)
      make_record(to);
    if (is_key || to.is_record) {
      if (auto* value = only(to.value, depth))
        add(*value, v, depth + 1);
      else
        ++to.opaque;
      return;
    }
    if (known == to.fields.end()) {
      if (depth >= observed_bounds::depth_max || shapes_left_ == 0) {
        ++to.opaque;
        return;
      }
      --shapes_left_;
      known = to.fields.emplace(name, observed_field{0, std::vector<observed_shape>(1)}).first;
    }
    ++known->second.present;
    auto& shape = known->second.of[0];
    bool is_learned = v.is_structured() || (v.is_string() && !shape.any_string);
    bool is_secret_name = is_learned && names_secret(name);
    secret_names_ += is_secret_name ? 1 : 0;
    add(shape, v, depth + 1);
    secret_names_ -= is_secret_name ? 1 : 0;
  }

  static void make_record(observed_shape& to);

  size_t shapes_left_;
  size_t visits_left_ = observed_bounds::visits_max;
  const private_things& knows_;
  int secret_names_ = 0; ///< of fields that this value is in
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
  for (auto count :
       {&observed_shape::nulls, &observed_shape::booleans, &observed_shape::integers, &observed_shape::numbers,
        &observed_shape::strings, &observed_shape::lists, &observed_shape::objects, &observed_shape::opaque})
    a.*count += b.*count;
  for (auto& [text, count] : b.values)
    a.values[text] = std::max(a.values[text], count); // they may be of the same results
  a.results = std::max(a.results, b.results);
  a.now.insert(b.now.begin(), b.now.end());
  a.any_string = a.any_string || b.any_string || a.values.size() > observed_bounds::values_max;
  if (a.any_string) {
    a.values.clear();
    a.now.clear();
  }
  join_only(a.element, b.element);
  join_only(a.value, b.value);
  for (auto& [name, field] : b.fields) {
    auto [known, is_new] = a.fields.emplace(name, field);
    if (!is_new) {
      known->second.present += field.present;
      join(known->second.of[0], field.of[0]);
    }
  }
  if (a.is_record || b.is_record || a.fields.size() > observed_bounds::fields_max)
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

void end_of_result(observed_shape& s) {
  s.now.clear();
  for (auto* list : {&s.element, &s.value})
    for (auto& inner : *list)
      end_of_result(inner);
  for (auto& [name, field] : s.fields)
    end_of_result(field.of[0]);
}

json::object schema_of(const observed_shape& s);

json::object string_schema(const observed_shape& s) {
  json::object out{{"type", "string"}};
  if (!is_choice(s))
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
  if (!s.value.empty() || s.is_record)
    out["additionalProperties"] = s.value.empty() ? json::object{} : schema_of(s.value[0]);
  if (s.fields.empty() && out.contains("additionalProperties"))
    return out;
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

bool is_choice(const observed_shape& s) {
  bool is_repeated = std::all_of(s.values.begin(), s.values.end(), [](auto& value) { return value.second >= 2; });
  return !s.any_string && is_repeated && s.values.size() > 1 && s.results >= observed_bounds::repeats_min;
}

void observed::merge(const json::value& result, const private_things& knows) {
  auto before = samples_ > 0 ? text::to_text(schema_of(root_)) : std::string{};
  ++samples_;
  merging{shapes_in(root_), knows}.add(root_, result, 0);
  end_of_result(root_);
  if (text::to_text(schema_of(root_)) != before)
    ++version_;
}

json::object observed::schema() const {
  auto out = schema_of(root_);
  out["x-observed"] =
    json::object{{"samples", static_cast<int64_t>(samples_)}, {"version", static_cast<int64_t>(version_)}};
  return out;
}

} // namespace types

// NOLINTEND(misc-no-recursion)
