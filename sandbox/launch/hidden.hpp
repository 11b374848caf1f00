// Folders that are empty for a program which is given a folder above them: who may read their files may hold locks on
// them, and knows their secrets.
#pragma once

#include "messages/errors.hpp"
#include "sandbox/isolation/box.hpp"
#include "sandbox/launch/grants.hpp"

#include <vector>

namespace sandbox {

/// What is mounted over them, under all names that they have in the grants. `own`: what the sandbox itself needs. The
/// fault (not_allowed) names a grant that lies in such a folder, no part of which the user has named.
msg::outcome<std::vector<mount>> hide(const std::vector<granted_path>& grants, const path_policy& policy,
                                      const std::vector<mount>& own);

} // namespace sandbox
