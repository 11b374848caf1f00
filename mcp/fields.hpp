// Fields of messages that others have written: of any type, or not there.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string_view>

namespace mcp {

inline std::string_view string_or(const boost::json::object& object, std::string_view key,
                                  std::string_view otherwise = {}) {
  auto* v = object.if_contains(key);
  return v && v->is_string() ? std::string_view{v->get_string()} : otherwise;
}

/// Empty: there is no such text, or nothing to look in.
inline std::string_view string_in(const boost::json::object* from, std::string_view key) {
  return from ? string_or(*from, key) : std::string_view{};
}

/// Null: there is none, or nothing to look in.
inline const boost::json::object* object_in(const boost::json::object* from, std::string_view key) {
  auto* found = from ? from->if_contains(key) : nullptr;
  return found ? found->if_object() : nullptr;
}

} // namespace mcp
