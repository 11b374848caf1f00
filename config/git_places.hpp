// What the repository of a project leads to: files and folders of git that lie elsewhere, and say what the next `git
// status` of a person runs.
#pragma once

#include "config/kept_places.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace config {

inline constexpr size_t git_files_max = 32; ///< of settings; a repository includes a handful
/// Of all of them together; a file that is larger than what is left is not read.
inline constexpr size_t git_bytes_max = 1u << 20;
inline constexpr size_t git_hooks_max = 32;               ///< different values of `core.hooksPath`
inline constexpr size_t git_hook_files_max = 400;         ///< in all folders of hooks together; git has 28 hooks
inline constexpr size_t git_words_max = 4'000;            ///< different ones that may name a program
inline constexpr size_t git_programs_max = 200;           ///< that they name, with all other places
inline constexpr size_t git_command_folders_max = 16;     ///< that one command goes to; more close the repository
inline constexpr size_t git_pointer_bytes_max = 8u << 10; ///< of a `.git` or `commondir` that says where the rest lies

/// Of the repository that begins in `folder`: where its `.git`, if it is a file, says that it lies, with what that
/// shares with others; of its settings, also those of a worktree, `core.hooksPath`, the files that `include.path` and
/// `includeIf.*.path` name, and those that a word of any value names if it has a letter (possible_words()), also as
/// seen from folders that the value goes to (`cd`). Where its settings and folders of hooks, or what lies directly in
/// these, are links: those. Absolute, with `..` only behind a link (ways_to()); who keeps a link keeps what it leads to
/// (sandbox::all_names_of()). Settings of the user
/// (~/.gitconfig) are not looked at. Files are read in the order of git, each once, within the bounds above: what is
/// found until one of them is reached is in the list, and what would be found beyond it is not; the other bounds go on.
/// All of it takes at most as long as a path_walk and the taking apart of git_bytes_max: half a second, and some
/// milliseconds of an ordinary repository. Where names of it are more than that walk follows, or begin in the home of
/// another user (`~name/x`), what they lead to is not known: then `folder` itself is in the list, so that no program
/// writes there.
std::vector<kept_place> git_places(const std::string& folder, const std::string& home);

} // namespace config
