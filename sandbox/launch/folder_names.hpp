// Folders that have more than one name: what is mounted a second time is the same folder, and its path does not say so.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

namespace sandbox {

/// Looks at each path once: for the time of one question.
class folder_names {
public:
  /// The rest of `path` (free of links) below `folder`, by their names or because a folder on the way is the same one;
  /// ".": it is the folder itself. Nothing: it does not lie in there. A path that is not there lies where its name
  /// says.
  std::optional<std::filesystem::path> place_in(const std::filesystem::path& folder, const std::filesystem::path& path);

private:
  using identity = std::pair<dev_t, ino_t>;
  std::optional<identity> of(const std::filesystem::path& path);

  std::map<std::string, std::optional<identity>> known_;
};

} // namespace sandbox
