#include "messages/printable.hpp"

#include "messages/utf8.hpp"

#include <cstdint>

namespace msg {

namespace {

/// Of the character that valid UTF-8 begins with.
size_t length_of(std::string_view text) {
  auto b = static_cast<unsigned char>(text[0]);
  return b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
}

uint32_t code_of(std::string_view character) {
  auto b = static_cast<unsigned char>(character[0]);
  uint32_t code = character.size() == 1 ? b : b & (0x7Fu >> character.size());
  for (char c : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return code;
}

bool acts(uint32_t c) {
  bool is_control = (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0);
  bool breaks_lines = c == 0x2028 || c == 0x2029;
  bool turns_text = c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return is_control || breaks_lines || turns_text;
}

void append_escape(std::string& to, uint32_t code) {
  if (code == '\n' || code == '\r') {
    to += code == '\n' ? "\\n" : "\\r";
    return;
  }
  to += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    to += "0123456789abcdef"[code >> shift & 15];
}

} // namespace

size_t find_control(std::string_view text, std::string_view allowed) {
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    bool is_c1 = c == 0xC2 && next >= 0x80 && next < 0xA0;
    if (is_c1 || ((c < 0x20 || c == 0x7F) && allowed.find(text[i]) == allowed.npos))
      return i;
  }
  return text.npos;
}

std::string printable(std::string_view bytes) {
  auto text = valid_utf8(bytes);
  std::string out;
  out.reserve(text.size());
  for (std::string_view rest{text}; !rest.empty();) {
    auto character = rest.substr(0, length_of(rest));
    rest.remove_prefix(character.size());
    auto code = code_of(character);
    if (acts(code))
      append_escape(out, code);
    else
      out.append(character);
  }
  return out;
}

} // namespace msg
