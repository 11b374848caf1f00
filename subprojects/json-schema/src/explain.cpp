#include "explain.hpp"

#include "json_schema/error.hpp"
#include "numbers.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cctype>

namespace json_schema {

namespace {

using boost::json::kind;
using boost::json::value;

constexpr size_t quoted_bytes_max = 100;
/// Longer names are not compared.
constexpr size_t compared_name_bytes_max = 64;

void append_escaped(std::string& out, std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      (out += "\\u00") += {digits[c >> 4 & 15], digits[c & 15]};
    else
      out += c;
  }
}

void append(std::string& out, const value& v, size_t bytes, size_t depth);

void append_members(std::string& out, const value& v, size_t bytes, size_t depth) {
  bool first = true;
  auto separate = [&] {
    if (!first)
      out += ',';
    first = false;
    return out.size() <= bytes;
  };
  if (auto* items = v.if_array()) {
    for (auto& item : *items) {
      if (!separate())
        return;
      append(out, item, bytes, depth);
    }
    return;
  }
  for (auto& [key, member] : v.get_object()) {
    if (!separate())
      return;
    out += '"';
    append_escaped(out, clipped(key, bytes));
    out += "\":";
    append(out, member, bytes, depth);
  }
}

/// May go beyond `bytes` by one scalar; the caller cuts.
void append(std::string& out, const value& v, size_t bytes, size_t depth) {
  if (v.is_number()) {
    out += number_text(v);
    return;
  }
  switch (v.kind()) {
    case kind::string:
      out += '"';
      append_escaped(out, clipped(v.get_string(), bytes));
      out += '"';
      break;
    case kind::bool_: out += v.get_bool() ? "true" : "false"; break;
    case kind::array:
    case kind::object:
      out += v.is_array() ? '[' : '{';
      if (out.size() <= bytes && depth < bytes)
        append_members(out, v, bytes, depth + 1);
      out += v.is_array() ? ']' : '}';
      break;
    default: out += "null";
  }
}

/// Letters and digits, lower case: `max_results`, `maxResults` and `max-results` are one name.
std::string skeleton(std::string_view name) {
  std::string out;
  for (char c : name)
    if (auto byte = static_cast<unsigned char>(c); std::isalnum(byte) || byte >= 0x80)
      out += static_cast<char>(std::tolower(byte));
  return out;
}

/// Damerau-Levenshtein: adjacent swaps count one.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(a.size() + 1), last(a.size() + 1), now(a.size() + 1);
  for (size_t i = 0; i <= a.size(); ++i)
    last[i] = i;
  for (size_t j = 1; j <= b.size(); ++j) {
    now[0] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      now[i] = std::min({last[i] + 1, now[i - 1] + 1, last[i - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[i] = std::min(now[i], before[i - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[a.size()];
}

} // namespace

std::string shortened(const value& v, size_t bytes) {
  std::string out;
  append(out, v, bytes, 0);
  if (out.size() <= bytes)
    return out;
  return std::string{clipped(out, bytes)} + "...";
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, clipped(text, quoted_bytes_max));
  return out + (text.size() > quoted_bytes_max ? "...\"" : "\"");
}

std::string listed(const std::vector<std::string>& items, std::string_view last, size_t total) {
  std::string out;
  auto shown = std::min(items.size(), listed_max);
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0)
      out += i + 1 == total ? " " + std::string{last} + " " : ", ";
    out += items[i];
  }
  return shown < total ? out + " and " + std::to_string(total - shown) + " more" : out;
}

std::string_view nearest_name(std::string_view wanted, const std::vector<std::string_view>& names) {
  if (wanted.size() > compared_name_bytes_max)
    return {};
  auto bare = skeleton(wanted);
  std::string_view best;
  auto bound = bare.size() < 3 ? 0 : bare.size() / 3, least = bound + 1;
  for (size_t i = 0; i < std::min(names.size(), compared_names_max); ++i) {
    if (names[i].size() > compared_name_bytes_max)
      continue;
    auto other = skeleton(names[i]);
    bool contained =
      bare.size() >= 3 && other.size() >= 3 && (other.find(bare) != other.npos || bare.find(other) != bare.npos);
    auto distance = contained ? std::min(edit_distance(bare, other), bound) : edit_distance(bare, other);
    if (distance < least) {
      least = distance;
      best = names[i];
    }
  }
  return best;
}

std::string_view with_article(std::string_view type) {
  constexpr std::string_view all[] = {"an array", "a boolean", "an integer", "null",
                                      "a number", "an object", "a string"};
  auto* found = std::find_if(std::begin(all), std::end(all), [&](auto text) { return text.ends_with(type); });
  return found == std::end(all) ? type : *found;
}

std::string escaped_token(std::string_view token) {
  std::string out;
  for (char c : token)
    if (c == '~' || c == '/')
      out += c == '~' ? "~0" : "~1";
    else
      out += c;
  return out;
}

std::string error::text() const {
  std::string out = instance_path.empty() ? "" : instance_path + ": ";
  out += "expected " + expected;
  if (!given.empty())
    out += ", given " + given;
  if (!hint.empty())
    out += " (" + hint + ")";
  return out;
}

} // namespace json_schema
