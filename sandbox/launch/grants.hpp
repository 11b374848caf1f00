// What `permissions.read` and `permissions.write` of a run open: each path is opened once, what was opened is checked
// against the policy, and exactly that is mounted. Neither a symbolic link nor a rename in between opens anything else.
#pragma once

#include "messages/errors.hpp"
#include "messages/permissions.hpp"
#include "process/child.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sandbox {

/// Stays as it is inside of what may be written: a file, or a folder with all that is in it.
struct kept_path {
  std::string path;
  bool is_folder = false;
  std::string why = {}; ///< it is kept, a part of a sentence; empty: it decides itself what is started
};

/// Folders (or files) inside of which a run may be given paths. A path that may be written may be read.
struct path_policy {
  std::vector<std::string> read;  ///< security.allowRead
  std::vector<std::string> write; ///< security.allowWrite
  std::string folder;             ///< absolute; relative paths of a run start here
  /// What a project says of itself: a path has to be inside of these too. Nothing: it does not say.
  std::optional<std::vector<std::string>> project_read = {}, project_write = {};
  std::vector<kept_path> kept = {};       ///< absolute: what no run may write, there or not
  std::vector<kept_path> kept_names = {}; ///< the same of what is there, below any folder that a run is given
  /// Absolute folders that are empty for a run which is given a folder above them: who may read them may hold locks on
  /// their files, and knows their secrets.
  std::vector<std::string> hidden = {};
  std::string empty_folder = {}; ///< that is seen there; it is made when it is needed
};

struct granted_path {
  process::c_text path; ///< absolute, as the program names it; the real one where that differs is granted as well
  std::string real;     ///< free of links
  bool writable = false;
  /// A link in another granted folder leads there: the box needs no mount of that name.
  bool by_link = false;
  std::shared_ptr<process::descriptor> opened; ///< O_PATH
};

/// `path`, which is free of links, under every name of a granted folder that it lies in, but not those folders
/// themselves.
std::vector<std::string> names_in_grants(const std::string& path, const std::vector<granted_path>& grants);

/// Outer folders first, and what may be written behind what may be read: in this order mounts say what holds. What lies
/// in a folder with two names is there under both. The fault (not_allowed, invalid_argument) names the path, why it is
/// refused, and the setting that would allow it.
msg::outcome<std::vector<granted_path>> resolve_grants(const msg::permissions& wanted, const path_policy& policy);

} // namespace sandbox
