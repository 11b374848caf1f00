#include "config/edits/toml_inline.hpp"

#include "config/edits/toml_outline.hpp"
#include "config/edits/toml_scan.hpp"
#include "config/edits/value_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

// Recursion follows values, which are as deep as the reader of TOML lets them be.
// NOLINTBEGIN(misc-no-recursion)

namespace edits {

namespace json = boost::json;

namespace {

enum class inline_kind : uint8_t { plain, table, list };

struct inline_value {
  inline_kind kind = inline_kind::plain;
  size_t begin = 0, end = 0; ///< with its brackets
  struct member {
    key_path names; ///< more than one if they are dotted; none in a list
    size_t begin = 0;
    std::vector<inline_value> holds;
    size_t comma = std::string_view::npos; ///< behind it; npos: there is none
    const inline_value& value() const { return holds.front(); }
    size_t end() const { return comma == std::string_view::npos ? value().end : comma + 1; }
  };
  std::vector<member> members;
};

class inline_reader {
public:
  inline_reader(std::string_view text, size_t at) : text_(text), at_(at) {}

  inline_value value() {
    inline_value out;
    out.begin = at_;
    if (peek() == '{' || peek() == '[') {
      out.kind = peek() == '{' ? inline_kind::table : inline_kind::list;
      read_members(out);
    } else if (peek() == '"' || peek() == '\'') {
      at_ = end_of_toml_string(text_, at_);
    } else {
      at_ = std::min(text_.find_first_of(",]}#\r\n", at_), text_.size());
      at_ = text_.substr(0, at_).find_last_not_of(" \t") + 1;
    }
    out.end = at_;
    return out;
  }

private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void pass_space() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (peek() != '#')
        return;
      at_ = line_end(text_, at_);
    }
  }

  void read_members(inline_value& to) {
    char closing = to.kind == inline_kind::table ? '}' : ']';
    ++at_;
    for (pass_space(); at_ < text_.size() && peek() != closing; pass_space()) {
      inline_value::member member;
      member.begin = at_;
      if (to.kind == inline_kind::table) {
        member.names = toml_key_names(text_, at_);
        ++at_; // '='
        pass_space();
      }
      member.holds.push_back(value());
      pass_space();
      if (peek() == ',')
        member.comma = at_++;
      to.members.push_back(std::move(member));
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  size_t at_;
};

/// "[2]" of a path; none: it is a name.
std::optional<size_t> index_of(std::string_view name) {
  size_t index = 0;
  if (name.size() < 3 || name.front() != '[' || name.back() != ']')
    return std::nullopt;
  auto* last = name.data() + name.size() - 1;
  auto [end, problem] = std::from_chars(name.data() + 1, last, index);
  return problem == std::errc{} && end == last ? std::optional{index} : std::nullopt;
}

/// The members' number if there is none.
size_t find_member(const inline_value& in, const std::string& name) {
  if (in.kind == inline_kind::list)
    return std::min(index_of(name).value_or(in.members.size()), in.members.size());
  auto found = std::find_if(in.members.begin(), in.members.end(), [&](auto& m) { return m.names == key_path{name}; });
  return static_cast<size_t>(found - in.members.begin());
}

/// What is at a path, within the value of a key; nothing: there is no such, or it is not written in brackets.
std::optional<inline_value> find_inline(std::string_view text, const key_path& path) {
  for (auto& s : toml_statements(text)) {
    bool leads_there =
      !s.is_header && s.path.size() <= path.size() && std::equal(s.path.begin(), s.path.end(), path.begin());
    if (!leads_there)
      continue;
    auto at = inline_reader{text, s.value_begin}.value();
    for (auto name = path.begin() + static_cast<std::ptrdiff_t>(s.path.size()); name != path.end(); ++name) {
      auto index = find_member(at, *name);
      if (index == at.members.size())
        return std::nullopt;
      auto inner = at.members[index].value();
      at = std::move(inner);
    }
    return at;
  }
  return std::nullopt;
}

bool has_line(std::string_view text, size_t begin, size_t end) {
  return text.substr(begin, end - begin).find('\n') != std::string_view::npos;
}

text_edits append(std::string_view text, const inline_value& to, const std::string& what) {
  if (to.members.empty())
    return {{to.end - 1, to.end - 1, what}};
  auto& last = to.members.back();
  bool has_comma = last.comma != std::string_view::npos;
  text_edits out;
  if (!has_comma)
    out.push_back({last.value().end, last.value().end, ","});
  auto end = last.end();
  if (is_first_of_line(text, last.begin) && has_line(text, end, to.end)) { // behind the comment of its line
    auto at = line_end(text, end);
    out.push_back({at, at, newline_of(text) + indent_of(text, last.begin) + what + (has_comma ? "," : "")});
  } else {
    out.push_back({end, end, " " + what + (has_comma ? "," : "")});
  }
  return out;
}

text_edits remove(std::string_view text, const inline_value& from, size_t index) {
  auto& members = from.members;
  auto& gone = members[index];
  bool is_last = index + 1 == members.size();
  text_edits out;
  if (is_last && index > 0 && gone.comma == std::string_view::npos)
    out.push_back({members[index - 1].comma, members[index - 1].comma + 1, ""});
  auto begin = gone.begin, end = gone.end();
  auto rest = behind_blanks(text, end);
  bool ends_line = rest == text.size() || text[rest] == '#' || text[rest] == '\r' || text[rest] == '\n';
  if (is_first_of_line(text, begin) && ends_line) {
    begin = line_begin(text, begin);
    end = next_line(text, end);
  } else if (is_last && index > 0) {
    begin = text.substr(0, begin).find_last_not_of(" \t") + 1;
    begin = std::max(begin, members[index - 1].end());
  } else {
    end = rest;
  }
  out.push_back({begin, end, ""});
  return out;
}

key_path above(const key_path& path) { return {path.begin(), std::prev(path.end())}; }

std::string member_text(const std::string& name, const json::value& value) {
  return toml_key(name) + " = " + toml_line(value);
}

} // namespace

std::optional<text_edits> add_to_inline(std::string_view text, const key_path& path, const json::value& value) {
  auto to = find_inline(text, above(path));
  if (!to || to->kind != inline_kind::table)
    return std::nullopt;
  return append(text, *to, member_text(path.back(), value));
}

std::optional<text_edits> append_to_inline(std::string_view text, const key_path& path, const json::value& value) {
  auto to = find_inline(text, path);
  if (!to || to->kind != inline_kind::list)
    return std::nullopt;
  return append(text, *to, toml_line(value));
}

std::optional<text_edits> set_in_inline(std::string_view text, const key_path& path, const json::value& value) {
  auto there = find_inline(text, path);
  return there ? text_edits{{there->begin, there->end, toml_line(value)}} : add_to_inline(text, path, value);
}

std::optional<text_edits> remove_from_inline(std::string_view text, const key_path& path) {
  auto from = find_inline(text, above(path));
  auto index = from ? find_member(*from, path.back()) : 0;
  if (!from || index == from->members.size())
    return std::nullopt;
  return remove(text, *from, index);
}

} // namespace edits

// NOLINTEND(misc-no-recursion)
