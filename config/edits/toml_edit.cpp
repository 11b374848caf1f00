#include "config/edits/toml_edit.hpp"

#include "config/edits/toml_inline.hpp"
#include "config/edits/value_text.hpp"
#include "config/json_positions.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <set>

namespace edits {

namespace json = boost::json;
using msg::errc;
using msg::fault;
namespace {

std::string dotted(const key_path& names) {
  std::string out;
  for (auto& name : names)
    out.append(out.empty() ? "" : ".").append(toml_key(name));
  return out;
}

bool is_table(const json::value& value) { return value.is_object() && !value.get_object().empty(); }

/// With the tables in it behind it.
std::string table_text(const key_path& at, toml_table kind, const json::object& table, const std::string& newline) {
  auto out = (kind == toml_table::item ? "[[" + dotted(at) + "]]" : "[" + dotted(at) + "]") + newline;
  for (auto& [key, value] : table)
    if (!is_table(value))
      out += toml_key(key) + " = " + toml_line(value) + newline;
  for (auto& [key, value] : table)
    if (is_table(value)) {
      auto inner = at;
      inner.emplace_back(key);
      out += newline + table_text(inner, toml_table::named, value.get_object(), newline);
    }
  return out;
}

} // namespace

text_edits add_toml(std::string_view text, const key_path& to, toml_table kind, const json::object& table) {
  auto in_brackets = kind == toml_table::item ? append_to_inline(text, to, table) : add_to_inline(text, to, table);
  if (in_brackets)
    return std::move(*in_brackets);
  auto newline = newline_of(text);
  std::string before = is_blank(text) ? "" : text.ends_with('\n') ? newline : newline + newline;
  return {{text.size(), text.size(), before + table_text(to, kind, table, newline)}};
}

msg::outcome<text_edits> set_toml(std::string_view text, const key_path& table, std::string_view key,
                                  const json::value& value) {
  auto statements = toml_statements(text);
  auto member = table;
  member.emplace_back(key);
  const toml_statement* behind = nullptr; // the table's name, or the last key that stands below it
  for (auto& s : statements) {
    if (s.path == member && !s.is_header)
      return text_edits{{s.value_begin, s.value_end, toml_line(value)}};
    bool is_key_of_it = behind && !s.is_header && s.is_in(table) && behind->end <= s.begin;
    if ((s.is_header && s.path == table) || is_key_of_it)
      behind = &s;
    else if (behind && s.is_header)
      break;
  }
  if (behind) {
    auto newline = newline_of(text);
    std::string before = behind->end > 0 && text[behind->end - 1] == '\n' ? "" : newline;
    return text_edits{{behind->end, behind->end, before + toml_key(key) + " = " + toml_line(value) + newline}};
  }
  if (auto in_brackets = set_in_inline(text, member, value))
    return std::move(*in_brackets);
  auto first = std::find_if(statements.begin(), statements.end(), [&](auto& s) { return s.is_in(table); });
  return fault{errc::invalid_argument, config::position(text, first == statements.end() ? 0 : first->begin) + ": '"
                                         + text::quoted(dotted(table), 200)
                                         + "' is written by dotted keys; it has to be changed by hand"};
}

text_edits remove_toml(std::string_view text, const std::vector<key_path>& tables) {
  text_edits out;
  std::set<key_path> gone{tables.begin(), tables.end()};
  size_t names_max = 0;
  for (auto& table : tables)
    names_max = std::max(names_max, table.size());
  auto is_gone = [&](const key_path& path) {
    for (size_t names = 1; names <= std::min(names_max, path.size()); ++names)
      if (gone.contains({path.begin(), path.begin() + static_cast<std::ptrdiff_t>(names)}))
        return true;
    return false;
  };
  for (auto& s : toml_statements(text)) {
    if (!is_gone(s.path))
      continue;
    auto begin = s.begin;
    bool is_next = !out.empty() && is_blank(text.substr(out.back().end, begin - out.back().end));
    if (is_next)
      out.back().end = s.end;
    else
      out.push_back({begin, s.end, ""});
  }
  for (auto& edit : out) { // with the empty line before it, if none is left behind it
    bool is_last = is_blank(text.substr(edit.end));
    bool has_empty_line =
      edit.begin > 0
      && is_blank(text.substr(line_begin(text, edit.begin - 1), edit.begin - line_begin(text, edit.begin - 1)));
    if (is_last && has_empty_line)
      edit.begin = line_begin(text, edit.begin - 1);
  }
  for (size_t i = 0; out.empty() && i < tables.size(); ++i)
    out = remove_from_inline(text, tables[i]).value_or(text_edits{});
  return out;
}

} // namespace edits
