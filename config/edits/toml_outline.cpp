#include "config/edits/toml_outline.hpp"

#include "config/edits/text_edit.hpp"
#include "config/edits/toml_scan.hpp"

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
    auto names = toml_key_names(text_, at_);
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
    for (auto& name : toml_key_names(text_, at_))
      to.path.push_back(std::move(name));
    at_ = std::min(at_ + 1, text_.size()); // '='
    pass_blanks();
    to.value_begin = at_;
    pass_value();
    to.value_end = text_.substr(0, at_).find_last_not_of(" \t\r") + 1;
  }

  /// Up to the comment behind it, or to the end of its line.
  void pass_value() {
    size_t open = 0;
    while (at_ < text_.size()) {
      auto c = peek();
      if (c == '"' || c == '\'') {
        at_ = end_of_toml_string(text_, at_);
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
