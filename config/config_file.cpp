#include "config/config_file.hpp"

#include "config/file_text.hpp"
#include "config/shown.hpp"
#include "config/toml_text.hpp"
#include "config/yaml_text.hpp"
#include "messages/json_parse.hpp"
#include "messages/limits.hpp"
#include "messages/utf8.hpp"

#include <boost/json/value.hpp>

namespace config {

namespace limits = msg::limits;

file_format format_of(std::string_view path) {
  if (path.ends_with(".toml"))
    return file_format::toml;
  return path.ends_with(".yaml") || path.ends_with(".yml") ? file_format::yaml : file_format::json;
}

config_file config_file::read(const std::string& path) {
  config_file out;
  out.path_ = path;
  out.format_ = format_of(path);
  auto file = read_file_text(path, out.format_ == file_format::json ? limits::config_file_bytes_max : limits::config_typed_bytes_max);
  out.exists_ = file.exists;
  out.error_ = std::move(file.error);
  out.text_ = std::move(file.text);
  if (!out.exists_ || out.error_.code != msg::errc::none)
    return out;
  out.has_positions_ = out.format_ != file_format::json;
  boost::json::value root;
  auto problem = out.format_ == file_format::json   ? msg::parse_json(out.text_, msg::json_dialect::edited, root)
                 : out.format_ == file_format::toml ? parse_toml(out.text_, root, out.positions_)
                                                    : parse_yaml(out.text_, root, out.positions_);
  auto name = out.format_ == file_format::json ? "JSON" : out.format_ == file_format::toml ? "TOML" : "YAML";
  if (problem.what.empty())
    out.content_ = msg::document{std::move(root)};
  else
    out.error_ = {msg::errc::invalid_argument, path + ": broken " + name + " at " + position(out.text_, problem.at) + ": " + problem.what};
  return out;
}

bool config_file::is_strict_json() const {
  if (!is_strict_) {
    boost::json::value root;
    is_strict_ = format_ == file_format::json && exists_ && msg::parse_json(text_, msg::json_dialect::strict, root).what.empty();
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
  return path_ + ": " + position(text_, found.duplicate_offset) + ": '" + msg::quoted(found.duplicate, shown_bytes_max)
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
  for (auto end = part.find_last_of(".["); found == offsets.end() && end != part.npos; end = part.substr(0, end).find_last_of(".["))
    found = offsets.find(std::string{part.substr(0, end)});
  return path_ + ": " + lines_->position(text_, found == offsets.end() ? 0 : found->second);
}

} // namespace config
