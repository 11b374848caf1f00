#include "equality.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <string_view>

namespace json_schema {

namespace {

using boost::json::array;
using boost::json::kind;
using boost::json::object;
using boost::json::value;

/// Below, comparing with each is faster than a hash.
constexpr size_t few = 8;
constexpr size_t hashed_depth = 3;
constexpr size_t hashed_members = 8;
/// Bytes of a string that are compared in one step.
constexpr size_t compared_bytes_per_step = 64;

bool equal_arrays(const array& a, const array& b, budget& steps, size_t depth) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!equal(a[i], b[i], steps, depth))
      return false;
  return true;
}

bool equal_objects(const object& a, const object& b, budget& steps, size_t depth) {
  if (a.size() != b.size())
    return false;
  for (auto& [key, member] : a) {
    auto* other = b.if_contains(key);
    if (!other || !equal(member, *other, steps, depth))
      return false;
  }
  return true;
}

size_t mix(size_t seed, size_t more) { return seed ^ (more + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2)); }

size_t hash_to_depth(const value& v, size_t depth) {
  if (v.is_number())
    return hash_number(v);
  switch (v.kind()) {
    case kind::string: return std::hash<std::string_view>{}(v.get_string());
    case kind::bool_: return v.get_bool() ? 1 : 2;
    case kind::array: {
      size_t out = mix(3, v.get_array().size());
      for (size_t i = 0; depth > 0 && i < std::min(v.get_array().size(), hashed_members); ++i)
        out = mix(out, hash_to_depth(v.get_array()[i], depth - 1));
      return out;
    }
    case kind::object: {
      size_t out = mix(5, v.get_object().size());
      if (depth > 0 && v.get_object().size() <= hashed_members)
        for (auto& [key, member] : v.get_object()) // the order must not matter
          out += mix(std::hash<std::string_view>{}(key), hash_to_depth(member, depth - 1));
      return out;
    }
    default: return 7;
  }
}

} // namespace

bool equal(const value& a, const value& b, budget& steps, size_t depth) {
  if (depth > equality_depth_max)
    steps.stop("values are nested too deeply to be compared");
  if (!steps.charge(1))
    return false;
  if (a.is_number() && b.is_number())
    return std::is_eq(compare_numbers(a, b));
  if (a.kind() != b.kind())
    return false;
  switch (a.kind()) {
    case kind::string:
      return a.get_string().size() == b.get_string().size()
             && steps.charge(a.get_string().size() / compared_bytes_per_step) && a.get_string() == b.get_string();
    case kind::bool_: return a.get_bool() == b.get_bool();
    case kind::array: return equal_arrays(a.get_array(), b.get_array(), steps, depth + 1);
    case kind::object: return equal_objects(a.get_object(), b.get_object(), steps, depth + 1);
    default: return true;
  }
}

size_t hash(const value& v) { return hash_to_depth(v, hashed_depth); }

value_set::value_set(const array& values) : values_(values) {
  if (values.size() <= few)
    return;
  by_hash_.reserve(values.size());
  for (auto& v : values)
    by_hash_.push_back({hash(v), &v});
  std::sort(by_hash_.begin(), by_hash_.end(), [](auto& a, auto& b) { return a.hash < b.hash; });
}

bool value_set::contains(const value& wanted, budget& steps) const {
  if (by_hash_.empty())
    return std::any_of(values_.begin(), values_.end(), [&](auto& v) { return equal(v, wanted, steps); });
  auto key = hash(wanted);
  auto at = std::lower_bound(by_hash_.begin(), by_hash_.end(), key, [](auto& e, size_t k) { return e.hash < k; });
  for (; at != by_hash_.end() && at->hash == key && !steps.is_stopped(); ++at)
    if (equal(*at->value, wanted, steps))
      return true;
  return false;
}

twins find_twins(const array& values, budget& steps) {
  struct entry {
    size_t hash, index;
  };
  std::vector<entry> found;
  found.reserve(values.size());
  for (size_t i = 0; i < values.size() && steps.charge(1); ++i)
    found.push_back({hash(values[i]), i});
  std::sort(found.begin(), found.end(),
            [](auto& a, auto& b) { return a.hash != b.hash ? a.hash < b.hash : a.index < b.index; });
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = i + 1; j < found.size() && found[j].hash == found[i].hash && !steps.is_stopped(); ++j)
      if (equal(values[found[i].index], values[found[j].index], steps))
        return {found[i].index, found[j].index};
  return {};
}

} // namespace json_schema
