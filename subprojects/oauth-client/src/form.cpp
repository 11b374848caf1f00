#include "oauth_client/form.hpp"

#include "text/percent.hpp"

#include <algorithm>

namespace oauth {

namespace {

std::string form_decoded(std::string_view text) {
  std::string blanks{text};
  std::replace(blanks.begin(), blanks.end(), '+', ' ');
  return text::percent_decoded(blanks);
}

} // namespace

std::string form_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view marks = "-._~";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool is_plain =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || marks.find(c) != marks.npos;
    if (is_plain)
      out += c;
    else
      out.append({'%', digits[byte >> 4U], digits[byte & 15U]});
  }
  return out;
}

std::string form_text(const form& fields) {
  std::string out;
  for (auto& [name, value] : fields)
    out.append(out.empty() ? "" : "&").append(form_encoded(name)).append("=").append(form_encoded(value));
  return out;
}

form read_form(std::string_view text) {
  form out;
  while (!text.empty() && out.size() < form_fields_max) {
    auto end = std::min(text.find('&'), text.size());
    auto one = text.substr(0, end);
    auto equals = std::min(one.find('='), one.size());
    if (!one.empty())
      out.emplace_back(form_decoded(one.substr(0, equals)), form_decoded(one.substr(std::min(equals + 1, one.size()))));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

} // namespace oauth
