// Numbers of JSON as the three types that Boost.JSON has for them, compared and divided without rounding.
#pragma once

#include <boost/json/value.hpp>

#include <compare>
#include <string>

namespace json_schema {

/// Both must be numbers. Unordered only for what is no number (NaN can not come from JSON text).
std::partial_ordering compare_numbers(const boost::json::value& a, const boost::json::value& b);

/// 1.0 and 1e300 are integers.
bool is_integer(const boost::json::value& value);

/// In decimals, as people mean it: 19.99 is a multiple of 0.01. Exact for the shortest decimal that a double stands
/// for.
bool is_multiple(const boost::json::value& number, const boost::json::value& divisor);

/// The same for equal numbers of different types.
size_t hash_number(const boost::json::value& value);

/// As people write it: 1.5, 20.
std::string number_text(const boost::json::value& value);

} // namespace json_schema
