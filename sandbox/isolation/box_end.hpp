// When a box has really ended. Bubblewrap's own process, which we wait for, is gone before those in the box when it is
// killed: they die later, and may be in the middle of a system call until then. If it is killed while it makes the box,
// they may not die at all.
#pragma once

#include "process/child.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <memory>
#include <vector>

#include <sys/types.h>

namespace sandbox {

/// Keeps `holds` (placeholders) until no process of the box can do anything any more.
class box_end {
public:
  /// `leash`: prepared_box::leash; none where nothing is held.
  box_end(asio::any_io_executor executor, std::vector<std::shared_ptr<const void>> holds, process::descriptor leash);
  box_end(const box_end&) = delete;
  box_end& operator=(const box_end&) = delete;
  ~box_end();

  /// When process 1 of the box asks on the leash, it is remembered, and may start the guest if `bubblewrap` lives: it
  /// dies with that from then on. No guest runs in a box that was never asked for.
  void admit(pid_t bubblewrap);
  /// After the end of bubblewrap. Comes back at once when nothing is held, else after some milliseconds: what takes
  /// longer is waited for in the background. What has not ended when the server does is killed, waited for and, if it
  /// hangs on even then, never released.
  asio::awaitable<void> release();

private:
  struct held;

  asio::any_io_executor executor_;
  std::shared_ptr<held> held_; ///< null: nothing
};

} // namespace sandbox
