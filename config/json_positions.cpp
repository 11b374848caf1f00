#include "config/json_positions.hpp"

#include "messages/json_parse.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <set>

namespace config {

namespace {

/// Walks a text that is known to be well-formed. Its nesting is bounded because the parser bounds it.
class walker {
public:
  explicit walker(std::string_view text) : text_(text) {}

  json_positions walk() && {
    value("");
    return std::move(found_);
  }

private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    skip();
    bool is_there = peek() == c;
    at_ += is_there;
    return is_there;
  }

  /// White space and comments.
  void skip() {
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

  /// With its quotes and escapes.
  std::string_view string() {
    auto begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"')
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(begin, at_ - begin);
  }

  static std::string unescaped(std::string_view string) {
    boost::json::value parsed;
    auto problem = msg::parse_json(string, msg::json_dialect::strict, parsed);
    return problem.what.empty() && parsed.is_string() ? std::string{parsed.get_string()} : std::string{string};
  }

  void value(const std::string& path) {
    skip();
    if (take('{'))
      return object(path);
    if (take('['))
      return array(path);
    if (peek() == '"')
      string();
    else
      at_ = std::min(text_.find_first_of(",]}/ \t\r\n", at_), text_.size());
  }

  void object(const std::string& path) {
    std::set<std::string> keys;
    while (at_ < text_.size() && !take('}')) {
      auto offset = at_;
      auto key = unescaped(string());
      auto inner = member_path(path, key);
      if (!keys.insert(key).second && found_.duplicate.empty()) {
        found_.duplicate = inner;
        found_.duplicate_offset = offset;
      }
      found_.offsets.emplace(inner, offset);
      take(':');
      value(inner);
      take(',');
    }
  }

  void array(const std::string& path) {
    for (size_t i = 0; at_ < text_.size() && !take(']'); ++i) {
      auto inner = item_path(path, i);
      found_.offsets.emplace(inner, at_);
      value(inner);
      take(',');
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  json_positions found_;
};

} // namespace

size_t line_of(std::string_view text, size_t offset) {
  auto before = text.substr(0, offset);
  return 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
}

std::string position(std::string_view text, size_t offset) {
  auto before = text.substr(0, offset);
  auto line_start = before.rfind('\n');
  auto column = line_start == before.npos ? offset + 1 : offset - line_start;
  return "line " + std::to_string(line_of(text, offset)) + ", column " + std::to_string(column);
}

json_positions find_positions(std::string_view text) { return walker{text}.walk(); }

std::string member_path(std::string_view path, std::string_view key) { return std::string{path}.append(path.empty() ? "" : ".").append(key); }

std::string item_path(std::string_view path, size_t index) { return std::string{path} + "[" + std::to_string(index) + "]"; }

} // namespace config
