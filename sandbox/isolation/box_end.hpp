// When a box has really ended. Bubblewrap's own process, which we wait for, is gone before those in the box when it is
// killed: they die later, and may be in the middle of a system call until then.
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
  box_end(asio::any_io_executor executor, std::vector<std::shared_ptr<const void>> holds);

  /// Remembers process 1 of the box, which is the last to end. While `bubblewrap` lives, and before the program runs.
  void notice(pid_t bubblewrap);
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
