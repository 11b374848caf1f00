// The files that the settings name, and that the server does not start without: a plan of faults, a recording.
#pragma once

#include "config/settings.hpp"
#include "messages/errors.hpp"

#include <vector>

namespace cli {

/// Why the server would not start with settings that are right themselves. Reads the files.
std::vector<msg::fault> problems_of_named_files(const config::settings& settings);

} // namespace cli
