// What holds a guest in on this machine: for `health` and `doctor`.
#pragma once

#include "messages/fields.hpp"

#include <string>
#include <vector>

namespace msg {

/// One thing that a guest may not have all of.
struct isolation_layer {
  std::string of;     ///< "memory", "processes", ...
  bool holds = false; ///< the kernel or we enforce it
  std::string by;     ///< what does: "cgroup v1", "seccomp", ...; or why nothing does
  std::string limit;  ///< with its unit; empty: it has no number
  auto fields() { return std::tie(of, holds, by, limit); }
};

struct isolation_report {
  std::string mode;   ///< "namespaces", "bare", "none", or "untried" while nothing is known
  std::string reason; ///< why it is not namespaces; empty: it is
  std::vector<isolation_layer> layers;
  std::vector<std::string> lost; ///< why a wall that was there at the start is not any more
  auto fields() { return std::tie(mode, reason, layers, lost); }
};

} // namespace msg
