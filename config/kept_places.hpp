// Files and folders that decide what is started and what is allowed: no grant lets a program write there.
#pragma once

#include "config/environment.hpp"

#include <string>
#include <vector>

namespace config {

struct kept_place {
  std::string path;
  bool is_folder = false; ///< all of it; else a file
  std::string why = {};   ///< it is closed, a part of a sentence; empty: it decides itself what is started
  bool operator==(const kept_place&) const = default;
};

/// In the folder of a project, below it: those of client_files(), of our own, and of tools that run what they find. A
/// client's folder is kept as a whole, of shared_folders() what clients have there alone.
std::vector<kept_place> kept_names();

/// What `env` leads to: those of the project and of the folders between it and its repository of git, that repository
/// and what its settings lead to (git_places()), what would make a repository of the project, the user's files, and
/// `more` (the state folder, settings that somebody named). Of folders of clients, and of those with a file for each
/// server, also the links that lie directly in them (links_in()); where there are too many, the folder of the project
/// is among them, and for those of the user the home folder, with the reason. If the home folder says that the user has
/// a client which loads them: `.env` and those of the client's folder, in the home folder, the project, and all folders
/// above it; of a link, what it leads to; of a folder of that name, a file in it, so that it keeps its name. Absolute.
/// Where one of them can not be followed (is_unknown()) it is the folder of the project instead.
std::vector<kept_place> kept_places(const environment& env, const std::vector<kept_place>& more);

} // namespace config
