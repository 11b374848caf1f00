#include "text/parsed_size.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace text {

namespace {

/// Of an element, or of a field and its key.
constexpr uint64_t one_value_bytes = sizeof(boost::json::key_value_pair);
/// Of a list or an object: its value, and a block of the allocator with a header.
constexpr uint64_t structure_bytes = sizeof(boost::json::value) + 48;

} // namespace

uint64_t parsed_size(std::string_view json) {
  uint64_t values = 1, blocks = 0;
  bool is_inside_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    auto c = json[i];
    if (c == '"')
      is_inside_text = !is_inside_text;
    else if (is_inside_text)
      i += c == '\\' ? 1 : 0;
    else if (c == '[' || c == '{')
      blocks += i + 1 < json.size() && json[i + 1] != (c == '[' ? ']' : '}') ? 1 : 0; // what is empty has none
    else
      values += c == ',' || c == ':' ? 1 : 0;
  }
  return json.size() + values * one_value_bytes + blocks * structure_bytes;
}

} // namespace text
