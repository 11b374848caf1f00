// Work for other threads.
#pragma once

#include "messages/errors.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace process {

/// Does the work on another thread, which owns what it touches until `done` is called on ours: with errc::none, or with
/// why it could not be done (there was no memory for it, or no caller waits for it any more). `done` is called in any
/// case. Tests do it at once.
using background_work = std::function<void(std::function<void()> work, std::function<void(msg::fault)> done)>;

/// For what takes as long to destroy as to make.
template <class T>
void destroy_there(const background_work& offload, T what) {
  if (!offload)
    return;
  auto held = std::make_shared<T>(std::move(what));
  offload([held] { *held = T{}; }, [](const msg::fault&) {});
}

} // namespace process
