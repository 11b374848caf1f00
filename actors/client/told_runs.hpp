// Runs whose client wants to hear how they go on: what it is told, and when.
#pragma once

#include "messages/run.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace client {

/// From the request of a run to its answer. The caller brings the clock, which never goes back.
class told_runs {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// A notifications/progress. The protocol wants a number that rises, with or without calls: seconds do.
  struct notice {
    double seconds = 0; ///< since the run was begun
    std::string text;
  };
  /// Clients give up a request of which they hear nothing.
  struct heartbeat {
    std::optional<notice> said;        ///< none: it has heard something else meanwhile
    std::chrono::nanoseconds again{0}; ///< from now
  };

  /// The first heartbeat is progress_heartbeat later.
  void begin(uint64_t run, time_point now);
  void end(uint64_t run) { runs_.erase(run); }
  /// None: the client does not want to hear of that run, or the number would not rise.
  std::optional<notice> progressed(const msg::run_progress& progress, time_point now);
  /// None: the client does not want to hear of that run any more.
  std::optional<heartbeat> beat(uint64_t run, time_point now);

private:
  struct told_run {
    time_point begun, told; ///< told: when its client heard of it last
    msg::run_progress last;
  };
  static std::optional<notice> tell(told_run& run, std::string text, time_point now);

  std::map<uint64_t, told_run> runs_;
};

} // namespace client
