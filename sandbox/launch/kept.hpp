// Inside of what a run may write, some files stay as they are: those that decide what is started on this machine. They
// are mounted read-only, and where there is none, a placeholder takes its name as long as the guest lives.
#pragma once

#include "messages/errors.hpp"
#include "sandbox/isolation/box.hpp"
#include "sandbox/launch/grants.hpp"
#include "sandbox/launch/spelling.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sandbox {

struct kept_mounts {
  /// Among the grants in order of depth, and on top of those of the same path.
  std::vector<mount> mounts;
  std::vector<std::string> paths;                 ///< that can not be written, as the guest names them
  std::vector<std::shared_ptr<const void>> holds; ///< placeholders go with them
};

/// The fault (not_allowed) names the grant: it is one of the kept files itself, or something that can not be kept lies
/// in it, as anything where a file has several names.
msg::outcome<kept_mounts> keep(const std::vector<granted_path>& grants, const path_policy& policy,
                               folder_questions questions = asked_of_the_system());

/// What has to stay so that `path` leads to what it leads to: every link on the way, and what is at its end, there or
/// not.
std::vector<std::filesystem::path> all_names_of(const std::filesystem::path& path);

} // namespace sandbox
