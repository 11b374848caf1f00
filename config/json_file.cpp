#include "config/json_file.hpp"

#include "config/json_positions.hpp"
#include "messages/json_parse.hpp"
#include "messages/limits.hpp"

#include <boost/json/value.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace config {

using msg::errc;
using msg::fault;

namespace {

msg::outcome<msg::document> parse(const std::string& path, std::string_view text) {
  boost::json::value value;
  if (auto problem = msg::parse_json(text, msg::json_dialect::edited, value); !problem.what.empty())
    return fault{errc::invalid_argument, path + ": broken JSON at " + position(text, problem.at) + ": " + problem.what};
  return msg::document{std::move(value), text.size()};
}

} // namespace

json_file read_json_file(const std::string& path) {
  std::error_code ec;
  auto size = std::filesystem::file_size(path, ec);
  if (ec == std::errc::no_such_file_or_directory || ec == std::errc::not_a_directory)
    return {};
  json_file out;
  out.exists = true;
  if (!ec && size > msg::limits::config_file_bytes_max) {
    out.content = fault{errc::limit_exceeded, path + ": larger than " + std::to_string(msg::limits::config_file_bytes_max >> 20) + " MiB"};
    return out;
  }
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  out.text = text.str();
  if (out.text.starts_with("\xEF\xBB\xBF"))
    out.text.erase(0, 3); // a byte order mark, as editors on Windows write it
  if (ec || !in)
    out.content = fault{errc::invalid_argument, path + ": can not be read: " + (ec ? ec.message() : std::strerror(errno))};
  else
    out.content = parse(path, out.text);
  return out;
}

} // namespace config
