// JSON Schema (2020-12) of the settings file, for editors. It is made of what the reader reads.
#pragma once

#include "config/setting_entry.hpp"

#include <boost/json/object.hpp>

#include <vector>

namespace config {

boost::json::object settings_schema(const std::vector<setting_entry>& entries);

} // namespace config
