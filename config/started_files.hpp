// The files that decide what servers start, of all that are configured: no grant lets a program write there.
#pragma once

#include "config/environment.hpp"
#include "config/server_list.hpp"
#include "process/path_walk.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace config {

/// That are named for one folder; the others are counted.
inline constexpr size_t unfollowed_servers_shown_max = 3;

/// Of the entries of a project that are not the user's word: what is looked at, beside the look for the others. More
/// close the project.
inline constexpr size_t project_entries_max = 200, project_words_bytes_max = 1u << 20,
                        project_look_steps_max = process::walk_steps_max / 2, project_asked_steps_max = 2'000'000;

struct started_file {
  std::string path;
  /// Of a folder that is closed: why, a part of a sentence (`.yarnrc.yml is larger than 64 KiB, so what server 'x'
  /// would start is not known`). Else empty.
  std::string why;
};

/// files_of() all entries, those that their clients start included, in one look (file_look), each once, in order of
/// path. What one look leaves out is left out of none: those folders are closed. Entries of the project that are not
/// trusted have a look of their own, and keep and close nothing outside of its folder.
std::vector<started_file> files_of_servers(const server_list& servers, const environment& env,
                                           const variable_lookup& variable);

} // namespace config
