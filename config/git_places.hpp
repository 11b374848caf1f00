// What the repository of a project leads to: files and folders of git that lie elsewhere, and say what the next `git status` of a person runs.
#pragma once

#include "config/kept_places.hpp"

#include <string>
#include <vector>

namespace config {

/// Of the repository that begins in `folder`: where its `.git`, if it is a file, says that it lies, with what that shares with others; of its
/// settings `core.hooksPath` and the files that `include.path` and `includeIf.*.path` name, and so on. Absolute. Settings of the user (~/.gitconfig)
/// are not looked at.
std::vector<kept_place> git_places(const std::string& folder, const std::string& home);

} // namespace config
