#include "mcp/field_coding.hpp"

#include <nettle/base64.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mcp {

namespace {

constexpr std::string_view coded_head = "=?base64?";
constexpr std::string_view coded_tail = "?=";

bool is_wrapped(std::string_view value) {
  return value.size() >= coded_head.size() + coded_tail.size() && value.starts_with(coded_head)
         && value.ends_with(coded_tail);
}

/// Visible ASCII with blanks and tabs inside: white space at the ends is no part of a field (RFC 9110, 5.5).
bool is_plain(std::string_view value) {
  auto is_inside = [](char c) { return (c >= ' ' && c < 0x7f) || c == '\t'; };
  auto is_end = [](char c) { return c > ' ' && c < 0x7f; };
  return !value.empty() && is_end(value.front()) && is_end(value.back())
         && std::all_of(value.begin(), value.end(), is_inside);
}

} // namespace

std::string coded_field(std::string_view value) {
  if (is_plain(value) && !is_wrapped(value))
    return std::string{value};
  std::string coded(BASE64_ENCODE_RAW_LENGTH(value.size()), '\0');
  nettle_base64_encode_raw(coded.data(), value.size(), reinterpret_cast<const uint8_t*>(value.data()));
  return std::string{coded_head}.append(coded).append(coded_tail);
}

std::string decoded_field(std::string_view value) {
  if (!is_wrapped(value))
    return std::string{value};
  auto coded = value.substr(coded_head.size(), value.size() - coded_head.size() - coded_tail.size());
  std::vector<uint8_t> bytes(BASE64_DECODE_LENGTH(coded.size()));
  base64_decode_ctx context;
  nettle_base64_decode_init(&context);
  auto length = bytes.size();
  if (!nettle_base64_decode_update(&context, &length, bytes.data(), coded.size(), coded.data())
      || !nettle_base64_decode_final(&context))
    return std::string{value};
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)};
}

} // namespace mcp
