// The head file: where the record begins and ends, sealed with the key of the state folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace audit {

/// Where a file ends, and with which line.
struct file_end {
  std::string digest; ///< of the line; empty: there is none
  std::string file;
  uint64_t size = 0; ///< of the file with that line
};

enum class seal_state : uint8_t {
  none,      ///< by an older version, or without a key
  unchecked, ///< there is one, and no key to check it with
  good,
  wrong, ///< by another key, or changed
};

/// In the place of `begin`: at some time the head was missing, or not ours.
inline constexpr std::string_view doubtful_begin = "doubtful";

struct head_record {
  file_end last;            ///< what was written last
  file_end next;            ///< what is being written; after a crash: what was
  std::string begin;        ///< what the first line that is kept says of the line before it; empty: not known
  std::string begin_soon;   ///< the same once the file that is being removed is gone
  std::string begun_anew;   ///< when it was begun with a key that was there before; empty: it was begun with its key
  std::string sealed_since; ///< when it was sealed first, if something was there before; empty: it always was
  seal_state seal = seal_state::none;
};

/// `key` may be empty. What makes no sense is empty.
head_record read_head(int fd, const std::string& key);
/// False: it could not be written; errno says why.
bool write_head(int fd, const head_record& head, const std::string& key);

/// Whether the record may end so: as it was written last or, after a crash, in the middle of what was being written.
bool may_end_so(const head_record& head, const file_end& end);

} // namespace audit
