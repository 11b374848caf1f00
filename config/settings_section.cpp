#include "config/settings_reader.hpp"

#include "config/units.hpp"
#include "messages/json_text.hpp"
#include "messages/limits.hpp"
#include "messages/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using section = settings_reader::section;

section::section(settings_reader& reader, const json::object* object, std::string path) : reader_(reader), object_(object), path_(std::move(path)) {
  if (object_)
    reader_.sections_.emplace(path_, object_);
}

section section::inside(const char* key) {
  auto path = member_path(path_, key);
  reader_.known_.insert(path);
  auto* value = object_ ? object_->if_contains(key) : nullptr;
  if (value && !value->is_object())
    reader_.complain(reader_.from_file(*value, path), "an object");
  return {reader_, value ? value->if_object() : nullptr, std::move(path)};
}

std::vector<given_value> section::given(setting_name name) {
  std::vector<given_value> out;
  if (name.key) {
    auto path = member_path(path_, name.key);
    if (auto* value = object_ ? object_->if_contains(name.key) : nullptr)
      out.push_back(reader_.from_file(*value, path));
    reader_.known_.insert(std::move(path));
  }
  auto text = name.variable ? reader_.variable_(name.variable) : std::string{};
  if (!text.empty())
    out.push_back(reader_.from_variable(name.variable, text));
  return out;
}

std::vector<given_value> section::items(setting_name name) {
  std::vector<given_value> out;
  for (auto& g : given(name)) {
    auto* list = g.value.if_array();
    if (!list || list->size() > limits::settings_list_max) {
      reader_.complain(g, list ? "a list of at most " + std::to_string(limits::settings_list_max) + " entries" : "a list");
      continue;
    }
    for (size_t i = 0; i < list->size(); ++i)
      out.push_back(reader_.from_file((*list)[i], item_path(member_path(path_, name.key), i)));
  }
  return out;
}

void section::flag(setting_name name, bool& to) {
  for (auto& g : given(name)) {
    auto text = g.is_text ? text_of(g) : std::string_view{};
    bool is_true = text == "true" || text == "1", is_false = text == "false" || text == "0";
    if (!g.value.is_bool() && !is_true && !is_false)
      reader_.complain(g, "true or false");
    to = g.value.is_bool() ? g.value.get_bool() : is_true;
  }
}

bool section::is_flag(const char* key) const {
  auto* value = object_ ? object_->if_contains(key) : nullptr;
  return value && !value->is_array();
}

bool section::has(const char* key) const { return object_ && object_->contains(key); }

void section::milliseconds(setting_name name, uint64_t least, uint64_t most, std::chrono::milliseconds& to) {
  auto value = static_cast<uint64_t>(to.count());
  integer(name, least, most, value);
  to = std::chrono::milliseconds{static_cast<int64_t>(value)};
}

void section::milliseconds_or_never(setting_name name, uint64_t least, uint64_t most, std::chrono::milliseconds& to) {
  for (auto& g : given(name)) {
    auto value = integer_of(g);
    if (value && (*value == 0 || (*value >= least && *value <= most)))
      to = std::chrono::milliseconds{static_cast<int64_t>(*value)};
    else
      reader_.complain(g, "an integer from " + std::to_string(least) + " to " + std::to_string(most) + ", or 0 for never");
  }
}

void section::mebibytes(setting_name name, uint64_t least, uint64_t most, uint64_t& bytes) {
  auto value = bytes >> 20;
  integer(name, least, most, value);
  bytes = value << 20;
}

void section::seconds(setting_name name, uint64_t least, uint64_t most, std::chrono::milliseconds& to) {
  auto value = static_cast<uint64_t>(to.count() / 1'000);
  integer(name, least, most, value);
  to = std::chrono::seconds{static_cast<int64_t>(value)};
}

void section::number(setting_name name, double least, double most, double& to) {
  for (auto& g : given(name)) {
    double value = 0;
    json::error_code none;
    bool is_number = g.is_text ? parse_number(text_of(g), value) : g.value.is_number();
    if (!g.is_text && is_number)
      value = g.value.to_number<double>(none);
    if (is_number && value >= least && value <= most)
      to = value;
    else
      reader_.complain(g, "a number from " + msg::to_text(json::value(least)) + " to " + msg::to_text(json::value(most)));
  }
}

void section::bytes(setting_name name, uint64_t least, uint64_t most, uint64_t& to) {
  for (auto& g : given(name)) {
    auto value = parse_bytes(g.value.is_string() ? std::string{text_of(g)} : msg::to_text(g.value));
    if (value && *value >= least && *value <= most)
      to = *value;
    else
      reader_.complain(g, "a size from " + std::to_string(least >> 20) + "m to " + std::to_string(most >> 20) + "m, such as 512m, 1g or plain bytes");
  }
}

void section::duration(setting_name name, std::chrono::milliseconds least, std::chrono::milliseconds most, std::chrono::milliseconds& to) {
  for (auto& g : given(name)) {
    auto value = parse_duration(g.value.is_string() ? std::string{text_of(g)} : msg::to_text(g.value));
    if (value && *value >= least && *value <= most)
      to = *value;
    else
      reader_.complain(g, "a time from " + std::to_string(least.count() / 1'000) + "s to " + std::to_string(most.count() / 1'000)
                            + "s, such as 30s, 1500ms, 2m or plain seconds");
  }
}

void section::text(setting_name name, bool (*is_right)(std::string_view), const char* expected, std::string& to) {
  for (auto& g : given(name)) {
    to = text_of(g);
    if (!g.value.is_string() || !is_right(to))
      reader_.complain(g, expected);
  }
}

void section::texts(setting_name name, bool (*is_right)(std::string_view), const char* expected, std::vector<std::string>& to) {
  for (auto& g : items(name)) {
    to.emplace_back(text_of(g));
    if (!g.value.is_string() || !is_right(to.back()))
      reader_.complain(g, expected);
  }
}

void section::path(setting_name name, std::string& to) {
  for (auto& g : given(name))
    to = reader_.path_of(g);
}

void section::paths(setting_name name, std::vector<std::string>& to) {
  for (auto& g : items(name))
    to.push_back(reader_.path_of(g));
}

void section::command(setting_name name, std::string& to) {
  for (auto& g : given(name)) {
    auto text = text_of(g);
    bool is_name = !text.empty() && text.find_first_of("/~") == text.npos;
    to = is_name ? std::string{text} : reader_.path_of(g);
  }
}

void section::later(std::initializer_list<const char*> keys) {
  for (auto* key : keys)
    if (object_ && object_->contains(key))
      reader_.complain({errc::invalid_argument, reader_.at(member_path(path_, key)) + " is not supported by this version; remove it"});
}

} // namespace config
