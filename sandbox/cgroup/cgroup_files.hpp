// The few things that are done to the files of a cgroup hierarchy. Tests put a kernel of their own behind them.
#pragma once

#include "process/child.hpp"

#include <string>
#include <vector>

namespace sandbox {

/// As it is: the running kernel's. Each function takes an absolute path; 0 or errno.
class cgroup_files {
public:
  virtual ~cgroup_files() = default;
  virtual int make_folder(const std::string& path);
  virtual int remove_folder(const std::string& path);
  virtual int write(const std::string& path, const std::string& text);
  /// Without the last newline; empty: it can not be read.
  virtual std::string read(const std::string& path);
  /// Names of the folders in it.
  virtual std::vector<std::string> folders(const std::string& path);
  /// For writing; none: errno says why.
  virtual process::descriptor open(const std::string& path);
};

} // namespace sandbox
