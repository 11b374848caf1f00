#include "config/edits/entry_edit.hpp"

#include "config/edits/json_edit.hpp"
#include "config/edits/toml_edit.hpp"
#include "config/edits/yaml_edit.hpp"
#include "config/json_positions.hpp"
#include "config/toml_text.hpp"
#include "config/yaml_text.hpp"
#include "text/json_parse.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <utility>

namespace edits {

namespace json = boost::json;
using config::file_format;
using msg::errc;
using msg::fault;

namespace {

/// Entries of one name that are taken out of one list. More is no file that a person wrote.
constexpr size_t same_names_max = 100;
constexpr size_t quoted_bytes_max = 100;

struct meant_place {
  const server_place& list;
  std::string_view name;
};

fault not_as_meant(std::string_view name) {
  return {errc::invalid_argument, "the entry '" + text::quoted(name, quoted_bytes_max)
                                    + "' can not be changed in the way in which the file is written; it has to be done "
                                      "by hand"};
}

template <class Value> // const or not
Value* find_list(Value& root, const key_path& container) {
  auto* at = &root;
  for (auto& key : container) {
    auto* object = at ? at->if_object() : nullptr;
    at = object ? object->if_contains(key) : nullptr;
  }
  return at;
}

bool has_name(const json::value& item, std::string_view name) {
  auto* object = item.if_object();
  auto* found = object ? object->if_contains("name") : nullptr;
  return found && found->is_string() && std::string_view{found->get_string()} == name;
}

size_t item_index(const json::array& list, std::string_view name) {
  auto found = std::find_if(list.begin(), list.end(), [&](auto& item) { return has_name(item, name); });
  return static_cast<size_t>(found - list.begin());
}

/// Null: there is none.
template <class Value>
auto* find_value(Value& root, const meant_place& place) {
  auto* list = find_list(root, place.list.container);
  if (place.list.kind == entry_list::by_name) {
    auto* object = list ? list->if_object() : nullptr;
    return object ? object->if_contains(place.name) : nullptr;
  }
  auto* items = list ? list->if_array() : nullptr;
  auto index = items ? item_index(*items, place.name) : 0;
  return items && index < items->size() ? &(*items)[index] : nullptr;
}

/// What the text should say with the entry in it.
json::value with_entry(json::value root, const meant_place& place, const json::object& entry) {
  if (auto* there = find_value(root, place); there && there->is_object()) {
    for (auto& [key, value] : entry)
      there->get_object()[key] = value;
    return root;
  }
  auto* at = &root;
  for (auto& key : place.list.container) {
    if (!at->is_object())
      at->emplace_object();
    at = &at->get_object()[key];
  }
  if (place.list.kind == entry_list::by_name) {
    if (!at->is_object())
      at->emplace_object();
    at->get_object()[place.name] = entry;
  } else {
    if (!at->is_array())
      at->emplace_array();
    at->get_array().push_back(entry);
  }
  return root;
}

json::value without_entries(json::value root, const server_place& from, const std::vector<std::string>& names) {
  auto* list = find_list(root, from.container);
  if (list && list->is_object())
    for (auto& name : names)
      list->get_object().erase(name);
  auto is_meant = [&](auto& item) {
    return std::any_of(names.begin(), names.end(), [&](auto& name) { return has_name(item, name); });
  };
  if (list && list->is_array())
    list->get_array().erase(std::remove_if(list->get_array().begin(), list->get_array().end(), is_meant),
                            list->get_array().end());
  return root;
}

/// A list of which nothing is left may be gone with its last entry.
bool is_same(const json::value& a, const json::value& b, const key_path& container) {
  auto without_empty = [&](json::value root) {
    for (size_t depth = container.size(); depth > 0; --depth) {
      key_path above{container.begin(), container.begin() + static_cast<std::ptrdiff_t>(depth - 1)};
      auto* object = find_list(root, above);
      auto* list = object && object->is_object() ? object->get_object().if_contains(container[depth - 1]) : nullptr;
      bool is_empty = list
                      && (list->is_null() || (list->is_object() && list->get_object().empty())
                          || (list->is_array() && list->get_array().empty()));
      if (is_empty)
        object->get_object().erase(container[depth - 1]);
    }
    return root;
  };
  return a == b || without_empty(a) == without_empty(b);
}

key_path with(key_path path, std::string key) {
  path.push_back(std::move(key));
  return path;
}

yaml_place in_yaml(const meant_place& place) {
  return {place.list.container, place.name, place.list.kind == entry_list::items};
}

/// Of the table in TOML.
key_path table_of(const json::value& root, const meant_place& place) {
  if (place.list.kind == entry_list::by_name)
    return with(place.list.container, std::string{place.name});
  auto* list = find_list(root, place.list.container);
  auto index = list && list->is_array() ? item_index(list->get_array(), place.name) : 0;
  return with(place.list.container, "[" + std::to_string(index) + "]");
}

msg::outcome<text_edits> add(file_format format, std::string_view text, const meant_place& place,
                             const json::object& entry) {
  if (format == file_format::yaml)
    return add_yaml(text, in_yaml(place), entry);
  if (format == file_format::json)
    return set_json(text, with(place.list.container, std::string{place.name}), entry);
  bool is_item = place.list.kind == entry_list::items;
  return add_toml(text, is_item ? place.list.container : with(place.list.container, std::string{place.name}),
                  is_item ? toml_table::item : toml_table::named, entry);
}

msg::outcome<text_edits> set(file_format format, std::string_view text, const json::value& root,
                             const meant_place& place, std::string_view key, const json::value& value) {
  if (format == file_format::yaml)
    return set_yaml(text, in_yaml(place), key, value);
  if (format == file_format::json)
    return set_json(text, with(with(place.list.container, std::string{place.name}), std::string{key}), value);
  return set_toml(text, table_of(root, place), key, value);
}

/// Changes a text step by step.
class editor {
public:
  editor(file_format format, std::string_view text) : format_(format) { out_.text = text; }

