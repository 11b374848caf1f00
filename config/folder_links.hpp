// Links in folders of which a program reads the files, whatever they are called.
#pragma once

#include "config/kept_places.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace config {

/// Of all folders that are looked through together: a client's has some ten names, and hardly a link.
inline constexpr size_t folder_links_max = 400, folder_links_names_max = 10'000;

struct folder_links {
  std::vector<kept_place> links; ///< by their names in the folder as it was given
  /// One of the bounds is passed, so that what else is read there is not known: a part of a sentence, which names the
  /// folder. Empty: none is.
  std::string problem;
};

/// Those that lie directly in these folders: who keeps a link keeps what it leads to (sandbox::all_names_of()). A
/// folder that is not there, or can not be read, has none; of one that has two names they are there once.
folder_links links_in(const std::vector<std::filesystem::path>& folders);

} // namespace config
