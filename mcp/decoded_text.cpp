#include "mcp/decoded_text.hpp"

#include "text/percent.hpp"
#include "text/utf8.hpp"

#include <cstdint>

namespace mcp {

namespace {

constexpr size_t escape_bytes = 6; ///< \uXXXX

/// What the first bytes of a text stand for.
struct decoded_piece {
  size_t bytes = 1;   ///< of the text; 0: a code that is cut off
  std::string text{}; ///< empty: the byte itself
};

template <class Piece>
decoded_text decode(std::string_view from, bool is_cut, Piece piece_of) {
  decoded_text out;
  out.text.reserve(from.size());
  out.at.reserve(from.size() + 1);
  for (size_t i = 0; i < from.size();) {
    auto piece = piece_of(from.substr(i));
    if (piece.bytes == 0 && is_cut)
      break;
    if (piece.text.empty())
      piece = {1, std::string{from[i]}};
    else
      out.is_other = true;
    out.text += piece.text;
    out.at.insert(out.at.end(), piece.text.size(), i);
    i += piece.bytes;
  }
  out.at.push_back(from.size());
  return out;
}

decoded_piece piece_of_url(std::string_view text) {
  if (text[0] != '%')
    return {};
  if (text.size() < 3)
    return {0};
  auto high = text::hex_digit(text[1]), low = text::hex_digit(text[2]);
  if (high < 0 || low < 0)
    return {};
  return {3, std::string(1, static_cast<char>(high << 4 | low))};
}

/// Of UTF-16; negative: there is no such code.
int32_t unit_at(std::string_view text) {
  if (text.size() < escape_bytes || text[0] != '\\' || text[1] != 'u')
    return -1;
  int32_t unit = 0;
  for (size_t i = 2; i < escape_bytes; ++i) {
    auto digit = text::hex_digit(text[i]);
    if (digit < 0)
      return -1;
    unit = unit << 4 | digit;
  }
  return unit;
}

decoded_piece piece_of_code(std::string_view text) {
  if (text.size() < escape_bytes)
    return {0};
  auto first = unit_at(text);
  if (first < 0)
    return {};
  bool is_high = first >= 0xD800 && first < 0xDC00;
  if (is_high && text.size() < 2 * escape_bytes)
    return {0};
  auto second = is_high ? unit_at(text.substr(escape_bytes)) : -1;
  bool is_pair = second >= 0xDC00 && second < 0xE000;
  if (!is_pair && first >= 0xD800 && first < 0xE000)
    return {};
  auto code = static_cast<char32_t>(is_pair ? 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00) : first);
  return {is_pair ? 2 * escape_bytes : escape_bytes, text::utf8_of(code)};
}

decoded_piece piece_of_json(std::string_view text) {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  if (text[0] != '\\')
    return {};
  if (text.size() < 2)
    return {0};
  if (text[1] == 'u')
    return piece_of_code(text);
  auto which = letters.find(text[1]);
  return which == letters.npos ? decoded_piece{} : decoded_piece{2, std::string(1, meant[which])};
}

} // namespace

decoded_text decode_url(std::string_view from, bool is_cut) { return decode(from, is_cut, piece_of_url); }

decoded_text decode_json(std::string_view from, bool is_cut) { return decode(from, is_cut, piece_of_json); }

decoded_text decode_json_twice(std::string_view from, bool is_cut) {
  auto once = decode_json(from, is_cut);
  auto twice = decode_json(once.text, is_cut);
  for (auto& at : twice.at)
    at = once.at[at];
  return twice;
}

} // namespace mcp
