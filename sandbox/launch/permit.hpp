// Opens a box for what a run was granted: mounts, the way to the egress proxy, and Deno's own permissions to match.
#pragma once

#include "messages/errors.hpp"
#include "messages/permissions.hpp"
#include "messages/run.hpp"
#include "sandbox/isolation/box.hpp"
#include "sandbox/launch/grants.hpp"

namespace sandbox {

/// Of a base box without grants. The fault is of resolve_grants(). Which hosts may be reached is for the egress proxy
/// to decide; the box only gets the way to it.
msg::outcome<box> permit(box base, msg::language lang, const msg::permissions& wanted, const path_policy& policy);

} // namespace sandbox
