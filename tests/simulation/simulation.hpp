// Plays a plan against the whole server, and says what should not have happened.
#pragma once

#include "tests/simulation/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace simulation {

enum class telling : uint8_t { nothing, everything };

struct verdict {
  std::vector<std::string> mistakes; ///< empty: all is well
  uint64_t digest = 0;               ///< of everything that happened: the same plan has the same
};

/// Where nothing is told, it ends with the first mistake.
verdict play(const plan& what, telling how = telling::nothing);

} // namespace simulation
