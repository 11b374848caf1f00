#include "mcp/value_size.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace mcp {

namespace json = boost::json;

namespace {

constexpr size_t punctuation = 4; ///< of a member: quotes, colon and comma

/// False: there is more than `left`. Nesting is bounded by the parser.
bool fits(const json::value& value, size_t& left);

bool take(size_t bytes, size_t& left) {
  if (bytes > left)
    return false;
  left -= bytes;
  return true;
}

bool fits_all(const json::array& list, size_t& left) {
  return std::all_of(list.begin(), list.end(), [&](auto& each) { return take(1, left) && fits(each, left); });
}

bool fits_all(const json::object& object, size_t& left) {
  return std::all_of(object.begin(), object.end(), [&](auto& member) {
    return take(member.key().size() + punctuation, left) && fits(member.value(), left);
  });
}

bool fits(const json::value& value, size_t& left) {
  switch (value.kind()) {
    case json::kind::string: return take(value.get_string().size() + 2, left);
    case json::kind::array: return take(2, left) && fits_all(value.get_array(), left);
    case json::kind::object: return take(2, left) && fits_all(value.get_object(), left);
    default: return take(1, left);
  }
}

} // namespace

bool is_longer_than(size_t bytes, const json::value& value) { return !fits(value, bytes); }

} // namespace mcp
