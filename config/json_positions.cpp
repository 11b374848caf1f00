#include "config/json_positions.hpp"

#include "config/json_scanner.hpp"

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
    : scan_(text),
      beneath_(beneath),
      members_only_(members_only) {}

  json_positions walk() && {
    value("");
    return std::move(found_);
  }

private:
  /// One of the two paths begins with the other.
  bool is_wanted(std::string_view path) const {
    return path.substr(0, beneath_.size()) == beneath_.substr(0, path.size());
  }

  /// Without room for what is found, the walk is over.
  void spend(std::string_view path) {
    spent_ += path.size() + kept_path_bytes;
    if (spent_ > positions_bytes_max)
      scan_.finish();
  }

  void value(const std::string& path) {
    scan_.skip();
    bool is_wanted_value = is_wanted(path) && (!members_only_ || path.size() <= beneath_.size());
    if (scan_.peek() == '{' && is_wanted_value)
      return scan_.step(), object(path);
    if (scan_.peek() == '[' && is_wanted_value)
      return scan_.step(), array(path);
    scan_.pass_value();
  }

  void keep(const std::string& path, size_t offset) {
    spend(path);
    found_.offsets.emplace(path, offset);
  }

  void object(const std::string& path) {
    std::set<std::string> keys;
    while (!scan_.is_at_end() && !scan_.take('}')) {
      auto offset = scan_.at();
      auto key = unescaped_json(scan_.string());
      spend(key);
      auto inner = member_path(path, key);
      if (!keys.insert(key).second && found_.duplicate.empty() && is_wanted(inner)) {
        found_.duplicate = inner;
        found_.duplicate_offset = offset;
      }
      if (is_wanted(inner))
        keep(inner, offset);
      scan_.take(':');
      value(inner);
      scan_.take(',');
    }
  }

  void array(const std::string& path) {
    for (size_t i = 0; !scan_.is_at_end() && !scan_.take(']'); ++i) {
      auto inner = item_path(path, i);
      if (is_wanted(inner))
        keep(inner, scan_.at());
      value(inner);
      scan_.take(',');
    }
  }

  json_scanner scan_;
  std::string_view beneath_;
  bool members_only_;
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
