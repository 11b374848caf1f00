#include "config/json_positions.hpp"

#include "text/json_parse.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace config {

namespace {

/// There is a path for each part of a text, and each part may have a long key. What a longer path would tell apart has
/// the position of the first.
constexpr size_t path_bytes_max = 1'000;

/// Of a path that is kept, beside its text.
constexpr size_t kept_path_bytes = 64;

/// The table has a line for so many bytes of the text.
constexpr size_t part_bytes = 4u << 10;

std::string shown(size_t line, size_t column) {
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

size_t lines_in(std::string_view text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

/// Walks a text that is known to be well-formed. Its nesting is bounded because the parser bounds it.
class walker {
public:
  walker(std::string_view text, std::string_view beneath, bool members_only)
    : text_(text),
      beneath_(beneath),
      members_only_(members_only) {}

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
    if (string.size() >= 2 && string.find('\\') == string.npos)
      return std::string{string.substr(1, string.size() - 2)};
    boost::json::value parsed;
    auto problem = text::parse_json(string, text::json_dialect::strict, parsed);
    return problem.what.empty() && parsed.is_string() ? std::string{parsed.get_string()} : std::string{string};
  }

  /// One of the two paths begins with the other.
  bool is_wanted(std::string_view path) const {
    return path.substr(0, beneath_.size()) == beneath_.substr(0, path.size());
  }

  /// Without room for what is found, the walk is over.
  void spend(std::string_view path) {
    spent_ += path.size() + kept_path_bytes;
    if (spent_ > positions_bytes_max)
      at_ = text_.size();
  }

  void value(const std::string& path) {
    skip();
    bool is_wanted_value = is_wanted(path) && (!members_only_ || path.size() <= beneath_.size());
    if (peek() == '{' && is_wanted_value)
      return ++at_, object(path);
    if (peek() == '[' && is_wanted_value)
      return ++at_, array(path);
    if (peek() == '{' || peek() == '[')
      return pass();
    if (peek() == '"')
      string();
    else
      at_ = std::min(text_.find_first_of(",]}/ \t\r\n", at_), text_.size());
  }

  /// Over a list or an object that no caller asked about.
  void pass() {
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

  void keep(const std::string& path, size_t offset) {
    spend(path);
    found_.offsets.emplace(path, offset);
  }

  void object(const std::string& path) {
    std::set<std::string> keys;
    while (at_ < text_.size() && !take('}')) {
      auto offset = at_;
      auto key = unescaped(string());
      spend(key);
      auto inner = member_path(path, key);
      if (!keys.insert(key).second && found_.duplicate.empty() && is_wanted(inner)) {
        found_.duplicate = inner;
        found_.duplicate_offset = offset;
      }
      if (is_wanted(inner))
        keep(inner, offset);
      take(':');
      value(inner);
      take(',');
    }
  }

  void array(const std::string& path) {
    for (size_t i = 0; at_ < text_.size() && !take(']'); ++i) {
      auto inner = item_path(path, i);
      if (is_wanted(inner))
        keep(inner, at_);
      value(inner);
      take(',');
    }
  }

  std::string_view text_;
  std::string_view beneath_;
  bool members_only_;
  size_t at_ = 0;
  size_t spent_ = 0;
  json_positions found_;
};

/// Finds places that come one after the other in one pass over the text.
class sweep {
public:
  explicit sweep(std::string_view text) : text_(text) {}

  /// Not before the place that was asked for last.
  size_t to(size_t line, size_t column) {
    for (; line_ < line && at_ < text_.size(); ++line_, column_ = 1)
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    for (; line_ == line && column_ < column && at_ < text_.size(); ++column_)
      for (++at_; is_inside(at_); ++at_)
        ;
    return at_;
  }

private:
  /// Of a character of several bytes, and not its first.
  bool is_inside(size_t i) const { return i < text_.size() && (static_cast<unsigned char>(text_[i]) & 0xC0U) == 0x80; }

  std::string_view text_;
  size_t at_ = 0, line_ = 1, column_ = 1;
};

} // namespace

size_t line_of(std::string_view text, size_t offset) { return 1 + lines_in(text.substr(0, offset)); }

std::string position(std::string_view text, size_t offset) {
  auto before = text.substr(0, offset);
  auto line_start = before.rfind('\n');
  auto column = line_start == before.npos ? offset + 1 : offset - line_start;
  return shown(line_of(text, offset), column);
}

line_table::line_table(std::string_view text) {
  part next{0, 0};
  for (size_t at = 0; at <= text.size(); at += part_bytes) {
    parts_.push_back(next);
    auto here = text.substr(at, part_bytes);
    next.lines += lines_in(here);
    if (auto last = here.rfind('\n'); last != here.npos)
      next.line_begin = at + last + 1;
  }
}

std::string line_table::position(std::string_view text, size_t offset) const {
  auto index = std::min(offset, text.size()) / part_bytes;
  auto& begin = parts_[index];
  auto before = text.substr(0, offset).substr(index * part_bytes);
  auto last = before.rfind('\n');
  auto line_begin = last == before.npos ? begin.line_begin : index * part_bytes + last + 1;
  return shown(1 + begin.lines + lines_in(before), offset - line_begin + 1);
}

void text_marks::add(size_t line, size_t column, const std::string& path) {
  ++count_;
  bytes_ += path.size() + kept_path_bytes;
  if (bytes_ <= positions_bytes_max)
    marks_.push_back({line, column, path});
}

size_t offset_of(std::string_view text, size_t line, size_t column) { return sweep{text}.to(line, column); }

json_positions find_positions(std::string_view text, std::vector<text_mark> marks) {
  std::sort(marks.begin(), marks.end(),
            [](auto& a, auto& b) { return std::tie(a.line, a.column) < std::tie(b.line, b.column); });
  sweep s{text};
  json_positions out;
  for (auto& m : marks)
    out.offsets.emplace(std::move(m.path), s.to(m.line, m.column));
  return out;
}

json_positions find_positions(std::string_view text, std::string_view beneath) {
  return walker{text, beneath, false}.walk();
}

json_positions find_members(std::string_view text, std::string_view part) { return walker{text, part, true}.walk(); }

std::string member_path(std::string_view path, std::string_view key) {
  if (path.size() >= path_bytes_max)
    return std::string{path};
  return std::string{path}.append(path.empty() ? "" : ".").append(key.substr(0, path_bytes_max));
}

std::string item_path(std::string_view path, size_t index) {
  return path.size() >= path_bytes_max ? std::string{path} : std::string{path} + "[" + std::to_string(index) + "]";
}

} // namespace config
