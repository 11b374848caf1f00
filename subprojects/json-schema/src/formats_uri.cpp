// URIs (RFC 3986), IRIs (RFC 3987) and templates (RFC 6570).
#include "formats.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <cctype>

namespace json_schema {

namespace {

enum class script { ascii, all };

bool is_alpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_any_of(char c, std::string_view set) { return std::find(set.begin(), set.end(), c) != set.end(); }

constexpr std::string_view unreserved_marks = "-._~", delimiters = "!$&'()*+,;=";

/// Private characters belong to queries only.
bool is_iri_character(char32_t c, bool in_query) {
  bool is_private = (c >= 0xe000 && c <= 0xf8ff) || c >= 0xf0000;
  bool is_none =
    c == no_character || (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef) || (c >= 0xfff0 && c <= 0xffff);
  return c >= 0xa0 && !is_none && (in_query || !is_private) && !(c >= 0xd800 && c <= 0xdfff);
}

/// Unreserved characters, delimiters, percent-encodings and those of `more`.
bool consists_of(std::string_view text, std::string_view more, script s, bool in_query = false) {
  while (!text.empty()) {
    char c = text.front();
    if (c == '%') {
      if (text.size() < 3 || !is_hex(text[1]) || !is_hex(text[2]))
        return false;
      text.remove_prefix(3);
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      if (s == script::ascii || !is_iri_character(take_character(text), in_query))
        return false;
    } else {
      if (!is_letter_or_digit(c) && !is_any_of(c, unreserved_marks) && !is_any_of(c, delimiters) && !is_any_of(c, more))
        return false;
      text.remove_prefix(1);
    }
  }
  return true;
}

/// "v1.fe"
bool is_future_address(std::string_view text) {
  auto dot = text.find('.');
  if (dot == text.npos || dot < 2 || dot + 1 == text.size() || std::tolower(static_cast<unsigned char>(text[0])) != 'v')
    return false;
  auto version = text.substr(1, dot - 1), rest = text.substr(dot + 1);
  return std::all_of(version.begin(), version.end(), is_hex) && rest.find('%') == rest.npos
         && consists_of(rest, ":", script::ascii);
}

bool is_host(std::string_view text, script s) {
  if (!text.starts_with('['))
    return consists_of(text, "", s);
  if (!text.ends_with(']'))
    return false;
  auto inner = text.substr(1, text.size() - 2);
  return is_ipv6(inner) || is_future_address(inner);
}

bool is_authority(std::string_view text, script s) {
  if (auto at = text.find('@'); at != text.npos) {
    if (!consists_of(text.substr(0, at), ":", s))
      return false;
    text.remove_prefix(at + 1);
  }
  auto colon = text.rfind(':');
  bool has_port = colon != text.npos && text.find(']', colon) == text.npos;
  auto port = has_port ? text.substr(colon + 1) : std::string_view{};
  return std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })
         && is_host(text.substr(0, has_port ? colon : text.npos), s);
}

/// Its length with the colon; 0 if there is none.
size_t scheme_size(std::string_view text) {
  auto end = text.find_first_of(":/?#");
  if (end == text.npos || end == 0 || text[end] != ':' || !is_alpha(text.front()))
    return 0;
  bool ok = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end),
                        [](char c) { return is_letter_or_digit(c) || is_any_of(c, "+-."); });
  return ok ? end + 1 : 0;
}

bool is_reference(std::string_view text, script s) {
  auto scheme = scheme_size(text);
  text.remove_prefix(scheme);
  auto hash = std::min(text.find('#'), text.size());
  auto fragment = text.substr(std::min(hash + 1, text.size()));
  text = text.substr(0, hash);
  auto mark = std::min(text.find('?'), text.size());
  auto query = text.substr(std::min(mark + 1, text.size()));
  text = text.substr(0, mark);
  if (text.starts_with("//")) {
    auto end = std::min(text.find('/', 2), text.size());
    if (!is_authority(text.substr(2, end - 2), s))
      return false;
    text.remove_prefix(end);
  } else if (scheme == 0 && text.substr(0, text.find('/')).find(':') != text.npos) {
    return false; // "1:b" would have a scheme
  }
  return consists_of(text, ":@/", s) && consists_of(query, ":@/?", s, true) && consists_of(fragment, ":@/?", s);
}

// ---- templates ----

bool is_variable_name(std::string_view text) {
  bool after_dot = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.' && !after_dot) {
      after_dot = true;
      continue;
    }
    if (text[i] == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2]))
      i += 2;
    else if (!is_letter_or_digit(text[i]) && text[i] != '_')
      return false;
    after_dot = false;
  }
  return !after_dot;
}

bool is_variable(std::string_view text) {
  if (text.ends_with('*'))
    return is_variable_name(text.substr(0, text.size() - 1));
  auto colon = text.find(':');
  if (colon == text.npos)
    return is_variable_name(text);
  auto length = text.substr(colon + 1);
  bool digits = !length.empty() && length.size() <= 4 && length.front() != '0'
                && std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits && is_variable_name(text.substr(0, colon));
}

bool is_expression(std::string_view text) {
  if (!text.empty() && is_any_of(text.front(), "+#./;?&=,!@|"))
    text.remove_prefix(is_any_of(text.front(), "+#./;?&") ? 1 : 0);
  for (;;) {
    auto comma = std::min(text.find(','), text.size());
    if (!is_variable(text.substr(0, comma)))
      return false;
    if (comma == text.size())
      return true;
    text.remove_prefix(comma + 1);
  }
}

/// Takes one character of a literal.
bool take_literal(std::string_view& text) {
  if (text.front() == '%') {
    bool ok = text.size() >= 3 && is_hex(text[1]) && is_hex(text[2]);
    text.remove_prefix(ok ? 3 : 0);
    return ok;
  }
  auto c = take_character(text);
  return c >= 0x80 ? is_iri_character(c, true)
                   : c > 0x20 && c < 0x7f && !is_any_of(static_cast<char>(c), "\"<>\\^`{|}");
}

} // namespace

bool is_uri(std::string_view text) { return scheme_size(text) > 0 && is_reference(text, script::ascii); }
bool is_uri_reference(std::string_view text) { return is_reference(text, script::ascii); }
bool is_iri(std::string_view text) { return scheme_size(text) > 0 && is_reference(text, script::all); }
bool is_iri_reference(std::string_view text) { return is_reference(text, script::all); }

bool is_uri_template(std::string_view text) {
  while (!text.empty()) {
    if (!text.starts_with('{')) {
      if (!take_literal(text))
        return false;
      continue;
    }
    auto end = text.find('}');
    if (end == text.npos || !is_expression(text.substr(1, end - 1)))
      return false;
    text.remove_prefix(end + 1);
  }
  return true;
}

} // namespace json_schema
