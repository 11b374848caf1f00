// What managers of packages and projects, and others that run tasks, read in the folders that they are started in.
#pragma once

#include "config/file_look.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Of one command line; more close the folders.
inline constexpr size_t folders_read_max = 16;

/// Which of them are among the words of a command line.
struct known_managers {
  bool is_package = false, is_node = false, is_python = false, is_pnpm = false, is_go = false, is_conda = false;
  bool is_each_workspace = false, is_each_of_pnpm = false;
  std::vector<std::string_view> task_files_read; ///< lists of task_files

  /// By the name of a program's file.
  void note(std::string_view program);
  bool is_any() const { return is_package || is_python || is_go || is_conda || !task_files_read.empty(); }
};

struct manager_start {
  known_managers what;
  std::vector<std::filesystem::path> starts; ///< folders in which something is started
  std::vector<std::filesystem::path> told;   ///< those that words name beside: only what is there is found
  std::vector<std::string> words;            ///< that may name packages
  std::vector<std::string> workspaces;       ///< names, or folders
  std::string home;
};

struct manager_place {
  std::filesystem::path path;
  bool is_file = false; ///< only if it is a file, by all ways to it
};

struct manager_places {
  std::vector<manager_place> places;
  std::vector<std::filesystem::path> starts; ///< with those of workspaces
  bool is_cut = false;                       ///< there are more of those than are looked at
};

manager_places files_for_managers(manager_start of, file_look& look);

/// What is run of the package in `folder` by its name, or that of one of its programs.
void add_programs_of(const std::filesystem::path& folder, file_look& look, std::vector<manager_place>& to);

} // namespace config
