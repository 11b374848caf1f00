// Places for guests with cgroups: one always waits, so that a guest that is started does not wait for the kernel.
#pragma once

#include "sandbox/cgroup/cgroup.hpp"
#include "sandbox/launch/prespawned_process.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include <memory>
#include <string>

namespace sandbox {

struct prespawned_guest {
  std::unique_ptr<guest_cgroup> group; ///< null: there are no cgroups here; then no process either
  std::unique_ptr<process::prespawned_process> waiting;
};

class prespawned_guests : public std::enable_shared_from_this<prespawned_guests> {
public:
  /// `program`: the guest-exec executable.
  prespawned_guests(const asio::any_io_executor& executor, std::shared_ptr<cgroups> groups, std::string program)
    : groups_(std::move(groups)),
      program_(std::move(program)),
      refill_(executor) {}

  /// The fault: a process could not be started, or has no cgroup although there is a place for it (overloaded). Without
  /// a place: none waits.
  msg::outcome<prespawned_guest> take(const cgroup_limits& limits);
  /// For a guest that joins by itself. Null: there are no cgroups here, or none that can be limited. The fault:
  /// likewise.
  msg::outcome<std::unique_ptr<guest_cgroup>> make_group(const cgroup_limits& limits);
  const cgroup_place& place() const { return groups_->place(); }

private:
  msg::outcome<prespawned_guest> make();
  void refill_soon();

  std::shared_ptr<cgroups> groups_;
  std::string program_;
  prespawned_guest spare_;
  asio::steady_timer refill_;
};

/// Of this very process. The executable guest-exec lies where guest-init does: beside our own, or in
/// ../libexec/code-executor.
std::shared_ptr<prespawned_guests> make_prespawned_guests(const asio::any_io_executor& executor,
                                                          const std::string& own_executable);

} // namespace sandbox
