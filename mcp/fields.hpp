// Fields of messages that others have written: of any type, or not there.
#pragma once

#include <boost/json/object.hpp>

#include <string_view>

namespace mcp {

inline std::string_view string_or(const boost::json::object& object, std::string_view key,
                                  std::string_view otherwise = {}) {
  auto* v = object.if_contains(key);
  return v && v->is_string() ? std::string_view{v->get_string()} : otherwise;
}

} // namespace mcp
