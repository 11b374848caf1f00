// Makes what is too large for a model small, without ever cutting a value into something invalid.
#pragma once

#include "messages/run.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>

namespace tools {

struct fitted_text {
  std::string text; ///< valid UTF-8
  bool truncated = false;
};
/// Head, a marker with the full size, and tail, if the text has more than `chars_max` code points.
fitted_text fit_text(const msg::captured_text& captured, size_t chars_max);

struct fitted_value {
  boost::json::value value;
  bool truncated = false;
};
/// A value whose JSON is longer than `bytes_max`: long texts keep head and tail, lists their first elements and a note
/// with the count, objects the fields that fit.
fitted_value fit_value(const boost::json::value& value, size_t bytes_max);

} // namespace tools
