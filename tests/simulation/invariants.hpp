// What holds in a simulation, whatever happens.
#pragma once

#include "tests/simulation/house.hpp"

namespace simulation {

/// After every step.
void check_now(house& at);
/// When all is answered: nothing is left of any run, and the server works.
void check_at_rest(house& at);
/// Stops it: then nothing is left at all, and the record is whole.
void check_after_stop(house& at);

} // namespace simulation
