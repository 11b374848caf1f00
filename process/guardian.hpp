// Kills the process groups of our children when this process dies in a way that lets it do nothing: SIGKILL, a crash.
//
// PR_SET_PDEATHSIG reaches only direct children; `npx` starts the real server as a grandchild, and bubblewrap, killed
// while it sets up a sandbox, leaves a process of its own that waits for it for ever. The guardian is a tiny forked
// process that knows every group and waits for the end of a pipe.
#pragma once

#include "process/child.hpp"

#include <sys/types.h>

namespace process {

/// One per process, on its main thread. Starts the helper before the first child; ends it with itself.
class guardian {
public:
  guardian();
  guardian(const guardian&) = delete;
  guardian& operator=(const guardian&) = delete;
  ~guardian();

  /// That of this process: process::start has it watch every child until that is reaped. Null: there is none.
  static guardian* of_process();

  /// Starts the helper, if there is none yet. 0, or errno: there can be none now.
  int prepare();
  /// A second time for the same group does nothing.
  void watch(pid_t group);
  /// After the group's leader is reaped and the group killed, before its number can be used again.
  void forget(pid_t group);

  /// Groups at once; more are not guarded (the limit on children is far below).
  static constexpr size_t groups_max = 4'096;

private:
  void tell(char operation, pid_t group);

  descriptor pipe_;
  pid_t helper_ = -1;
};

} // namespace process
