// Programs that build what they start, or what is started behind them, from all sources that lie in a folder: a new
// file there is a part of it, too.
#pragma once

#include "config/shell_text.hpp"

#include <cstddef>
#include <vector>

namespace config {

/// The word at `at` is one, as far as those behind it say: `cargo`, `dotnet run`, `go run .`, `nix run .`; not `go run
/// x.go`, `nix run nixpkgs#x`.
bool builds_from_sources(const std::vector<text_word>& words, size_t at);

} // namespace config
