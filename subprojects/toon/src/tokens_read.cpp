#include "tokens.hpp"

#include "numbers.hpp"

#include <charconv>
#include <cmath>

namespace toon {

namespace {

namespace json = boost::json;

bool append_scalar(std::string& out, unsigned code) {
  if (code >= 0xD800 && code <= 0xDFFF)
    return false;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
  return true;
}

/// `rest` is what follows the backslash; takes the escape off it.
std::string_view take_escape(std::string_view& rest, std::string& out) {
  constexpr std::string_view names = "\\\"nrt", meanings = "\\\"\n\r\t";
  if (rest.empty())
    return "expected '\"' at the end of the string";
  if (auto which = names.find(rest.front()); which != names.npos) {
    out += meanings[which];
    rest.remove_prefix(1);
    return {};
  }
  if (rest.front() != 'u')
    return "expected one of \\\\ \\\" \\n \\r \\t \\uXXXX: no other escape exists";
  unsigned code = 0;
  auto digits = rest.substr(1, 4);
  auto result = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() < 4 || result.ec != std::errc{} || result.ptr != digits.data() + 4)
    return "expected four hexadecimal digits after \\u";
  if (!append_scalar(out, code))
    return "expected a character, found half of a surrogate pair: write the character itself";
  rest.remove_prefix(5);
  return {};
}

/// Exact, or the nearest double, or the text when there is none.
json::value read_number(std::string_view token, const json::storage_ptr& storage) {
  auto end = token.data() + token.size();
  int64_t number = 0;
  if (auto result = std::from_chars(token.data(), end, number); result.ptr == end && result.ec == std::errc{})
    return json::value(number, storage);
  uint64_t large = 0;
  if (auto result = std::from_chars(token.data(), end, large); result.ptr == end && result.ec == std::errc{})
    return json::value(large, storage);
  double nearest = 0;
  if (std::from_chars(token.data(), end, nearest).ec != std::errc{})
    return json::value(json::string_view(token.data(), token.size()), storage);
  constexpr double int64_end = 9223372036854775808.0, uint64_end = 2 * int64_end; // powers of two: exact
  if (nearest != std::trunc(nearest) || nearest < -int64_end || nearest >= uint64_end)
    return json::value(nearest, storage);
  if (nearest < int64_end)
    return json::value(static_cast<int64_t>(nearest), storage);
  return json::value(static_cast<uint64_t>(nearest), storage);
}

} // namespace

token_problem unquote(std::string_view token, std::string& out) {
  out.clear();
  auto rest = token.substr(1);
  auto at = [&] { return token.size() - rest.size(); };
  for (;;) {
    auto stop = rest.find_first_of("\"\\");
    if (stop == rest.npos)
      return {"expected '\"' at the end of the string", token.size()};
    out += rest.substr(0, stop);
    rest.remove_prefix(stop + 1);
    if (token[at() - 1] == '"')
      return {rest.empty() ? "" : "expected nothing after the closing quote", at()};
    if (auto what = take_escape(rest, out); !what.empty())
      return {what, at()};
  }
}

json::value read_unquoted(std::string_view token, const json::storage_ptr& storage) {
  if (token == "null")
    return json::value(nullptr, storage);
  if (token == "true" || token == "false")
    return json::value(token == "true", storage);
  if (is_number(token))
    return read_number(token, storage);
  return json::value(json::string_view(token.data(), token.size()), storage);
}

} // namespace toon
