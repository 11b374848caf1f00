// A file of the user's that is read, and replaced as a whole or not at all.
#pragma once

#include "messages/errors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace setup {

struct user_file {
  std::string path;
  bool exists = false;
  std::string mark; ///< the byte order mark that it begins with; empty: none
  std::string text; ///< behind it
  msg::fault error; ///< it is there and can not be read, or changed; names the file

  std::string bytes() const { return mark + text; }
  /// Nothing: it is not there.
  std::optional<std::string> content() const { return exists ? std::optional{bytes()} : std::nullopt; }
};

/// What root makes in the home folder of another user, that user can not read. The fault says so.
msg::fault check_home(const std::string& home, uid_t user);

/// Of at most config_file_bytes_max.
user_file read_user_file(const std::string& path);

/// Where links lead, also of a path that ends at nothing yet.
std::string target_of(const std::string& path);

/// Why the file can not be replaced as a whole: it has other names (hard links), which would keep the old one. Empty:
/// it can be, as far as that goes.
std::string why_not_replaced(const std::string& path);

/// Of a file that is replaced.
enum class file_rights : uint8_t { kept, users_alone };

/// `before`: what the file has to hold still, nothing if it has to be absent; `after` likewise is what it becomes. A
/// link stays one, and what it leads to is replaced; mode (if `rights` says so) and owner stay. A new file is the
/// user's alone, and so are the folders that it needs, which are added to `made`. The file is written beside the old
/// one and takes its name once it is on the disk: whatever fails, the file is as it was. One with several names is
/// left: written in place it could be left half. The fault names the file and why.
msg::fault replace_file(const std::string& path, const std::optional<std::string>& before,
                        const std::optional<std::string>& after, std::vector<std::string>& made,
                        file_rights rights = file_rights::kept);

/// Removes what a replace_file of that path has left beside it that was killed. Nobody else may be replacing it.
void remove_leftovers(const std::string& path);

/// Makes the folder and those above it, the user's alone; the new ones are added to `made`, the outermost first.
msg::fault make_folders(const std::string& path, std::vector<std::string>& made);

} // namespace setup
