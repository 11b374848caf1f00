// What of an entry no client or log is told.
#pragma once

#include "config/entry_variables.hpp"
#include "process/c_text.hpp"

#include <string>
#include <vector>

namespace config {

/// Variables of its own, those that its texts have been given, its other fields, and arguments. At most 2 MiB.
std::vector<std::string> secrets_of(const std::vector<const variable_map*>& named, const process::c_texts& arguments);

} // namespace config
