// Folders within folders.
#pragma once

#include <algorithm>
#include <filesystem>

namespace sandbox {

/// By their parts, which nothing looks up: links and `..` are the caller's. A folder is inside itself.
inline bool inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

} // namespace sandbox
