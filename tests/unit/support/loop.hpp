// Waiting for what happens on a loop that nobody else runs.
#pragma once

#include "testing/coroutines.hpp"

#include <asio/io_context.hpp>

#include <chrono>

namespace test {

/// Runs the loop until the condition holds, which is what it gives; or until patience is over.
template <class Condition>
bool run_until(asio::io_context& io, Condition condition) {
  auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition() && std::chrono::steady_clock::now() < deadline) {
    io.restart();
    io.run_one_for(std::chrono::milliseconds{20});
  }
  return condition();
}

} // namespace test
