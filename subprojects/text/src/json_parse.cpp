#include "text/json_parse.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace text {

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
  bool on_uint64(uint64_t u, json::string_view, json::error_code&) {
    return number.clear(), stack.push_uint64(u), true;
  }
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

/// The same text with spaces for comments. Boost.JSON 1.81 does not see the end of a comment in `**/`, and would take
/// what follows for a part of it.
json_problem blank_comments(std::string& text) {
  for (size_t i = 0; i < text.size();) {
    auto end = i + 1;
    bool is_line = text.compare(i, 2, "//") == 0, is_block = text.compare(i, 2, "/*") == 0;
    if (text[i] == '"') {
      while (end < text.size() && text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
      ++end;
    } else if (is_line || is_block) {
      end = is_line ? text.find('\n', i) : text.find("*/", i + 2);
      if (is_block && end == text.npos)
        return {"a comment without an end", i};
      end = std::min(end, text.size()) + (is_block ? 2 : 0);
      std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(i), text.begin() + static_cast<std::ptrdiff_t>(end),
        [](char c) { return c != '\n'; }, ' ');
    }
    i = end;
  }
  return {};
}

constexpr size_t escape_bytes = 6; // \uXXXX
constexpr unsigned surrogates_begin = 0xD800, low_surrogates_begin = 0xDC00, surrogates_end = 0xE000;

/// The unit of UTF-16 that a six-byte escape stands for; 0: there is none, or it is that of a zero.
unsigned escaped_unit(std::string_view text, size_t at) {
  if (text.size() < escape_bytes || at > text.size() - escape_bytes || text[at] != '\\' || text[at + 1] != 'u')
    return 0;
  unsigned unit = 0;
  auto* end = text.data() + at + escape_bytes;
  return std::from_chars(text.data() + at + 2, end, unit, 16).ptr == end ? unit : 0;
}

/// Where, from there on, the first escape of half a surrogate pair begins of which the other half does not follow;
/// npos: nowhere. `from` is not inside of an escape.
size_t find_lone_surrogate(std::string_view text, size_t from) {
  for (auto at = text.find('\\', from); at < text.size(); at = text.find('\\', at)) {
    auto unit = escaped_unit(text, at);
    if (unit < surrogates_begin || unit >= surrogates_end) {
      at += 2; // of an escape: its other digits are no backslashes
      continue;
    }
    auto next = unit < low_surrogates_begin ? escaped_unit(text, at + escape_bytes) : 0;
    if (next < low_surrogates_begin || next >= surrogates_end)
      return at;
    at += 2 * escape_bytes;
  }
  return text.npos;
}

/// Where the string ends in which `at` is.
size_t string_end(std::string_view text, size_t at) {
  while (at < text.size() && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

bool is_key(std::string_view text, size_t end) {
  auto next = text.find_first_not_of(" \t\r\n", std::min(end + 1, text.size()));
  return next != text.npos && text[next] == ':';
}

/// The same text with U+FFFD for each lone surrogate, the first of which is at `first`: all else stays where it was. In
/// keys it is named instead, as U+D800: two keys that differ by nothing else are still two.
std::string without_lone_surrogates(std::string_view text, size_t first) {
  std::string out{text};
  size_t end = 0; // of the string that was looked at
  bool is_in_key = false;
  for (auto at = first; at != out.npos; at = find_lone_surrogate(out, at + escape_bytes)) {
    if (at >= end) {
      end = string_end(out, at);
      is_in_key = is_key(out, end);
    }
    if (is_in_key)
      out.replace(at, 2, "U+");
    else
      out.replace(at, escape_bytes, "\\ufffd");
  }
  return out;
}

json_problem parse_whole(std::string_view text, const json::parse_options& options, json::value& out) {
  json::basic_parser<handler> parser{options};
  parser.handler().stack.reset();
  json::error_code error;
  auto read = parser.write_some(false, text.data(), text.size(), error);
  auto rest = error ? text.npos : text.find_first_not_of(" \t\r\n", read);
  if (rest != text.npos) {
    error = json::error::extra_data;
    read = rest;
  }
  if (error)
    return {error.message(), read};
  out = parser.handler().stack.release();
  return {};
}

} // namespace

json_problem parse_json(std::string_view text, json_dialect dialect, json::value& out) {
  json::parse_options options;
  options.max_depth = json_depth_max;
  std::string without_comments;
  if (dialect == json_dialect::edited) {
    options.allow_trailing_commas = true;
    without_comments = text;
    if (auto problem = blank_comments(without_comments); !problem.what.empty())
      return problem;
    text = without_comments;
  }
  auto problem = parse_whole(text, options, out);
  if (problem.what.empty())
    return problem;
  auto lone = find_lone_surrogate(text.substr(0, std::min(text.size(), problem.at + 2 * escape_bytes)), 0);
  if (lone >= problem.at) // none, or the text is no JSON before it; Boost.JSON 1.81 has no option that lets them pass
    return problem;
  return parse_whole(without_lone_surrogates(text, lone), options, out);
}

} // namespace text
