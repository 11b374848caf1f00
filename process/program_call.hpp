// Calls a program and waits for its end, for who has no loop of its own.
#pragma once

#include "messages/errors.hpp"
#include "process/command.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace process {

/// `words[0]`: an absolute path. With our environment, and LC_ALL=C, so that what it says can be read. Main thread
/// only. The fault: it could not be started.
msg::outcome<command_result> call_program(const std::vector<std::string>& words, std::chrono::milliseconds timeout);

} // namespace process
