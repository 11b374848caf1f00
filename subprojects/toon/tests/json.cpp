#include "json.hpp"

// Boost.JSON is used header-only: its one translation unit.
#include <boost/json/src.hpp>

#include <algorithm>

namespace toon::test {

namespace json = boost::json;

namespace {

bool same_numbers(const json::value& a, const json::value& b) {
  if (a.is_double() != b.is_double()) {
    // Exact: no test compares an integer that no double is equal to.
    auto number = [](const json::value& v) {
      return static_cast<long double>(v.is_double() ? v.get_double() : v.to_number<double>());
    };
    return number(a) == number(b);
  }
  return a.is_double() ? a.get_double() == b.get_double() : a == b;
}

} // namespace

json::value parsed(std::string_view text) { return json::parse({text.data(), text.size()}); }

bool same(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number())
    return same_numbers(a, b);
  if (a.is_array() && b.is_array())
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(), same);
  if (!a.is_object() || !b.is_object())
    return a == b;
  auto same_members = [](auto& x, auto& y) { return x.key() == y.key() && same(x.value(), y.value()); };
  return std::equal(a.get_object().begin(), a.get_object().end(), b.get_object().begin(), b.get_object().end(),
                    same_members);
}

} // namespace toon::test
