// Names that a file has because its folder is mounted a second time (bind mounts): its path says nothing of them.
#pragma once

#include "messages/errors.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace process {

/// Of a path in mountinfo: spaces, tabs, newlines and backslashes are written as three octal digits (proc(5)).
std::string unescaped_mount(std::string_view text);

/// What is mounted in this mount namespace, at one time.
class mount_names {
public:
  /// A machine with many containers has some thousand mounts of 300 bytes.
  static constexpr size_t bytes_max = 8u << 20;

  /// not_allowed: they can not be told, or are too many.
  static msg::outcome<mount_names> read();
  mount_names() = default; ///< of nothing
  /// `text`: of /proc/PID/mountinfo (proc(5)); lines that are none are left out.
  explicit mount_names(std::string_view text);

  /// The others that `path` has, which is absolute, free of links, and need not be there. Also those that another mount
  /// hides now.
  std::vector<std::filesystem::path> others(const std::filesystem::path& path) const;

  /// Where something that lies in `folder` is mounted outside of it, in part or with more around it: programs that can
  /// not write the folder could write it there. `folder` as the path in others(), whose names of the folder itself are
  /// not among them.
  std::vector<std::filesystem::path> others_inside(const std::filesystem::path& folder) const;

private:
  struct mount {
    std::string device;          ///< of the file system
    std::filesystem::path root;  ///< in it
    std::filesystem::path place; ///< where that is mounted
  };
  /// That which decides where `path` is looked for. Null: nothing is mounted there.
  const mount* mount_of(const std::filesystem::path& path) const;

  std::vector<mount> mounts_; ///< the latest last
};

} // namespace process
