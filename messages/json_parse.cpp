#include "messages/json_parse.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <charconv>
#include <limits>
#include <string>

namespace msg {

namespace json = boost::json;

namespace {

/// Builds the value; the events are those that basic_parser documents.
struct handler {
  static constexpr size_t max_object_size = std::numeric_limits<uint32_t>::max();
  static constexpr size_t max_array_size = std::numeric_limits<uint32_t>::max();
  static constexpr size_t max_key_size = std::numeric_limits<uint32_t>::max();
  static constexpr size_t max_string_size = std::numeric_limits<uint32_t>::max();

  json::value_stack stack;
  std::string number; // its text so far

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return true; }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_object_end(size_t n, json::error_code&) { return stack.push_object(n), true; }
  bool on_array_end(size_t n, json::error_code&) { return stack.push_array(n), true; }
  bool on_key_part(json::string_view s, size_t, json::error_code&) { return stack.push_chars(s), true; }
  bool on_key(json::string_view s, size_t, json::error_code&) { return stack.push_key(s), true; }
  bool on_string_part(json::string_view s, size_t, json::error_code&) { return stack.push_chars(s), true; }
  bool on_string(json::string_view s, size_t, json::error_code&) { return stack.push_string(s), true; }
  bool on_bool(bool b, json::error_code&) { return stack.push_bool(b), true; }
  bool on_null(json::error_code&) { return stack.push_null(), true; }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  bool on_number_part(json::string_view s, json::error_code&) { return number.append(s.data(), s.size()), true; }
  bool on_int64(int64_t i, json::string_view, json::error_code&) { return number.clear(), stack.push_int64(i), true; }
  bool on_uint64(uint64_t u, json::string_view, json::error_code&) { return number.clear(), stack.push_uint64(u), true; }
  bool on_double(double rounded, json::string_view s, json::error_code&) {
    number.append(s.data(), s.size());
    double exact = 0;
    auto result = std::from_chars(number.data(), number.data() + number.size(), exact);
    if (result.ec == std::errc::result_out_of_range) {
      auto largest = std::numeric_limits<double>::max();
      exact = rounded > 1 ? largest : rounded < -1 ? -largest : 0.0;
    }
    number.clear();
    stack.push_double(exact);
    return true;
  }
};

} // namespace

parsed_json parse_json(std::string_view text, const json::parse_options& options) {
  json::basic_parser<handler> parser{options};
  parser.handler().stack.reset();
  parsed_json out;
  out.read = parser.write_some(false, text.data(), text.size(), out.error);
  auto rest = out.error ? text.npos : text.find_first_not_of(" \t\r\n", out.read);
  if (rest != text.npos) {
    out.error = json::error::extra_data;
    out.read = rest;
  }
  if (!out.error)
    out.value = parser.handler().stack.release();
  return out;
}

} // namespace msg
