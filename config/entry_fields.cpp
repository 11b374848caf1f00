#include "config/entry_fields.hpp"

#include "config/shown.hpp"
#include "messages/limits.hpp"
#include "text/json_beginning.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

/// The kernel takes a text up to its first NUL, so the rest would be dropped in silence.
bool has_nul(std::string_view text) { return text.find('\0') != text.npos; }

bool is_variable_name(std::string_view text) { return !text.empty() && !has_nul(text) && text.find('=') == text.npos; }

} // namespace

std::string kind_of(const json::value& value) {
  return value.is_object()   ? "an object"
         : value.is_array()  ? "a list"
         : value.is_string() ? "a string"
                             : text::to_text(value);
}

std::string shown(const json::value& value) {
  return value.is_string() ? text::quoted_json(value, shown_bytes_max) : kind_of(value);
}

entry_fields::entry_fields(const config_file& file, std::string part, std::string server, const json::value& entry,
                           file_problems& problems)
  : file_(file),
    part_(std::move(part)),
    server_(std::move(server)),
    object_(entry.if_object()),
    problems_(problems) {
  if (!object_)
    complain("", "expected an object, not " + kind_of(entry));
}

void entry_fields::report(const std::string& field, const std::string& what, const char* consequence) {
  problems_.add([&] {
    auto place = file_.place(field.empty() ? part_ : member_path(part_, field));
    return place + ": server '" + text::quoted(server_, shown_bytes_max) + "': " + what + "; " + consequence;
  });
}

void entry_fields::complain(const std::string& field, const std::string& what) {
  report(field, what, "the entry is skipped");
  broken_ = true;
}

void entry_fields::complain_of_policy(const std::string& field, const std::string& what) {
  complain(field, what);
  policy_broken_ = true;
}

void entry_fields::note(const std::string& field, const std::string& what) { report(field, what, "it is ignored"); }

const json::value* entry_fields::find(field_names names, const char** found) const {
  for (auto* name : names) {
    auto* value = object_ ? object_->if_contains(name) : nullptr;
    if (!value || value->is_null())
      continue;
    if (found)
      *found = name;
    return value;
  }
  return nullptr;
}

bool entry_fields::take(const std::string& path, size_t bytes) {
  bytes_ += bytes;
  if (++texts_ <= limits::config_entry_texts_max && bytes_ <= limits::config_entry_bytes_max)
    return true;
  complain(path, "it has more than " + std::to_string(limits::config_entry_texts_max)
                   + " arguments, variables and header fields, or more than "
                   + std::to_string(limits::config_entry_bytes_max >> 20) + " MiB of them");
  return false;
}

std::string entry_fields::text(field_names names) {
  const char* field = nullptr;
  auto* value = find(names, &field);
  if (!value)
    return {};
  if (!value->is_string())
    return complain(field, std::string{"'"} + field + "' must be a string, not " + kind_of(*value)), std::string{};
  if (has_nul(value->get_string()))
    return complain(field, std::string{"'"} + field + "' must not hold a NUL character"), std::string{};
  return std::string{value->get_string()};
}

std::string entry_fields::item_text(const char* field, const json::value& item, const std::string& path) {
  auto name = std::string{"'"} + field + "'";
  if (!item.is_string())
    return complain(path, name + " must be a list of strings, and holds " + kind_of(item)), std::string{};
  if (has_nul(item.get_string()))
    return complain(path, name + " must not hold a NUL character"), std::string{};
  return std::string{item.get_string()};
}

std::vector<std::string> entry_fields::texts(field_names names) {
  const char* field = nullptr;
  auto* value = find(names, &field);
  std::vector<std::string> out;
  if (value && !value->is_array())
    complain(field, std::string{"'"} + field + "' must be a list of strings");
  if (!value || !value->is_array())
    return out;
  for (auto& item : value->get_array()) {
    auto path = item_path(field, out.size());
    auto text = item_text(field, item, path);
    if (broken_ || !take(path, text.size()))
      break;
    out.push_back(std::move(text));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> entry_fields::pairs(field_names names) {
  const char* field = nullptr;
  auto* value = find(names, &field);
  std::vector<std::pair<std::string, std::string>> out;
  if (value && !value->is_object())
    complain(field, std::string{"'"} + field + "' must be an object of strings");
  if (!value || !value->is_object())
    return out;
  for (auto& [key, inner] : value->get_object()) {
    auto path = member_path(field, key);
    // People also write NAME=value.
    auto name = "'" + text::quoted(path.substr(0, path.find('=')), shown_bytes_max) + "'";
    // The value may be a secret: never quoted.
    if (!inner.is_string() && !inner.is_number() && !inner.is_bool())
      return complain(path, name + " must be a string"), out;
    if (!is_variable_name(key))
      return complain(path, name + " is no name: it is empty, or holds '=' or a NUL character"), out;
    auto text = inner.is_string() ? std::string{inner.get_string()} : text::to_text(inner);
    if (has_nul(text))
      return complain(path, name + " must not hold a NUL character"), out;
    if (!take(path, key.size() + text.size()))
      return out;
    out.emplace_back(std::string{key}, std::move(text));
  }
  return out;
}

bool entry_fields::flag(field_names names, bool otherwise, bool if_wrong) {
  const char* field = nullptr;
  auto* value = find(names, &field);
  if (value && !value->is_bool())
    report(field, std::string{"'"} + field + "' must be true or false, not " + shown(*value),
           if_wrong ? "it counts as true" : "it counts as false");
  return !value ? otherwise : value->is_bool() ? value->get_bool() : if_wrong;
}

} // namespace config