  fault take(msg::outcome<text_edits> edits) {
    if (!edits.ok())
      return std::move(edits.error);
    auto text = apply_edits(out_.text, edits.value);
    std::ptrdiff_t grown = 0;
    for (auto& edit : edits.value) {
      auto at = static_cast<size_t>(static_cast<std::ptrdiff_t>(edit.begin) + grown);
      auto first = edit.with.find_first_not_of(" \t\r\n");
      if (first != edit.with.npos)
        out_.put.push_back({config::line_of(text, at + first), edit.with.substr(first)});
      grown += static_cast<std::ptrdiff_t>(edit.with.size()) - static_cast<std::ptrdiff_t>(edit.end - edit.begin);
    }
    out_.text = std::move(text);
    return {};
  }

  const std::string& text() const { return out_.text; }
  msg::outcome<json::value> value() const { return parse_text(format_, out_.text); }

  /// If it says that. `name`: of the entry, to complain.
  msg::outcome<edited_text> finish(const json::value& meant, const key_path& container, std::string_view name) && {
    auto read = value();
    if (!read.ok() || !is_same(read.value, meant, container))
      return not_as_meant(name);
    return std::move(out_);
  }

private:
  file_format format_;
  edited_text out_;
};

/// One of that name, in YAML or in a list of TOML.
msg::outcome<text_edits> remove_one(file_format format, const editor& from, const meant_place& place) {
  if (format == file_format::yaml)
    return remove_yaml(from.text(), in_yaml(place));
  auto root = from.value(); // which item it is
  if (!root.ok() || !find_value(root.value, place))
    return text_edits{};
  return remove_toml(from.text(), {table_of(root.value, place)});
}

/// All of them, as far as one look at the text is enough.
text_edits remove_at_once(file_format format, std::string_view text, const server_place& list,
                          const std::vector<std::string>& names) {
  if (format == file_format::json)
    return remove_json(text, list.container, names);
  std::vector<key_path> tables;
  tables.reserve(names.size());
  for (auto& name : names)
    tables.push_back(with(list.container, name));
  return remove_toml(text, tables);
}

} // namespace

msg::outcome<json::value> parse_text(file_format format, std::string_view text) {
  if (is_blank(text))
    return json::value(json::object{});
  json::value root;
  config::json_positions unused;
  auto problem = format == file_format::json   ? text::parse_json(text, text::json_dialect::edited, root)
                 : format == file_format::toml ? config::parse_toml(text, root, unused)
                                               : config::parse_yaml(text, root, unused);
  if (!problem.what.empty())
    return fault{errc::invalid_argument, config::position(text, problem.at) + ": " + problem.what};
  if (root.is_null() && format == file_format::yaml) // comments alone
    root.emplace_object();
  if (!root.is_object())
    return fault{errc::invalid_argument, config::position(text, 0) + ": it must be an object"};
  return root;
}

const json::object* find_entry(const json::value& root, const server_place& list, std::string_view name) {
  auto* found = find_value(root, {list, name});
  return found ? found->if_object() : nullptr;
}

msg::outcome<edited_text> put_entry(file_format format, std::string_view text, const server_place& list,
                                    std::string_view name, const json::object& entry) {
  auto root = parse_text(format, text);
  if (!root.ok())
    return std::move(root.error);
  meant_place place{list, name};
  auto meant = with_entry(root.value, place, entry);
  if (meant == root.value)
    return edited_text{std::string{text}, {}};
  editor e{format, text};
  auto* there = find_entry(root.value, list, name);
  if (!there) {
    if (auto problem = e.take(add(format, text, place, entry)); problem.code != errc::none)
      return problem;
    return std::move(e).finish(meant, list.container, name);
  }
  for (auto& [key, value] : entry) {
    auto* old = there->if_contains(key);
    if (old && *old == value)
      continue;
    if (auto problem = e.take(set(format, e.text(), root.value, place, key, value)); problem.code != errc::none)
      return problem;
  }
  return std::move(e).finish(meant, list.container, name);
}

msg::outcome<edited_text> put_new_entries(std::string_view text, const server_place& list,
                                          const json::object& entries) {
  auto root = parse_text(file_format::json, text);
  if (!root.ok())
    return std::move(root.error);
  if (entries.empty())
    return edited_text{std::string{text}, {}};
  std::string_view first = entries.begin()->key();
  auto meant = with_entry(std::move(root.value), {list, first}, {});
  auto& to = find_list(meant, list.container)->get_object();
  for (auto& [name, entry] : entries)
    to[name] = entry;
  editor e{file_format::json, text};
  if (auto problem = e.take(add_json(text, list.container, entries)); problem.code != errc::none)
    return problem;
  return std::move(e).finish(meant, list.container, first);
}

msg::outcome<edited_text> remove_entries(file_format format, std::string_view text, const server_place& list,
                                         const std::vector<std::string>& names) {
  auto root = parse_text(format, text);
  if (!root.ok())
    return std::move(root.error);
  auto meant = without_entries(root.value, list, names);
  if (meant == root.value)
    return edited_text{std::string{text}, {}};
  editor e{format, text};
  bool is_at_once = format == file_format::json || (format == file_format::toml && list.kind == entry_list::by_name);
  size_t steps_max = is_at_once ? names.size() : 0; // one is enough, but for tables in brackets
  for (size_t i = 0, before = 0; i < steps_max && before != e.text().size(); ++i) {
    before = e.text().size();
    e.take(remove_at_once(format, e.text(), list, names));
  }
  for (auto& name : names)
    for (size_t i = 0; !is_at_once && i < same_names_max; ++i) {
      auto before = e.text().size();
      if (auto problem = e.take(remove_one(format, e, {list, name})); problem.code != errc::none)
        return problem;
      if (e.text().size() == before) // there is none left
        break;
    }
  return std::move(e).finish(meant, list.container, names.empty() ? "" : names.front());
}

} // namespace edits
