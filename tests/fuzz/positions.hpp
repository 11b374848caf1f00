// What holds for the positions of every reader.
#pragma once

#include "config/json_positions.hpp"
#include "testing/fuzz.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace fuzz {

/// Each part of the value has one, inside of the text.
inline void require_positions(const boost::json::value& value, const std::string& path,
                              const config::json_positions& found, size_t size) {
  auto has = [&](const std::string& inner) {
    auto at = found.offsets.find(inner);
    require(at != found.offsets.end() && at->second < size, "a part without a position");
  };
  if (auto* object = value.if_object())
    for (auto& [key, member] : *object) {
      has(config::member_path(path, key));
      if (found.duplicate.empty()) // else the parser may have kept another value than the first
        require_positions(member, config::member_path(path, key), found, size);
    }
  if (auto* array = value.if_array())
    for (size_t i = 0; i < array->size(); ++i) {
      has(config::item_path(path, i));
      require_positions((*array)[i], config::item_path(path, i), found, size);
    }
}

} // namespace fuzz
