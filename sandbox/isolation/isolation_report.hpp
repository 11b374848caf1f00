// Who enforces what on this machine. Says only what has been tried, or is set by our own hand in every guest.
#pragma once

#include "messages/isolation.hpp"
#include "sandbox/cgroup/cgroup_place.hpp"
#include "sandbox/isolation/box.hpp"

namespace sandbox {

/// `what`: the limits that guests get.
msg::isolation_report report_isolation(const isolation& isolated, const cgroup_place& place, const box& what);

} // namespace sandbox
