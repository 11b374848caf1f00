#include "setup/take_back.hpp"

#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <map>
#include <set>
#include <vector>

namespace setup {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t name_bytes_max = 100;

using entries = std::map<std::string, json::object>;

entries entries_in(const json::value& root, const edits::server_place& list) {
  auto* at = &root;
  for (auto& key : list.container) {
    auto* object = at ? at->if_object() : nullptr;
    at = object ? object->if_contains(key) : nullptr;
  }
  entries out;
  if (auto* object = at ? at->if_object() : nullptr)
    for (auto& [name, value] : *object)
      if (value.is_object())
        out.emplace(name, value.get_object());
  if (auto* items = at ? at->if_array() : nullptr)
    for (auto& item : *items)
      if (auto* object = item.if_object())
        if (auto* name = object->if_contains("name"); name && name->is_string())
          out.emplace(name->get_string(), *object);
  return out;
}

/// Null: there is none.
const json::object* find_in(const entries& all, const std::string& name) {
  auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

bool is_same_entry(const json::object* a, const json::object* b) { return a && b ? *a == *b : a == b; }

} // namespace

msg::outcome<std::string> take_back(config::file_format format, const edits::server_place& list,
                                    const three_texts& texts) {
  std::vector<entries> read;
  for (auto text : {texts.before, texts.after, texts.now}) {
    auto root = edits::parse_text(format, text);
    if (!root.ok())
      return std::move(root.error);
    read.push_back(entries_in(root.value, list));
  }
  std::set<std::string> names;
  for (auto& all : {read[0], read[1]})
    for (auto& [name, entry] : all)
      names.insert(name);
  std::vector<std::string> gone;
  std::vector<const entries::value_type*> back;
  for (auto& name : names) {
    auto *before = find_in(read[0], name), *after = find_in(read[1], name), *now = find_in(read[2], name);
    if (is_same_entry(before, after) || is_same_entry(before, now))
      continue;
    if (!is_same_entry(after, now))
      return fault{errc::internal, "the entry '" + text::quoted(name, name_bytes_max) + "' has been changed since"};
    if (now)
      gone.push_back(name);
    if (before)
      back.push_back(&*read[0].find(name));
  }
  auto out = edits::remove_entries(format, texts.now, list, gone);
  for (auto* entry : back)
    if (out.ok())
      out = edits::put_entry(format, out.value.text, list, entry->first, entry->second);
  if (!out.ok())
    return std::move(out.error);
  return std::move(out.value.text);
}

} // namespace setup
