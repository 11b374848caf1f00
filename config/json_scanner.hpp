// Steps over the parts of a JSON text that is known to be well-formed, comments and trailing commas included.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace config {

class json_scanner {
public:
  /// `at`: where to begin. The text outlives this.
  explicit json_scanner(std::string_view text, size_t at = 0) : text_(text), at_(at) {}

  size_t at() const { return at_; }
  bool is_at_end() const { return at_ >= text_.size(); }
  /// NUL at the end.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  /// Whether that character comes next, behind white space and comments; then it is passed.
  bool take(char c);
  /// Passes white space and comments.
  void skip();
  /// Passes a string: with its quotes and escapes.
  std::string_view string();
  /// Passes a list or an object, whatever is in it.
  void pass_brackets();
  /// Passes a number or a word.
  void pass_word();
  /// Passes any value.
  void pass_value();
  void step() { ++at_; }
  /// What is left is not looked at.
  void finish() { at_ = text_.size(); }

private:
  std::string_view text_;
  size_t at_;
};

/// What a string means, which stands there with its quotes.
std::string unescaped_json(std::string_view string);

} // namespace config
