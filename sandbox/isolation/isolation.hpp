// How guests are kept in on this machine. Namespaces, with all other isolated inside of them, where the kernel gives
// them to us. Else `landlock_only`: on the host, between Landlock, seccomp, limits and the runtime's own permissions,
// for runtimes that have such. Else not at all.
#pragma once

#include "process/child.hpp"

#include <asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace sandbox {

enum class isolation_mode : uint8_t {
  untried, ///< or tried without an answer yet: then there is a reason
  namespaces,
  landlock_only,
  none,
};
std::string_view to_string(isolation_mode mode);

/// The setting `sandbox.isolation`.
enum class isolation_policy : uint8_t {
  automatic, ///< the best there is
  required,  ///< namespaces or nothing
};

struct isolation_self_tests;

struct isolation {
  isolation_mode mode = isolation_mode::untried;
  std::string reason;                           ///< why not namespaces, and how to get them: whole sentences
  std::shared_ptr<process::descriptor> filter;  ///< of system calls, for this mode; null: the kernel has no seccomp
  int landlock_abi = 0;                         ///< 0: the kernel has no Landlock
  std::shared_ptr<isolation_self_tests> trials; ///< untried: those that go on
};

/// What every box needs of this machine.
struct isolation_tools {
  std::string bubblewrap; ///< absolute path; empty: not found
  std::string guest_init; ///< absolute path
  /// For templates of guests. Absolute paths; empty: not found, and guests are started one by one.
  std::string guest_fork, guest_spawn;
  isolation isolated; ///< as `probe_isolation` found them
};

/// Builds one box with nothing in it and looks whether that worked: nothing else tells for sure (sysctls, AppArmor,
/// seccomp filters of containers, masked /proc). Blocks, for 4 ms where all is well and for 2 s at most. A self-test
/// that has not ended by then goes on, and the answer is `untried`: ask again, with the answer in `tools.isolated`.
isolation probe_isolation(const asio::any_io_executor& executor, const isolation_tools& tools, isolation_policy policy);

} // namespace sandbox
