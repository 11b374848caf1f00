#include "config/edits/json_edit.hpp"

#include "config/edits/json_outline.hpp"
#include "config/edits/value_text.hpp"
#include "config/json_positions.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <set>

namespace edits {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t shown_bytes_max = 100;

/// What stands between the members of an object, without them.
bool has_lines(std::string_view text, const json_outline& object) {
  auto has_line = [&](size_t begin, size_t end) {
    return text.substr(begin, end - begin).find('\n') != std::string_view::npos;
  };
  auto at = object.open;
  for (auto& member : object.members) {
    if (has_line(at, member.begin))
      return true;
    at = member.value_end;
  }
  return has_line(at, object.close);
}

/// Behind what belongs to the line of that offset: blanks and comments that begin in it.
size_t behind_comments(std::string_view text, size_t offset) {
  for (auto at = offset;;) {
    at = std::min(text.find_first_not_of(" \t", at), text.size());
    if (text.substr(at, 2) == "//")
      return line_end(text, at);
    auto end = text.substr(at, 2) == "/*" ? text.find("*/", at + 2) : text.npos;
    if (end == text.npos || text.substr(at, end - at).find('\n') != std::string_view::npos)
      return offset;
    offset = at = end + 2;
  }
}

text_style style_of(std::string_view text, const json_outline& object) {
  text_style style{newline_of(text), indent_of(text, object.open)};
  auto root = outline_at(text, 0);
  if (root && !root->members.empty() && is_first_of_line(text, root->members.front().begin))
    if (auto unit = indent_of(text, root->members.front().begin); !unit.empty())
      style.unit = unit;
  return style;
}

std::string member_text(std::string_view key, const std::string& value) {
  return text::to_text(json::value(json::string{key})).append(": ").append(value);
}

/// In one line, or each in its own; none of them is there yet.
std::string member_texts(const json::object& members, const text_style* lines) {
  std::string out;
  auto between = lines ? "," + lines->newline + lines->indent : std::string{", "};
  for (auto& [key, value] : members) {
    auto text = lines ? json_text(value, *lines) : json_line(value);
    out.append(out.empty() ? std::string{} : between).append(member_text(key, text));
  }
  return out;
}

text_edits insert_first(std::string_view text, const json_outline& object, const json::object& members) {
  auto style = style_of(text, object);
  auto inner = style;
  inner.indent += style.unit;
  auto interior = text.substr(object.open + 1, object.close - object.open - 1);
  auto kept = object.open + 1 + (is_blank(interior) ? 0 : interior.find_last_not_of(" \t\r\n") + 1);
  return {
    {kept, object.close, style.newline + inner.indent + member_texts(members, &inner) + style.newline + style.indent}};
}

text_edits insert_last(std::string_view text, const json_outline& object, const json::object& members) {
  auto& last = object.members.back();
  bool has_comma = last.comma != std::string::npos;
  text_edits out;
  if (!has_comma)
    out.push_back({last.value_end, last.value_end, ","});
  if (!has_lines(text, object)) {
    out.push_back({last.end(), last.end(), " " + member_texts(members, nullptr) + (has_comma ? "," : "")});
    return out;
  }
  auto style = style_of(text, object);
  style.indent = is_first_of_line(text, last.begin) ? indent_of(text, last.begin) : style.indent + style.unit;
  auto at = behind_comments(text, last.end());
  out.push_back({at, at, style.newline + style.indent + member_texts(members, &style) + (has_comma ? "," : "")});
  return out;
}

text_edits insert(std::string_view text, const json_outline& object, const json::object& members) {
  return object.members.empty() ? insert_first(text, object, members) : insert_last(text, object, members);
}

text_edits replace(std::string_view text, const json_outline& object, const json_member& member,
                   const json::value& value) {
  auto style = style_of(text, object);
  style.indent = indent_of(text, member.begin);
  auto old = text.substr(member.value_begin, member.value_end - member.value_begin);
  bool is_one_line = old.find('\n') == old.npos && !is_first_of_line(text, member.begin);
  return {{member.value_begin, member.value_end, is_one_line ? json_line(value) : json_text(value, style)}};
}

/// The value within objects of these keys.
json::value nested(key_path::const_iterator key, key_path::const_iterator end, const json::value& value) {
  return key == end ? value : json::value(json::object{{*key, nested(std::next(key), end, value)}});
}

/// Which of the members beside one stay.
struct neighbours {
  bool has_one_before, has_one_behind;
};

void take_out(std::string_view text, const json_member& member, neighbours kept, text_edits& out) {
  text_edit gone{member.begin, member.end(), ""};
  bool has_own_lines = is_first_of_line(text, gone.begin) && line_begin(text, gone.begin) > 0
                       && is_blank(text.substr(gone.end, line_end(text, gone.end) - gone.end));
  if (has_own_lines) { // with the end of the line before it
    gone.end = line_end(text, gone.end);
    gone.begin = line_begin(text, gone.begin) - 1;
    gone.begin -= gone.begin > 0 && text[gone.begin - 1] == '\r' ? 1 : 0;
  } else if (kept.has_one_before) {
    gone.begin = text.substr(0, gone.begin).find_last_not_of(" \t") + 1;
  } else if (kept.has_one_behind) {
    gone.end = std::min(text.find_first_not_of(" \t", gone.end), text.size());
  }
  if (!out.empty())
    gone.begin = std::max(gone.begin, out.back().end);
  out.push_back(std::move(gone));
}

/// What is left of a part of a text that begins at `begin` of it.
std::string without(std::string_view part, const text_edits& gone, size_t begin) {
  auto moved = gone;
  for (auto& edit : moved) {
    edit.begin -= begin;
    edit.end -= begin;
  }
  return apply_edits(part, moved);
}

} // namespace

