// Settings of git that are commands, or may be.
#pragma once

#include "config/git_settings.hpp"

#include <cstdint>
#include <string>

namespace config {

enum class git_value : uint8_t {
  plain,   ///< nothing of it is ever run, as of `branch.NAME.merge`
  any,     ///< it may name a program, since not all settings are known
  command, ///< git starts it, mostly by a shell
};
git_value kind_of_value(const git_setting& setting);

/// What a shell is given of it: an alias and a helper have a `!` in front.
std::string command_in(const git_setting& setting);

} // namespace config
