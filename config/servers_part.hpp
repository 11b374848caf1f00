// Where in a file its list of servers is.
#pragma once

#include "config/config_file.hpp"
#include "config/environment.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace config {

/// A value inside of a file, and where it stands. No value: there is none of that name.
struct part_of_file {
  const boost::json::value* value = nullptr;
  std::string path;
};

/// Follows keys that are separated by '/'; "{project}" is the working folder.
part_of_file find_part(const boost::json::value& root, std::string_view keys, const environment& env);

/// `container`: as client_file::container.
part_of_file find_servers(const config_file& file, const char* container, const environment& env);

} // namespace config