msg::outcome<text_edits> set_json(std::string_view text, const key_path& to, const json::value& value) {
  if (is_blank(text))
    return text_edits{{0, text.size(), json_text(nested(to.begin(), to.end(), value), {}) + "\n"}};
  size_t at = 0;
  std::string where = "it";
  for (auto key = to.begin();; ++key) {
    auto object = outline_at(text, at);
    if (!object)
      return fault{errc::invalid_argument, config::position(text, at) + ": " + where + " must be an object"};
    auto* member = object->find(*key);
    bool is_last = std::next(key) == to.end();
    if (!member)
      return insert(text, *object, {{*key, nested(std::next(key), to.end(), value)}});
    if (is_last)
      return replace(text, *object, *member, value);
    at = member->value_begin;
    where = "'" + text::quoted(*key, shown_bytes_max) + "'";
  }
}

msg::outcome<text_edits> add_json(std::string_view text, const key_path& object, const json::object& members) {
  if (is_blank(text))
    return text_edits{{0, text.size(), json_text(nested(object.begin(), object.end(), members), {}) + "\n"}};
  auto found = outline_at(text, 0);
  for (auto& key : object) {
    auto* member = found ? found->find(key) : nullptr;
    if (!member)
      return set_json(text, object, members);
    auto at = member->value_begin;
    found = outline_at(text, at);
    if (!found)
      return fault{errc::invalid_argument,
                   config::position(text, at) + ": '" + text::quoted(key, shown_bytes_max) + "' must be an object"};
  }
  if (!found)
    return fault{errc::invalid_argument, config::position(text, 0) + ": it must be an object"};
  return insert(text, *found, members);
}

text_edits remove_json(std::string_view text, const key_path& object, const std::vector<std::string>& names) {
  auto found = is_blank(text) ? std::nullopt : outline_at(text, 0);
  for (auto& key : object) {
    auto* member = found ? found->find(key) : nullptr;
    found = member ? outline_at(text, member->value_begin) : std::nullopt;
  }
  if (!found)
    return {};
  auto& members = found->members;
  std::set<std::string_view> gone{names.begin(), names.end()};
  auto goes = [&](const json_member& m) { return gone.contains(m.key); };
  auto last_kept = std::find_if_not(members.rbegin(), members.rend(), goes);
  bool keeps_any = last_kept != members.rend();
  text_edits out;
  bool is_behind_kept = false;
  for (auto& member : members) {
    bool is_before_kept = keeps_any && member.begin < last_kept->begin;
    if (goes(member))
      take_out(text, member, {is_behind_kept, is_before_kept}, out);
    is_behind_kept = is_behind_kept || !goes(member);
  }
  if (keeps_any && goes(members.back()) && members.back().comma == std::string::npos)
    out.push_back({last_kept->comma, last_kept->comma + 1, ""});
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
  auto rest = text.substr(0, found->close).substr(found->open + 1);
  if (!out.empty() && !keeps_any && is_blank(without(rest, out, found->open + 1)))
    return {{found->open + 1, found->close, ""}};
  return out;
}

} // namespace edits
