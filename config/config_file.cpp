#include "config/config_file.hpp"

#include "config/file_text.hpp"
#include "config/shown.hpp"
#include "config/toml_text.hpp"
#include "config/yaml_text.hpp"
#include "messages/limits.hpp"
#include "text/json_parse.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace config {

namespace limits = msg::limits;
using msg::errc;

namespace {

std::string mebibytes(uint64_t bytes) {
  auto tenths = (bytes * 10) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

std::string left_of(uint64_t left, uint64_t whole) {
  return ", and there are " + mebibytes(left) + " left of the " + std::to_string(whole >> 20)
         + " MiB that all files of the project may have together";
}

void take(uint64_t& room, uint64_t bytes) { room -= std::min(room, bytes); }

/// As text::parsed_size(), whatever is in texts and comments: a quote in a comment would hide the rest from it.
uint64_t parsed_bytes_at_most(std::string_view text) {
  constexpr uint64_t one_value_bytes = sizeof(boost::json::key_value_pair),
                     structure_bytes = sizeof(boost::json::value) + 48;
  uint64_t values = 1, blocks = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = text[i];
    values += c == ',' || c == ':' ? 1 : 0;
    bool is_empty = i + 1 < text.size() && text[i + 1] == (c == '[' ? ']' : '}');
    blocks += (c == '[' || c == '{') && !is_empty ? 1 : 0;
  }
  return text.size() + values * one_value_bytes + blocks * structure_bytes;
}

} // namespace

file_format format_of(std::string_view path) {
  if (path.ends_with(".toml"))
    return file_format::toml;
  return path.ends_with(".yaml") || path.ends_with(".yml") ? file_format::yaml : file_format::json;
}

config_file config_file::read(const std::string& path, file_room* room) {
  config_file out;
  out.path_ = path;
  out.format_ = format_of(path);
  out.read_text(room);
  if (out.exists_ && out.error_.code == errc::none)
    out.parse(room);
  return out;
}

config_file config_file::of_text(const std::string& path, std::string text) {
  config_file out;
  out.path_ = path;
  out.format_ = format_of(path);
  out.exists_ = true;
  out.text_ = std::move(text);
  out.parse(nullptr);
  return out;
}

void config_file::read_text(file_room* room) {
  uint64_t most = format_ == file_format::json ? limits::config_file_bytes_max : limits::config_typed_bytes_max;
  auto file = read_file_text(path_, std::min(most, room ? room->bytes : most));
  exists_ = file.exists;
  error_ = std::move(file.error);
  text_ = std::move(file.text);
  if (!room)
    return;
  if (error_.code == errc::limit_exceeded)
    error_.message = path_ + ": "
                     + (file.size > most ? "larger than " + std::to_string(most >> 20) + " MiB"
                                         : "has " + mebibytes(std::max(file.size, file.read_bytes))
                                             + left_of(room->bytes, limits::config_project_bytes_max));
  take(room->bytes, file.read_bytes);
}

void config_file::parse(file_room* room) {
  bool is_json = format_ == file_format::json;
  auto needed = room && is_json ? parsed_bytes_at_most(text_) : text_.size();
  if (room && needed > room->parsed_bytes) {
    error_ = {errc::limit_exceeded, path_ + ": would take up to " + mebibytes(needed) + " of memory"
                                      + left_of(room->parsed_bytes, limits::config_project_parsed_bytes_max)};
    return;
  }
  has_positions_ = !is_json;
  boost::json::value root;
  auto problem = is_json                        ? text::parse_json(text_, text::json_dialect::edited, root)
                 : format_ == file_format::toml ? parse_toml(text_, root, positions_)
                                                : parse_yaml(text_, root, positions_);
  auto name = is_json ? "JSON" : format_ == file_format::toml ? "TOML" : "YAML";
  if (problem.what.empty())
    content_ = msg::document{std::move(root)};
  else
    error_ = {errc::invalid_argument,
              path_ + ": broken " + name + " at " + position(text_, problem.at) + ": " + problem.what};
  if (room) // a few aliases stand for many values, also in a file that is refused for it
    take(room->parsed_bytes, is_json                ? needed
                             : problem.what.empty() ? content_.held_bytes()
                                                    : limits::config_typed_values_max * sizeof root);
}

bool config_file::is_strict_json() const {
  if (!is_strict_) {
    boost::json::value root;
    is_strict_ =
      format_ == file_format::json && exists_ && text::parse_json(text_, text::json_dialect::strict, root).what.empty();
  }
  return *is_strict_;
}

void config_file::look_beneath(std::string part) {
  beneath_ = std::move(part);
  if (format_ != file_format::json)
    return;
  positions_ = {};
  has_positions_ = false;
}

std::string config_file::repeated_key(const std::string& part) const {
  if (format_ != file_format::json || text_.size() > limits::config_typed_bytes_max)
    return {};
  auto found = find_members(text_, part);
  if (found.duplicate.empty())
    return {};
  return path_ + ": " + position(text_, found.duplicate_offset) + ": '" + text::quoted(found.duplicate, shown_bytes_max)
         + "' is given twice; the last one counts";
}

std::string config_file::place(std::string_view part) const {
  if (!has_positions_)
    positions_ = find_positions(text_, beneath_);
  has_positions_ = true;
  if (!lines_)
    lines_ = line_table{text_};
  auto& offsets = positions_.offsets;
  auto found = offsets.find(std::string{part});
  for (auto end = part.find_last_of(".["); found == offsets.end() && end != part.npos;
       end = part.substr(0, end).find_last_of(".["))
    found = offsets.find(std::string{part.substr(0, end)});
  return path_ + ": " + lines_->position(text_, found == offsets.end() ? 0 : found->second);
}

} // namespace config
