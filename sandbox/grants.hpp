// What `permissions.read` and `permissions.write` of a run open: each path is opened once, what was opened is checked
// against the policy, and exactly that is mounted. Neither a symbolic link nor a rename in between opens anything else.
#pragma once

#include "messages/errors.hpp"
#include "messages/permissions.hpp"
#include "process/child.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sandbox {

/// Folders (or files) inside of which a run may be given paths. A path that may be written may be read.
struct path_policy {
  std::vector<std::string> read;  ///< security.allowRead
  std::vector<std::string> write; ///< security.allowWrite
  std::string folder;             ///< absolute; relative paths of a run start here
};

struct granted_path {
  process::c_text path; ///< absolute, as the program names it; the real one where that differs is granted as well
  bool writable = false;
  std::shared_ptr<process::descriptor> opened; ///< O_PATH
};

/// The fault (not_allowed, invalid_argument) names the path, why it is refused, and the setting that would allow it.
msg::outcome<std::vector<granted_path>> resolve_grants(const msg::permissions& wanted, const path_policy& policy);

} // namespace sandbox
