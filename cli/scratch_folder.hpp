// A folder for files of a while.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace cli {

/// Goes with what is in it.
class scratch_folder {
public:
  explicit scratch_folder(const std::string& name) {
    auto path = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
    path_ = ::mkdtemp(path.data()) ? path : std::string{};
  }
  ~scratch_folder() {
    std::error_code ignored;
    if (!path_.empty())
      std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  /// Empty: it could not be made.
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace cli
