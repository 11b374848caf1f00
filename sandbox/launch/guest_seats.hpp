// Places for guests with cgroups: one always waits, so that a guest that is started does not wait for the kernel.
#pragma once

#include "sandbox/cgroup/cgroup.hpp"
#include "sandbox/launch/seat.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include <memory>
#include <string>

namespace sandbox {

struct guest_seat {
  std::unique_ptr<guest_cgroup> group; ///< null: there are no cgroups here; then no seat either
  std::unique_ptr<process::seat> seat;
};

class guest_seats : public std::enable_shared_from_this<guest_seats> {
public:
  /// `program`: the guest-seat executable.
  guest_seats(const asio::any_io_executor& executor, std::shared_ptr<cgroups> groups, std::string program)
    : groups_(std::move(groups)),
      program_(std::move(program)),
      refill_(executor) {}

  /// The fault: a seat could not be started. Without a place for cgroups: an empty seat.
  msg::outcome<guest_seat> take(const cgroup_limits& limits);
  const cgroup_place& place() const { return groups_->place(); }

private:
  msg::outcome<guest_seat> make();
  void refill_soon();

  std::shared_ptr<cgroups> groups_;
  std::string program_;
  guest_seat spare_;
  asio::steady_timer refill_;
};

/// Of this very process. The executable guest-seat lies where guest-init does: beside our own, or in ../libexec/code-executor.
std::shared_ptr<guest_seats> make_guest_seats(const asio::any_io_executor& executor, const std::string& own_executable);

} // namespace sandbox
