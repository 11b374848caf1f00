#include "config/json_file.hpp"

#include "config/file_text.hpp"
#include "config/json_positions.hpp"
#include "messages/limits.hpp"
#include "text/json_parse.hpp"

#include <boost/json/value.hpp>

namespace config {

using msg::errc;
using msg::fault;

namespace {

msg::outcome<msg::document> parse(const std::string& path, std::string_view text) {
  boost::json::value value;
  if (auto problem = text::parse_json(text, text::json_dialect::edited, value); !problem.what.empty())
    return fault{errc::invalid_argument, path + ": broken JSON at " + position(text, problem.at) + ": " + problem.what};
  return msg::document{std::move(value)};
}

} // namespace

json_file read_json_file(const std::string& path) {
  auto file = read_file_text(path, msg::limits::config_file_bytes_max);
  json_file out;
  out.exists = file.exists;
  out.text = std::move(file.text);
  if (file.error.code != errc::none)
    out.content = std::move(file.error);
  else if (file.exists)
    out.content = parse(path, out.text);
  return out;
}

} // namespace config
