// A child that is started ahead of need, has joined its cgroups, and waits to be told what to exec.
//
// Joining a cgroup of v2 makes the kernel wait for an RCU grace period: 7 ms and more on an idle machine, which the
// parent would sit out when the child joined between vfork and exec. It waits by itself; taking it costs one message.
#pragma once

#include "process/child.hpp"

#include <memory>
#include <string>
#include <vector>

namespace process {

class prespawned_process {
public:
  prespawned_process(std::unique_ptr<child> waiting, descriptor orders)
    : child_(std::move(waiting)),
      orders_(std::move(orders)) {}

  /// `program`: the guest-exec executable. `joins`: files of cgroups to join, open for writing; may be closed
  /// afterwards. `niceness`: above ours, also of what it becomes.
  static msg::outcome<std::unique_ptr<prespawned_process>> start(const asio::any_io_executor& executor,
                                                                 const std::string& program,
                                                                 const std::vector<int>& joins, int niceness = 0);

  /// The child, on its way to exec `what`; not twice. `what` has a descriptor 2: there the child says why, if it can
  /// not. errc::server_died: it was gone before it was told.
  msg::outcome<std::unique_ptr<child>> exec(const launch& what);

private:
  std::unique_ptr<child> child_;
  descriptor orders_;
};

} // namespace process
