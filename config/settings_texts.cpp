// Texts, paths and lists of them out of a section.
#include "config/settings_section.hpp"
#include "messages/limits.hpp"

#include <boost/json/array.hpp>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;
using section = settings_section;

namespace {

json::object list_schema(const char* expected) {
  json::object item{{"type", "string"}, {"minLength", 1}};
  if (expected)
    item["description"] = expected;
  return {{"type", "array"}, {"items", std::move(item)}, {"maxItems", limits::settings_list_max}};
}

json::object flag_or_list_schema(const char* expected) {
  return {{"anyOf", json::array{json::object{{"type", "boolean"}}, list_schema(expected)}}};
}

} // namespace

void section::text(const setting_name& name, bool (*is_right)(std::string_view), const char* expected,
                   std::string& to) {
  auto& entry =
    declare(name, {{"type", "string"}, {"description", expected}}, to.empty() ? json::value(nullptr) : json::value(to));
  for (auto& g : given(name, entry)) {
    to = text_of(g);
    if (!g.value.is_string() || !is_right(to))
      reader_->complain(g, expected);
    entry.settle(json::string{to});
  }
}

void section::path(const setting_name& name, std::string& to) {
  auto& entry =
    declare(name, {{"type", "string"}, {"minLength", 1}}, to.empty() ? json::value(nullptr) : json::value(to));
  for (auto& g : given(name, entry)) {
    to = reader_->path_of(g);
    entry.settle(json::string{to});
  }
}

void section::object_or_path(const setting_name& name, msg::document& object, std::string& path) {
  json::object schema{
    {"anyOf", json::array{json::object{{"type", "object"}}, json::object{{"type", "string"}, {"minLength", 1}}}}};
  auto& entry = declare(name, std::move(schema), nullptr);
  for (auto& g : given(name, entry)) {
    bool is_object = g.value.is_object();
    object = is_object ? msg::document{g.value} : msg::document{};
    path = is_object ? std::string{} : reader_->path_of(g);
    entry.settle(is_object ? g.value : json::value(path));
  }
}

void section::command(const setting_name& name, std::string& to) {
  auto& entry = declare(name, {{"type", "string"}, {"minLength", 1}}, nullptr);
  for (auto& g : given(name, entry)) {
    auto text = text_of(g);
    // What has a NUL is no name either: path_of() refuses it.
    bool is_name = !text.empty() && text.find_first_of(std::string_view{"/~\0", 3}) == text.npos;
    to = is_name ? std::string{text} : reader_->path_of(g);
    entry.settle(json::string{to});
  }
}

void section::paths(const setting_name& name, std::vector<std::string>& to) {
  take_paths(name, declare(name, list_schema(nullptr), json::array(to.begin(), to.end())), to);
}

void section::texts(const setting_name& name, bool (*is_right)(std::string_view), const char* expected,
                    std::vector<std::string>& to) {
  take_texts(name, declare(name, list_schema(expected), json::array(to.begin(), to.end())), is_right, expected, to);
}

void section::take_paths(const setting_name& name, setting_entry& entry, std::vector<std::string>& to) {
  json::array shown;
  for (auto& g : items(name, entry)) {
    to.push_back(reader_->path_of(g));
    shown.push_back(json::string{g.masked ? masked_value : to.back()});
  }
  entry.value = std::move(shown);
}

void section::take_texts(const setting_name& name, setting_entry& entry, bool (*is_right)(std::string_view),
                         const char* expected, std::vector<std::string>& to) {
  json::array shown;
  for (auto& g : items(name, entry)) {
    to.emplace_back(text_of(g));
    if (!g.value.is_string() || !is_right(to.back()))
      reader_->complain(g, expected);
    shown.push_back(json::string{g.masked ? masked_value : to.back()});
  }
  entry.value = std::move(shown);
}

bool section::is_flag(const char* key) const { return has(key) && !object_->at(key).is_array(); }

void section::flag_or_paths(const setting_name& name, bool& all, std::vector<std::string>& to) {
  auto& entry = declare(name, flag_or_list_schema(nullptr), false);
  if (is_flag(name.key))
    take_flag(name, entry, "true, false or a list", all);
  else if (has(name.key))
    take_paths(name, entry, to);
}

void section::flag_or_texts(const setting_name& name, bool (*is_right)(std::string_view), const char* expected,
                            bool& all, std::vector<std::string>& to) {
  auto& entry = declare(name, flag_or_list_schema(expected), false);
  if (is_flag(name.key))
    take_flag(name, entry, "true, false or a list", all);
  else if (has(name.key))
    take_texts(name, entry, is_right, expected, to);
}

} // namespace config
