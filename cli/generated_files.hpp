// Files that commands write for editors, into folders that others write to as well.
#pragma once

#include "messages/errors.hpp"
#include "proxy/editors/wrapper_files.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

enum class file_mode : uint8_t {
  write,
  only_look, ///< as if it wrote
};

struct file_changes {
  std::vector<std::string> written, removed; ///< paths below the folder
  size_t added = 0;                          ///< of those that are written: they were not there
  size_t unchanged = 0;
};

/// Where files of ours are removed that nobody wants any more.
struct sweeping {
  std::vector<std::string> folders; ///< below that of the files; what is deeper stays, and so does what has other ends
  std::vector<std::string> kept;    ///< paths of files that stay as they are
};

/// Makes the folder have these files. What is the same already is left alone; any other is replaced as a whole.
/// A fault, which names the file: one that is not ours is in the way, and nothing was written or removed; or it could
/// not be written, and those before it are.
msg::outcome<file_changes> write_generated(const std::string& folder, const std::vector<editors::generated_file>& files,
                                           const sweeping& sweep, file_mode mode);

/// Whether a file of ours is there.
bool is_generated(const std::string& path);

} // namespace cli
