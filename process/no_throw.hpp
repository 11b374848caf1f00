// How a coroutine waits without exceptions: `auto [ec, n] = co_await stream.async_read_some(buffer, no_throw);`
#pragma once

#include <asio/experimental/as_tuple.hpp>
#include <asio/use_awaitable.hpp>

namespace process {

inline constexpr auto no_throw = asio::experimental::as_tuple(asio::use_awaitable);

} // namespace process
