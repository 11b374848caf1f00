// Work for other threads, by the names that actors have for it.
#pragma once

#include "process/background.hpp"

namespace actors {

using process::background_work;
using process::destroy_there;

} // namespace actors
