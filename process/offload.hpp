// Work that would hold the one thread for more than a millisecond goes to the worker thread.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/use_awaitable.hpp>

#include <utility>

namespace process {

namespace detail {

template <class F>
auto run_there(F work) -> asio::awaitable<decltype(work())> {
  co_return work();
}

} // namespace detail

/// Runs `work` on `worker` and comes back to the executor of the calling coroutine. `work` owns what it touches.
template <class F>
auto offload(asio::any_io_executor worker, F work) -> asio::awaitable<decltype(work())> {
  auto task = detail::run_there(std::move(work));
  co_return co_await asio::co_spawn(worker, std::move(task), asio::use_awaitable);
}

} // namespace process
