#include "host_labels.hpp"

#include "utf8.hpp"

#include <algorithm>
#include <cctype>
#include <idn2.h>
#include <memory>
#include <vector>

namespace json_schema {

namespace {

constexpr size_t label_chars_max = 63;
/// 253 characters at most, of four bytes each; nothing longer goes to libidn2.
constexpr size_t name_bytes_max = 1'024;

bool is_label_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; }

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
  return out;
}

bool is_plain(std::string_view label) {
  return !label.empty() && label.size() <= label_chars_max && label.front() != '-' && label.back() != '-'
         && std::all_of(label.begin(), label.end(), is_label_char);
}

/// Registration checks all rules, those for characters that depend on others, too. Empty: not allowed.
std::string register_label(const std::string& unicode) {
  char* out = nullptr;
  auto* text = reinterpret_cast<const uint8_t*>(unicode.c_str());
  if (idn2_register_u8(text, nullptr, reinterpret_cast<uint8_t**>(&out), IDN2_NO_TR46) != IDN2_OK)
    return {};
  std::unique_ptr<char, void (*)(void*)> owner{out, idn2_free};
  return out;
}

std::string unicode_of(const std::string& ascii) {
  char* out = nullptr;
  if (idn2_to_unicode_8z8z(ascii.c_str(), &out, 0) != IDN2_OK)
    return {};
  std::unique_ptr<char, void (*)(void*)> owner{out, idn2_free};
  return out;
}

// ---- RFC 5893: names with letters that are written from right to left ----

/// By the blocks in which Unicode has such letters, and reserves the rest for them.
bool is_right_to_left(char32_t c) {
  return (c >= 0x590 && c <= 0x8ff && !(c >= 0x6f0 && c <= 0x6f9)) || (c >= 0xfb1d && c <= 0xfdff)
         || (c >= 0xfe70 && c <= 0xfefe) || (c >= 0x10800 && c <= 0x10fff) || (c >= 0x1e800 && c <= 0x1efff);
}
bool is_european_digit(char32_t c) { return (c >= '0' && c <= '9') || (c >= 0x6f0 && c <= 0x6f9); }
bool is_arabic_digit(char32_t c) { return c >= 0x660 && c <= 0x669; }
bool is_latin_letter(char32_t c) { return c < 0x80 && std::isalpha(static_cast<int>(c)); }

std::u32string characters(std::string_view text) {
  std::u32string out;
  while (!text.empty())
    out += take_character(text);
  return out;
}

template <class Is>
bool has(const std::u32string& text, Is is) {
  return std::any_of(text.begin(), text.end(), is);
}

/// Of one label in a name that has such letters.
bool keeps_direction(const std::u32string& label) {
  if (label.empty() || is_european_digit(label.front()) || is_arabic_digit(label.front()))
    return false;
  if (!has(label, is_right_to_left))
    return true;
  return is_right_to_left(label.front()) && !has(label, is_latin_letter)
         && !(has(label, is_european_digit) && has(label, is_arabic_digit));
}

bool keeps_direction(const std::vector<std::u32string>& labels) {
  bool asked = std::any_of(labels.begin(), labels.end(), [](auto& label) { return has(label, is_right_to_left); });
  return !asked || std::all_of(labels.begin(), labels.end(), [](auto& label) { return keeps_direction(label); });
}

// ---- names ----

bool is_dot(char32_t c) { return c == '.' || c == 0x3002 || c == 0xff0e || c == 0xff61; }

/// Empty when it is no UTF-8.
std::vector<std::string> labels_of(std::string_view name) {
  std::vector<std::string> out(1);
  while (!name.empty()) {
    auto before = name;
    auto c = take_character(name);
    if (c == no_character || c == 0)
      return {};
    if (is_dot(c))
      out.emplace_back();
    else
      out.back() += before.substr(0, before.size() - name.size());
  }
  return out;
}

/// Empty: no composition is possible.
std::string composed(const std::string& label) {
  char* out = nullptr;
  if (idn2_to_ascii_8z(label.c_str(), &out, IDN2_NFC_INPUT | IDN2_NO_TR46) != IDN2_OK)
    return {};
  std::unique_ptr<char, void (*)(void*)> owner{out, idn2_free};
  return unicode_of(out);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

} // namespace

bool is_ascii_label(std::string_view label) {
  if (!is_plain(label))
    return false;
  auto small = lower(label);
  if (small.substr(0, 4) != "xn--")
    return small.size() < 4 || small.substr(2, 2) != "--";
  auto unicode = unicode_of(small);
  return !unicode.empty() && unicode != small && register_label(unicode) == small;
}

std::string international_to_ascii(std::string_view name, normal_form form) {
  if (name.size() > name_bytes_max)
    return {};
  std::string out;
  std::vector<std::u32string> readable;
  for (auto& label : labels_of(name)) {
    auto ascii = is_ascii(label) ? label : register_label(form == normal_form::made ? composed(label) : label);
    if (ascii.empty())
      return {};
    readable.push_back(characters(lower(ascii).starts_with("xn--") ? unicode_of(lower(ascii)) : label));
    out += (out.empty() ? "" : ".") + ascii;
  }
  return keeps_direction(readable) ? out : std::string{};
}

} // namespace json_schema
