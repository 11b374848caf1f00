// What the settings file of a project takes away from the settings of the user. It is not the user's word: a program or
// person that writes to the project writes it.
#pragma once

#include "config/settings.hpp"

#include <vector>

namespace config {

/// Limits exec the smaller one, lists what both have, refusals what either has, and switches go to the safer side.
/// `given` are the entries of the project's file. The faults name what is no matter of a project, and where it belongs.
std::vector<msg::fault> narrow(const settings& of_project, const std::vector<setting_entry>& given,
                               settings_reading& to);

} // namespace config
