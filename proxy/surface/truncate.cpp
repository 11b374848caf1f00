#include "proxy/surface/truncate.hpp"

#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace surface {

namespace json = boost::json;

namespace {

/// Room for the marker in a shortened text.
constexpr size_t marker_bytes_max = 250;
/// Of a code point in UTF-8.
constexpr size_t character_bytes_max = 4;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

size_t characters(std::string_view valid) {
  return static_cast<size_t>(std::count_if(valid.begin(), valid.end(), begins_character));
}

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

std::string shortened(std::string_view head, std::string_view tail, size_t chars_max, uint64_t bytes_total,
                      std::string_view advice) {
  auto part = chars_max / 2;
  std::string out{first_characters(head, part)};
  out.append("\n\n[... ")
    .append(std::to_string(bytes_total))
    .append(" bytes in all; the middle is left out: ")
    .append(advice)
    .append(" ...]\n\n");
  return out.append(last_characters(tail, part));
}

/// About the bytes of the value as JSON, never too few, or any number above `enough` as soon as that is certain: a
/// large value is not read to its end at every level.
size_t bytes_up_to(const json::value& value, size_t enough) {
  if (auto* text = value.if_string())
    return text->size() > enough ? text->size() : text::to_text(value).size();
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
    return text::to_text(value).size();
  return bytes;
}

/// Bytes that hold half of the characters, and one more that may be cut.
size_t half_bytes(size_t chars_max) { return character_bytes_max * (chars_max / 2 + 1); }

} // namespace

bool fits(const msg::captured_text& captured, size_t chars_max) {
  if (captured.dropped_bytes > 0 || captured.head.size() > character_bytes_max * chars_max)
    return false;
  return captured.head.size() <= chars_max || characters(text::valid_utf8(captured.head)) <= chars_max;
}

msg::captured_text excerpt(const msg::captured_text& captured, size_t chars_max) {
  auto half = half_bytes(chars_max);
  auto& last = captured.dropped_bytes == 0 ? captured.head : captured.tail;
  if (captured.dropped_bytes == 0 && captured.head.size() <= 2 * half)
    return captured;
  msg::captured_text out;
  out.head = captured.head.substr(0, half);
  out.tail = last.substr(last.size() - std::min(half, last.size()));
  out.dropped_bytes =
    captured.head.size() + captured.tail.size() + captured.dropped_bytes - out.head.size() - out.tail.size();
  return out;
}

truncated_text truncate_text(const msg::captured_text& captured, size_t chars_max, std::string_view advice) {
  if (fits(captured, chars_max))
    return {text::valid_utf8(captured.head), false, 0};
  auto part = excerpt(captured, chars_max);
  auto head = text::valid_utf8(part.head), tail = text::valid_utf8(part.tail);
  auto bytes_total = part.head.size() + part.tail.size() + part.dropped_bytes;
  return {shortened(head, part.dropped_bytes == 0 ? head : tail, chars_max, bytes_total, advice), true, bytes_total};
}

bool fits(const json::value& value, size_t bytes_max) {
  auto certainly_too_long = 2 * bytes_max + marker_bytes_max; // the estimate is at most twice the truth
  return bytes_up_to(value, certainly_too_long) <= certainly_too_long && text::to_text(value).size() <= bytes_max;
}

std::string truncate_string(std::string_view text, size_t bytes_max, std::string_view advice) {
  for (auto chars = bytes_max;; chars /= 2) {
    auto out = shortened(text, text, chars, text.size(), advice);
    if (chars < 2 || text::to_text(json::value(out)).size() <= bytes_max + marker_bytes_max)
      return out;
  }
}

} // namespace surface
