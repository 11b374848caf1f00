// What is done to the server in a simulation: a list of steps, of which any part can be played as well.
#pragma once

#include "tests/simulation/chance.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simulation {

enum class deed : uint8_t {
  run,          ///< a client has a program run
  ask,          ///< a client asks for health, servers or tools, or says what is no request
  cancel,       ///< a client gives up a request
  vanish,       ///< a client over HTTP is gone, or one of its streams is; or it comes back
  go_on,        ///< some of what can happen by itself happens
  wait,         ///< time passes, timer by timer
  jump,         ///< time passes at once: the machine slept; or the clock on the wall is set
  kill,         ///< an actor ends by a mistake of ours
  kill_run,     ///< the same, of what looks after one run
  reload,       ///< other servers are configured
  break_server, ///< a server does what it should not
  break_guest,  ///< a guest dies, or says nothing any more
  disk,         ///< the disk of the record is full, slow, locked, or well again
};
inline constexpr size_t deeds_count = 13;

std::string_view to_string(deed what);

/// `luck` decides everything that is chosen while it is done: a step means the same whatever was left out before it.
struct step {
  deed what = deed::go_on;
  uint32_t luck = 0;
  bool operator==(const step&) const = default;
};

struct plan {
  uint64_t seed = 0; ///< also of the limits of the server
  std::vector<step> steps;
};

plan plan_of(uint64_t seed);

/// "17: run.1f wait.2b8": can be read again.
std::string to_text(const plan& of);
std::optional<plan> read_plan(std::string_view text);

} // namespace simulation
