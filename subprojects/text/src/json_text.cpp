#include "text/json_text.hpp"

#include "text/json_beginning.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <type_traits>
#include <utility>

namespace text {

namespace json = boost::json;

namespace {

void append_escaped(std::string& out, unsigned char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: out.append("\\u00").append(1, digits[c >> 4]).append(1, digits[c & 15]);
  }
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  size_t plain = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\')
      continue;
    out.append(text, plain, i - plain);
    append_escaped(out, c);
    plain = i + 1;
  }
  out.append(text, plain);
  out += '"';
}

template <class Number>
void append_number(std::string& out, Number number) {
  char digits[32];
  auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  std::string_view text{digits, static_cast<size_t>(end - digits)};
  out += text;
  if (std::is_floating_point_v<Number> && text.find_first_of(".e") == text.npos)
    out += ".0";
}

// From `enough` bytes on nothing more is begun.

void append(std::string& out, const json::value& value, size_t enough);

void append_array(std::string& out, const json::array& array, size_t enough) {
  out += '[';
  for (auto& element : array) {
    if (out.size() >= enough)
      return;
    if (&element != array.data())
      out += ',';
    append(out, element, enough);
  }
  out += ']';
}

void append_object(std::string& out, const json::object& object, size_t enough) {
  out += '{';
  bool first = true;
  for (auto& [key, value] : object) {
    if (out.size() >= enough)
      return;
    if (!std::exchange(first, false))
      out += ',';
    append_string(out, std::string_view{key}.substr(0, enough));
    out += ':';
    append(out, value, enough);
  }
  out += '}';
}

void append(std::string& out, const json::value& value, size_t enough) {
  switch (value.kind()) {
    case json::kind::null: out += "null"; break;
    case json::kind::bool_: out += value.get_bool() ? "true" : "false"; break;
    case json::kind::int64: append_number(out, value.get_int64()); break;
    case json::kind::uint64: append_number(out, value.get_uint64()); break;
    case json::kind::double_: append_number(out, value.get_double()); break;
    case json::kind::string: append_string(out, std::string_view{value.get_string()}.substr(0, enough)); break;
    case json::kind::array: append_array(out, value.get_array(), enough); break;
    case json::kind::object: append_object(out, value.get_object(), enough); break;
  }
}

} // namespace

std::string to_text(const json::value& value) {
  std::string out;
  append(out, value, std::string::npos);
  return out;
}

std::string json_beginning(const json::value& value, size_t bytes_max) {
  std::string out;
  append(out, value, bytes_max);
  out.resize(std::min(out.size(), bytes_max));
  return out;
}

std::string quoted_json(const json::value& value, size_t bytes_max) {
  return quoted(json_beginning(value, bytes_max), bytes_max);
}

} // namespace text
