#include "scanner.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace code_policy {

namespace python {

namespace {

bool is_name_character(char c) {
  auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) || c == '_' || u >= 0x80;
}

class scanner {
public:
  explicit scanner(std::string_view source) { list_.source = source; }

  token_list scan() && {
    while (at_ < source().size())
      step();
    pair_brackets(list_);
    return std::move(list_);
  }

private:
  /// An f-string that is open.
  struct formatted {
    std::string_view quote;
    bool raw = false;
    std::vector<size_t> expressions; ///< brackets that were open where each began: a format may have expressions in it
  };

  std::string_view source() const { return list_.source; }
  std::string_view rest() const { return source().substr(at_); }
  bool in_expression() const { return !open_.empty(); }

  void step() {
    auto c = source()[at_];
    if (c == '\n' || c == '\r')
      end_line();
    else if (c == '\\' || std::isspace(static_cast<unsigned char>(c)))
      at_ = std::min(source().size(), at_ + (rest().starts_with("\\\r\n") ? 3 : c == '\\' ? 2 : 1));
    else if (c == '#')
      at_ = std::min(source().find_first_of("\r\n", at_), source().size());
    else if (auto prefix = string_prefix(); prefix != none)
      string(prefix);
    else if (std::isdigit(static_cast<unsigned char>(c)))
      number();
    else if (is_name_character(c))
      name();
    else
      mark(c);
  }

  void add(token_kind kind, size_t end) {
    list_.add(kind, at_, end);
    at_ = end;
  }

  void end_line() {
    if (brackets_ == 0 && !in_expression())
      add(token_kind::line_end, at_ + 1);
    else
      ++at_;
  }

  void number() {
    auto end = at_;
    while (end < source().size() && (is_name_character(source()[end]) || source()[end] == '.'))
      ++end;
    add(token_kind::number, end);
  }

  void name() {
    auto end = at_;
    while (end < source().size() && is_name_character(source()[end]))
      ++end;
    add(token_kind::name, end);
  }

  // ---- strings

  /// Length of what stands before the quote; `none`: no string begins here.
  uint32_t string_prefix() const {
    constexpr uint32_t longest = 2;
    for (uint32_t i = 0; i <= longest && at_ + i < source().size(); ++i) {
      auto c = source()[at_ + i];
      if (c == '"' || c == '\'')
        return i;
      if (std::string_view{"rRbBuUfFtT"}.find(c) == std::string_view::npos)
        break;
    }
    return none;
  }

  void string(uint32_t prefix) {
    auto letters = rest().substr(0, prefix);
    auto quote = rest().substr(prefix, 1);
    if (rest().substr(prefix, 3) == std::string(3, quote[0]))
      quote = rest().substr(prefix, 3);
    bool raw = letters.find_first_of("rR") != letters.npos;
    if (letters.find_first_of("fFtT") != letters.npos) {
      at_ += prefix + quote.size();
      open_.push_back({quote, raw, {}});
      return formatted_text();
    }
    auto end = at_ + prefix + quote.size();
    while (end < source().size() && !source().substr(end).starts_with(quote)
           && (quote.size() == 3 || (source()[end] != '\n' && source()[end] != '\r')))
      end += source()[end] == '\\' ? 2 : 1;
    end = std::min(end, source().size());
    add(token_kind::text, source().substr(end).starts_with(quote) ? end + quote.size() : end);
  }

  void formatted_text() {
    while (next_text())
      ;
  }

  /// The text of an f-string, or of a format in it, up to the next expression or the end. Whether more text follows.
  bool next_text() {
    auto& f = open_.back();
    bool in_format = !f.expressions.empty();
    auto end = at_;
    for (; end < source().size(); ++end) {
      auto here = source().substr(end);
      if (here.starts_with(f.quote) || (f.quote.size() == 1 && (here[0] == '\n' || here[0] == '\r')))
        return end_formatted(end, here.starts_with(f.quote) ? f.quote.size() : 0), false;
      if (in_format && here[0] == '}')
        break;
      bool is_brace = !in_format && (here.starts_with("{{") || here.starts_with("}}"));
      if (here[0] == '{' && !is_brace)
        break;
      bool is_escape = here[0] == '\\' && here.size() > 1 && (f.raw ? here[1] == f.quote[0] : here[1] != '{');
      if (is_brace || is_escape)
        ++end;
    }
    add(token_kind::piece, std::min(end, source().size()));
    if (at_ == source().size())
      return false;
    if (source()[at_] == '}') {
      close_expression();
      return true;
    }
    f.expressions.push_back(brackets_);
    ++brackets_;
    add(token_kind::mark, at_ + 1);
    return false;
  }

  void end_formatted(size_t end, size_t quote) {
    add(token_kind::piece, end);
    at_ += quote;
    auto& expressions = open_.back().expressions;
    if (!expressions.empty()) // the quote came too early
      brackets_ = expressions.front();
    open_.pop_back();
  }

  /// At its `}`.
  void close_expression() {
    auto& f = open_.back();
    brackets_ = f.expressions.back();
    f.expressions.pop_back();
    add(token_kind::mark, at_ + 1);
  }

  void mark(char c) {
    if (in_expression() && brackets_ == open_.back().expressions.back() + 1) {
      if (c == '}') {
        close_expression();
        return formatted_text();
      }
      if (c == ':' && !rest().starts_with(":=")) {
        ++at_;
        return formatted_text();
      }
    }
    if (c == '(' || c == '[' || c == '{')
      ++brackets_;
    else if ((c == ')' || c == ']' || c == '}')
             && brackets_ > (in_expression() ? open_.back().expressions.back() + 1 : 0))
      --brackets_;
    auto two = rest().substr(0, 2);
    add(token_kind::mark, at_ + (two == ":=" || two == "==" || two == "->" ? 2 : 1));
  }

  token_list list_;
  size_t at_ = 0;
  size_t brackets_ = 0; ///< that are open
  std::vector<formatted> open_;
};

} // namespace

} // namespace python

token_list scan_python(std::string_view source) { return python::scanner{source}.scan(); }

} // namespace code_policy
