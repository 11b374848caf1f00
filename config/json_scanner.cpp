#include "config/json_scanner.hpp"

#include "text/json_parse.hpp"

#include <boost/json/value.hpp>

#include <algorithm>

namespace config {

bool json_scanner::take(char c) {
  skip();
  bool is_there = peek() == c;
  at_ += is_there;
  return is_there;
}

void json_scanner::skip() {
  for (;;) {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    if (text_.substr(at_, 2) == "//")
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (text_.substr(at_, 2) == "/*")
      at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
    else
      return;
  }
}

std::string_view json_scanner::string() {
  auto begin = at_++;
  while (at_ < text_.size() && text_[at_] != '"')
    at_ += text_[at_] == '\\' ? 2 : 1;
  at_ = std::min(at_ + 1, text_.size());
  return text_.substr(begin, at_ - begin);
}

void json_scanner::pass_brackets() {
  size_t depth = 0;
  do {
    at_ = std::min(text_.find_first_of("\"{}[]/", at_), text_.size());
    skip();
    auto c = peek();
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    if (c == '"')
      string();
    else
      ++at_;
  } while (depth > 0 && at_ < text_.size());
}

void json_scanner::pass_word() { at_ = std::min(text_.find_first_of(",]}/ \t\r\n", at_), text_.size()); }

void json_scanner::pass_value() {
  skip();
  if (peek() == '{' || peek() == '[')
    pass_brackets();
  else if (peek() == '"')
    string();
  else
    pass_word();
}

std::string unescaped_json(std::string_view string) {
  if (string.size() >= 2 && string.find('\\') == string.npos)
    return std::string{string.substr(1, string.size() - 2)};
  boost::json::value parsed;
  auto problem = text::parse_json(string, text::json_dialect::strict, parsed);
  return problem.what.empty() && parsed.is_string() ? std::string{parsed.get_string()} : std::string{string};
}

} // namespace config
