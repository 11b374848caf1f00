// Deno's cache for the modules of the guest and for those of Node that it loads: what they depend on, their JavaScript,
// and V8's code for it. With it a guest starts in two thirds of the time.
#pragma once

#include "sandbox/runtimes/cache_recipe.hpp"

namespace sandbox {

/// Of the box that find_deno() makes.
cache_recipe deno_cache_recipe(const box& deno);

} // namespace sandbox
