// Work that would hold the one thread for more than a millisecond goes to another thread.
#pragma once

#include "messages/errors.hpp"
#include "process/fair_threads.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace process {

/// What an exception says of work that was done for a caller: no memory is a limit that was reached, anything else a
/// mistake of ours.
msg::fault fault_of(const std::exception_ptr& thrown);
/// Of the one that is being handled.
msg::fault fault_of_exception();

namespace detail {

template <class T>
struct outcome_of {
  using type = msg::outcome<T>;
};
template <class T>
struct outcome_of<msg::outcome<T>> {
  using type = msg::outcome<T>;
};

} // namespace detail

/// Does it here; what it throws comes back as a fault.
template <class F>
auto attempt(F& work) -> typename detail::outcome_of<decltype(work())>::type {
  try {
    return work();
  } catch (...) {
    return fault_of_exception();
  }
}

namespace detail {

template <class F>
auto carry_out(const asio::any_io_executor& worker, F& work) -> typename outcome_of<decltype(work())>::type {
  if (is_given_up(worker))
    return msg::fault{msg::errc::cancelled, "nobody waits for it any more"};
  return attempt(work);
}

} // namespace detail

/// Runs `work` on `worker` and comes back to the executor of the calling coroutine, with its result, or with what it
/// threw as a fault: never throws. `work` owns what it touches, and ends on the worker.
template <class F>
auto offload(asio::any_io_executor worker, F work)
  -> asio::awaitable<typename detail::outcome_of<decltype(work())>::type> {
  using result = typename detail::outcome_of<decltype(work())>::type;
  auto start = [](auto handler, asio::any_io_executor there, F what) {
    auto home = asio::get_associated_executor(handler);
    asio::executor_work_guard<decltype(home)> guard{home};
    auto task = [handler = std::move(handler), home, guard = std::move(guard), there,
                 what = std::move(what)]() mutable {
      auto answer = detail::carry_out(there, what);
      // The guard goes along: from here on the caller may end, and its context with it.
      auto done = [handler = std::move(handler), guard = std::move(guard), answer = std::move(answer)]() mutable {
        std::move(handler)(std::move(answer));
      };
      asio::post(home, std::move(done));
    };
    asio::post(there, std::move(task));
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(result)>(
    start, asio::use_awaitable, std::move(worker), std::move(work));
}

} // namespace process
