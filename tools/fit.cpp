#include "tools/fit.hpp"

#include "messages/json_text.hpp"
#include "messages/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace tools {

namespace json = boost::json;

namespace {

/// Room for the marker in a shortened text.
constexpr size_t marker_bytes_max = 150;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

size_t characters(std::string_view valid) { return static_cast<size_t>(std::count_if(valid.begin(), valid.end(), begins_character)); }

std::string_view first_characters(std::string_view valid, size_t n) {
  size_t at = 0;
  for (; at < valid.size(); ++at)
    if (begins_character(valid[at]) && n-- == 0)
      break;
  return valid.substr(0, at);
}

std::string_view last_characters(std::string_view valid, size_t n) {
  auto at = valid.size();
  while (at > 0 && n > 0)
    n -= begins_character(valid[--at]);
  return valid.substr(at);
}

std::string shortened(std::string_view head, std::string_view tail, size_t chars_max, uint64_t bytes_total) {
  auto part = chars_max / 2;
  std::string out{first_characters(head, part)};
  out += "\n\n[... " + std::to_string(bytes_total) + " bytes in all; the middle is left out: print less, or return a summary ...]\n\n";
  return out.append(last_characters(tail, part));
}

/// About the bytes of the value as JSON, never too few, or any number above `enough` as soon as that is certain: a large value is not read to
/// its end at every level.
size_t bytes_up_to(const json::value& value, size_t enough) {
  if (auto* text = value.if_string())
    return text->size() > enough ? text->size() : msg::to_text(value).size();
  size_t bytes = 2;
  if (auto* list = value.if_array())
    for (auto& element : *list) {
      bytes += bytes_up_to(element, enough) + 1;
      if (bytes > enough)
        break;
    }
  else if (auto* object = value.if_object())
    for (auto& [key, field] : *object) {
      bytes += key.size() + 4 + bytes_up_to(field, enough);
      if (bytes > enough)
        break;
    }
  else
    return msg::to_text(value).size();
  return bytes;
}

/// As many characters of head and tail as fit when they are written as JSON, whatever they are.
json::value fit_string(const json::string& text, size_t bytes_max) {
  for (auto chars = bytes_max;; chars /= 2) {
    json::value out(shortened(text, text, chars, text.size())); // braces would make it a list
    if (chars < 2 || msg::to_text(out).size() <= bytes_max + marker_bytes_max)
      return out;
  }
}

json::value fit_list(const json::array& list, size_t bytes_max) {
  json::array out;
  size_t used = 0;
  for (auto& element : list) {
    auto part = fit_value(element, bytes_max / 4).value;
    used += msg::to_text(part).size() + 1;
    if (used > bytes_max)
      break;
    out.push_back(std::move(part));
  }
  if (out.size() < list.size())
    out.push_back(json::string{"[... " + std::to_string(list.size() - out.size()) + " more of " + std::to_string(list.size()) + " elements ...]"});
  return out;
}

json::value fit_object(const json::object& object, size_t bytes_max) {
  json::object out;
  size_t used = 0, left_out = 0;
  for (auto& [key, value] : object) {
    auto key_bytes = key.size() > bytes_max ? key.size() : msg::to_text(json::value(key)).size();
    if (used + key_bytes > bytes_max) {
      ++left_out;
      continue;
    }
    auto part = fit_value(value, bytes_max / 4).value;
    auto bytes = msg::to_text(part).size() + key_bytes + 2;
    if (used + bytes > bytes_max) {
      ++left_out;
      continue;
    }
    used += bytes;
    out[key] = std::move(part);
  }
  std::string marker = "[...]";
  while (object.contains(marker))
    marker.insert(0, "[").append("]");
  if (left_out > 0)
    out[marker] = std::to_string(left_out) + " more of " + std::to_string(object.size()) + " fields";
  return out;
}

} // namespace

fitted_text fit_text(const msg::captured_text& captured, size_t chars_max) {
  auto head = msg::valid_utf8(captured.head), tail = msg::valid_utf8(captured.tail);
  auto bytes_total = captured.head.size() + captured.tail.size() + captured.dropped_bytes;
  if (captured.dropped_bytes == 0 && characters(head) <= chars_max)
    return {std::move(head), false};
  return {shortened(head, captured.dropped_bytes == 0 ? head : tail, chars_max, bytes_total), true};
}

fitted_value fit_value(const json::value& value, size_t bytes_max) {
  auto certainly_too_long = 2 * bytes_max + marker_bytes_max; // the estimate is at most twice the truth
  if (bytes_up_to(value, certainly_too_long) <= certainly_too_long && msg::to_text(value).size() <= bytes_max)
    return {value, false};
  if (auto* text = value.if_string())
    return {fit_string(*text, bytes_max), true};
  if (auto* list = value.if_array())
    return {fit_list(*list, bytes_max), true};
  if (auto* object = value.if_object())
    return {fit_object(*object, bytes_max), true};
  return {value, false}; // a number is never long
}

} // namespace tools
