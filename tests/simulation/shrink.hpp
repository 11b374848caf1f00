// The shortest part of a failing plan that still fails.
#pragma once

#include "tests/simulation/plan.hpp"

#include <functional>

namespace simulation {

/// By delta debugging: leaves out ever smaller parts while `fails`. Gives up after `tries_max` plays.
plan shrunk(plan what, const std::function<bool(const plan&)>& fails, size_t tries_max = 2'000);

} // namespace simulation
