#include "sandbox/launch/folder_names.hpp"

#include "process/inside.hpp"

#include <sys/stat.h>

namespace sandbox {

namespace fs = std::filesystem;

std::optional<fs::path> folder_names::place_in(const fs::path& folder, const fs::path& path) {
  if (process::inside(path, folder))
    return path.lexically_relative(folder);
  auto wanted = of(folder);
  for (auto at = path; wanted && at != at.root_path(); at = at.parent_path())
    if (of(at) == wanted)
      return path.lexically_relative(at);
  return {};
}

std::optional<folder_names::identity> folder_names::of(const fs::path& path) {
  auto [known, is_new] = known_.try_emplace(path.string());
  struct stat s {};
  if (is_new && ::lstat(path.c_str(), &s) == 0)
    known->second = identity{s.st_dev, s.st_ino};
  return known->second;
}

} // namespace sandbox
