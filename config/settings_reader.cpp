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

void settings_reader::complain_of_both(const std::string& path, const std::string& other) {
  complain({errc::invalid_argument, at(path) + " means the same as '" + other + "', which is given too; remove one of the two"});
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

given_value settings_reader::from_variable(const char* name, std::string_view text) {
  return {json::string{text}, true, name, "'" + msg::quoted(text, shown_bytes_max) + "'", env_.cwd};
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

std::optional<uint64_t> settings_reader::integer_of(const given_value& g) {
  uint64_t value = 0;
  if (g.is_text)
    return parse_number(text_of(g), value) ? std::optional{value} : std::nullopt;
  return g.value.is_int64() && g.value.get_int64() >= 0 ? std::optional{static_cast<uint64_t>(g.value.get_int64())} : std::nullopt;
}

uint64_t settings_reader::integer_of(const given_value& g, uint64_t least, uint64_t most, uint64_t otherwise) {
  auto value = integer_of(g);
  if (value && *value >= least && *value <= most)
    return *value;
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

} // namespace config
