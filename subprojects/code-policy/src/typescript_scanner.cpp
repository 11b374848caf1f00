#include "scanner.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace code_policy {

namespace typescript {

namespace {

/// A value begins behind these, so that a slash there is no division.
constexpr std::array<std::string_view, 13> before_value{
  "return", "typeof", "case", "in", "delete", "void", "throw", "else", "do", "instanceof", "yield", "await", "default"};

/// How long the end of a line is at `at`, 0: there is none. U+2028 and U+2029 end comments, too.
size_t line_end_at(std::string_view source, size_t at) {
  auto rest = source.substr(at, 3);
  if (rest.starts_with("\r\n"))
    return 2;
  if (rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9")
    return 3;
  return rest.starts_with('\n') || rest.starts_with('\r') ? 1 : 0;
}

/// How long the white space at `at` is, 0: there is none. ASCII, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029,
/// U+202F, U+205F, U+3000, U+FEFF.
size_t space_at(std::string_view source, size_t at) {
  auto rest = source.substr(at, 3);
  if (static_cast<unsigned char>(rest[0]) < 0x80)
    return std::isspace(static_cast<unsigned char>(rest[0])) ? 1 : 0;
  if (rest.starts_with("\xC2\xA0"))
    return 2;
  bool is_general =
    rest.starts_with("\xE2\x80") && rest.size() == 3
    && (static_cast<unsigned char>(rest[2]) <= 0x8A || rest[2] == '\xA8' || rest[2] == '\xA9' || rest[2] == '\xAF');
  return is_general || rest == "\xE1\x9A\x80" || rest == "\xE2\x81\x9F" || rest == "\xE3\x80\x80"
             || rest == "\xEF\xBB\xBF"
           ? 3
           : 0;
}

bool is_name_character(char c) {
  auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) || c == '_' || c == '$' || c == '#' || c == '\\' || u >= 0x80;
}

class scanner {
public:
  explicit scanner(std::string_view source) { list_.source = source; }

  token_list scan() && {
    if (source().starts_with("#!"))
      at_ = end_of_line();
    while (at_ < source().size())
      step();
    pair_brackets(list_);
    return std::move(list_);
  }

private:
  std::string_view source() const { return list_.source; }
  std::string_view rest() const { return source().substr(at_); }
  size_t end_of_line() const {
    auto end = at_;
    while (end < source().size() && line_end_at(source(), end) == 0)
      ++end;
    return end;
  }
  bool is_at(size_t at, char c) const { return at < source().size() && source()[at] == c; }
  /// Behind a character, or an escape; within the source.
  size_t next(size_t at) const {
    auto end = at + 1;
    if (source()[at] == '\\')
      end += std::max<size_t>(1, line_end_at(source(), end));
    return std::min(end, source().size());
  }

  void step() {
    auto c = source()[at_];
    if (auto space = space_at(source(), at_); space > 0)
      at_ += space;
    else if (rest().starts_with("//"))
      at_ = end_of_line();
    else if (rest().starts_with("/*"))
      at_ = std::min(source().find("*/", at_ + 2), source().size() - 2) + 2;
    else if (c == '"' || c == '\'')
      string(c);
    else if (c == '`')
      template_text(true);
    else if (std::isdigit(static_cast<unsigned char>(c)))
      number();
    else if (is_name_character(c))
      name();
    else if (c == '/' && regex_may_begin() && regex())
      return;
    else
      mark(c);
  }

  void add(token_kind kind, size_t end) {
    list_.add(kind, at_, end);
    at_ = end;
  }

  /// An unfinished one ends with its line.
  void string(char quote) {
    auto end = at_ + 1;
    while (end < source().size() && source()[end] != quote && source()[end] != '\n' && source()[end] != '\r')
      end = next(end);
    add(token_kind::text, is_at(end, quote) ? end + 1 : end);
  }

  void number() {
    auto end = at_;
    while (end < source().size() && (is_name_character(source()[end]) || source()[end] == '.'))
      ++end;
    add(token_kind::number, end);
  }

  void name() {
    auto end = at_ + 1;
    for (; end < source().size() && is_name_character(source()[end]) && space_at(source(), end) == 0; ++end)
      if (source().substr(end - 1, 3) == "\\u{")
        end = std::min(source().find('}', end), source().size() - 1);
    add(token_kind::name, end);
  }

