#include "config/git_settings.hpp"

#include "text/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace config {

namespace {

constexpr char end_of_line = '\n';
/// Skipped in front of everything else, and nowhere else.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// What git takes for one, whatever the locale is.
bool is_git_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == end_of_line; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_of_git_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; }

/// Goes as git's own config.c does, character by character.
class git_settings_reader {
public:
  explicit git_settings_reader(std::string_view text) : text_(text) {
    if (text_.starts_with(byte_order_mark))
      at_ = byte_order_mark.size();
  }

  std::vector<git_setting> read() && {
    while (at_ < text_.size()) {
      auto c = next();
      if (is_git_blank(c))
        continue;
      bool is_fine = c == '[' ? take_section() : is_letter(c) && take_variable(c);
      if (!is_fine) // a comment, or what git refuses
        skip_line();
    }
    return std::move(out_);
  }

private:
  /// The end of the text is the end of a line, too.
  char next() {
    if (at_ >= text_.size()) {
      ++at_;
      return end_of_line;
    }
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == end_of_line)
      ++at_;
    return text_[at_++];
  }

  /// Unless the end of it is what was read last.
  void skip_line() {
    if (at_ > 0 && at_ <= text_.size() && text_[at_ - 1] == end_of_line)
      return;
    while (next() != end_of_line)
      continue;
  }

  /// Behind its bracket. A variable may follow on the same line.
  bool take_section() {
    std::string name;
    auto c = next();
    for (; c != ']' && !is_git_blank(c); c = next()) {
      if (!is_of_git_name(c) && c != '.')
        return false;
      name += c;
    }
    section_ = text::in_small_letters(name.substr(0, name.find('.')));
    part_ = name.substr(std::min(section_.size() + 1, name.size()));
    return c == ']' || take_quoted_part(c);
  }

  /// ` "origin"]`, of which `c` is the first character.
  bool take_quoted_part(char c) {
    for (; is_git_blank(c); c = next())
      if (c == end_of_line)
        return false;
    if (c != '"')
      return false;
    part_.clear();
    for (c = next(); c != '"'; c = next()) {
      c = c == '\\' ? next() : c;
      if (c == end_of_line)
        return false;
      part_ += c;
    }
    return next() == ']';
  }

  bool take_variable(char c) {
    std::string name;
    for (; is_of_git_name(c); c = next())
      name += c;
    while (c == ' ' || c == '\t')
      c = next();
    if (c != '=' && c != end_of_line)
      return false;
    std::string value, with_tabs;
    if (c == '=' && !take_value(value, with_tabs))
      return false;
    name = text::in_small_letters(name);
    for (auto* one : {&value, &with_tabs})
      if (one->resize(std::min(one->find('\0'), one->size())); one == &value || *one != value)
        out_.push_back({section_, name, *one, part_});
    return true;
  }

  /// Up to the end of the line, which a backslash in front of it takes away, but not in a comment.
  bool take_value(std::string& value, std::string& with_tabs) {
    std::string blanks;
    bool is_quoted = false, is_comment = false;
    for (auto c = next(); c != end_of_line; c = next()) {
      if (is_comment)
        continue;
      if (!is_quoted && is_git_blank(c)) {
        if (!value.empty())
          blanks += c;
        continue;
      }
      is_comment = !is_quoted && (c == '#' || c == ';');
      if (is_comment)
        continue;
      value.append(blanks.size(), ' ');
      with_tabs += std::exchange(blanks, {});
      is_quoted = is_quoted != (c == '"');
      bool is_escape = c == '\\';
      if (is_escape)
        c = next();
      if (c == (is_escape ? end_of_line : '"')) // behind an escape: there is more of the value on the next line
        continue;
      auto meant = is_escape ? escaped(c) : std::optional{c};
      if (!meant)
        return false;
      value += *meant;
      with_tabs += *meant;
    }
    return !is_quoted;
  }

  /// None: there is no such escape.
  static std::optional<char> escaped(char c) {
    switch (c) {
      case 't': return '\t';
      case 'b': return '\b';
      case 'n': return '\n';
      case '\\':
      case '"': return c;
      default: return std::nullopt;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string section_, part_;
  std::vector<git_setting> out_;
};

} // namespace

std::vector<git_setting> read_git_settings(std::string_view text) { return git_settings_reader{text}.read(); }

} // namespace config
