#include "tokens.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace toon {

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

bool is_control(char c) { return static_cast<unsigned char>(c) < ' '; }

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n' || c == '\r' || c == '\t')
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    else if (is_control(c))
      ((out += "\\u00") += c < 16 ? '0' : '1') += "0123456789abcdef"[c & 15];
    else
      out += c;
  }
  out += '"';
}

bool is_key_start(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_key_char(char c) { return is_key_start(c) || (c >= '0' && c <= '9') || c == '.'; }

/// Would be read as something else, or not at all, without quotes.
bool needs_quotes(std::string_view text, delimiter separator) {
  if (text.empty() || text == "true" || text == "false" || text == "null")
    return true;
  auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  if (is_blank(text.front()) || is_blank(text.back()) || text.front() == '-' || text.front() == '#')
    return true;
  auto is_structural = [&](char c) {
    return is_control(c) || c == static_cast<char>(separator)
           || std::string_view{":\"\\[]{}"}.find(c) != std::string_view::npos;
  };
  if (std::any_of(text.begin(), text.end(), is_structural))
    return true;
  // Readers drop the mark at the beginning of a document.
  return text.starts_with(utf8_mark) || is_number_like(text);
}

} // namespace

void append_string(std::string& out, std::string_view text, delimiter separator) {
  if (needs_quotes(text, separator))
    append_quoted(out, text);
  else
    out += text;
}

void append_key(std::string& out, std::string_view key) {
  if (!key.empty() && is_key_start(key.front()) && std::all_of(key.begin(), key.end(), is_key_char))
    out += key;
  else
    append_quoted(out, key);
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number) || number == 0) {
    out += number == 0 ? "0" : "null";
    return;
  }
  // 309 digits before the point at most; behind it, 323 zeros and 17 digits.
  char digits[384];
  auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed).ptr;
  out.append(digits, end);
}

} // namespace toon
