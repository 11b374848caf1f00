// Carries out cache recipes: a folder that exists already is used at once; else it is made in the background, by guests
// without user code, under another name, and gets its own when it is complete. Two servers may make it at once.
#pragma once

#include "messages/errors.hpp"
#include "sandbox/runtimes/cache_recipe.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <string>

namespace sandbox {

/// Where the result of the recipe belongs below `folder`: its name and a digest of its inputs (paths, sizes, times of
/// change) and its command.
std::string cache_path(const cache_recipe& recipe, const std::string& folder);

/// The recipe's box with that folder, which exists, and is noted to be in use.
box with_cache(const cache_recipe& recipe, const std::string& path);

/// Makes the folder `path`, and removes from beside it what died half-made or was not used for three months. Bounded in
/// time. The fault says what went wrong; nothing is left behind then.
asio::awaitable<msg::fault> make_cache(asio::any_io_executor executor, cache_recipe recipe, isolation_tools tools,
                                       std::string path);

} // namespace sandbox
