#include "text/markup.hpp"

namespace text {

namespace {

/// No XML may hold them (XML 1.0, section 2.2), not even written out.
bool begins_with_noncharacter(std::string_view text) {
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF"); // U+FFFE and U+FFFF
}

} // namespace

std::string escape_markup(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (begins_with_noncharacter(text.substr(i))) {
      out += replacement;
      i += replacement.size() - 1;
      continue;
    }
    switch (char c = text[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

} // namespace text
