#include "ecma_classes.hpp"

#include "ecma_properties.hpp"

#include <cctype>
#include <charconv>

namespace json_schema {

namespace {

/// White space and line ends of ECMA-262: PCRE2's own are those of ASCII.
constexpr std::string_view spaces =
  "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
constexpr std::string_view no_spaces =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}"
  "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
constexpr char32_t last_character = 0x10ffff;

/// `digits` hexadecimal digits from the front; none are taken if there are fewer.
char32_t take_hex(std::string_view& rest, size_t digits) {
  uint32_t out = 0;
  if (digits == 0 || rest.size() < digits)
    return no_character;
  auto [stop, ec] = std::from_chars(rest.data(), rest.data() + digits, out, 16);
  if (ec != std::errc{} || stop != rest.data() + digits)
    return no_character;
  rest.remove_prefix(digits);
  return out;
}

/// After `\u`: {1F432}, 00e9, or two halves of a pair.
char32_t take_unicode(std::string_view& rest) {
  if (rest.starts_with('{')) {
    auto end = rest.find('}');
    rest.remove_prefix(1);
    auto out = end == rest.npos || end < 2 || end > 9 ? no_character : take_hex(rest, end - 1);
    if (out > last_character)
      return no_character;
    rest.remove_prefix(1);
    return out;
  }
  auto out = take_hex(rest, 4);
  if (out < 0xd800 || out > 0xdbff || !rest.starts_with("\\u"))
    return out;
  auto behind = rest.substr(2);
  auto low = take_hex(behind, 4);
  if (low < 0xdc00 || low > 0xdfff)
    return out;
  rest = behind;
  return 0x10000 + ((out - 0xd800) << 10) + (low - 0xdc00);
}

/// After `\c`.
char32_t take_control(std::string_view& rest) {
  if (rest.empty() || !std::isalpha(static_cast<unsigned char>(rest.front())))
    return no_character;
  auto out = static_cast<char32_t>(rest.front() & 0x1f);
  rest.remove_prefix(1);
  return out;
}

translated no_translation(std::string_view problem) { return {"", no_character, problem}; }

translated single(char32_t c, std::string_view problem = {}) {
  if (c == no_character)
    return no_translation(problem);
  if (c >= 0xd800 && c <= 0xdfff)
    return no_translation("not supported: half of a surrogate pair");
  return {literal(c), c, {}};
}

translated set(std::string_view members, escape_reader::place where) {
  return {where == escape_reader::place::in_class ? std::string{members} : "[" + std::string{members} + "]",
          no_character,
          {}};
}

/// After `\p` or `\P`.
translated take_property(std::string_view& rest, std::string_view escape) {
  auto end = rest.find('}');
  if (!rest.starts_with('{') || end == rest.npos)
    return no_translation("'\\p' needs the name of a property in braces");
  auto name = pcre_property(rest.substr(1, end - 1));
  if (name.empty())
    return no_translation("no property of characters has this name");
  rest.remove_prefix(end + 1);
  return {std::string{escape} + "{" + name + "}", no_character, {}};
}

bool begins_with_digit(std::string_view rest) { return !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; }

translated take_member(escape_reader& from) {
  if (from.rest.front() == '\\')
    return from.take(escape_reader::place::in_class);
  return single(take_character(from.rest), "it is not UTF-8");
}

/// A member, or a range of them.
translated take_range(escape_reader& from) {
  auto low = take_member(from);
  if (!low.problem.empty() || from.rest.size() < 2 || from.rest.front() != '-' || from.rest[1] == ']')
    return low;
  from.rest.remove_prefix(1);
  auto high = take_member(from);
  if (!high.problem.empty())
    return high;
  if (low.first == no_character || high.first == no_character) // [\w-.]: the dash stands for itself
    return {low.text + literal('-') + high.text, no_character, {}};
  if (low.first > high.first)
    return no_translation("a range of characters is out of order");
  return {low.text + "-" + high.text, no_character, {}};
}

} // namespace

std::string literal(char32_t c) {
  if (c < 0x80 && std::isalnum(static_cast<int>(c)))
    return {static_cast<char>(c)};
  char digits[8];
  auto* end = std::to_chars(digits, digits + sizeof digits, static_cast<uint32_t>(c), 16).ptr;
  return "\\x{" + std::string{digits, end} + "}";
}

translated escape_reader::take(place where) {
  rest.remove_prefix(1);
  if (rest.empty())
    return no_translation("a backslash at the end");
  char c = rest.front();
  if (static_cast<unsigned char>(c) >= 0x80)
    return no_translation("a backslash before a letter that has no meaning with it");
  rest.remove_prefix(1);
  switch (c) {
    case 'd': return {"\\d", no_character, {}}; // those of ASCII, as long as PCRE2_UCP is not set
    case 'D': return {"\\D", no_character, {}};
    case 'w': return {"\\w", no_character, {}};
    case 'W': return {"\\W", no_character, {}};
    case 's': return set(spaces, where);
    case 'S': return set(no_spaces, where);
    case 't': return single('\t');
    case 'n': return single('\n');
    case 'v': return single('\v');
    case 'f': return single('\f');
    case 'r': return single('\r');
    case 'b': return single('\b');
    case '0': return single(begins_with_digit(rest) ? no_character : 0, "octal escapes are not allowed");
    case 'c': return single(take_control(rest), "'\\c' needs a letter");
    case 'x': return single(take_hex(rest, 2), "'\\x' needs two hexadecimal digits");
    case 'u': return single(take_unicode(rest), "'\\u' needs four hexadecimal digits, or a code point in braces");
    case 'p': return take_property(rest, "\\p");
    case 'P': return take_property(rest, "\\P");
    default:
      if (std::isalnum(static_cast<unsigned char>(c)))
        return no_translation("a backslash before a letter that has no meaning with it");
      return single(static_cast<char32_t>(c));
  }
}

translated translate_class(escape_reader& from) {
  from.rest.remove_prefix(1);
  bool negated = from.rest.starts_with('^');
  from.rest.remove_prefix(negated ? 1 : 0);
  std::string members;
  while (!from.rest.empty() && from.rest.front() != ']') {
    auto found = take_range(from);
    if (!found.problem.empty())
      return found;
    members += found.text;
  }
  if (from.rest.empty())
    return no_translation("a class of characters is not closed");
  from.rest.remove_prefix(1);
  if (members.empty())
    return {negated ? "(?s:.)" : "(?!)", no_character, {}};
  return {(negated ? "[^" : "[") + members + "]", no_character, {}};
}

} // namespace json_schema
