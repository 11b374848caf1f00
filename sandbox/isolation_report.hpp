// Who enforces what on this machine. Says only what has been tried, or is set by our own hand in every guest.
#pragma once

#include "messages/isolation.hpp"
#include "sandbox/box.hpp"
#include "sandbox/cgroup_place.hpp"

#include <string>

namespace sandbox {

/// What the trial box has shown.
struct found_walls {
  std::string mode;     ///< "namespaces", "bare": without them; "none": no guest can be started
  std::string reason;   ///< why it is not namespaces
  bool seccomp = false; ///< a filter of system calls is applied to every guest
  int landlock_abi = 0; ///< 0: Landlock is not applied
};

/// `what`: the limits that guests get.
msg::isolation_report report_isolation(const found_walls& walls, const cgroup_place& place, const box& what);

} // namespace sandbox
