#include "config/edits/toml_scan.hpp"

#include "config/json_scanner.hpp"

#include <algorithm>
#include <string>

namespace edits {

size_t behind_blanks(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(" \t", at), text.size());
}

/// A backslash counts between double quotes only.
size_t end_of_toml_string(std::string_view text, size_t at) {
  char quote = text[at];
  bool is_long = text.substr(at, 3) == std::string(3, quote);
  std::string closing(is_long ? 3 : 1, quote);
  at += closing.size();
  while (at < text.size() && text.substr(at, closing.size()) != closing)
    at += quote == '"' && text[at] == '\\' ? 2 : 1;
  at = std::min(at + closing.size(), text.size());
  for (int more = 0; is_long && more < 2 && at < text.size() && text[at] == quote; ++more) // before the closing ones
    ++at;
  return at;
}

key_path toml_key_names(std::string_view text, size_t& at) {
  key_path out;
  for (;;) {
    at = behind_blanks(text, at);
    auto begin = at;
    if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
      at = end_of_toml_string(text, at);
      auto name = text.substr(begin, at - begin);
      out.push_back(name[0] == '"' ? config::unescaped_json(name) : std::string{name.substr(1, name.size() - 2)});
    } else {
      at = std::min(text.find_first_of(" \t.=]\r\n", at), text.size());
      out.emplace_back(text.substr(begin, at - begin));
    }
    at = behind_blanks(text, at);
    if (at + 1 >= text.size() || text[at] != '.')
      return out;
    ++at;
  }
}

} // namespace edits
