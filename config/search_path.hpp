// Folders of which all files are code: of PATH, virtual environments, class paths of Java. A new file there is started,
// or loaded, too.
#pragma once

#include "config/file_look.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Of one PATH, beside the usual ones, and of one class path; more close the folders.
inline constexpr size_t search_folders_max = 64;
/// A word of a text that sets it.
inline constexpr std::string_view path_assignment = "PATH=";

/// As process::find_executable() does. Empty: there is none.
std::filesystem::path searched(const std::string& name, std::string_view search_path, const std::filesystem::path& cwd,
                               file_look& look);

/// Those of a PATH, but for those that `usual` has, too, and that itself (`$PATH`), as they stand there.
std::vector<std::string> search_folders(std::string_view search_path, std::string_view usual);

/// Of a program, or of what activates it, that one: its other programs are started by their names. Empty: it is in
/// none.
std::filesystem::path environment_of(const std::filesystem::path& file, file_look& look);

inline constexpr const char* class_path_variable = "CLASSPATH";

/// `-cp 'lib/*:classes'`, `CLASSPATH=lib/*`, and that variable itself: those that are there, as seen from one of
/// `folders`. Of too many `folders` themselves.
std::vector<std::filesystem::path> class_folders(const std::vector<std::string>& words, std::string_view class_path,
                                                 const std::vector<std::filesystem::path>& folders,
                                                 const std::string& home, file_look& look);

} // namespace config
