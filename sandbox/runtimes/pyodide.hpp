// The memory snapshot from which Pyodide starts in a fraction of the time.
#pragma once

#include "sandbox/runtimes/cache_recipe.hpp"

namespace sandbox {

/// Of the box that find_pyodide() makes, with the limits that guests will have.
cache_recipe pyodide_snapshot_recipe(const box& pyodide);

} // namespace sandbox
