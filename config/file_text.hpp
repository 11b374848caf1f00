// The text of a file that people edit.
#pragma once

#include "messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace config {

struct file_text {
  bool exists = false;
  msg::fault error;        ///< it is there and can not be read: too large, no permission, not a file; names the file
  std::string text;        ///< without a byte order mark
  uint64_t size = 0;       ///< as the system tells, also of one that is too large; some have more
  uint64_t read_bytes = 0; ///< of it, also if there is an error
};

/// Reads regular files only: a pipe or a device of that name is a fault, and is not waited for.
file_text read_file_text(const std::string& path, size_t bytes_max);

/// What a file begins with, as it is, up to `bytes_max`. Empty: it is no regular file, which is not waited for, or can
/// not be read.
std::string read_file_start(const std::string& path, size_t bytes_max);

} // namespace config
