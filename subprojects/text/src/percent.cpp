#include "text/percent.hpp"

namespace text {

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool encoded = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    out += encoded ? static_cast<char>(hex_digit(text[i + 1]) << 4 | hex_digit(text[i + 2])) : text[i];
    i += encoded ? 2 : 0;
  }
  return out;
}

} // namespace text
