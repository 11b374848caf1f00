#include "cli/markdown.hpp"

namespace cli {

std::string markdown_text(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool is_mark = c == '`' && (is_code || text.find('`', i + 1) != text.npos); // one alone is a letter
    is_code = is_mark ? !is_code : is_code;
    if (!is_mark && std::string_view{is_code ? "|" : "|<*_`[]\\"}.find(c) != std::string_view::npos)
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  std::string out = "`";
  for (char c : text)
    out += c == '|' ? std::string{"\\|"} : std::string{c};
  return out + "`";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (auto& each : cells)
    out += each.empty() ? " |" : " " + each + " |";
  return out + "\n";
}

std::string markdown_head(const std::vector<std::string>& titles) {
  auto out = markdown_row(titles) + "|";
  for (size_t i = 0; i < titles.size(); ++i)
    out += "---|";
  return out + "\n";
}

} // namespace cli
