#include "config/settings_reader.hpp"

#include "config/units.hpp"
#include "messages/json_text.hpp"
#include "messages/limits.hpp"
#include "messages/nearest.hpp"
#include "messages/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

namespace config {

namespace fs = std::filesystem;
namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t shown_bytes_max = 80;
constexpr std::string_view reference = "env:";

std::string shown(const json::value& value) {
  auto text = msg::to_text(value);
  return text.size() <= shown_bytes_max ? text : value.is_object() ? "an object" : value.is_array() ? "a list" : msg::quoted(text, shown_bytes_max);
}

size_t name_length(std::string_view text) {
  auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_part) - text.begin());
}

template <class Number>
bool parse_number(std::string_view text, Number& to) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string_view text_of(const given_value& g) { return g.value.is_string() ? std::string_view{g.value.get_string()} : std::string_view{}; }

} // namespace

settings_reader::settings_reader(const environment& env, const variable_lookup& variable, std::string path, const json_file& file)
  : env_(env),
    variable_(variable),
    path_(std::move(path)),
    file_(file) {
  if (!file_.exists)
    return;
  positions_ = find_positions(file_.text);
  auto& root = file_.content.value.value();
  if (!root.is_object())
    complain({errc::invalid_argument, path_ + ": expected an object of settings, not " + shown(root)});
  if (!positions_.duplicate.empty())
    complain({errc::invalid_argument, path_ + ": " + position(file_.text, positions_.duplicate_offset) + ": '" + positions_.duplicate
                                        + "' is given twice; remove one of the two"});
}

settings_reader::section settings_reader::root() {
  auto* object = file_.exists ? file_.content.value.value().if_object() : nullptr;
  return {*this, object, ""};
}

void settings_reader::complain(fault why) {
  if (problem_.code == errc::none)
    problem_ = std::move(why);
}

void settings_reader::complain(const given_value& g, const std::string& expected) {
  complain({errc::invalid_argument, g.where + " must be " + expected + ", not " + g.shown});
}

std::string settings_reader::at(const std::string& path) const {
  auto found = positions_.offsets.find(path);
  auto place = found == positions_.offsets.end() ? std::string{} : position(file_.text, found->second) + ": ";
  return path_ + ": " + place + "'" + msg::quoted(path, shown_bytes_max) + "'";
}

given_value settings_reader::from_file(const json::value& value, const std::string& path) {
  given_value g{value, false, at(path), shown(value), fs::path{path_}.parent_path().string()};
  if (value.is_string() && std::string_view{value.get_string()}.starts_with(reference)) {
    g.is_text = true;
    g.value = json::string{replaced(g, value.get_string())};
  }
  return g;
}

/// `env:NAME`, and what follows the name.
std::string settings_reader::replaced(const given_value& g, std::string_view text) {
  text.remove_prefix(reference.size());
  auto name = text.substr(0, name_length(text));
  auto value = name.empty() ? std::string{} : variable_(name);
  if (value.empty())
    complain({errc::invalid_argument, g.where + ": the environment variable "
                                        + (name.empty() ? "behind 'env:' has no name" : "'" + msg::quoted(name, shown_bytes_max) + "' is not set")
                                        + "; set it, or write the value itself"});
  return value.append(text.substr(name.size()));
}

uint64_t settings_reader::integer_of(const given_value& g, uint64_t least, uint64_t most, uint64_t otherwise) {
  uint64_t value = 0;
  bool is_integer = g.is_text ? parse_number(text_of(g), value) : g.value.is_int64() && g.value.get_int64() >= 0;
  if (!g.is_text && is_integer)
    value = static_cast<uint64_t>(g.value.get_int64());
  if (is_integer && value >= least && value <= most)
    return value;
  complain(g, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return otherwise;
}

void settings_reader::require_one_of(const given_value& g, const std::vector<std::string_view>& names) {
  if (g.value.is_string() && std::find(names.begin(), names.end(), text_of(g)) != names.end())
    return;
  std::string expected;
  for (size_t i = 0; i < names.size(); ++i)
    expected.append(i == 0 ? "" : i + 1 < names.size() ? ", " : " or ").append(names[i]);
  complain(g, expected);
}

std::string settings_reader::path_of(const given_value& g) {
  auto text = text_of(g);
  if (text.empty() || text.find('\0') != text.npos)
    return complain(g, "a path"), std::string{};
  fs::path path{text};
  if (text == "~" || text.starts_with("~/")) {
    if (env_.home.empty())
      return complain({errc::invalid_argument, g.where + " begins with ~, and HOME is not set; write the whole path"}), std::string{};
    path = env_.home + std::string{text.substr(1)};
  }
  auto whole = (fs::path{g.folder} / path).lexically_normal();
  return whole.has_filename() ? whole.string() : whole.parent_path().string(); // without the last slash
}

const fault& settings_reader::finish() {
  for (auto& [path, object] : sections_)
    for (auto& [key, value] : *object)
      if (!known_.contains(member_path(path, key)))
        complain_of_unknown(path, key);
  return problem_;
}

void settings_reader::complain_of_unknown(const std::string& path, std::string_view key) {
  std::vector<std::string_view> here, everywhere;
  std::string listed;
  for (auto& known : known_) {
    everywhere.push_back(known);
    auto dot = known.rfind('.');
    if ((dot == known.npos ? std::string_view{} : std::string_view{known}.substr(0, dot)) != path)
      continue;
    here.push_back(std::string_view{known}.substr(dot == known.npos ? 0 : dot + 1));
    listed.append(listed.empty() ? "" : ", ").append(here.back());
  }
  auto near = msg::nearest(key, here, 1);
  if (near.empty())
    near = msg::nearest(key, everywhere, 1); // the right key in the wrong section
  complain({errc::invalid_argument, at(member_path(path, key)) + " is no setting"
                                      + (near.empty() ? std::string{} : "; did you mean '" + near.front() + "'?") + " Known here: " + listed});
}

// ---- one section -----------------------------------------------------------------------------

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
    out.push_back({json::string{text}, true, name.variable, "'" + msg::quoted(text, shown_bytes_max) + "'", reader_.env_.cwd});
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
