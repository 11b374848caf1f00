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
inline constexpr size_t git_hooks_max = 32;       ///< different values of `core.hooksPath`
inline constexpr size_t git_hook_files_max = 400; ///< in all folders of hooks together; git has 28 hooks
inline constexpr size_t git_values_max = 1'000;   ///< different ones that may be commands; more close the repository
inline constexpr size_t git_programs_max = 400;   ///< that they start; more close it
inline constexpr size_t git_submodules_max = 200, git_module_depth_max = 8; ///< more, and deeper ones, close it
inline constexpr size_t git_pointer_bytes_max = 8u << 10; ///< of a `.git` or `commondir` that says where the rest lies

/// Of the repository that begins in `folder`: where its `.git`, if it is a file, says that it lies, with what that
/// shares with others; of its settings, also those of a worktree, `core.hooksPath`, the files that `include.path` and
/// `includeIf.*.path` name, and what a shell would start for any value that may be a command (git_commands.hpp,
/// program_files()). Where its settings and folders of hooks, or what lies directly in these, are links: those. The
/// same of its submodules, with the `.git` of each, there or not. Absolute, with `..` only behind a link (ways_to());
/// who keeps a link keeps what it leads to (sandbox::all_names_of()). Settings of the user (~/.gitconfig) are not
/// looked at, nor submodules that neither `.gitmodules` nor `.git/modules` name. Files are read in the order of git,
/// each once, within the bounds above: of files, bytes and hooks what would be found beyond them is not in the list.
/// Where the other bounds are passed, names are more than a path_walk follows, or begin in the home of another user
/// (`~name/x`), or where a command can not be followed, `folder` itself is in the list, so that no program writes
/// there. All of it takes some milliseconds of an ordinary repository, and at most about a second.
std::vector<kept_place> git_places(const std::string& folder, const std::string& home);

} // namespace config
