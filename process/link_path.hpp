// Where a path leads through links, whether something is at its end or not.
#pragma once

#include <filesystem>
#include <vector>

namespace process {

struct link_path {
  /// On the way, in order, each by a path that is free of links but for itself.
  std::vector<std::filesystem::path> links;
  /// Free of links, there or not; empty: it leads through more than links_max, as the kernel does not.
  std::filesystem::path end;
};

/// As the kernel goes, which has to be asked about each part: not for paths that process::path_walk calls unknown.
link_path follow_links(const std::filesystem::path& path);

} // namespace process
