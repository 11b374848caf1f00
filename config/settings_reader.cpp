#include "config/settings_reader.hpp"

#include "text/json_text.hpp"
#include "text/nearest.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace config {

namespace fs = std::filesystem;
namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr std::string_view variable_prefix = "env:";

std::string shown_setting(const json::value& value) {
  auto text = text::to_text(value);
  return text.size() <= settings_reader::shown_bytes_max ? text
         : value.is_object()                             ? "an object"
         : value.is_array()                              ? "a list"
                                                         : text::quoted(text, settings_reader::shown_bytes_max);
}

size_t name_length(std::string_view text) {
  auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_part) - text.begin());
}

} // namespace

settings_reader::settings_reader(const environment& env, const variable_lookup& variable, std::string path,
                                 const json_file& file, file_of whose)
  : env_(env),
    variable_(variable),
    path_(std::move(path)),
    file_(file),
    whose_(whose) {
  if (!file_.exists)
    return;
  positions_ = find_positions(file_.text);
  auto& root = file_.content.value.value();
  if (!root.is_object())
    complain({errc::invalid_argument, path_ + ": expected an object of settings, not " + shown_setting(root)});
  if (!positions_.duplicate.empty())
    complain({errc::invalid_argument, path_ + ": " + position(file_.text, positions_.duplicate_offset) + ": '"
                                        + text::quoted(positions_.duplicate, shown_bytes_max)
                                        + "' is given twice; remove one of the two"});
}

const json::object* settings_reader::root() const {
  return file_.exists ? file_.content.value.value().if_object() : nullptr;
}

void settings_reader::complain(fault why) {
  if (problems_.size() < complaints_max)
    problems_.push_back(std::move(why));
}

void settings_reader::complain(const given_value& g, const std::string& expected) {
  if (g.unset) // that has been told
    return;
  complain({errc::invalid_argument, g.where + " must be " + expected + ", not " + g.shown});
}

void settings_reader::complain_of_both(const std::string& path, const std::string& other) {
  complain({errc::invalid_argument,
            at(path) + " means the same as '" + other + "', which is given too; remove one of the two"});
}

void settings_reader::need_private_file(const given_value& g) {
  std::error_code none;
  auto open = fs::perms::group_read | fs::perms::others_read;
  if ((fs::status(path_, none).permissions() & open) != fs::perms::none)
    complain({errc::invalid_argument, g.where + " is a key, and others may read this file: run `chmod 600 " + path_
                                        + "`, or write env:NAME in its place and set that variable"});
}

setting_entry* settings_reader::find(std::string_view name) {
  auto found = std::find_if(entries_.begin(), entries_.end(),
                            [&](auto& e) { return name == (e.path.empty() ? e.variable : e.path); });
  return found == entries_.end() ? nullptr : &*found;
}

std::string settings_reader::at(const std::string& path) const {
  auto found = positions_.offsets.find(path);
  auto place = found == positions_.offsets.end() ? std::string{} : position(file_.text, found->second) + ": ";
  return path_ + ": " + place + "'" + text::quoted(path, shown_bytes_max) + "'";
}

std::string settings_reader::origin(const std::string& path) const {
  auto found = positions_.offsets.find(path);
  return path_ + ":" + std::to_string(found == positions_.offsets.end() ? 1 : line_of(file_.text, found->second));
}

given_value settings_reader::from_file(const json::value& value, const std::string& path) {
  given_value g{value, false, at(path), shown_setting(value), fs::path{path_}.parent_path().string()};
  if (value.is_string() && std::string_view{value.get_string()}.starts_with(variable_prefix)) {
    g.is_text = g.masked = true;
    auto text = replaced(g, value.get_string());
    g.unset = !text;
    g.value = json::string{text.value_or("")};
  }
  return g;
}

std::optional<given_value> settings_reader::from_variable(const char* name) {
  auto text = name ? variable_(name) : std::string{};
  if (text.empty())
    return std::nullopt;
  return given_value{json::string{text}, true, name, "'" + text::quoted(text, shown_bytes_max) + "'", env_.cwd};
}

/// `env:NAME`, and what follows the name.
std::optional<std::string> settings_reader::replaced(const given_value& g, std::string_view text) {
  if (whose_ == file_of::project)
    return complain({errc::invalid_argument,
                     g.where + " refers to a variable, which the file of a project can not; write the value itself"}),
           std::nullopt;
  text.remove_prefix(variable_prefix.size());
  auto name = text.substr(0, name_length(text));
  auto value = name.empty() ? std::string{} : variable_(name);
  if (!value.empty())
    return value.append(text.substr(name.size()));
  complain({errc::invalid_argument, g.where + ": the environment variable "
                                      + (name.empty() ? "behind 'env:' has no name"
                                                      : "'" + text::quoted(name, shown_bytes_max) + "' is not set")
                                      + "; set it, or write the value itself"});
  return std::nullopt;
}

std::string settings_reader::path_of(const given_value& g) {
  auto text = text_of(g);
  if (text.empty() || text.find('\0') != text.npos)
    return complain(g, "a path"), std::string{};
  fs::path path{text};
  if (text == "~" || text.starts_with("~/")) {
    if (env_.home.empty())
      return complain({errc::invalid_argument, g.where + " begins with ~, and HOME is not set; write the whole path"}),
             std::string{};
    path = env_.home + std::string{text.substr(1)};
  }
  auto whole = (fs::path{g.folder} / path).lexically_normal();
  return whole.has_filename() ? whole.string() : whole.parent_path().string(); // without the last slash
}

const std::vector<fault>& settings_reader::finish() {
  for (auto& [path, object] : sections_)
    for (auto& [key, value] : *object)
      if (problems_.size() < complaints_max && !known_.contains({path, std::string{key}}))
        complain_of_unknown(path, key);
  return problems_;
}

void settings_reader::complain_of_unknown(const std::string& path, std::string_view key) {
  std::vector<std::string> paths;
  std::vector<std::string_view> here, everywhere;
  std::string listed;
  for (auto& [section, known] : known_) {
    if (known.starts_with('$')) // for editors: no user means it
      continue;
    paths.push_back(member_path(section, known));
    if (section != path)
      continue;
    here.emplace_back(known);
    listed.append(listed.empty() ? "" : ", ").append(known);
  }
  auto near = text::nearest(key, here, 1);
  if (near.empty()) { // the right key in the wrong section
    everywhere.assign(paths.begin(), paths.end());
    near = text::nearest(key, everywhere, 1);
  }
  complain({errc::invalid_argument, at(member_path(path, key)) + " is no setting"
                                      + (near.empty() ? std::string{"."} : "; did you mean '" + near.front() + "'?")
                                      + " Known here: " + listed});
}

} // namespace config
