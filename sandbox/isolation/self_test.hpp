// The self-test of a box: whether it can be built here. It goes on while its end is not known, so that a busy machine
// is not taken for one that can not build boxes.
#pragma once

#include "process/child.hpp"
#include "sandbox/isolation/box.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace sandbox {

/// A self-test that has not ended after this is begun anew. No look waits for it that long.
inline constexpr std::chrono::milliseconds isolation_self_test_max{30'000};
/// For so long others may hold all namespaces that there may be; then none are permitted, for ever.
inline constexpr std::chrono::milliseconds namespaces_lacking_max{10'000};
/// Between two looks at a self-test that has not ended.
inline constexpr std::chrono::milliseconds isolation_look_pause{250};

struct self_test_result {
  enum class kind : uint8_t {
    worked,
    failed, ///< for a reason that will be there the next time as well
    /// Has not ended yet, or failed for want of something that comes back: time, memory, descriptors, processes.
    unknown,
  };
  kind what = kind::unknown;
  std::string complaint; ///< what was printed on stderr, or why nothing was
};

class isolation_self_test {
public:
  /// Starts it, or looks at the one that goes on. Blocks, at most for limits::isolation_probe_timeout the first time,
  /// and shortly later.
  self_test_result look(const asio::any_io_executor& executor, isolation_tools tools, const isolation& isolated);

private:
  self_test_result start(const asio::any_io_executor& executor, const isolation_tools& tools);
  self_test_result not_ended();
  self_test_result ended();
  bool lacks_namespaces_for_good(const self_test_result& result);

  std::unique_ptr<process::child> running_; ///< null: none
  process::descriptor said_;                ///< what it prints on stderr
  std::chrono::steady_clock::time_point started_;
  std::optional<std::chrono::steady_clock::time_point> lacking_since_; ///< namespaces, at each look since then
};

/// Of both kinds of isolated.
struct isolation_self_tests {
  isolation_self_test boxed, landlock_only;
};

} // namespace sandbox
