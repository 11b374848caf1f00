// A temporary folder that goes away with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace test {

/// The whole file; empty: there is none.
inline std::string read(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

class folder {
public:
  folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "code-executor-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      throw std::runtime_error{"mkdtemp"};
    path_ = std::filesystem::canonical(pattern);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path(std::string_view name = {}) const { return name.empty() ? path_.string() : (path_ / name).string(); }
  std::string write(std::string_view name, std::string_view content) const {
    auto where = path_ / name;
    std::filesystem::create_directories(where.parent_path());
    std::ofstream{where, std::ios::binary} << content;
    return where.string();
  }
  std::string write_program(std::string_view name, std::string_view content = "#!/bin/sh\n") const {
    auto where = write(name, content);
    std::filesystem::permissions(where, std::filesystem::perms{0755});
    return where;
  }

private:
  std::filesystem::path path_;
};

} // namespace test
