// Whether what is written has colours.
#pragma once

#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace cli {

/// On a terminal, unless the user wants none (no-color.org) or it knows none. `descriptor`: 1 or 2.
inline bool has_colours(int descriptor) {
  auto variable = [](const char* name) {
    auto* value = std::getenv(name);
    return std::string_view{value ? value : ""};
  };
  return ::isatty(descriptor) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

} // namespace cli
