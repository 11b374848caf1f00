// The end of a file of the record, read backwards: with bounded memory, whatever the file is.
#pragma once

#include <cstdint>
#include <string>

namespace audit {

/// The last line that ends at or before a place in a file.
struct last_line {
  bool readable = false;
  std::string digest;    ///< SHA-256 of its bytes without the end of line; empty: there is no line
  std::string beginning; ///< enough to tell its time: at most 256 bytes
  bool is_torn = false;  ///< it has no end of line
};

/// Of the first `size` bytes of the file behind `fd`.
last_line read_last_line(int fd, uint64_t size);

} // namespace audit
