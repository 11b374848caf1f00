// Addresses, host names and email addresses.
#include "formats.hpp"
#include "host_labels.hpp"

#include <algorithm>
#include <cctype>

namespace json_schema {

namespace {

constexpr size_t name_chars_max = 253; // RFC 1035
constexpr size_t local_bytes_max = 64; // RFC 5321
constexpr std::string_view atom_chars = "!#$%&'*+-/=?^_`{|}~";

bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_all_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_octet(std::string_view text) {
  bool digits = !text.empty() && text.size() <= 3
                && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (text.size() > 1 && text.front() == '0'))
    return false;
  int out = 0;
  for (char c : text)
    out = out * 10 + (c - '0');
  return out <= 255;
}

bool is_group(std::string_view text) {
  return !text.empty() && text.size() <= 4
         && std::all_of(text.begin(), text.end(), [](char c) { return std::isxdigit(static_cast<unsigned char>(c)); });
}

/// Groups between colons; -1 if one is none. An IPv4 address may be the last, and counts two.
int count_groups(std::string_view text, bool may_end_in_ipv4) {
  int out = 0;
  while (!text.empty()) {
    auto end = text.find(':');
    auto group = text.substr(0, end);
    bool is_last = end == text.npos;
    if (is_last && may_end_in_ipv4 && is_ipv4(group))
      return out + 2;
    if (!is_group(group) || (!is_last && end + 1 == text.size()))
      return -1;
    ++out;
    text.remove_prefix(is_last ? text.size() : end + 1);
  }
  return out;
}

bool is_dot_atom(std::string_view text) {
  if (text.empty() || text.front() == '.' || text.back() == '.' || text.find("..") != text.npos)
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alnum(c) || c == '.' || static_cast<unsigned char>(c) >= 0x80 || atom_chars.find(c) != atom_chars.npos;
  });
}

bool is_quoted_string(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"')
    return false;
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && ++i == text.size())
      return false;
    if (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7f || (text[i] == '"' && text[i - 1] != '\\'))
      return false;
  }
  return true;
}

bool is_address_literal(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']'))
    return false;
  text = text.substr(1, text.size() - 2);
  constexpr std::string_view v6 = "IPv6:";
  return text.starts_with(v6) ? is_ipv6(text.substr(v6.size())) : is_ipv4(text);
}

bool is_address(std::string_view text, bool (*is_domain)(std::string_view)) {
  auto at = text.rfind('@');
  if (at == text.npos || at > local_bytes_max)
    return false;
  auto local = text.substr(0, at), domain = text.substr(at + 1);
  return (is_dot_atom(local) || is_quoted_string(local)) && (is_domain(domain) || is_address_literal(domain));
}

} // namespace

bool is_ipv4(std::string_view text) {
  for (int i = 0; i < 3; ++i) {
    auto dot = text.find('.');
    if (dot == text.npos || !is_octet(text.substr(0, dot)))
      return false;
    text.remove_prefix(dot + 1);
  }
  return is_octet(text);
}

bool is_ipv6(std::string_view text) {
  auto gap = text.find("::");
  if (gap == text.npos)
    return !text.starts_with(':') && count_groups(text, true) == 8;
  auto before = count_groups(text.substr(0, gap), false), after = count_groups(text.substr(gap + 2), true);
  return before >= 0 && after >= 0 && before + after <= 7;
}

bool is_hostname(std::string_view text) {
  if (text.empty() || text.size() > name_chars_max || !is_all_ascii(text))
    return false;
  for (;;) {
    auto dot = std::min(text.find('.'), text.size());
    if (!is_ascii_label(text.substr(0, dot)))
      return false;
    if (dot == text.size())
      return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_idn_hostname(std::string_view text) { return is_hostname(international_to_ascii(text, normal_form::required)); }

bool is_email(std::string_view text) { return is_all_ascii(text) && is_address(text, is_hostname); }

bool is_idn_email(std::string_view text) {
  return is_address(
    text, [](std::string_view domain) { return is_hostname(international_to_ascii(domain, normal_form::made)); });
}

} // namespace json_schema
