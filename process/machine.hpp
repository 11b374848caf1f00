// What this process needs of the machine, and what is left.
#pragma once

#include "messages/health.hpp"

#include <string>

namespace process {

/// Reads /proc, and asks the file system of the folder (of the nearest one above it that exists), which may take as
/// long as it likes.
msg::machine_status look_at_machine(const std::string& state_folder);

} // namespace process
