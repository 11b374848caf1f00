// A guest in a container of podman or docker.
#pragma once

#include "messages/errors.hpp"
#include "sandbox/container/container_engine.hpp"
#include "sandbox/launch/guest.hpp"

#include <memory>

namespace sandbox {

/// Starts a guest in a container of its own, when the engine has been found: what goes wrong from there on is told by
/// `ended`. The fault: no descriptors are left. `cpu_seconds` of one process at most; 0: no limit.
msg::outcome<std::shared_ptr<guest>> start_container_guest(const guest_environment& environment,
                                                           std::shared_ptr<container_host> host, uint32_t cpu_seconds,
                                                           guest_events events);

} // namespace sandbox
