// Lists that take the place of others, and secrets, out of a section.
#include "config/settings_section.hpp"
#include "messages/document.hpp"
#include "messages/limits.hpp"
#include "text/ascii.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;
using section = settings_section;

namespace {

json::object described_list_schema(const char* expected) {
  json::object item{{"type", "string"}, {"description", expected}};
  return {{"type", "array"}, {"items", std::move(item)}, {"maxItems", limits::settings_list_max}};
}

/// Items between commas, without the blanks around them.
json::array split(std::string_view text) {
  json::array out;
  for (size_t at = 0; at <= text.size();) {
    auto end = std::min(text.find(',', at), text.size());
    out.push_back(json::string{text::trimmed(text.substr(at, end - at))});
    at = end + 1;
  }
  return out;
}

} // namespace

void section::secret(const setting_name& name, bool (*is_right)(std::string_view), const char* expected,
                     std::string& to) {
  auto& entry = declare(name, {{"type", "string"}, {"description", expected}}, nullptr);
  for (auto& g : given(name, entry)) {
    g.shown = masked_value;
    to = text::trimmed(text_of(g));
    if (!g.value.is_string() || !is_right(to))
      reader_->complain(g, expected);
    else if (!g.is_text)
      reader_->need_private_file(g);
    entry.masked = true;
    entry.settle(nullptr);
  }
}

/// Of a list in the file, or of a variable that has one.
std::vector<given_value> section::list_items(const given_value& g, const std::string& path) {
  std::vector<given_value> out;
  auto list = g.value;
  if (g.is_text) {
    auto text = text::trimmed(text_of(g));
    auto parsed = text.starts_with('[') ? msg::document::parse(text) : msg::document{split(text)};
    list = parsed.ok() ? parsed.value.value() : json::value(nullptr);
  }
  if (!list.is_array() || list.get_array().size() > limits::settings_list_max) {
    reader_->complain(g, list.is_array() ? "a list of at most " + std::to_string(limits::settings_list_max) + " entries"
                         : g.is_text     ? "a list, separated by commas or as JSON"
                                         : "a list");
    return out;
  }
  for (size_t i = 0; i < list.get_array().size(); ++i) {
    auto& item = list.get_array()[i];
    out.push_back(g.is_text ? given_value{item, true, g.where, g.shown, g.folder}
                            : reader_->from_file(item, item_path(path, i)));
  }
  return out;
}

/// Gives what is to be shown of them.
json::array section::list_texts(const given_value& g, const std::string& path, bool (*is_right)(std::string_view),
                                const char* expected, std::vector<std::string>& to) {
  json::array shown;
  to.clear();
  for (auto& item : list_items(g, path)) {
    to.emplace_back(text_of(item));
    if (!item.value.is_string() || !is_right(to.back()))
      reader_->complain(item, expected);
    shown.push_back(json::string{item.masked ? masked_value : to.back()});
  }
  return shown;
}

void section::list(const setting_name& name, bool (*is_right)(std::string_view), const char* expected,
                   std::vector<std::string>& to) {
  auto& entry = declare(name, described_list_schema(expected), json::array(to.begin(), to.end()));
  for (auto& g : given(name, entry))
    entry.settle(list_texts(g, member_path(path_, name.key ? name.key : ""), is_right, expected, to));
}

void section::list_or_lists(const setting_name& name, const std::vector<const char*>& keys,
                            bool (*is_right)(std::string_view), const char* expected, lists_by_name& to) {
  json::object properties;
  for (auto* key : keys)
    properties[key] = described_list_schema(expected);
  json::object each{{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  auto& entry = declare(name, {{"anyOf", json::array{described_list_schema(expected), std::move(each)}}}, nullptr);
  auto path = member_path(path_, name.key);
  for (auto& g : given(name, entry)) {
    to.clear();
    auto* lists = g.is_text ? nullptr : object_->at(name.key).if_object(); // the file's own: the reader keeps it
    if (!lists) {
      entry.settle(list_texts(g, path, is_right, expected, to[""]));
      continue;
    }
    auto inner = settings_section{*reader_, lists, path, path, ""};
    json::object shown;
    for (std::string key : keys) {
      inner.know(key.c_str());
      if (auto* list = lists->if_contains(key))
        shown[key] = list_texts(reader_->from_file(*list, member_path(path, key)), member_path(path, key), is_right,
                                expected, to[key]);
    }
    entry.settle(std::move(shown));
  }
}

} // namespace config
