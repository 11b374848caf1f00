#include "sandbox/launch/box_start.hpp"

#include <utility>

namespace sandbox {

/// /tmp and /dev/shm are memory too: see cgroup.hpp.
cgroup_limits cgroup_limits_of(const box& what, uint32_t further_processes) {
  return {what.memory_bytes + 2 * what.temp_bytes, static_cast<uint32_t>(what.processes) + further_processes};
}

msg::outcome<started_box> start_box(const guest_environment& environment, const cgroup_limits& limits,
                                    const process::launch& launch) {
  using started = msg::outcome<std::unique_ptr<process::child>>;
  auto take = [&] {
    return environment.prespawned ? environment.prespawned->take(limits) : msg::outcome<prespawned_guest>{};
  };
  auto begin = [&](msg::outcome<prespawned_guest>& at) {
    if (!at.ok())
      return started{at.error};
    return at.value.waiting ? at.value.waiting->exec(launch) : process::start(environment.executor, launch);
  };
  auto place = take();
  auto child = begin(place);
  if (child.error.code == msg::errc::server_died) { // the prespawned process, which was killed while it waited
    place = take();
    child = begin(place);
  }
  if (!child.ok())
    return msg::fault{msg::errc::runtime_missing, "the sandbox " + child.error.message};
  return started_box{std::move(child.value), std::move(place.value.group)};
}

} // namespace sandbox
