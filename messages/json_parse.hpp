// Parsing JSON without losing a digit. Boost.JSON 1.81 rounds some doubles wrongly (one of ten with 16 digits is off by
// one unit in the last place), so numbers are converted here, by std::from_chars.
#pragma once

#include <boost/json/basic_parser.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <string_view>

namespace msg {

struct parsed_json {
  boost::json::value value;
  boost::json::error_code error;
  size_t read = 0; ///< bytes up to the error, or all
};

/// One JSON text; what follows it, other than white space, is an error. Numbers beyond the range of a double become
/// the largest one of their sign.
parsed_json parse_json(std::string_view text, const boost::json::parse_options& options);

} // namespace msg
