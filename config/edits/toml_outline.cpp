#include "config/edits/toml_outline.hpp"

#include "config/edits/text_edit.hpp"
#include "config/json_scanner.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace edits {

namespace {

class statement_reader {
public:
  explicit statement_reader(std::string_view text) : text_(text) {}

  std::vector<toml_statement> read() && {
    while (at_ < text_.size()) {
      pass_blanks();
      if (peek() == '#' || peek() == '\n' || peek() == '\r')
        at_ = next_line(text_, at_);
      else if (at_ < text_.size())
        read_statement();
    }
    return std::move(out_);
  }

private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void pass_blanks() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }

  void read_statement() {
    toml_statement s;
    s.begin = line_begin(text_, at_);
    if (peek() == '[')
      read_header(s);
    else
      read_key(s);
    at_ = s.end = next_line(text_, at_);
    out_.push_back(std::move(s));
  }

  void read_header(toml_statement& to) {
    bool is_item = text_.substr(at_, 2) == "[[";
    at_ += is_item ? 2 : 1;
    to.is_header = true;
    auto names = key_parts();
    for (size_t i = 0; i < names.size(); ++i) {
      to.path.push_back(std::move(names[i]));
      bool is_last = i + 1 == names.size();
      if (is_last && is_item)
        ++items_[to.path];
      if (auto items = items_.find(to.path); items != items_.end())
        to.path.push_back("[" + std::to_string(items->second - 1) + "]");
    }
    table_ = to.path;
  }

  void read_key(toml_statement& to) {
    to.path = table_;
    for (auto& name : key_parts())
      to.path.push_back(std::move(name));
    at_ = std::min(at_ + 1, text_.size()); // '='
    pass_blanks();
    to.value_begin = at_;
    pass_value();
    to.value_end = text_.substr(0, at_).find_last_not_of(" \t\r") + 1;
  }

  key_path key_parts() {
    key_path out;
    do {
      pass_blanks();
      auto begin = at_;
      auto quote = peek();
      if (quote == '"' || quote == '\'') {
        pass_string(quote);
        auto name = text_.substr(begin, at_ - begin);
        out.push_back(quote == '"' ? config::unescaped_json(name) : std::string{name.substr(1, name.size() - 2)});
      } else {
        at_ = std::min(text_.find_first_of(" \t.=]\r\n", at_), text_.size());
        out.emplace_back(text_.substr(begin, at_ - begin));
      }
      pass_blanks();
    } while (peek() == '.' && ++at_ < text_.size());
    return out;
  }

  /// Up to the comment behind it, or to the end of its line.
  void pass_value() {
    size_t open = 0;
    while (at_ < text_.size()) {
      auto c = peek();
      if (c == '"' || c == '\'') {
        pass_string(c);
        continue;
      }
      if (open == 0 && (c == '#' || c == '\n'))
        return;
      if (c == '#') {
        at_ = next_line(text_, at_);
        continue;
      }
      open += c == '[' || c == '{';
      open -= (c == ']' || c == '}') && open > 0;
      ++at_;
    }
  }

  /// Of one line, or between three quotes. A backslash counts between double quotes only.
  void pass_string(char quote) {
    bool is_long = text_.substr(at_, 3) == std::string(3, quote);
    std::string closing(is_long ? 3 : 1, quote);
    at_ += closing.size();
    while (at_ < text_.size() && text_.substr(at_, closing.size()) != closing)
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + closing.size(), text_.size());
    for (int more = 0; is_long && more < 2 && peek() == quote; ++more) // they may stand before the closing ones
      ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
  key_path table_;
  std::map<key_path, size_t> items_; ///< of arrays of tables
  std::vector<toml_statement> out_;
};

} // namespace

bool toml_statement::is_in(const key_path& part) const {
  return path.size() >= part.size() && std::equal(part.begin(), part.end(), path.begin());
}

std::vector<toml_statement> toml_statements(std::string_view text) { return statement_reader{text}.read(); }

} // namespace edits
