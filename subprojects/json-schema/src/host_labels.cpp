#include "host_labels.hpp"

#include "utf8.hpp"

#include <algorithm>
#include <cctype>
#include <idn2.h>
#include <memory>

namespace json_schema {

namespace {

constexpr size_t label_chars_max = 63;

bool is_label_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; }

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
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

std::string international_to_ascii(std::string_view name) {
  std::string out, label;
  auto end_label = [&] {
    bool is_ascii = std::all_of(label.begin(), label.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    auto ascii = is_ascii ? label : register_label(label);
    label.clear();
    out += ascii;
    return !ascii.empty();
  };
  while (!name.empty()) {
    auto before = name;
    auto c = take_character(name);
    if (c == no_character || c == 0)
      return {};
    if (c != '.' && c != 0x3002 && c != 0xff0e && c != 0xff61) {
      label += before.substr(0, before.size() - name.size());
      continue;
    }
    if (!end_label())
      return {};
    out += '.';
  }
  return end_label() ? out : std::string{};
}

std::string normalized(std::string_view text) {
  (void)text;
  return std::string{text};
}

} // namespace json_schema