  /// From the quote, or from the end of an expression inside, up to the closing quote or the next `${`.
  void template_text(bool is_first) {
    auto end = at_ + (is_first ? 1 : 0);
    while (end < source().size() && source()[end] != '`' && source().substr(end, 2) != "${")
      end = next(end);
    bool closes = is_at(end, '`');
    bool opens = !closes && end < source().size();
    add(is_first && !opens ? token_kind::text : token_kind::piece, end + (closes ? 1 : 0));
    if (!opens)
      return;
    in_template_.push_back(true);
    add(token_kind::mark, at_ + 2);
  }

  void mark(char c) {
    auto two = rest().substr(0, 2);
    bool ends_expression = c == '}' && !in_template_.empty() && in_template_.back();
    if (c == '{')
      in_template_.push_back(false);
    if (c == '}' && !in_template_.empty())
      in_template_.pop_back();
    if (c == '(')
      is_head_.push_back(is_head_keyword());
    closed_head_ = c == ')' && !is_head_.empty() && is_head_.back();
    if (c == ')' && !is_head_.empty())
      is_head_.pop_back();
    bool is_chain = two == "?." && !(rest().size() > 2 && std::isdigit(static_cast<unsigned char>(rest()[2])));
    add(token_kind::mark, at_ + (is_chain || two == "=>" || two == "++" || two == "--" ? 2 : 1));
    if (ends_expression)
      template_text(false);
  }

  size_t last() const { return list_.tokens.size() - 1; }

  bool is_member() const {
    return list_.tokens.size() > 1 && (list_.is_mark(last() - 1, ".") || list_.is_mark(last() - 1, "?."));
  }

  /// `if (...) /regex/`
  bool is_head_keyword() const {
    if (list_.tokens.empty() || !list_.is(last(), token_kind::name) || is_member())
      return false;
    auto word = list_.text(last());
    return word == "if" || word == "while" || word == "for" || word == "with"
           || (word == "await" && last() > 0 && list_.text(last() - 1) == "for");
  }

  // ---- regular expressions

  /// Else it divides. Behind a block a statement could begin with one, but hardly does, and what is divided must not be
  /// hidden.
  bool regex_may_begin() const {
    if (list_.tokens.empty())
      return true;
    if (list_.is(last(), token_kind::name))
      return !is_member()
             && std::find(before_value.begin(), before_value.end(), list_.text(last())) != before_value.end();
    if (!list_.is(last(), token_kind::mark))
      return false;
    auto mark = list_.text(last());
    if (mark == ")")
      return closed_head_;
    if (mark == "!" && last() > 0 && list_.tokens[last() - 1].end == list_.tokens[last()].begin) // x! / y
      return !list_.is(last() - 1, token_kind::name) && !list_.is_mark(last() - 1, ")")
             && !list_.is_mark(last() - 1, "]");
    return mark != "]" && mark != "}" && mark != "++" && mark != "--";
  }

  /// Whether there is one: it ends in its line. A line is searched in vain only once.
  bool regex() {
    if (at_ < no_regex_before_)
      return false;
    bool in_class = false;
    auto end = at_ + 1;
    for (; end < source().size() && line_end_at(source(), end) == 0 && (in_class || source()[end] != '/'); ++end) {
      auto c = source()[end];
      end += c == '\\' && end + 1 < source().size() && line_end_at(source(), end + 1) == 0 ? 1 : 0;
      in_class = c == '[' || (in_class && c != ']');
    }
    if (!is_at(end, '/')) {
      no_regex_before_ = end;
      return false;
    }
    for (++end; end < source().size() && std::isalpha(static_cast<unsigned char>(source()[end]));)
      ++end;
    add(token_kind::regex, end);
    return true;
  }

  token_list list_;
  size_t at_ = 0;
  size_t no_regex_before_ = 0;
  std::vector<bool> in_template_; ///< braces that are open: `${`
  std::vector<bool> is_head_;     ///< parentheses that are open: behind `if` and the like
  bool closed_head_ = false;      ///< by the last mark
};

} // namespace

} // namespace typescript

token_list scan_typescript(std::string_view source) { return typescript::scanner{source}.scan(); }

} // namespace code_policy
