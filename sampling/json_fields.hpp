// Looking into JSON that may be anything.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace sampling {

/// None if `in` is no object, or has no such key, or null there.
const boost::json::value* field(const boost::json::value& in, std::string_view key);
const boost::json::object* object_field(const boost::json::value& in, std::string_view key);
/// Empty if there is no array.
const boost::json::array& array_field(const boost::json::value& in, std::string_view key);
/// Empty if there is no string.
std::string_view text_field(const boost::json::value& in, std::string_view key);
/// A whole number that is not negative; larger ones than 32 bits hold are the largest.
std::optional<uint32_t> count_field(const boost::json::value& in, std::string_view key);

/// a + b, or the largest number.
inline uint32_t sum(uint32_t a, uint32_t b) { return a > UINT32_MAX - b ? UINT32_MAX : a + b; }

} // namespace sampling
