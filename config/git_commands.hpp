// Settings of git that are commands, or may be.
#pragma once

#include "config/git_settings.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace config {

enum class git_value : uint8_t {
  any,     ///< it may name a program, since not all settings are known
  command, ///< git starts it, mostly by a shell
};
struct git_command {
  std::string text; ///< as a shell is given it
  git_value kind;
};

/// None for what is never run, as `branch.NAME.merge`. Also of an address of the transport that runs what it says
/// (`ext::COMMAND`), which may be the name of a part.
std::vector<git_command> commands_in(const git_setting& setting);

} // namespace config
