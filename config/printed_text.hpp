// What a text for a shell prints, where that can be told without running it.
#pragma once

#include "config/shell_text.hpp"

#include <optional>
#include <string>

namespace config {

/// Of `$(TEXT)`: `pwd`, `git rev-parse --show-toplevel`, `dirname`, `which`, of words that are known. None: it is not.
std::optional<std::string> printed_by(const shell_text& text, const text_scope& scope);

} // namespace config
