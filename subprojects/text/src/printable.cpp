#include "text/printable.hpp"

#include "text/unseen.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cstdint>

namespace text {

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

/// It does something to what shows it, or nothing is to be seen of it, and two names look alike. Blanks that take room,
/// and what joins letters or chooses pictures, are part of texts.
bool is_written_out(uint32_t c) {
  if (c >= 0x20 && c < 0x7F) // nearly all of most texts
    return false;
  bool is_blank =
    c == '\t' || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
  bool joins = c == 0x200C || c == 0x200D || (c >= 0xFE00 && c <= 0xFE0F);
  return is_unseen(c) && !is_blank && !joins;
}

/// As in JSON, which stays what it is.
void append_unit(std::string& to, uint32_t unit) {
  to += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    to += "0123456789abcdef"[unit >> shift & 15];
}

void append_escape(std::string& to, uint32_t code) {
  if (code == '\n' || code == '\r') {
    to += code == '\n' ? "\\n" : "\\r";
    return;
  }
  if (code > 0xFFFF)
    append_unit(to, 0xD7C0 + (code >> 10)); // the first half of two
  append_unit(to, code > 0xFFFF ? 0xDC00 | (code & 0x3FF) : code);
}

constexpr char escape = '\x1b', bell = '\a';

bool is_between(char c, char first, char last) { return c >= first && c <= last; }

/// Of `parameters intermediates final` from behind the bracket; 0: it is none. A space is part of the one that shapes
/// the cursor only: else it is one of a text.
size_t control_length(std::string_view rest) {
  size_t n = 0;
  while (n < rest.size() && n < sequence_bytes_max && is_between(rest[n], '0', '?'))
    ++n;
  while (n < rest.size() && n < sequence_bytes_max && is_between(rest[n], '!', '/'))
    ++n;
  if (rest.substr(n).starts_with(" q"))
    return n + 2;
  return n < rest.size() && is_between(rest[n], '@', '~') ? n + 1 : 0;
}

/// Of a text that ends with BEL or a string terminator, such as a title of the window or a link; 0: it is none. It has
/// no control characters in it.
size_t string_length(std::string_view rest) {
  for (size_t n = 0; n < rest.size() && n < sequence_bytes_max; ++n) {
    if (rest[n] == bell)
      return n + 1;
    if (auto end = rest.substr(n, 2); end == "\x1b\\" || end == "\xC2\x9C")
      return n + 2;
    if (is_between(rest[n], '\0', '\x1f'))
      return 0;
  }
  return 0;
}

struct sequence {
  size_t beginning = 0; ///< bytes of what would begin one: ESC, or a character that stands for two
  size_t rest = 0;      ///< of what follows; 0: nothing that is whole
  bool colours = false;
};

/// `kind`: what follows ESC; `begun`: its bytes that come before those of `rest`.
sequence sequence_of(char kind, std::string_view rest, size_t beginning, size_t begun) {
  if (kind == '[') {
    auto length = control_length(rest);
    return {beginning, length > 0 ? begun + length : 0, length > 0 && rest[length - 1] == 'm'};
  }
  auto length = string_length(rest);
  return {beginning, length > 0 ? begun + length : 0, false};
}

/// That a text begins with; none, if its beginning is 0.
sequence first_sequence(std::string_view text) {
  constexpr std::string_view kinds = "[]PX^_", short_kinds = "\x9B\x9D\x90\x98\x9E\x9F"; // in one character
  if (text.front() == escape) {
    auto kind = text.size() > 1 ? text[1] : '\0';
    if (kind != '\0' && kinds.find(kind) != kinds.npos)
      return sequence_of(kind, text.substr(2), 1, 1);
    auto more = text.substr(1);
    // Characters of the usual set, which `tput sgr0` asks for beside the end of colours.
    bool is_set = more.starts_with("(B") || more.starts_with("(0") || more.starts_with(")B") || more.starts_with(")0");
    return {1, is_set ? size_t{2} : 0, is_set};
  }
  auto place = text.size() > 1 && text.front() == '\xC2' ? short_kinds.find(text[1]) : short_kinds.npos;
  return place == short_kinds.npos ? sequence{} : sequence_of(kinds[place], text.substr(2), 2, 0);
}

/// Over-struck text (bold and underlined in manual pages): the last one counts.
void take_back(std::string& text) {
  auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  while (!text.empty() && text.back() != '\n') {
    bool is_whole = begins_character(text.back());
    text.pop_back();
    if (is_whole)
      return;
  }
}

} // namespace

std::string without_escape_sequences(std::string_view text, left_out* what) {
  auto may_begin = [](char c) { return c == '\x1b' || c == '\xC2'; }; // C2: perhaps one in one character
  auto most = left_out::nothing;
  std::string out;
  for (;;) {
    auto plain = static_cast<size_t>(std::find_if(text.begin(), text.end(), may_begin) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty())
      break;
    auto found = first_sequence(text);
    if (found.beginning == 0)
      out += text.front();
    else
      most = std::max(most, found.colours ? left_out::colours : left_out::sequences);
    text.remove_prefix(std::max<size_t>(found.beginning + found.rest, 1));
  }
  if (what)
    *what = most;
  return out;
}

std::string without_terminal_control(std::string_view text, left_out* what) {
  std::string out;
  auto shown = without_escape_sequences(text, what);
  for (size_t i = 0; i < shown.size(); ++i)
    if (shown[i] == '\b')
      take_back(out);
    else if (shown[i] == '\r' && i + 1 < shown.size() && shown[i + 1] != '\n' && shown[i + 1] != '\r')
      out += '\n';
    else if (shown[i] != bell)
      out += shown[i];
  return out;
}

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
    if (is_written_out(code))
      append_escape(out, code);
    else
      out.append(character);
  }
  return out;
}

} // namespace text
