// Runs a coroutine to its end on an io_context and gives its result; a test that hangs fails instead.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace test {

inline constexpr std::chrono::seconds patience{20};

template <class T>
T run(asio::io_context& io, asio::awaitable<T> work) {
  std::optional<T> out;
  std::exception_ptr failed;
  asio::co_spawn(io, std::move(work), [&](std::exception_ptr e, T value) {
    failed = e;
    out = std::move(value);
  });
  auto deadline = std::chrono::steady_clock::now() + patience;
  io.restart();
  while (!out && io.run_one_until(deadline) > 0)
    ;
  if (failed)
    std::rethrow_exception(failed);
  if (!out)
    throw std::runtime_error{"the coroutine did not end in time"};
  return std::move(*out);
}

} // namespace test
