// Where files are: folders within folders, links, what is opened.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>

namespace process {

/// On the way to one file: as many as the kernel follows (path_resolution(7)).
inline constexpr size_t links_max = 40;

/// By their parts, which nothing looks up: links and `..` are the caller's. A folder is inside itself.
inline bool inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

/// What the kernel calls an opened file (O_PATH, too) now: the real path, free of links. Empty: it can not be told.
inline std::filesystem::path path_of_opened(int descriptor) {
  std::error_code ec;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), ec);
}

} // namespace process
