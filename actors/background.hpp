// Work for the worker thread.
#pragma once

#include <functional>

namespace actors {

/// Does the work on the worker thread, which owns what it touches until `done` is called on ours. Tests do it at once.
using background_work = std::function<void(std::function<void()> work, std::function<void()> done)>;

} // namespace actors
