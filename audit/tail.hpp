// The end of a file of the record, read backwards: with bounded memory, whatever the file is.
#pragma once

#include <cstdint>
#include <string>

namespace audit {

/// The last line that ends at or before a place in a file.
struct last_line {
  bool readable = false;
  std::string digest;   ///< SHA-256 of its bytes without the end of line; empty: there is no line
  bool is_torn = false; ///< it has no end of line
};

/// Of the first `size` bytes of the file behind `fd`.
last_line read_last_line(int fd, uint64_t size);

/// What the head file says: which line was the last one that was written, and where it ends.
struct head_record {
  std::string digest; ///< empty: nothing, or nothing that makes sense
  std::string file;
  uint64_t size = 0; ///< of the file with that line
};

head_record read_head(int fd);
/// False: it could not be written; errno says why.
bool write_head(int fd, const head_record& head);

} // namespace audit
