#include "config/settings_section.hpp"

#include "messages/limits.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;
using section = settings_section;

section::settings_section(settings_reader& reader, const json::object* object, std::string path, std::string name,
                          std::string also)
  : reader_(&reader),
    object_(object),
    path_(std::move(path)),
    name_(std::move(name)),
    also_(std::move(also)) {
  if (object_)
    reader_->know_section(path_, *object_);
}

section section::root(settings_reader& reader) { return {reader, reader.root(), "", "", ""}; }

const json::object* section::object_at(const char* key) const {
  auto* value = object_ ? object_->if_contains(key) : nullptr;
  if (value && !value->is_object()) {
    auto g = reader_->from_file(*value, member_path(path_, key));
    if (value->is_string()) // which may be a key in the place of an object of keys
      g.shown = "a text";
    reader_->complain(g, "an object");
  }
  return value ? value->if_object() : nullptr;
}

section section::inside(const char* key) const {
  know(key);
  return {*reader_, object_at(key), member_path(path_, key), member_path(name_, key),
          also_.empty() ? "" : member_path(also_, key)};
}

section section::inside_either(const char* key, const section& other) const {
  know(key);
  other.know(key);
  auto path = member_path(path_, key), also = member_path(other.path_, key);
  if (has(key) && other.has(key))
    reader_->complain_of_both(also, path);
  bool there = !has(key) && other.has(key);
  auto* object = there ? other.object_at(key) : object_at(key);
  return {*reader_, object, there ? also : path, path, also};
}

void section::know(const char* key) const {
  reader_->know(name_, key);
  if (!also_.empty())
    reader_->know(also_, key);
}

setting_entry& section::declare(const setting_name& name, json::object schema, json::value standard) {
  setting_entry entry;
  if (name.key) {
    know(name.key);
    entry.path = member_path(name_, name.key);
    entry.also = also_.empty() ? "" : member_path(also_, name.key);
  }
  if (name.also.section) {
    name.also.section->know(name.also.key);
    entry.also = member_path(name.also.section->name_, name.also.key);
  }
  entry.variable = name.variable ? name.variable : "";
  entry.about = name.about;
  entry.schema = std::move(schema);
  entry.value = standard;
  entry.standard = std::move(standard);
  return reader_->add(std::move(entry));
}

std::vector<given_value> section::given(const setting_name& name, setting_entry& entry) {
  std::vector<given_value> out;
  auto take = [&](const section& from, const char* key) {
    if (!key || !from.has(key))
      return;
    auto path = member_path(from.path_, key);
    out.push_back(reader_->from_file(from.object_->at(key), path));
    entry.origins = {reader_->origin(path)};
  };
  if (name.also.section) {
    take(*name.also.section, name.also.key);
    if (!out.empty() && has(name.key))
      reader_->complain_of_both(entry.also, entry.path);
  }
  take(*this, name.key);
  if (auto g = reader_->from_variable(name.variable)) {
    out.push_back(std::move(*g));
    entry.origins = {name.variable};
  }
  entry.masked = !out.empty() && out.back().masked;
  return out;
}

/// All of them: those of the variable are added.
std::vector<given_value> section::items(const setting_name& name, setting_entry& entry) {
  std::vector<given_value> out;
  std::vector<std::string> origins;
  for (auto& g : given({name.key, name.about, nullptr, name.also}, entry)) {
    origins = entry.origins;
    auto* list = g.value.if_array();
    if (!list || list->size() > limits::settings_list_max) {
      reader_->complain(g, list ? "a list of at most " + std::to_string(limits::settings_list_max) + " entries"
                                : "a list");
      continue;
    }
    for (size_t i = 0; i < list->size(); ++i)
      out.push_back(reader_->from_file((*list)[i], item_path(member_path(path_, name.key), i)));
  }
  entry.masked = false; // each item for itself
  auto variable = reader_->from_variable(name.variable);
  for (auto rest = variable ? text_of(*variable) : std::string_view{}; !rest.empty();) {
    auto item = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    if (!item.empty())
      out.push_back({json::string{item}, true, name.variable, "'" + std::string{item} + "'", variable->folder});
  }
  if (variable)
    origins.emplace_back(name.variable);
  entry.origins = std::move(origins);
  return out;
}

setting_entry* section::taken(const char* name) const {
  auto* entry = reader_->find(member_path(name_, name));
  return entry ? entry : reader_->find(name);
}

std::string section::origin(const char* key) const {
  auto* entry = taken(key);
  return entry && !entry->origins.empty() ? entry->origins.back() : std::string{};
}

void section::in_effect(const char* key, json::value value, const std::string& because) {
  auto* entry = taken(key);
  if (!entry)
    return;
  entry->settle(std::move(value));
  if (!because.empty())
    entry->origins = {because};
}

} // namespace config
