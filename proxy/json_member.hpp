// A member of what may be an object.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string_view>

namespace proxy {

/// Null: `of` is null or no object, or has no such member.
inline const boost::json::value* member(const boost::json::value* of, std::string_view key) {
  auto* object = of ? of->if_object() : nullptr;
  return object ? object->if_contains(key) : nullptr;
}

} // namespace proxy
