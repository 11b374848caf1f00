// The person's browser.
#pragma once

#include "config/environment.hpp"

#include <string>

namespace cli {

/// Starts what the variable BROWSER names, or else `xdg-open`, with the address as its only argument, without a shell,
/// and with none of our variables but those that a desktop needs. False: there is none. Whether it has shown anything
/// is not known. `url` is of http or https, or nothing is started.
bool open_browser(const std::string& url, const config::variable_lookup& variables);

} // namespace cli
