// Plays seeds in processes of their own: one that dies, or never ends, is found as well.
#pragma once

#include "tests/simulation/simulation.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace simulation {

struct seed_result {
  uint64_t seed = 0;
  std::string mistake; ///< the first one; empty: all is well
};

/// Calls `hear` with each as soon as it is known.
void play_all(uint64_t first, uint64_t count, uint32_t workers, const std::function<void(const seed_result&)>& hear);

/// Whether it fails in a process of its own.
bool fails_elsewhere(const plan& what);

} // namespace simulation
